//! A program to be run, and how it ended.

use std::path::PathBuf;

use serde_json::json;

/// Python that is run, and what is then asked of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Run before its time begins, with the same names: importing large modules takes long.
    pub imports: String,
    /// What the model wrote, and what stands before it.
    pub source: String,
    /// Run after it, with the same names.
    pub tests: String,
    /// Whether `assert a == b` in the tests wants values of the same types too.
    pub is_type_aware: bool,
    /// Its time.
    pub seconds: f64,
    /// Its address space: libraries and virtual machines reserve much that they never use.
    pub memory_bytes: u64,
    /// Files and folders that it may read besides those of the system and of Python, by their whole paths.
    pub readable: Vec<PathBuf>,
}

/// The address space of a program that needs nothing large.
const MEMORY_BYTES: u64 = 4 << 30;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It came to its end.
    Passed,
    /// An assertion was wrong.
    Wrong(String),
    /// Its time was over.
    TimedOut,
    /// Anything else.
    Failed(String),
}

impl Program {
    /// A program with its tests.
    pub fn new(source: &str, tests: &str, seconds: f64) -> Self {
        let (source, tests) = (source.to_owned(), tests.to_owned());
        Self {
            imports: String::new(),
            source,
            tests,
            is_type_aware: false,
            seconds,
            memory_bytes: MEMORY_BYTES,
            readable: Vec::new(),
        }
    }

    /// What the driver reads.
    pub(super) fn job(&self, nonce: &str) -> String {
        let Self { imports, source, tests, is_type_aware, seconds, .. } = self;
        json!({
            "nonce": nonce, "imports": imports, "sources": [source], "tests": [tests],
            "is_type_aware": is_type_aware, "seconds": seconds,
        })
        .to_string()
    }
}

impl Ended {
    /// What the driver wrote, if it did. One that has begun and then says no more was killed, by a limit or for its memory.
    pub(super) fn told(said: &str, nonce: &str) -> Option<Self> {
        let mut has_begun = false;
        for line in said.lines().filter_map(|line| line.strip_prefix(nonce)) {
            let Ok((how, why)) = serde_json::from_str::<(String, String)>(line) else { continue };
            match how.as_str() {
                "begun" => has_begun = true,
                "passed" => return Some(Self::Passed),
                "wrong" => return Some(Self::Wrong(why)),
                "timed_out" => return Some(Self::TimedOut),
                _ => return Some(Self::Failed(why)),
            }
        }
        has_begun.then(|| Self::Failed("it was killed".to_owned()))
    }

    /// Whether it came to its end.
    pub fn is_passed(&self) -> bool {
        *self == Self::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_knows_the_word_says_how_it_ended() {
        assert_eq!(Ended::told("x\nword[\"passed\", \"\"]\n", "word"), Some(Ended::Passed));
        assert_eq!(Ended::told("[\"passed\", \"\"]\n", "word"), None);
        assert_eq!(Ended::told("word[\"passed\"", "word"), None);
        let killed = Some(Ended::Failed("it was killed".to_owned()));
        assert_eq!(Ended::told("word[\"begun\", \"\"]\n", "word"), killed);
    }
}
