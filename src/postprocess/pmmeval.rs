//! `pmmeval_*`: an answer beside the language that it is in, which the metrics of P-MMEval need.

use serde::Deserialize;
use serde_json::json;

use super::Processed;

/// The parameter of most of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Code {
    lang_code: String,
}

/// The parameter of `pmmeval_flores_postprocess`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FullName {
    lang_fullname: String,
}

/// The text and the code of its language.
pub(super) fn with_code(parameters: &Code, text: &str) -> Processed {
    Ok(json!([text, parameters.lang_code]))
}

/// The text and the name of its language.
pub(super) fn with_full_name(parameters: &FullName, text: &str) -> Processed {
    Ok(json!([text, parameters.lang_fullname]))
}
