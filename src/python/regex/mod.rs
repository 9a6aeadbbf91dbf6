//! Regular expressions as Python's `re` reads them, run by `fancy_regex`.
//!
//! Configs bring patterns that were written and tested in Python. The two languages look the same
//! and differ where it shows only on some texts: `$` also matches before a final newline, `\w` holds
//! no combining marks but all numerals, `[` and `&&` are plain characters inside a class, `x{` is
//! plain text. So a pattern is rewritten character by character; what cannot be said in
//! `fancy_regex`, or what Python itself refuses, is an error with the pattern in it, never an
//! approximation.

use fancy_regex::{Captures, NoExpand, Regex, RegexBuilder};

mod class;
mod group;
mod matching;
mod translation;

pub(crate) use self::matching::{Flags, Pattern, Places, group_text};
use self::translation::Translation;

/// Characters of `\s`, as the inside of a class.
const BLANK: &str = r"\s\x1c-\x1f";
/// Characters of `\w`, as the inside of a class: `str.isalnum()` and the underscore.
const WORD: &str = r"\p{L}\p{N}_";

/// `re.escape`: a pattern that matches this text and nothing else.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && character != '_' {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

/// Why a pattern cannot be used, or not on some text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the regular expression {pattern:?} cannot be used: {reason}")]
pub struct PatternError {
    /// The pattern as it was written.
    pub pattern: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A compiled pattern. Searching fails only if the matcher gives up, which takes a pattern that
/// backtracks without end.
#[derive(Clone, Debug)]
pub(crate) struct PythonRegex {
    pattern: String,
    regex: Regex,
}

impl PythonRegex {
    /// `re.compile(pattern)`.
    pub(crate) fn new(pattern: &str) -> Result<Self, PatternError> {
        Self::compile(pattern, false)
    }

    /// `re.compile(pattern, re.DOTALL)`: `.` also matches a newline.
    pub(crate) fn dotall(pattern: &str) -> Result<Self, PatternError> {
        Self::compile(pattern, true)
    }

    /// Compiles a pattern that is part of this program.
    pub(crate) fn constant(pattern: &str) -> Self {
        Self::new(pattern).expect("the pattern is a literal that a test compiles")
    }

    /// The same with `re.DOTALL`.
    pub(crate) fn dotall_constant(pattern: &str) -> Self {
        Self::dotall(pattern).expect("the pattern is a literal that a test compiles")
    }

    fn compile(pattern: &str, dotall: bool) -> Result<Self, PatternError> {
        let failure = |reason| PatternError { pattern: pattern.to_owned(), reason };
        let translated = Translation::new(pattern).run().map_err(failure)?;
        let built = RegexBuilder::new(&translated).dot_matches_new_line(dotall).build();
        let regex = built.map_err(|error| failure(error.to_string()))?;
        Ok(Self { pattern: pattern.to_owned(), regex })
    }

    /// A mark of punctuation: Unicode's categories `P…`, which a pattern of Python's cannot name.
    pub(crate) fn punctuation() -> Self {
        let pattern = r"\p{P}";
        let regex = Regex::new(pattern).expect("the pattern is a literal that a test compiles");
        Self { pattern: pattern.to_owned(), regex }
    }

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.pattern
    }

    /// How many groups the pattern has, the whole match included.
    pub(crate) fn groups(&self) -> usize {
        self.regex.captures_len()
    }

    /// Names of the groups that have one.
    pub(crate) fn group_names(&self) -> impl Iterator<Item = &str> {
        self.regex.capture_names().flatten()
    }

    /// `re.search`: the first match.
    pub(crate) fn search<'t>(
        &self,
        text: &'t str,
    ) -> Result<Option<Captures<'t, str>>, PatternError> {
        self.regex.captures(text).map_err(|error| self.gave_up(&error))
    }

    /// The last of `re.findall`: group 1 of the last match, or the match if there are no groups.
    pub(crate) fn last<'t>(&self, text: &'t str) -> Result<Option<&'t str>, PatternError> {
        let mut last = None;
        for captures in self.regex.captures_iter(text) {
            let captures = captures.map_err(|error| self.gave_up(&error))?;
            last = captures.get(usize::from(self.groups() > 1)).map(|found| found.as_str());
        }
        Ok(last)
    }

    /// True if `re.search` finds something.
    pub(crate) fn finds(&self, text: &str) -> Result<bool, PatternError> {
        self.regex.is_match(text).map_err(|error| self.gave_up(&error))
    }

    /// Group 1 of the first match, or the match if there are no groups.
    pub(crate) fn first<'t>(&self, text: &'t str) -> Result<Option<&'t str>, PatternError> {
        let group = usize::from(self.groups() > 1);
        let found = self.search(text)?.and_then(|captures| captures.get(group));
        Ok(found.map(|found| found.as_str()))
    }

    /// `re.findall`: group 1 of every match, or the matches if there are no groups. A group on a
    /// branch not taken gives the empty text.
    pub(crate) fn all<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, PatternError> {
        let group = usize::from(self.groups() > 1);
        let found = self.regex.captures_iter(text).map(|captures| {
            let captures = captures.map_err(|error| self.gave_up(&error))?;
            Ok(captures.get(group).map_or("", |found| found.as_str()))
        });
        found.collect()
    }

    /// `re.finditer`: every match with its groups.
    pub(crate) fn matches<'t>(
        &self,
        text: &'t str,
    ) -> Result<Vec<Captures<'t, str>>, PatternError> {
        let found = self.regex.captures_iter(text);
        found.map(|captures| captures.map_err(|error| self.gave_up(&error))).collect()
    }

    /// `re.split` of a pattern without groups that matches no empty text: what stands between the matches.
    pub(crate) fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, PatternError> {
        let parts = self.regex.split(text);
        parts.map(|part| part.map_err(|error| self.gave_up(&error))).collect()
    }

    /// `re.sub(pattern, replacement, text)` with a function of the match.
    pub(crate) fn replace_by(
        &self,
        text: &str,
        replacement: impl Fn(&Captures<'_, str>) -> String,
    ) -> Result<String, PatternError> {
        let replaced = self.regex.try_replacen(text, 0, replacement);
        replaced.map(std::borrow::Cow::into_owned).map_err(|error| self.gave_up(&error))
    }

    /// `re.sub(pattern, r'\1', text)`: every match becomes its group 1.
    pub(crate) fn keep_group(&self, text: &str) -> Result<String, PatternError> {
        self.replace_by(text, |captures| {
            captures.get(1).map_or_else(String::new, |inner| inner.as_str().to_owned())
        })
    }

    /// `re.sub(pattern, replacement, text)` with a replacement that refers to no group.
    pub(crate) fn replace(&self, text: &str, replacement: &str) -> Result<String, PatternError> {
        let replaced = self.regex.try_replacen(text, 0, NoExpand(replacement));
        replaced.map(std::borrow::Cow::into_owned).map_err(|error| self.gave_up(&error))
    }

    fn gave_up(&self, error: &fancy_regex::Error) -> PatternError {
        PatternError { pattern: self.pattern.clone(), reason: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_is_of_all_languages() {
        assert!(PythonRegex::punctuation().finds("a—b").unwrap());
    }

    fn found<'t>(pattern: &str, text: &'t str) -> Option<&'t str> {
        let found = PythonRegex::new(pattern).unwrap().search(text).unwrap();
        found.map(|captures| captures.get(0).unwrap().as_str())
    }

    #[test]
    fn differences_from_rust_are_bridged() {
        // Each row was run in CPython 3.11.
        let rows = [
            (r"a$", "a\n", Some("a")),
            (r"a$", "a\n\n", None),
            (r"a\Z", "a\n", None),
            (r"(?m)a$", "a\nb", Some("a")),
            (r"\w+", "e\u{301}", Some("e")),
            (r"\w+", "x²½", Some("x²½")),
            (r"\be\b", "e\u{301}", Some("e")),
            (r"\s", "\u{1f}", Some("\u{1f}")),
            (r"\S+", "\u{1f}a", Some("a")),
            (r"[\S]+", "\u{1f}a", Some("a")),
            (r"[^\W\d]+", "12ab", Some("ab")),
            (r"[[a&&b]+", "&[b", Some("&[b")),
            (r"[]a]+", "]a", Some("]a")),
            (r"[^]a]+", "]ab", Some("b")),
            (r"[a\-c]+", "b-a", Some("-a")),
            (r"boxed{(.*)}", "boxed{3}", Some("boxed{3}")),
            (r"a{,2}b", "aaab", Some("aab")),
            (r"a{1", "a{1", Some("a{1")),
            (r"(?P<q>['x])y(?P=q)", "'yx'y'", Some("'y'")),
            (r"(a)(?(1)b|c)", "ab", Some("ab")),
            (r"(?x) a b  # note", "ab", Some("ab")),
            (r"(?i:A)b", "ab", Some("ab")),
            (r"\x41\u0042\103", "ABC", Some("ABC")),
            (r"(?#note)a", "a", Some("a")),
            (r"(.)\1", "abb", Some("bb")),
        ];
        for (pattern, text, expected) in rows {
            assert_eq!(found(pattern, text), expected, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_python_refuses_is_refused_with_the_pattern() {
        for pattern in [r"\h", "(a", "a)", "[a", r"\p{L}", "(?<n>a)", "[z-a]", "(?~a)", "*a"] {
            let error = PythonRegex::new(pattern).unwrap_err();
            assert_eq!(error.pattern, pattern);
        }
    }
}
