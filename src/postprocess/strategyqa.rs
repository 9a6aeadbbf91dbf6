//! `strategyqa` and `strategyqa_dataset`: yes or no.

use serde_json::Value;

use super::Processed;

/// The first "yes" or "no" behind the last "answer is " of the first paragraph, inside words too, or
/// nothing.
pub(super) fn process(text: &str) -> Processed {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let answer = paragraph.rsplit("answer is ").next().unwrap_or_default().to_lowercase();
    let verdict = match (answer.find("yes"), answer.find("no")) {
        (Some(yes), Some(no)) if yes < no => "yes",
        (_, Some(_)) => "no",
        (Some(_), None) => "yes",
        (None, None) => "",
    };
    Ok(verdict.into())
}

/// The reference of a row: `True` is yes, all else no.
pub(super) fn process_reference(text: &str) -> Processed {
    Ok(if text == "True" { "yes" } else { "no" }.into())
}

/// The same for a reference that is no text.
pub(super) fn reference_of_other(value: &Value) -> Value {
    if value == &Value::Bool(true) { "yes" } else { "no" }.into()
}
