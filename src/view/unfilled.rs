//! Fields of a template that no column fills.

use super::{PieceKind, ViewedPiece, Warning};

/// `{names}` that the template still has when all columns are filled.
pub(super) fn unfilled_fields(pieces: &[ViewedPiece], columns: &[&str]) -> Vec<Warning> {
    let mut found: Vec<&str> = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.kind == PieceKind::Template) {
        for name in names_in_braces(&piece.text) {
            if !found.contains(&name) {
                found.push(name);
            }
        }
    }
    let told = found.into_iter().map(|name| {
        let hint = if columns.contains(&name) {
            "a column of that name exists, but is not filled in here".to_owned()
        } else {
            let near = columns.iter().filter(|column| strsim::jaro_winkler(column, name) > 0.8);
            match near.max_by(|left, right| {
                strsim::jaro_winkler(left, name).total_cmp(&strsim::jaro_winkler(right, name))
            }) {
                Some(column) => format!("did you mean {{{column}}}?"),
                None => format!("there are {}", columns.join(", ")),
            }
        };
        Warning::bad(
            "unfilled_field",
            format!("the text still says {{{name}}}, which is not filled in: {hint}"),
        )
    });
    told.collect()
}

/// Identifiers in braces. Those behind a letter or another brace are arguments in LaTeX.
fn names_in_braces(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (open, _) in text.match_indices('{') {
        let (before, from) = text.split_at(open);
        let is_argument =
            before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "}^_\\".contains(c));
        let Some((name, _)) = from.get(1..).and_then(|inner| inner.split_once('}')) else {
            continue;
        };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if is_name && !is_argument {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::warnings::tests::{piece, template};

    #[test]
    fn names_in_braces_are_fields_and_latex_is_not() {
        let told = |text: &str| -> Vec<String> {
            let warnings = unfilled_fields(&template(text), &["question", "answer"]);
            warnings.into_iter().map(|warning| warning.message).collect()
        };
        let misspelt = told("Q: {qestion} {qestion}");
        assert_eq!(misspelt.len(), 1);
        assert!(misspelt[0].contains("did you mean {question}"), "{misspelt:?}");
        assert!(told("{answer}")[0].contains("is not filled in here"));
        assert!(told(r#"\boxed{answer} x_{i} {"a": 1} {1} {} {two words}"#).is_empty());
        let data = [piece(PieceKind::Field, "{qestion}", "round", "question")];
        assert!(unfilled_fields(&data, &["question"]).is_empty());
    }
}
