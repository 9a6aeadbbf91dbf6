//! Names of repositories on the hub, as people write them.

use std::{fmt, path::Path};

/// The branch that is meant when none is named.
pub(super) const MAIN: &str = "main";

/// Longest part of a name that the hub gives out, in bytes.
const LONGEST_PART_BYTES: usize = 96;

/// A repository at a revision, and perhaps one file in it: `org/name`, `org/name@revision`,
/// `org/name/file.gguf@revision`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubName {
    /// `org/name`; the oldest repositories have no organisation.
    pub repository: String,
    /// A branch, a tag or a commit.
    pub revision: String,
    /// The GGUF file that is asked for, below the root of the repository.
    pub file: Option<String>,
}

impl HubName {
    /// Reads a name; nothing if it can only be a path.
    pub fn parse(text: &str) -> Option<Self> {
        let (place, revision) = text.split_once('@').unwrap_or((text, MAIN));
        let parts: Vec<&str> = place.split('/').collect();
        let is_gguf = |part: &&str| part.to_ascii_lowercase().ends_with(".gguf");
        let (repository, file) = match parts.as_slice() {
            [_] | [_, _] if !parts.last().is_some_and(is_gguf) => (place.to_owned(), None),
            [owner, name, file @ ..] if file.last().is_some_and(is_gguf) => {
                (format!("{owner}/{name}"), Some(file.join("/")))
            }
            _ => return None,
        };
        let named = repository.split('/').all(is_part);
        let plain = revision.split('/').chain(file.iter().flat_map(|file| file.split('/')));
        (named && plain.clone().all(is_plain) && revision.split('/').all(is_revision_part))
            .then(|| Self { repository, revision: revision.to_owned(), file })
    }

    /// Reads a name, unless there is a file or folder of that name here.
    pub fn unless_here(text: &str) -> Option<Self> {
        if Path::new(text).exists() { None } else { Self::parse(text) }
    }
}

impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.repository)?;
        if let Some(file) = &self.file {
            write!(f, "/{file}")?;
        }
        if self.revision != MAIN {
            write!(f, "@{}", self.revision)?;
        }
        Ok(())
    }
}

/// Whether the hub would give out this organisation or repository name.
fn is_part(part: &str) -> bool {
    let edge = |letter: char| matches!(letter, '-' | '.');
    !part.is_empty()
        && part.len() <= LONGEST_PART_BYTES
        && part.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
        && !part.starts_with(edge)
        && !part.ends_with(edge)
        && !part.contains("--")
        && !part.contains("..")
}

/// Whether the text is a name in a folder and nothing else.
pub(super) fn is_plain(part: &str) -> bool {
    !part.is_empty()
        && part != "."
        && part != ".."
        && !part.chars().any(|letter| letter.is_control() || "\\:".contains(letter))
}

fn is_revision_part(part: &str) -> bool {
    part.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_paths() {
        let parts = |text| {
            HubName::parse(text)
                .map(|name| format!("{} {} {:?}", name.repository, name.revision, name.file))
        };
        for (text, expected) in [
            ("gpt2", Some("gpt2 main None")),
            ("Qwen/Qwen3-0.6B", Some("Qwen/Qwen3-0.6B main None")),
            ("org/name@refs/pr/1", Some("org/name refs/pr/1 None")),
            ("org/name/Q4.gguf@v1.0", Some(r#"org/name v1.0 Some("Q4.gguf")"#)),
            ("org/name/sub/Q4.GGUF", Some(r#"org/name main Some("sub/Q4.GGUF")"#)),
            ("a/b/c", None),
            ("./models", None),
            ("/models/x", None),
            ("../x", None),
            ("models/x.gguf", None),
            ("org/name@", None),
            ("org/name@../../x", None),
            ("org/name/../x.gguf", None),
            ("org/na me", None),
            ("", None),
        ] {
            assert_eq!(parts(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_name_reads_as_it_was_written() {
        for text in ["gpt2", "org/name@v1", "org/name/Q4.gguf@v1"] {
            assert_eq!(HubName::parse(text).map(|name| name.to_string()).as_deref(), Some(text));
        }
    }
}
