//! Matches as Python's `re` finds them one after another, with their places.
//!
//! An empty match may stand right behind another match, but not behind an empty one at the same place: there Python looks for one
//! that is not empty before it moves on. Rust's iterators leave such matches out, so the steps are here.

use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder};

use super::{
    PatternError, PythonRegex,
    translation::{Scope, Translation},
};

/// `re.compile`'s flags.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of Python's")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Flags {
    /// `re.IGNORECASE`.
    pub(crate) ignores_case: bool,
    /// `re.MULTILINE`.
    pub(crate) multiline: bool,
    /// `re.DOTALL`.
    pub(crate) dotall: bool,
    /// `re.VERBOSE`.
    pub(crate) verbose: bool,
}

/// Where a match and its groups lie, in bytes; a group on a branch not taken lies nowhere.
pub(crate) type Places = Vec<Option<(usize, usize)>>;

/// The text of a group of a match, as `re.findall` gives it: a group on a branch not taken is empty.
pub(crate) fn group_text<'t>(
    text: &'t str,
    places: &[Option<(usize, usize)>],
    number: usize,
) -> &'t str {
    let place = places.get(number).copied().flatten();
    place.and_then(|(start, end)| text.get(start..end)).unwrap_or_default()
}

/// A pattern that is searched, matched at the start, or matched as a whole.
#[derive(Debug)]
pub(crate) struct Pattern {
    searched: PythonRegex,
    translated: String,
    flags: Flags,
    at_start: OnceLock<Result<Regex, PatternError>>,
    whole: OnceLock<Result<Regex, PatternError>>,
    not_empty: OnceLock<Result<Regex, PatternError>>,
}

impl Pattern {
    /// `re.compile(pattern, flags)`.
    pub(crate) fn new(pattern: &str, flags: Flags) -> Result<Self, PatternError> {
        let failure = |reason| PatternError { pattern: pattern.to_owned(), reason };
        let mut translation = Translation::new(pattern);
        translation.scopes = vec![Scope { multiline: flags.multiline, verbose: flags.verbose }];
        let translated = translation.run().map_err(failure)?;
        let regex = built(&translated, flags).map_err(failure)?;
        Ok(Self {
            searched: PythonRegex { pattern: pattern.to_owned(), regex },
            translated,
            flags,
            at_start: OnceLock::new(),
            whole: OnceLock::new(),
            not_empty: OnceLock::new(),
        })
    }

    /// The pattern as it was written.
    pub(crate) fn as_str(&self) -> &str {
        self.searched.as_str()
    }

    /// How many groups it has, the whole match included.
    pub(crate) fn groups(&self) -> usize {
        self.searched.groups()
    }

    /// The numbers and names of the groups that have a name.
    pub(crate) fn named_groups(&self) -> Vec<(usize, &str)> {
        let names = self.searched.regex.capture_names().enumerate();
        names.filter_map(|(number, name)| Some((number, name?))).collect()
    }

    fn variant<'r>(
        &self,
        kept: &'r OnceLock<Result<Regex, PatternError>>,
        before: &str,
        after: &str,
    ) -> Result<&'r Regex, PatternError> {
        let build = || {
            let pattern = format!("{before}(?:{}){after}", self.translated);
            built(&pattern, self.flags)
                .map_err(|reason| PatternError { pattern: self.as_str().to_owned(), reason })
        };
        kept.get_or_init(build).as_ref().map_err(Clone::clone)
    }

    fn found(
        &self,
        regex: &Regex,
        text: &str,
        from: usize,
    ) -> Result<Option<Places>, PatternError> {
        let found = regex.captures_from_pos(text, from);
        let captures = found.map_err(|error| self.searched.gave_up(&error))?;
        Ok(captures.map(|captures| {
            captures.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
        }))
    }

    /// `pattern.search(text)`.
    pub(crate) fn search(&self, text: &str) -> Result<Option<Places>, PatternError> {
        self.found(&self.searched.regex, text, 0)
    }

    /// `pattern.match(text)`.
    pub(crate) fn match_start(&self, text: &str) -> Result<Option<Places>, PatternError> {
        self.found(self.variant(&self.at_start, r"\A", "")?, text, 0)
    }

    /// `pattern.fullmatch(text)`.
    pub(crate) fn match_whole(&self, text: &str) -> Result<Option<Places>, PatternError> {
        self.found(self.variant(&self.whole, r"\A", r"\z")?, text, 0)
    }

    /// A pattern that is part of this program, without flags.
    pub(crate) fn constant(pattern: &str) -> Self {
        Self::new(pattern, Flags::default()).expect("the pattern is a literal that a test compiles")
    }

    /// `pattern.finditer(text)`, at most so many.
    pub(crate) fn find_all(&self, text: &str, most: usize) -> Result<Vec<Places>, PatternError> {
        let mut all = Vec::new();
        let (mut from, mut was_empty) = (0, false);
        while all.len() < most && from <= text.len() {
            let regex = if was_empty {
                // Not empty at `from`: what starts there ends further on, or it starts further on.
                self.variant(&self.not_empty, "", r"(?!\G)")?
            } else {
                &self.searched.regex
            };
            let Some(places) = self.found(regex, text, from)? else { break };
            let Some((start, end)) = places.first().copied().flatten() else { break };
            (from, was_empty) = (end, start == end);
            all.push(places);
        }
        Ok(all)
    }
}

fn built(translated: &str, flags: Flags) -> Result<Regex, String> {
    RegexBuilder::new(translated)
        .dot_matches_new_line(flags.dotall)
        .case_insensitive(flags.ignores_case)
        .multi_line(flags.multiline)
        .build()
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(pattern: &str, text: &str) -> Vec<String> {
        let pattern = Pattern::new(pattern, Flags::default()).unwrap();
        let found = pattern.find_all(text, usize::MAX).unwrap();
        found.iter().map(|places| places[0].map(|(a, b)| text[a..b].to_owned()).unwrap()).collect()
    }

    #[test]
    fn empty_matches_stand_where_python_finds_them() {
        // Each row was run in CPython 3.11.
        for (pattern, text, expected) in [
            ("a*", "baac", &["", "aa", "", ""][..]),
            ("|a", "aba", &["", "a", "", "", "a", ""]),
            (r"\b|\w+", "a bc", &["", "a", "", "", "bc", ""]),
            ("x?", "é", &["", ""]),
            ("(?m)^", "a\n\nb", &["", "", ""]),
            ("", "", &[""]),
            (r"(?<=a)b", "ab b", &["b"]),
            (r"\d*", "12", &["12", ""]),
            (r"\d*", "a12b", &["", "12", "", ""]),
            (r"x|", "axb", &["", "x", "", ""]),
            ("a", "banana", &["a", "a", "a"]),
            (r"(?<=a)n?", "ana", &["n", ""]),
        ] {
            assert_eq!(all(pattern, text), expected, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn the_start_and_the_whole_are_matched() {
        let pattern = Pattern::new("a|ab", Flags::default()).unwrap();
        assert_eq!(pattern.match_start("xab").unwrap(), None);
        assert_eq!(pattern.match_start("ab").unwrap(), Some(vec![Some((0, 1))]));
        assert_eq!(pattern.match_whole("ab").unwrap(), Some(vec![Some((0, 2))]));
        let flags = Flags { ignores_case: true, dotall: true, ..Flags::default() };
        let pattern = Pattern::new("(A.)(b)?", flags).unwrap();
        assert_eq!(pattern.search("xa\nc").unwrap(), Some(vec![Some((1, 3)), Some((1, 3)), None]));
    }
}
