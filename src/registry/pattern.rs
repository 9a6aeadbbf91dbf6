//! Names as people pick them: a part of one, or a pattern.

use fancy_regex::{Regex, escape};

/// Part of a name, or the whole name with `*` for anything and `?` for any character.
#[derive(Clone, Debug)]
pub struct Pattern {
    written: String,
    regex: Option<Regex>,
}

impl Pattern {
    /// Reads a pattern.
    pub fn new(written: &str) -> Self {
        let regex = written.contains(['*', '?']).then(|| {
            let glob = escape(written).replace(r"\*", ".*").replace(r"\?", ".");
            Regex::new(&format!("^(?s:{glob})$")).ok()
        });
        Self { written: written.to_owned(), regex: regex.flatten() }
    }

    /// Whether a name is meant.
    pub fn matches(&self, name: &str) -> bool {
        match &self.regex {
            Some(regex) => regex.is_match(name).unwrap_or(false),
            None => name.contains(&self.written),
        }
    }

    /// The pattern as it was written.
    pub fn written(&self) -> &str {
        &self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_part_or_a_glob() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        assert!(matches("shot", "choices_2shot"));
        assert!(!matches("2shots", "choices_2shot"));
        assert!(matches("*_2shot", "choices_2shot"));
        assert!(matches("c?oices*", "choices_2shot"));
        assert!(!matches("*_2", "choices_2shot"));
        assert!(!matches("a.c*", "abcd"));
    }
}
