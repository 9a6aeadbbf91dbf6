//! `needlebench` and `needlebench_atc`: answers about what was hidden in a long text.

use std::sync::LazyLock;

use super::{Processed, blank::strip, boxed::boxed_answer, python_regex::PythonRegex};

/// What stands for no answer.
const NONE: &str = "None";

/// The text as it is: the metric looks for the needles itself.
pub(super) fn process(text: &str) -> Processed {
    Ok(text.into())
}

/// The name in the last `\boxed{…}` without LaTeX commands, backslashes and quotes; `None` when there
/// is no box.
pub(super) fn process_ancestor(text: &str) -> Processed {
    static TEXT: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\text\{([^}]+)\}"));
    static BOXED: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"\\boxed\{([^}]+)\}"));
    static BRACKET: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\\[\[\]]"));
    static BLANKS: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\s+"));

    let Some(boxed) = boxed_answer(text, true)?.filter(|boxed| !boxed.is_empty()) else {
        return Ok(NONE.into());
    };
    let plain = BOXED.keep_group(&TEXT.keep_group(boxed)?)?;
    let plain = BRACKET.replace(&plain, "")?.replace('\\', "");
    let spaced = BLANKS.replace(&plain, " ")?;
    Ok(strip(&spaced).replace(['"', '\''], "").replace('~', " ").into())
}
