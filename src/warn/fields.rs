//! Fields as templates write them: `{name}`, and with a part of it `{name.part}` or `{name[0]}`.

/// Longer ones are no names.
const NAME_BYTES: usize = 80;

/// What stands in braces and can only be meant as a field. Arguments in LaTeX (`\boxed{x}`, `x_{i}`), JSON,
/// numbers and text are none.
pub(super) fn in_braces(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut argument_end = None;
    for (open, _) in text.match_indices('{') {
        let (before, from) = text.split_at(open);
        let Some((name, _)) = from.get(1..).and_then(|inner| inner.split_once('}')) else {
            break;
        };
        if name.len() > NAME_BYTES {
            continue;
        }
        let is_argument = argument_end == Some(open) || takes_argument(before);
        if is_argument {
            argument_end = Some(open + name.len() + 2);
        } else if is_field(name) || is_field(plain(name)) {
            names.push(name);
        }
    }
    names
}

/// Whether a template fills in a column, or a part of it.
pub(super) fn mentions(template: &str, column: &str) -> bool {
    template.match_indices(column).any(|(at, _)| {
        let after = template.get(at + column.len()..).unwrap_or_default();
        template.get(..at).is_some_and(|before| before.ends_with('{'))
            && after.starts_with(['}', '.', '['])
    })
}

/// A field without what only Python's own formatting knows: blanks around it, `!r`, `:>5`.
pub(super) fn plain(field: &str) -> &str {
    field.split(['!', ':']).next().unwrap_or(field).trim()
}

/// The column that a field is, or is a part of.
pub(super) fn column(field: &str) -> &str {
    field.split(['.', '[']).next().unwrap_or(field)
}

/// Whether what follows in braces is the argument of a LaTeX command, or a variable of a shell.
fn takes_argument(before: &str) -> bool {
    let command = before.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    before.ends_with(['^', '_', '\\', '$', ']']) || (command.ends_with('\\') && command != before)
}

/// A name, and the names or numbers of parts behind it.
fn is_field(text: &str) -> bool {
    let is_name = |text: &str| {
        let begins = text.chars().next().is_some_and(|first| first.is_alphabetic() || first == '_');
        begins && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let is_part = |text: &str| {
        !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let name = column(text);
    let mut rest = &text[name.len()..];
    while !rest.is_empty() {
        let part = match (rest.strip_prefix('.'), rest.strip_prefix('[')) {
            (Some(behind), _) => {
                let end = behind.find(['.', '[']).unwrap_or(behind.len());
                rest = &behind[end..];
                &behind[..end]
            }
            (None, Some(behind)) => {
                let Some((part, behind)) = behind.split_once(']') else { return false };
                rest = behind;
                part.trim_matches(['\'', '"', '-'])
            }
            (None, None) => return false,
        };
        if !is_part(part) {
            return false;
        }
    }
    is_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_parts_are_fields() {
        let text = "问{qestion}? {choices.label} {choices[0]}, {choices['text'][-1]}{_a1}";
        let expected = ["qestion", "choices.label", "choices[0]", "choices['text'][-1]", "_a1"];
        assert_eq!(in_braces(text), expected);
        assert_eq!(in_braces("Q{qestion} {{answer}}"), ["qestion", "answer"]);
        assert_eq!(column("choices[0].text"), "choices");
    }

    #[test]
    fn latex_json_and_text_are_none() {
        let latex = r"\boxed{answer} x_{i} x^{n} \frac{a}{b} \sqrt[3]{x} \{a\} ${HOME}";
        assert!(in_braces(latex).is_empty(), "{:?}", in_braces(latex));
        let others = r#"{"a": 1} {1} {} {two words} {x^2} {a.} {a[} {a[]} {.a} {a"#;
        assert!(in_braces(others).is_empty(), "{:?}", in_braces(others));
        // Whether these are meant as fields, columns tell.
        assert_eq!(in_braces("{x: y} { a } {a!r}"), ["x: y", " a ", "a!r"]);
        assert_eq!([plain("x: y"), plain(" a "), plain("a!r")], ["x", "a", "a"]);
    }

    #[test]
    fn a_template_mentions_a_column_and_its_parts() {
        assert!(mentions("{q}", "q") && mentions("{q.a}", "q") && mentions("x {q[0]}", "q"));
        assert!(!mentions("{qa} q} {aq}", "q"));
    }
}
