//! Methods of strings.

use std::rc::Rc;

use super::{
    Interpreter,
    call::Arguments,
    dialect::Dialect,
    failure::{Eval, Failure},
    letter::{is_letter, is_number, is_titlecase, lowered, may_be_number, title, titled},
    library::Native,
    object::{Object, Slot, SourceLine},
};
use crate::python::{casefolded, decimal_digit, is_blank, is_digit, split_lines};

/// Methods of strings.
pub(super) const NAMES: &[&str] = &[
    "capitalize",
    "casefold",
    "center",
    "count",
    "encode",
    "endswith",
    "expandtabs",
    "find",
    "format",
    "index",
    "isalnum",
    "isalpha",
    "isascii",
    "isdecimal",
    "isdigit",
    "islower",
    "isnumeric",
    "isspace",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "partition",
    "removeprefix",
    "removesuffix",
    "replace",
    "rfind",
    "rindex",
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
    "translate",
    "upper",
    "zfill",
];

impl Interpreter {
    /// `text.name(…)`.
    pub(super) fn str_method(
        &mut self,
        text: &Rc<str>,
        name: &str,
        arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        self.heap.limits.reading(text.len())?;
        match name {
            "format" => self.format_method(text, &arguments),
            "join" => {
                let [values] = arguments.exactly()?;
                self.join(text, &values, place)
            }
            "split" | "rsplit" => self.split(text, name == "rsplit", arguments),
            "splitlines" => {
                let mut arguments = arguments;
                let keyword = arguments.keyword("keepends");
                let [keeps] = arguments.between(0)?;
                let keeps = match keyword.or(keeps) {
                    Some(flag) => self.truth(&flag)?,
                    None => false,
                };
                let lines = split_lines(text);
                if !keeps {
                    return self.texts(lines.into_iter(), place);
                }
                // Each line goes up to where the next one begins.
                let start = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
                let starts: Vec<usize> = lines.iter().map(|line| start(line)).collect();
                let ends = starts.iter().skip(1).copied().chain([text.len()]);
                let whole = starts.iter().zip(ends).filter_map(|(from, to)| text.get(*from..to));
                let whole: Vec<&str> = whole.collect();
                self.texts(whole.into_iter(), place)
            }
            "encode" => {
                let mut arguments = arguments;
                let keyword = arguments.keyword("encoding");
                let [name] = arguments.between(0)?;
                let is_utf8 = match keyword.or(name) {
                    None => true,
                    Some(Object::Str(name)) => matches!(&*name.to_lowercase(), "utf-8" | "utf8"),
                    Some(_) => false,
                };
                if !is_utf8 || self.dialect == Dialect::Config {
                    return Err(Failure::unsupported("encode() but to UTF-8"));
                }
                Ok(Native::Bytes(Rc::clone(text)).object())
            }
            "translate" => self.translate(text, arguments),
            "expandtabs" => {
                let mut arguments = arguments;
                let keyword = arguments.keyword("tabsize");
                let [size] = arguments.between(0)?;
                let size = keyword.or(size).unwrap_or(Object::Int(8)).as_int().unwrap_or(8);
                self.expand_tabs(text, usize::try_from(size).unwrap_or(0))
            }
            "replace" => {
                let [from, to, count] = arguments.between(2)?;
                let (from, to) = (expect_text(from)?, expect_text(to)?);
                // The result is at most this long; checked before the room is taken.
                let found = text.matches(&*from).count() + usize::from(from.is_empty());
                self.heap.limits.text(text.len() + found.saturating_mul(to.len()))?;
                let replaced = match count.and_then(|count| count.as_int()).map(usize::try_from) {
                    Some(Ok(count)) => text.replacen(&*from, &to, count),
                    _ => text.replace(&*from, &to),
                };
                Ok(Object::Str(replaced.into()))
            }
            "startswith" | "endswith" | "count" | "find" | "rfind" | "index" | "rindex" => {
                self.find_in_text(text, name, arguments)
            }
            "strip" | "lstrip" | "rstrip" => {
                let [letters] = arguments.between(0)?;
                let letters = match letters {
                    None | Some(Object::None) => None,
                    letters => Some(expect_text(letters)?),
                };
                // Every letter of the text may be looked for among all of these.
                let looked_through = letters.as_ref().map_or(0, |letters| letters.len());
                self.heap.limits.reading(text.len().saturating_mul(looked_through))?;
                let is_stripped = |letter: char| match &letters {
                    Some(letters) => letters.contains(letter),
                    None => is_blank(letter),
                };
                self.heap.new_text(match name {
                    "lstrip" => text.trim_start_matches(is_stripped),
                    "rstrip" => text.trim_end_matches(is_stripped),
                    _ => text.trim_matches(is_stripped),
                })
            }
            "removeprefix" | "removesuffix" => {
                let [part] = arguments.exactly()?;
                let part = expect_text(Some(part))?;
                let rest = match name {
                    "removeprefix" => text.strip_prefix(&*part),
                    _ => text.strip_suffix(&*part),
                };
                self.heap.new_text(rest.unwrap_or(text))
            }
            "partition" | "rpartition" => {
                let [mark] = arguments.exactly()?;
                let mark = expect_text(Some(mark))?;
                if mark.is_empty() {
                    return Err(Failure::value_error("empty separator"));
                }
                let parts = match name {
                    "partition" => {
                        text.split_once(&*mark).map_or([&**text, "", ""], |(a, b)| [a, &mark, b])
                    }
                    _ => text.rsplit_once(&*mark).map_or(["", "", &**text], |(a, b)| [a, &mark, b]),
                };
                let slots = parts.map(|part| Slot { object: Object::text(part), place });
                self.heap.limits.text(text.len())?;
                self.heap.new_tuple(slots.to_vec(), place)
            }
            "ljust" | "rjust" | "center" | "zfill" => self.pad(text, name, arguments),
            _ => {
                let [] = arguments.exactly()?;
                self.plain_str_method(text, name)
            }
        }
    }

    /// Methods without arguments.
    fn plain_str_method(&self, text: &str, name: &str) -> Eval<Object> {
        let all = |test: fn(char) -> bool| Object::Bool(!text.is_empty() && text.chars().all(test));
        let cased = |test: fn(char) -> bool, other: fn(char) -> bool| {
            Object::Bool(text.chars().any(test) && !text.chars().any(other))
        };
        self.heap.new_text(match name {
            "upper" => text.to_uppercase(),
            "lower" => text.to_lowercase(),
            "capitalize" => {
                let mut letters = text.chars();
                let first = letters.next().map(titled).transpose()?.unwrap_or_default();
                first + &lowered(text, letters.as_str())?
            }
            "casefold" => casefolded(text),
            "title" => title(text)?,
            "isalpha" => return Ok(all(is_letter)),
            "isalnum" => return Ok(all(|letter| is_letter(letter) || is_number(letter))),
            "isascii" => return Ok(Object::Bool(text.is_ascii())),
            "isdecimal" => return Ok(all(|letter| decimal_digit(letter).is_some())),
            "isdigit" => return Ok(all(is_digit)),
            "isnumeric" if text.chars().any(may_be_number) => {
                return Err(Failure::unsupported("isnumeric() of Chinese letters"));
            }
            "isnumeric" => return Ok(all(is_number)),
            "isspace" => return Ok(all(is_blank)),
            "islower" => {
                return Ok(cased(char::is_lowercase, |letter| {
                    letter.is_uppercase() || is_titlecase(letter)
                }));
            }
            "isupper" => {
                return Ok(cased(char::is_uppercase, |letter| {
                    letter.is_lowercase() || is_titlecase(letter)
                }));
            }
            _ => return Err(Failure::unsupported(format_args!("the method `{name}` of a string"))),
        })
    }

    fn join(&mut self, mark: &str, values: &Object, place: SourceLine) -> Eval<Object> {
        let mut joined = String::new();
        for (at, slot) in self.collect(values, place)?.iter().enumerate() {
            let Object::Str(part) = &slot.object else {
                let kind = slot.object.kind();
                return Err(Failure::type_error(format!(
                    "item {at} to join is a {kind}, not a str"
                )));
            };
            self.heap.limits.text(mark.len() + part.len())?;
            joined.push_str(if at == 0 { "" } else { mark });
            joined.push_str(part);
        }
        Ok(Object::Str(joined.into()))
    }

    fn split(&mut self, text: &str, from_right: bool, mut arguments: Arguments) -> Eval<Object> {
        let place = arguments.place;
        let keywords = (arguments.keyword("sep"), arguments.keyword("maxsplit"));
        let [mark, most] = arguments.between(0)?;
        let mark = keywords.0.or(mark).filter(|mark| !matches!(mark, Object::None));
        let most = keywords.1.or(most).and_then(|most| most.as_int());
        let most = most.and_then(|most| usize::try_from(most).ok());
        let Some(mark) = mark else {
            return match most {
                None => {
                    let words = text.split(is_blank).filter(|word| !word.is_empty());
                    self.texts(words, place)
                }
                Some(most) => self.texts(words(text, most, from_right).into_iter(), place),
            };
        };
        let mark = expect_text(Some(mark))?;
        if mark.is_empty() {
            return Err(Failure::value_error("empty separator"));
        }
        match most {
            None => self.texts(text.split(&*mark), place),
            Some(most) if from_right => {
                let mut parts: Vec<&str> = text.rsplitn(most.saturating_add(1), &*mark).collect();
                parts.reverse();
                self.texts(parts.into_iter(), place)
            }
            Some(most) => self.texts(text.splitn(most.saturating_add(1), &*mark), place),
        }
    }

    fn texts<'a>(
        &mut self,
        texts: impl Iterator<Item = &'a str>,
        place: SourceLine,
    ) -> Eval<Object> {
        let mut slots = Vec::new();
        for text in texts {
            self.heap.limits.elements(1)?;
            slots.push(Slot { object: self.heap.new_text(text)?, place });
        }
        self.heap.new_list(slots, place)
    }

    fn pad(&mut self, text: &str, name: &str, arguments: Arguments) -> Eval<Object> {
        let [width, fill] = arguments.between(1)?;
        let width = width.and_then(|width| width.as_int()).unwrap_or(0);
        let fill = match fill {
            None if name == "zfill" => "0".into(),
            None => " ".into(),
            fill => expect_text(fill)?,
        };
        let missing = usize::try_from(width).unwrap_or(0).saturating_sub(text.chars().count());
        self.heap.limits.text(missing.saturating_mul(fill.len()))?;
        let (left, right) = match name {
            "ljust" => (0, missing),
            // Python puts the odd space to the left if the width is odd.
            "center" => {
                let left = missing / 2 + (missing & usize::try_from(width).unwrap_or(0) & 1);
                (left, missing - left)
            }
            _ => (missing, 0),
        };
        let (sign, digits) = match text.strip_prefix(['-', '+']) {
            Some(digits) if name == "zfill" => text.split_at(text.len() - digits.len()),
            _ => ("", text),
        };
        self.heap.new_text(format!("{sign}{}{digits}{}", fill.repeat(left), fill.repeat(right)))
    }
}

pub(super) fn expect_text(value: Option<Object>) -> Eval<Rc<str>> {
    match value {
        Some(Object::Str(text)) => Ok(text),
        Some(other) => Err(Failure::type_error(format!("expected a str, found {}", other.kind()))),
        None => Err(Failure::type_error("expected a str, found nothing")),
    }
}

/// The words of a text, at most so many apart from the rest of it.
fn words(text: &str, most: usize, from_right: bool) -> Vec<&str> {
    let mut words = Vec::new();
    let trim = |text| {
        if from_right {
            str::trim_end_matches(text, is_blank)
        } else {
            str::trim_start_matches(text, is_blank)
        }
    };
    let mut rest = trim(text);
    while !rest.is_empty() {
        if words.len() == most {
            // The rest keeps its blanks, but for those at its outer end.
            words.push(rest);
            break;
        }
        let (word, behind) = if from_right {
            let at = rest.char_indices().rev().find(|(_, letter)| is_blank(*letter));
            let at = at.map_or(0, |(at, letter)| at + letter.len_utf8());
            let (behind, word) = rest.split_at(at);
            (word, behind)
        } else {
            rest.split_at(rest.find(is_blank).unwrap_or(rest.len()))
        };
        words.push(word);
        rest = trim(behind);
    }
    if from_right {
        words.reverse();
    }
    words
}
