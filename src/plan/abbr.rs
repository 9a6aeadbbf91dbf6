//! Names of models and data sets. They name folders and files, so that each needs its own.

use super::PlanError;
use crate::{
    config::{ConfigError, Node},
    store::file_name,
};

/// Names that are longer make names of files that some systems refuse.
const MOST_BYTES: usize = 200;

/// Letters that move or turn what stands beside them.
const INVISIBLE: [char; 14] = [
    '\u{200E}', '\u{200F}', '\u{2028}', '\u{2029}', '\u{202A}', '\u{202B}', '\u{202C}', '\u{202D}',
    '\u{202E}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}', '\u{FEFF}',
];

/// Refuses names that two entries of a kind share, or that differ only where files do not: `a/b` and `a_b`
/// are one file, and so are `A` and `a` on the disks of many systems.
pub(super) fn check<'a>(
    kind: &str,
    entries: impl Iterator<Item = (&'a str, &'a Node)>,
) -> Result<(), PlanError> {
    let mut seen: Vec<(&str, String)> = Vec::new();
    for (abbr, node) in entries {
        let at = node.get("abbr").map_or(&node.origin, |abbr| &abbr.origin);
        let refused = |what: String| {
            Err(PlanError::from(ConfigError::at(at, what).with_hint("set another abbr='…'")))
        };
        if abbr.chars().any(|letter| letter.is_control() || INVISIBLE.contains(&letter)) {
            return refused(format!(
                "the name {abbr:?} of a {kind} holds a line break or a control character"
            ));
        }
        if abbr.len() > MOST_BYTES {
            let start: String = abbr.chars().take(40).collect();
            return refused(format!(
                "the name {start:?}… of a {kind} has {} bytes, and files are named by it; {MOST_BYTES} are allowed",
                abbr.len()
            ));
        }
        let file = file_name(abbr).to_lowercase();
        if let Some((other, _)) = seen.iter().find(|(_, own)| *own == file) {
            return refused(if *other == abbr {
                format!("two entries are called {abbr}; a {kind} needs a name of its own")
            } else {
                format!(
                    "{abbr:?} and {other:?} would be one file, {file:?}; a {kind} needs a name of its own"
                )
            });
        }
        seen.push((abbr, file));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(abbrs: &[&str]) -> Result<(), String> {
        let node = Node::from_json(&json!({}));
        check("model", abbrs.iter().map(|abbr| (*abbr, &node))).map_err(|error| error.to_string())
    }

    #[test]
    fn names_of_one_file_are_refused() {
        assert_eq!(checked(&["a", "b", "a-b", "a.b", "é"]), Ok(()));
        for (one, other) in [("a/b", "a_b"), ("a\\b", "a/b"), ("Llama", "llama"), ("É", "é")] {
            let error = checked(&["x", one, other]).unwrap_err();
            assert!(
                error.contains("would be one file") && error.contains("set another"),
                "{error}"
            );
        }
        assert!(checked(&["a", "a"]).unwrap_err().contains("two entries are called a"));
    }

    #[test]
    fn names_that_break_lines_or_files_are_refused() {
        for name in ["a\nb", "a\u{1b}[31m", "\u{9b}2J", "a\u{202E}b", "\u{7f}"] {
            let error = checked(&[name]).unwrap_err();
            assert!(error.contains("control character"), "{error}");
            assert!(!error.contains(name), "{error:?}");
        }
        assert!(checked(&[&"x".repeat(201)]).unwrap_err().contains("201 bytes"));
    }
}
