//! `final_answer`: a mathematical answer without units, words and spellings that do not matter.
//!
//! The list of what is taken out is that of the Minerva paper, and it works on letters, not words: "a "
//! goes wherever it stands, "sue" also from "pursue". Scores on MATH are comparable only while it is
//! kept as it is.

use std::sync::LazyLock;

use super::{
    Processed,
    blank::strip,
    python_regex::{PatternError, PythonRegex},
};
use crate::python::is_digit;

/// What is written in another way, in this order.
const SUBSTITUTIONS: &[(&str, &str)] = &[
    ("an ", ""),
    ("a ", ""),
    (".$", "$"),
    (r"\$", ""),
    (r"\ ", ""),
    (" ", ""),
    ("mbox", "text"),
    (r",\text{and}", ","),
    (r"\text{and}", ","),
    (r"\text{m}", r"\text{}"),
    (r"\le", "<"),
];

/// What is taken out, in this order.
const REMOVED: &[&str] = &[
    "square",
    "ways",
    "integers",
    "dollars",
    "mph",
    "inches",
    "ft",
    "hours",
    "km",
    "units",
    r"\ldots",
    "sue",
    "points",
    "feet",
    "minutes",
    "digits",
    "cents",
    "degrees",
    "cm",
    "gm",
    "pounds",
    "meters",
    "meals",
    "edges",
    "students",
    "childrentickets",
    "multiples",
    r"\text{s}",
    r"\text{.}",
    "\\text{\ns}",
    r"\text{}^2",
    r"\text{}^3",
    "\\text{\n}",
    r"\text{}",
    r"\mathrm{th}",
    r"^\circ",
    r"^{\circ}",
    r"\;",
    r",\!",
    "{,}",
    "\"",
    r"\dots",
    "\n",
    "\r",
    "\u{c}",
];

/// Commands that are taken off what they hold.
const WRAPPERS: &[&str] = &[
    r"\\text\{\((.*?)\)\}",
    r"\\text\{(.*?)\}",
    r"\\textbf\{(.*?)\}",
    r"\\overline\{(.*?)\}",
    r"\\boxed\{(.*)\}",
];

/// What introduces or encloses the answer proper; the last one of each counts.
const INTRODUCTIONS: &[&str] =
    &["finalansweris(.*)", "answer?is:?(.*)", r"oxed\{(.*?)\}", r"\$(.*?)\$"];

/// The normalised answer, as a value.
pub(super) fn process(text: &str) -> Processed {
    Ok(normalized_final_answer(text)?.into())
}

/// The answer without units and words, with `\frac` and `\sqrt` written in full and no thousands
/// separators.
pub(crate) fn normalized_final_answer(text: &str) -> Result<String, PatternError> {
    static UNWRAPPED: LazyLock<Vec<PythonRegex>> = LazyLock::new(|| compiled(WRAPPERS));
    static INTRODUCED: LazyLock<Vec<PythonRegex>> = LazyLock::new(|| compiled(INTRODUCTIONS));
    static FRACTION: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"frac([^{])(.)"));
    static ROOT: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"sqrt([^{])"));

    let mut answer = text.to_owned();
    for (before, after) in SUBSTITUTIONS {
        answer = answer.replace(before, after);
    }
    for removed in REMOVED {
        answer = answer.replace(removed, "");
    }
    for wrapper in UNWRAPPED.iter() {
        answer = wrapper.keep_group(&answer)?;
    }
    for introduction in INTRODUCED.iter() {
        if let Some(found) = introduction.last(&answer)? {
            answer = String::from(found);
        }
    }
    answer = String::from(strip(&answer));
    if answer.contains("rac") && !answer.contains(r"\frac") {
        answer = answer.replace("rac", r"\frac");
    }
    answer =
        FRACTION.replace_by(&answer, |found| format!("frac{{{}}}{{{}}}", &found[1], &found[2]))?;
    answer = ROOT.replace_by(&answer, |found| format!("sqrt{{{}}}", &found[1]))?;
    answer = answer.replace('$', "");
    let number = answer.replace(',', "");
    let is_number = !number.is_empty() && number.chars().all(is_digit);
    Ok(if is_number { number } else { answer })
}

fn compiled(patterns: &[&str]) -> Vec<PythonRegex> {
    patterns.iter().map(|pattern| PythonRegex::constant(pattern)).collect()
}
