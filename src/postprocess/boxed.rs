//! `boxed`: the content of the last `\boxed{…}`, in which a worked solution puts its answer.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{
    Processed,
    python_regex::{PatternError, PythonRegex},
};

/// The parameters of `extract_boxed_answer`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    /// Whether a second pair of braces around the content is taken off.
    #[serde(default)]
    strip_double_curly_brace: bool,
}

/// The content, or null if there is none.
pub(super) fn process(parameters: &Parameters, text: &str) -> Processed {
    Ok(boxed_answer(text, parameters.strip_double_curly_brace)?.into())
}

/// The content of the last `\boxed{…}` of which the braces are closed. An `\fbox` after which no
/// `\boxed` is found has no content that counts.
pub(crate) fn boxed_answer(
    text: &str,
    strip_double_curly_brace: bool,
) -> Result<Option<&str>, PatternError> {
    static BRACED: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"^\{(.*)\}$"));
    let content = last_boxed(text)
        .and_then(|boxed| boxed.strip_prefix(r"\boxed{"))
        .and_then(|content| content.strip_suffix('}'));
    let Some(content) = content else { return Ok(None) };
    let inner = if strip_double_curly_brace { BRACED.first(content)? } else { None };
    Ok(Some(inner.unwrap_or(content)))
}

/// From the last `\boxed` (or, without one, `\fbox`) to the brace that closes its first.
pub(crate) fn last_boxed(text: &str) -> Option<&str> {
    let start = text.rfind(r"\boxed").or_else(|| text.rfind(r"\fbox"))?;
    let from = &text[start..];
    let mut open = 0;
    for (index, character) in from.char_indices() {
        match character {
            '{' => open += 1,
            '}' => {
                open -= 1;
                if open == 0 {
                    return Some(&from[..=index]);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_box_counts_if_it_is_closed() {
        assert_eq!(
            boxed_answer(r"\boxed{1} or \boxed{\frac{1}{2}}.", false),
            Ok(Some(r"\frac{1}{2}"))
        );
        assert_eq!(boxed_answer(r"\boxed{1} or \boxed{2", false), Ok(None));
        assert_eq!(boxed_answer(r"\fbox{3}", false), Ok(None));
        assert_eq!(boxed_answer(r"\boxed{{7}}", true), Ok(Some("7")));
        assert_eq!(boxed_answer(r"\boxed{{7}}", false), Ok(Some("{7}")));
    }
}
