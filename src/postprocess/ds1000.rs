//! `ds1000`, `ds1000_completion`, `ds1000_matplotlib`: the code in an answer to a data science task.

use std::sync::LazyLock;

use super::{
    Processed,
    python_regex::{PatternError, PythonRegex},
};

/// What encloses code, from the outside to the inside.
const ENCLOSURES: &[&str] = &[
    "(?s)<code>(.*?)</code>",
    "(?s)```python(.*?)```",
    "(?s)```(.*?)```",
    "(?s)BEGIN SOLUTION(.*?)END SOLUTION",
];

/// Calls that show, clear or save a figure, which the test of the code wants to see.
const FIGURE_CALLS: &[&str] = &["plt.show()", "plt.clf()", "plt.close()", "savefig"];

/// The code out of its enclosures.
pub(super) fn process(text: &str) -> Processed {
    Ok(code(text)?.into())
}

/// What a model goes on with, up to the end tag.
pub(super) fn process_completion(text: &str) -> Processed {
    Ok(text.split("</code>").next().unwrap_or_default().into())
}

/// The code without the lines that touch the figure.
pub(super) fn process_matplotlib(text: &str) -> Processed {
    Ok(without_figure_calls(code(text)?).into())
}

/// The code as the service that OpenCompass asks takes it out of an answer: an end tag counts on its own, too.
pub(crate) fn for_service(text: &str, is_figure: bool) -> Result<String, PatternError> {
    let tagged = text.split_once("<code>").and_then(|(_, rest)| rest.split_once("</code>"));
    let own = tagged.map_or_else(|| text.split("</code>").next(), |(inside, _)| Some(inside));
    let code = code(own.unwrap_or_default())?;
    Ok(if is_figure { without_figure_calls(code) } else { code.to_owned() })
}

fn without_figure_calls(code: &str) -> String {
    let touches = |line: &&str| FIGURE_CALLS.iter().any(|call| line.contains(call));
    code.split('\n').filter(|line| !touches(line)).collect::<Vec<&str>>().join("\n")
}

fn code(text: &str) -> Result<&str, PatternError> {
    static PATTERNS: LazyLock<Vec<PythonRegex>> =
        LazyLock::new(|| ENCLOSURES.iter().map(|one| PythonRegex::constant(one)).collect());
    let mut code = text;
    for enclosure in PATTERNS.iter() {
        code = enclosure.first(code)?.unwrap_or(code);
    }
    Ok(code)
}
