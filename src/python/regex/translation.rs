//! The walk through a pattern: everything but classes and the openings of groups.

use super::{BLANK, WORD};

/// Flags that change how a pattern is read; they end with the group that sets them.
#[derive(Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) multiline: bool,
    pub(super) verbose: bool,
}

/// A pattern on its way from Python to `fancy_regex`.
pub(super) struct Translation {
    pub(super) pattern: Vec<char>,
    pub(super) next: usize,
    pub(super) output: String,
    pub(super) scopes: Vec<Scope>,
}

/// What an escape stands for.
pub(super) enum Escape {
    /// One character.
    Literal(char),
    /// A set of characters: the inside of a class, and whether the class is negated.
    Set(&'static str, bool),
    /// Anything else, already translated.
    Other(String),
}

impl Translation {
    pub(super) fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.chars().collect(),
            next: 0,
            output: String::with_capacity(pattern.len() + 16),
            scopes: vec![Scope::default()],
        }
    }

    pub(super) fn run(mut self) -> Result<String, String> {
        while let Some(character) = self.take() {
            match character {
                '\\' => self.escape_outside_class()?,
                '[' => self.class()?,
                '(' => self.open_group()?,
                ')' => {
                    if self.scopes.len() == 1 {
                        return Err("unbalanced parenthesis".to_owned());
                    }
                    self.scopes.pop();
                    self.output.push(')');
                }
                '{' => self.repetition(),
                '}' | ']' => self.literal(character),
                '$' if self.scope().multiline => self.output.push('$'),
                '$' => self.output.push_str(r"(?=\n?\z)"),
                '#' if self.scope().verbose => while self.take().is_some_and(|c| c != '\n') {},
                blank if self.scope().verbose && blank.is_ascii_whitespace() => {}
                other => self.output.push(other),
            }
        }
        if self.scopes.len() > 1 {
            return Err("missing ), unterminated subpattern".to_owned());
        }
        Ok(self.output)
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.pattern.get(self.next).copied()
    }

    pub(super) fn take(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.next += 1;
        Some(character)
    }

    /// Takes `expected` if it comes next.
    pub(super) fn take_if(&mut self, expected: &str) -> bool {
        let found = self.pattern[self.next..].iter().copied();
        let fits = found.take(expected.chars().count()).eq(expected.chars());
        if fits {
            self.next += expected.chars().count();
        }
        fits
    }

    pub(super) fn take_while(&mut self, most: usize, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while taken.chars().count() < most
            && let Some(character) = self.peek().filter(|&c| fits(c))
        {
            self.next += 1;
            taken.push(character);
        }
        taken
    }

    pub(super) fn scope(&self) -> Scope {
        self.scopes.last().copied().unwrap_or_default()
    }

    pub(super) fn emit(&mut self, translated: &str) {
        self.output.push_str(translated);
    }

    pub(super) fn literal(&mut self, character: char) {
        self.output.push_str(&fancy_regex::escape(character.encode_utf8(&mut [0; 4])));
    }

    /// `{m,n}` is a repetition only if it is well-formed; otherwise Python reads plain text.
    pub(super) fn repetition(&mut self) {
        let start = self.next;
        let least = self.take_while(usize::MAX, |c| c.is_ascii_digit());
        let bounded = self.take_if(",");
        let most = self.take_while(usize::MAX, |c| c.is_ascii_digit());
        let empty = !bounded && least.is_empty();
        if empty || !self.take_if("}") {
            self.next = start;
            return self.literal('{');
        }
        let least = if least.is_empty() { "0" } else { &least };
        let comma = if bounded { "," } else { "" };
        self.emit(&format!("{{{least}{comma}{most}}}"));
    }

    pub(super) fn escape_outside_class(&mut self) -> Result<(), String> {
        match self.escape(false)? {
            Escape::Literal(character) => self.literal(character),
            Escape::Set(set, false) => self.emit(&format!("[{set}]")),
            Escape::Set(set, true) => self.emit(&format!("[^{set}]")),
            Escape::Other(translated) => self.output.push_str(&translated),
        }
        Ok(())
    }

    /// Reads what follows a backslash.
    pub(super) fn escape(&mut self, in_class: bool) -> Result<Escape, String> {
        let letter = self.take().ok_or("bad escape (end of pattern)")?;
        Ok(match letter {
            'd' => Escape::Set(r"\d", false),
            'D' => Escape::Set(r"\d", true),
            's' => Escape::Set(BLANK, false),
            'S' => Escape::Set(BLANK, true),
            'w' => Escape::Set(WORD, false),
            'W' => Escape::Set(WORD, true),
            'a' => Escape::Literal('\u{7}'),
            'f' => Escape::Literal('\u{c}'),
            'n' => Escape::Literal('\n'),
            'r' => Escape::Literal('\r'),
            't' => Escape::Literal('\t'),
            'v' => Escape::Literal('\u{b}'),
            'b' if in_class => Escape::Literal('\u{8}'),
            'x' => Escape::Literal(self.code_point(letter, 2)?),
            'u' => Escape::Literal(self.code_point(letter, 4)?),
            'U' => Escape::Literal(self.code_point(letter, 8)?),
            'A' if !in_class => Escape::Other(r"\A".to_owned()),
            'Z' if !in_class => Escape::Other(r"\z".to_owned()),
            'b' => {
                Escape::Other(format!("(?:(?<=[{WORD}])(?![{WORD}])|(?<![{WORD}])(?=[{WORD}]))"))
            }
            'B' if !in_class => {
                Escape::Other(format!("(?:(?<=[{WORD}])(?=[{WORD}])|(?<![{WORD}])(?![{WORD}]))"))
            }
            '0'..='9' => self.number(letter, in_class)?,
            letter if letter.is_ascii_alphabetic() => return Err(format!("bad escape \\{letter}")),
            other => Escape::Literal(other),
        })
    }

    /// An octal character, or a reference to a group.
    pub(super) fn number(&mut self, first: char, in_class: bool) -> Result<Escape, String> {
        let start = self.next;
        let octal = format!("{first}{}", self.take_while(2, |c| ('0'..='7').contains(&c)));
        let is_octal = first == '0' || in_class || octal.len() == 3;
        if is_octal && first < '8' {
            let code = u32::from_str_radix(&octal, 8).ok().filter(|&code| code <= 0o377);
            let character = code.and_then(char::from_u32);
            return character
                .map(Escape::Literal)
                .ok_or_else(|| format!("octal escape value \\{octal} is too large"));
        }
        if in_class {
            return Err(format!("bad escape \\{first}"));
        }
        self.next = start;
        let second = self.take_while(1, |c| c.is_ascii_digit());
        Ok(Escape::Other(format!("(?:\\{first}{second})")))
    }

    pub(super) fn code_point(&mut self, letter: char, digits: usize) -> Result<char, String> {
        let hexadecimal = self.take_while(digits, |c| c.is_ascii_hexdigit());
        let code = u32::from_str_radix(&hexadecimal, 16).ok();
        code.filter(|_| hexadecimal.len() == digits)
            .and_then(char::from_u32)
            .ok_or_else(|| format!("bad escape \\{letter}{hexadecimal}"))
    }
}
