//! `clbench`: an answer as a judge gets to see it.

use serde::Deserialize;
use serde_json::Value;

use super::{Processed, blank::is_blank};
use crate::python::python_str;

/// The parameters of `clbench_pred_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    /// How many characters are kept; without it, or if it is not above zero, all.
    #[serde(default)]
    max_chars: Option<i64>,
}

/// The text without blanks at its end, cut to a length.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    let text = text.trim_end_matches(is_blank);
    let most = parameters.max_chars.filter(|&most| most > 0).and_then(|n| usize::try_from(n).ok());
    Ok(match most {
        Some(most) => text.chars().take(most).collect::<String>().into(),
        None => text.into(),
    })
}

/// The same for the `str` of a value; null is the empty text.
pub(super) fn process_other(parameters: &Parameters, value: &Value) -> Option<Value> {
    match value {
        Value::Null => Some("".into()),
        other => process(parameters, &python_str(other)).ok(),
    }
}
