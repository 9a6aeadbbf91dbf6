//! `srbench`: a formula out of an answer, in the signs of a programming language.

use std::sync::LazyLock;

use super::{Processed, blank::strip, python_regex::PythonRegex};

/// How mathematical signs are written.
const SIGNS: &[(&str, &str)] = &[("×", "*"), ("·", "*"), ("÷", "/"), ("−", "-"), ("^", "**")];

/// The first line without fences, dollar signs and all that stands in no formula.
pub(super) fn process(text: &str) -> Processed {
    static FOREIGN: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"[^\w\s\+\-\*/\^\=\.\(\)]"));
    let mut formula = text.replace(['`', '$'], "");
    for (sign, replacement) in SIGNS {
        formula = formula.replace(sign, replacement);
    }
    let line = strip(&formula).split('\n').next().unwrap_or_default();
    Ok(strip(&FOREIGN.replace(line, "")?).into())
}
