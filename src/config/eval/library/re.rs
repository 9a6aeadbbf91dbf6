//! `re`: patterns and matches.

use std::rc::Rc;

use crate::{
    config::eval::{
        Interpreter,
        builtin::Builtin,
        call::Arguments,
        failure::{Eval, Failure},
        object::{Object, Slot, SourceLine},
    },
    python::regex::{Flags, PatternError},
};

use super::{
    Native,
    re_match::{Match, part},
    replacement, text_of,
};

pub(in crate::config::eval) use crate::python::regex::Pattern;

/// Methods of patterns.
pub(super) const PATTERN_METHODS: &[&str] =
    &["findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn"];

/// Functions of the module.
pub(super) static FUNCTIONS: &[Builtin] = &[
    Builtin { name: "compile", call: compile },
    Builtin { name: "escape", call: escape },
    Builtin { name: "findall", call: |it, arguments| of_module(it, "findall", arguments) },
    Builtin { name: "finditer", call: |it, arguments| of_module(it, "finditer", arguments) },
    Builtin { name: "fullmatch", call: |it, arguments| of_module(it, "fullmatch", arguments) },
    Builtin { name: "match", call: |it, arguments| of_module(it, "match", arguments) },
    Builtin { name: "search", call: |it, arguments| of_module(it, "search", arguments) },
    Builtin { name: "split", call: |it, arguments| of_module(it, "split", arguments) },
    Builtin { name: "sub", call: |it, arguments| of_module(it, "sub", arguments) },
    Builtin { name: "subn", call: |it, arguments| of_module(it, "subn", arguments) },
];

const IGNORECASE: i64 = 2;
const MULTILINE: i64 = 8;
const DOTALL: i64 = 16;
const UNICODE: i64 = 32;
const VERBOSE: i64 = 64;

/// Flags of the module.
pub(super) static FLAGS: &[(&str, i64)] = &[
    ("DOTALL", DOTALL),
    ("I", IGNORECASE),
    ("IGNORECASE", IGNORECASE),
    ("M", MULTILINE),
    ("MULTILINE", MULTILINE),
    ("S", DOTALL),
    ("U", UNICODE),
    ("UNICODE", UNICODE),
    ("VERBOSE", VERBOSE),
    ("X", VERBOSE),
];

/// Most characters that a call may go through for each of a text, where a pattern starts anew at each match.
const MOST_MATCHES: usize = usize::MAX;

fn bad(error: &PatternError) -> Box<Failure> {
    Failure::raised("re.error", error.to_string())
}

fn flags_of(value: Option<Object>) -> Eval<Flags> {
    let Some(value) = value else { return Ok(Flags::default()) };
    let bits = value
        .as_int()
        .filter(|bits| bits & !(IGNORECASE | MULTILINE | DOTALL | UNICODE | VERBOSE) == 0);
    let Some(bits) = bits else {
        return Err(Failure::unsupported("these flags of a regular expression"));
    };
    Ok(Flags {
        ignores_case: bits & IGNORECASE != 0,
        multiline: bits & MULTILINE != 0,
        dotall: bits & DOTALL != 0,
        verbose: bits & VERBOSE != 0,
    })
}

/// The pattern that an argument is, or is the text of.
fn pattern_of(
    it: &mut Interpreter,
    value: Option<Object>,
    flags: Option<Object>,
) -> Eval<Rc<Pattern>> {
    match value {
        Some(Object::Str(text)) => {
            let flags = flags_of(flags)?;
            if let Some(known) = it.patterns.get(&(Rc::clone(&text), flags)) {
                return Ok(Rc::clone(known));
            }
            it.heap.limits.text(text.len().saturating_mul(16))?;
            it.heap.limits.steps(1000)?;
            let pattern = Rc::new(Pattern::new(&text, flags).map_err(|error| bad(&error))?);
            if it.patterns.len() > 512 {
                it.patterns.clear();
            }
            it.patterns.insert((text, flags), Rc::clone(&pattern));
            Ok(pattern)
        }
        Some(Object::Native(native)) => match (&*native, flags) {
            (Native::Pattern(pattern), None) => Ok(Rc::clone(pattern)),
            (Native::Pattern(_), Some(_)) => {
                Err(Failure::value_error("cannot process flags argument with a compiled pattern"))
            }
            (other, _) => {
                Err(Failure::type_error(format!("a pattern is a text, not a {}", other.kind())))
            }
        },
        other => {
            let kind = other.map_or("NoneType", |other| other.kind());
            Err(Failure::type_error(format!(
                "first argument must be string or compiled pattern, not {kind}"
            )))
        }
    }
}

fn compile(it: &mut Interpreter, mut arguments: Arguments) -> Eval<Object> {
    let flags = arguments.keyword("flags");
    let keyword = arguments.keyword("pattern");
    let (pattern, flags) = if keyword.is_some() {
        let [second] = arguments.between(0)?;
        (keyword, flags.or(second))
    } else {
        let [pattern, second] = arguments.between(1)?;
        (pattern, flags.or(second))
    };
    Ok(Native::Pattern(pattern_of(it, pattern, flags)?).object())
}

fn escape(it: &mut Interpreter, arguments: Arguments) -> Eval<Object> {
    let [text] = arguments.exactly()?;
    let text = text_of(Some(text), "re.escape()")?;
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if "()[]{}?*+-|^$\\.&~# \t\n\r\u{b}\u{c}".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    it.heap.new_text(escaped)
}

/// `re.name(pattern, …)`: the pattern's method, with its flags behind all other arguments.
fn of_module(it: &mut Interpreter, name: &str, mut arguments: Arguments) -> Eval<Object> {
    let keyword = arguments.keyword("pattern");
    let flags = arguments.keyword("flags");
    let pattern = match keyword {
        Some(pattern) => Some(pattern),
        None if arguments.positional.is_empty() => None,
        None => Some(arguments.positional.remove(0).object),
    };
    // Behind the text, and for these also behind a replacement and a count.
    let before_flags = match name {
        "sub" | "subn" => 3,
        "split" => 2,
        _ => 1,
    };
    let flags = if arguments.positional.len() > before_flags {
        Some(arguments.positional.remove(before_flags).object)
    } else {
        flags
    };
    let pattern = pattern_of(it, pattern, flags)?;
    it.pattern_method(&pattern, name, arguments)
}

impl Interpreter {
    /// `pattern.name(…)`.
    pub(super) fn pattern_method(
        &mut self,
        pattern: &Rc<Pattern>,
        name: &str,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        if matches!(name, "sub" | "subn") {
            return self.substitute(pattern, name == "subn", arguments);
        }
        let keyword = arguments.keyword("string");
        let most = arguments.keyword("maxsplit");
        let (text, most) = match (name, keyword) {
            ("split", None) => {
                let [text, second] = arguments.between(1)?;
                (text, most.or(second))
            }
            (_, None) => {
                let [text] = arguments.exactly()?;
                (Some(text), None)
            }
            (_, Some(text)) => {
                let [] = arguments.exactly()?;
                (Some(text), most)
            }
        };
        let Some(Object::Str(text)) = text else {
            let kind = text.map_or("NoneType", |text| text.kind());
            return Err(Failure::type_error(format!(
                "expected string or bytes-like object, got '{kind}'"
            )));
        };
        self.heap.limits.reading(text.len().saturating_mul(8))?;
        let failed = |error: PatternError| bad_run(&error);
        let one = match name {
            "search" => pattern.search(&text).map_err(failed)?,
            "match" => pattern.match_start(&text).map_err(failed)?,
            "fullmatch" => pattern.match_whole(&text).map_err(failed)?,
            "findall" => return self.find_all(pattern, &text, place),
            "finditer" => {
                let found = pattern.find_all(&text, MOST_MATCHES).map_err(failed)?;
                let slots = found.into_iter().map(|places| Slot {
                    object: Native::Match(Match {
                        text: Rc::clone(&text),
                        pattern: Rc::clone(pattern),
                        places,
                    })
                    .object(),
                    place,
                });
                let slots: Vec<Slot> = slots.collect();
                self.heap.limits.elements(slots.len().saturating_mul(pattern.groups() + 1))?;
                return self.lazily(super::super::iterate::Cursor::Items(slots.into_iter()), place);
            }
            "split" => return self.split_by(pattern, &text, most, place),
            _ => return Err(Failure::unsupported(format_args!("`.{name}` of a pattern"))),
        };
        Ok(match one {
            Some(places) => {
                Native::Match(Match { text, pattern: Rc::clone(pattern), places }).object()
            }
            None => Object::None,
        })
    }

    fn find_all(
        &mut self,
        pattern: &Rc<Pattern>,
        text: &Rc<str>,
        place: SourceLine,
    ) -> Eval<Object> {
        let found = pattern.find_all(text, MOST_MATCHES).map_err(|error| bad_run(&error))?;
        let mut slots = Vec::with_capacity(found.len());
        for places in found {
            let group = |number: usize| part(text, &places, number).unwrap_or("");
            let object = match pattern.groups() {
                1 => self.heap.new_text(group(0))?,
                2 => self.heap.new_text(group(1))?,
                many => {
                    let mut groups = Vec::with_capacity(many);
                    for number in 1..many {
                        groups.push(Slot { object: self.heap.new_text(group(number))?, place });
                    }
                    self.heap.new_tuple(groups, place)?
                }
            };
            slots.push(Slot { object, place });
        }
        self.heap.new_list(slots, place)
    }

    fn split_by(
        &mut self,
        pattern: &Rc<Pattern>,
        text: &Rc<str>,
        most: Option<Object>,
        place: SourceLine,
    ) -> Eval<Object> {
        let most = most.and_then(|most| most.as_int()).unwrap_or(0);
        if most < 0 {
            let slot = Slot { object: Object::Str(Rc::clone(text)), place };
            return self.heap.new_list(vec![slot], place);
        }
        let most =
            if most == 0 { MOST_MATCHES } else { usize::try_from(most).unwrap_or(MOST_MATCHES) };
        let found = pattern.find_all(text, most).map_err(|error| bad_run(&error))?;
        let mut slots = Vec::new();
        let mut from = 0;
        for places in found {
            let Some((start, end)) = places.first().copied().flatten() else { continue };
            let before = text.get(from..start).unwrap_or("");
            slots.push(Slot { object: self.heap.new_text(before)?, place });
            for number in 1..pattern.groups() {
                let object = match part(text, &places, number) {
                    Some(group) => self.heap.new_text(group)?,
                    None => Object::None,
                };
                slots.push(Slot { object, place });
            }
            from = end;
        }
        let rest = text.get(from..).unwrap_or("");
        slots.push(Slot { object: self.heap.new_text(rest)?, place });
        self.heap.new_list(slots, place)
    }

    fn substitute(
        &mut self,
        pattern: &Rc<Pattern>,
        counts: bool,
        mut arguments: Arguments,
    ) -> Eval<Object> {
        let place = arguments.place;
        let (repl, string, count) =
            (arguments.keyword("repl"), arguments.keyword("string"), arguments.keyword("count"));
        let mut positional =
            std::mem::take(&mut arguments.positional).into_iter().map(|slot| slot.object);
        let repl = repl.or_else(|| positional.next());
        let string = string.or_else(|| positional.next());
        let count = count.or_else(|| positional.next());
        let rest = positional.count();
        if rest > 0 || !arguments.keywords.is_empty() {
            return Err(Failure::type_error("sub() was given too many arguments"));
        }
        let text = text_of(string, "expected string or bytes-like object")?;
        let most = match count.map(|count| count.as_int()) {
            None => 0,
            Some(Some(count)) => count,
            Some(None) => return Err(Failure::type_error("the count of sub() is no int")),
        };
        let most = match usize::try_from(most) {
            Ok(0) => MOST_MATCHES,
            Ok(most) => most,
            Err(_) => 0,
        };
        self.heap.limits.reading(text.len().saturating_mul(8))?;
        let parts = match &repl {
            Some(Object::Str(template)) => {
                let parts =
                    replacement::parsed(template, pattern.groups(), &pattern.named_groups());
                Some(parts.map_err(|reason| Failure::raised("re.error", reason))?)
            }
            Some(_) => None,
            None => return Err(Failure::type_error("sub() misses the argument 'repl'")),
        };
        let found = pattern.find_all(&text, most).map_err(|error| bad_run(&error))?;
        let number = found.len();
        let mut out = String::new();
        let mut from = 0;
        for places in found {
            let Some((start, end)) = places.first().copied().flatten() else { continue };
            out.push_str(text.get(from..start).unwrap_or(""));
            from = end;
            let before = out.len();
            match (&parts, &repl) {
                (Some(parts), _) => replacement::expand(parts, &text, &places, &mut out),
                (None, Some(function)) => {
                    let found =
                        Match { text: Rc::clone(&text), pattern: Rc::clone(pattern), places };
                    let slot = Slot { object: Native::Match(found).object(), place };
                    match self.call_with(function, vec![slot], place)? {
                        Object::Str(made) => out.push_str(&made),
                        other => {
                            let message = format!("expected str instance, {} found", other.kind());
                            return Err(Failure::type_error(message));
                        }
                    }
                }
                (None, None) => {}
            }
            self.heap.limits.text(out.len() - before)?;
        }
        out.push_str(text.get(from..).unwrap_or(""));
        let made = self.heap.new_text(out)?;
        if !counts {
            return Ok(made);
        }
        let pair = [made, Object::count(number)].map(|object| Slot { object, place });
        self.heap.new_tuple(pair.to_vec(), place)
    }
}

/// A matcher that gave up is no answer, and nothing that a function may catch.
fn bad_run(error: &PatternError) -> Box<Failure> {
    Failure::limit(error.to_string())
}
