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
    let touches = |line: &&str| FIGURE_CALLS.iter().any(|call| line.contains(call));
    let lines: Vec<&str> = code(text)?.split('\n').filter(|line| !touches(line)).collect();
    Ok(lines.join("\n").into())
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
