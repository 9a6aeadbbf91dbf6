//! Answers that are shown where the model is to find them.

use super::{PieceKind, ViewedPrompt, Warning};
use crate::dataset::Sample;

/// The output column, filled into what is asked: in the prompt that is continued, or in every
/// candidate. Examples show theirs rightly.
pub(super) fn shown_answer(
    prompts: &[ViewedPrompt],
    output_column: Option<&str>,
    generates: bool,
) -> Option<Warning> {
    let column = output_column?;
    let shows = |prompt: &ViewedPrompt| {
        prompt.pieces.iter().any(|piece| {
            piece.is_own()
                && piece.kind == PieceKind::Field
                && piece.column.as_deref() == Some(column)
                && !piece.text.trim().is_empty()
        })
    };
    if prompts.is_empty() || !prompts.iter().all(shows) {
        return None;
    }
    let message = if generates {
        format!(
            "the answer is in the prompt: {{{column}}} is filled in where the model is to give it"
        )
    } else {
        format!("the answer is in every candidate: {{{column}}} is filled in")
    };
    Some(Warning::bad("shown_answer", message))
}

/// An example that is the very row that is asked about.
pub(super) fn own_example(sample: &Sample, examples: &[&Sample]) -> Option<Warning> {
    // These two say where a row is from, not what it is.
    let content = |sample: &Sample| -> Vec<(String, serde_json::Value)> {
        let columns = sample.iter().filter(|(column, _)| !matches!(*column, "subdivision" | "idx"));
        columns.map(|(column, value)| (column.to_owned(), value.clone())).collect()
    };
    let own = content(sample);
    let number = examples.iter().position(|example| content(example) == own)?;
    Some(Warning::bad(
        "own_example",
        format!(
            "in-context example {} is the row that is asked about, with its answer",
            number + 1
        ),
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::view::warnings::tests::{piece, prompt, template};

    #[test]
    fn the_answer_may_stand_in_examples_and_in_some_candidates() {
        let shows = |section| vec![piece(PieceKind::Field, "4", section, "answer")];
        let told = |prompts: Vec<ViewedPrompt>| shown_answer(&prompts, Some("answer"), false);
        assert!(told(vec![prompt(shows("round")), prompt(shows("round"))]).is_some());
        assert!(told(vec![prompt(shows("ice"))]).is_none());
        assert!(told(vec![prompt(shows("round")), prompt(template("x"))]).is_none());
        assert!(shown_answer(&[prompt(shows("round"))], None, true).is_none());
    }

    #[test]
    fn a_row_is_its_own_example_whatever_its_number() {
        let row = |text: &str, idx: usize| {
            Sample::new(vec![("q".into(), json!(text)), ("idx".into(), json!(idx))])
        };
        let (one, two) = (row("a", 0), row("b", 1));
        assert!(own_example(&row("b", 7), &[&one, &two]).unwrap().message.contains("example 2"));
        assert!(own_example(&row("c", 0), &[&one, &two]).is_none());
    }
}
