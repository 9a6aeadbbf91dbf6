//! Methods of strings.

use std::rc::Rc;

use super::{
    Interpreter,
    call::Arguments,
    failure::{Eval, Failure},
    object::{Object, Slot, SourceLine},
};

/// Methods of strings.
pub(super) const NAMES: &[&str] = &[
    "capitalize",
    "center",
    "count",
    "endswith",
    "find",
    "format",
    "index",
    "isalpha",
    "isdigit",
    "islower",
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
    "rjust",
    "rpartition",
    "rsplit",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
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
                let [] = arguments.exactly()?;
                self.texts(text.lines(), place)
            }
            "replace" => {
                let [from, to, count] = arguments.between(2)?;
                let (from, to) = (expect_text(from)?, expect_text(to)?);
                // The result is at most this long; checked before the room is taken.
                let found = text.matches(&*from).count();
                self.heap.limits.text(text.len() + found.saturating_mul(to.len()))?;
                let replaced = match count.and_then(|count| count.as_int()).map(usize::try_from) {
                    Some(Ok(count)) => text.replacen(&*from, &to, count),
                    _ => text.replace(&*from, &to),
                };
                Ok(Object::Str(replaced.into()))
            }
            "startswith" | "endswith" => {
                let [parts] = arguments.exactly()?;
                let parts = match &parts {
                    Object::Tuple(_) => self.heap.counted_items(&parts)?,
                    _ => vec![Slot { object: parts, place }],
                };
                for part in parts {
                    let part = expect_text(Some(part.object))?;
                    self.heap.limits.reading(part.len().min(text.len()))?;
                    let fits = match name {
                        "startswith" => text.starts_with(&*part),
                        _ => text.ends_with(&*part),
                    };
                    if fits {
                        return Ok(Object::Bool(true));
                    }
                }
                Ok(Object::Bool(false))
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
                    None => letter.is_whitespace(),
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
            "count" => {
                let [part] = arguments.exactly()?;
                let part = expect_text(Some(part))?;
                Ok(Object::count(text.matches(&*part).count()))
            }
            "find" | "rfind" | "index" => {
                let [part] = arguments.exactly()?;
                let part = expect_text(Some(part))?;
                let at = if name == "rfind" { text.rfind(&*part) } else { text.find(&*part) };
                match at {
                    Some(at) => Ok(Object::count(text[..at].chars().count())),
                    None if name == "index" => Err(Failure::value_error("substring not found")),
                    None => Ok(Object::Int(-1)),
                }
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
                let first = letters.next().map(char::to_uppercase).into_iter().flatten();
                first.chain(letters.as_str().to_lowercase().chars()).collect()
            }
            "title" => title(text),
            "isalpha" => return Ok(all(char::is_alphabetic)),
            "isdigit" => return Ok(all(char::is_numeric)),
            "isspace" => return Ok(all(char::is_whitespace)),
            "islower" => return Ok(cased(char::is_lowercase, char::is_uppercase)),
            "isupper" => return Ok(cased(char::is_uppercase, char::is_lowercase)),
            _ => return Err(Failure::unsupported(format_args!("the method `{name}` of a string"))),
        })
    }

    fn join(&mut self, mark: &str, values: &Object, place: SourceLine) -> Eval<Object> {
        let mut joined = String::new();
        for (at, slot) in self.heap.collect(values, place)?.iter().enumerate() {
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
                None => self.texts(text.split_whitespace(), place),
                Some(_) => Err(Failure::unsupported("split() at spaces with a limit")),
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

fn expect_text(value: Option<Object>) -> Eval<Rc<str>> {
    match value {
        Some(Object::Str(text)) => Ok(text),
        Some(other) => Err(Failure::type_error(format!("expected a str, found {}", other.kind()))),
        None => Err(Failure::type_error("expected a str, found nothing")),
    }
}

/// Every word with a capital letter, words being runs of letters.
fn title(text: &str) -> String {
    let mut in_word = false;
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if in_word {
            out.extend(letter.to_lowercase());
        } else {
            out.extend(letter.to_uppercase());
        }
        in_word = letter.is_alphabetic();
    }
    out
}
