//! Taking the program out of an answer to an MBPP task.

use std::sync::LazyLock;

use crate::{
    postprocess::{PatternError, PythonRegex},
    python::is_blank,
};

/// Takes the program out of an answer.
pub(super) type Answer = fn(&str) -> Result<String, PatternError>;

/// Where a program may stand, the likeliest place first: between words that examples had around it, then in a block.
const PLACES: [&str; 20] = [
    r"\[BEGIN\]\s*'(.*)'\s*\[DONE\]",
    r"BEGIN\s*'(.*)'\s*\[DONE\]",
    r"\[BEGIN\]\s*'(.*)'\s*DONE",
    r"BEGIN\s*'(.*)'\s*DONE",
    r"\[BEGIN\]\s*'(.*)\s*\[DONE\]",
    r"BEGIN\s*'(.*)\s*\[DONE\]",
    r"\[BEGIN\]\s*'(.*)\s*DONE",
    r"BEGIN\s*'(.*)\s*DONE",
    r"\[BEGIN\]\s*(.*)\s*\[DONE\]",
    r"BEGIN\s*(.*)\s*\[DONE\]",
    r"\[BEGIN\]\s*(.*)\s*DONE",
    r"BEGIN\s*(.*)\s*DONE",
    r"```python\s*(.*)\s*```",
    r"```\s*(.*)\s*```",
    r"```python\s*(.*)\s*$",
    r"```\s*(.*)\s*$",
    r"(.*)\s*```.*",
    r"\[BEGIN\]\s*'(.*)",
    r"\[BEGIN\](.*)",
    r"'(.*)'\s*\[DONE\]",
];

static PATTERNS: LazyLock<Result<Vec<PythonRegex>, PatternError>> =
    LazyLock::new(|| PLACES.iter().map(|place| PythonRegex::dotall(place)).collect());
static DONE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"'?\s*\[?DONE\]?"));
static BLOCK: LazyLock<Result<PythonRegex, PatternError>> =
    LazyLock::new(|| PythonRegex::dotall("```(.*?)```"));
static HERE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant("Here(.*?)\n"));
static END: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"('\s*|)(\[DONE\]|DONE)"));
static BEGIN: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"(\[BEGIN\]|BEGIN)('\s*|)"));

/// Where a pattern first stands, as bytes.
fn place(pattern: &PythonRegex, text: &str) -> Result<Option<(usize, usize)>, PatternError> {
    let found = pattern.search(text)?;
    Ok(found.and_then(|found| found.get(0)).map(|found| (found.start(), found.end())))
}

/// `MBPPEvaluator`'s way.
pub(super) fn first(text: &str) -> Result<String, PatternError> {
    let mut text = text;
    for pattern in PATTERNS.as_ref().map_err(Clone::clone)? {
        if let Some(found) = pattern.first(text)? {
            text = found;
            break;
        }
    }
    text = text.split("```").next().unwrap_or(text);
    if let Some((start, _)) = place(&DONE, text)? {
        text = text.get(..start).unwrap_or(text);
    }
    Ok(text.replace("\\_", "_").trim_matches(is_blank).to_owned())
}

/// `MBPPEvaluator2`'s way.
pub(super) fn second(text: &str) -> Result<String, PatternError> {
    let mut text = text.to_owned();
    if text.contains("```") {
        let blocks = BLOCK.as_ref().map_err(Clone::clone)?.all(&text)?;
        text = match blocks.first() {
            None => text.split("```").nth(1).unwrap_or_default().to_owned(),
            Some(block) if block.starts_with('\n') => (*block).to_owned(),
            // The first line names the language.
            Some(block) => block.split_once('\n').map_or(*block, |(_, rest)| rest).to_owned(),
        };
    } else if let Some((start, end)) = place(&HERE, &text)? {
        text.replace_range(start..end, "");
    }
    for mark in ["# Test", "#Test", "#test", "# test"] {
        if let Some(at) = text.find(mark) {
            text.truncate(at);
        }
    }
    let mut text = text.trim_matches(is_blank);
    if let Some((start, _)) = place(&END, text)? {
        text = text.get(..start).unwrap_or(text);
    }
    if let Some((_, end)) = place(&BEGIN, text)? {
        text = text.get(end..).unwrap_or(text);
    }
    let text = text.trim_matches(is_blank);
    Ok(text.strip_prefix('\'').unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_where_it_stands() {
        for (text, expected) in [
            ("[BEGIN]\n'def f(): pass'\n[DONE]", "def f(): pass"),
            ("Sure.\n```python\nx = 1\n```\nmore", "x = 1"),
            ("a\\_b = 2 [DONE] rest", "a_b = 2"),
        ] {
            assert_eq!(first(text).unwrap(), expected, "{text}");
        }
        for (text, expected) in [
            ("```python\nx = 1\n# Test it\ny\n```", "x = 1"),
            ("Here is it:\nx = 1\n", "x = 1"),
            ("[BEGIN]'x = 1' [DONE]", "x = 1"),
        ] {
            assert_eq!(second(text).unwrap(), expected, "{text}");
        }
    }
}
