//! The blocks of code in an answer to a problem of a contest, and the assertions that go with each.

use std::sync::LazyLock;

use serde_json::Value;

use crate::{
    postprocess::{PatternError, PythonRegex, python_value},
    python::is_blank,
};

static PYTHON_BLOCK: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::dotall_constant(r"```python\s*(.*?)```"));
static BLOCK: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::dotall_constant("```(.*?)```"));
static END: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"('\s*|)(\[DONE\]|DONE)"));
static BEGIN: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"(\[BEGIN\]|BEGIN)('\s*|)"));
static CALL: LazyLock<PythonRegex> =
    LazyLock::new(|| PythonRegex::constant(r"\bassert\s+(?=\w+\()"));

fn strip(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// All blocks of an answer, or the answer: each may be what is meant.
pub(super) fn blocks(text: &str) -> Result<Vec<String>, PatternError> {
    // Some clients have returned what `repr` makes of a text.
    let unquoted = match python_value(text) {
        Some(Value::String(inner)) => inner,
        _ => text.to_owned(),
    };
    let found = found(&unquoted)?;
    let all = if found.is_empty() { vec![unquoted.as_str()] } else { found };
    all.into_iter().map(cleaned).collect()
}

fn found(text: &str) -> Result<Vec<&str>, PatternError> {
    let in_python = PYTHON_BLOCK.all(text)?;
    if !in_python.is_empty() {
        return Ok(in_python);
    }
    let blocks = BLOCK.all(text)?;
    if blocks.is_empty() {
        return Ok(text.split("```").nth(1).into_iter().collect());
    }
    // The first line names the language.
    let behind_name = |block: &'_ str| match block.find('\n') {
        Some(at) if at > 0 => at + 1,
        _ => 0,
    };
    Ok(blocks.into_iter().map(|block| block.get(behind_name(block)..).unwrap_or(block)).collect())
}

/// A block without what examples had around it.
fn cleaned(block: &str) -> Result<String, PatternError> {
    let mut code = strip(block);
    let place = |pattern: &PythonRegex, text: &str| -> Result<_, PatternError> {
        Ok(pattern.search(text)?.and_then(|found| found.get(0)).map(|at| (at.start(), at.end())))
    };
    if let Some((start, _)) = place(&END, code)? {
        code = code.get(..start).unwrap_or(code);
    }
    if let Some((_, end)) = place(&BEGIN, code)? {
        code = code.get(end..).unwrap_or(code);
    }
    let code = strip(code);
    let code = code.strip_prefix('\'').unwrap_or(code);
    Ok(code.strip_suffix('\'').unwrap_or(code).replace('\\', ""))
}

/// The assertions for a block: they call the methods of a `Solution` where it has one.
pub(super) fn tests(tests: &str, code: &str) -> Result<String, PatternError> {
    if !code.contains("class Solution") {
        return Ok(tests.to_owned());
    }
    CALL.replace(tests, "assert Solution().")
}

#[cfg(test)]
mod tests_of_answers {
    use super::*;

    #[test]
    fn every_block_may_be_meant() {
        let text = "One:\n```python\na = 1\n```\nor\n```python\n'b = 2' [DONE]\n```";
        assert_eq!(blocks(text).unwrap(), ["a = 1", "b = 2"]);
        assert_eq!(blocks("```\nx\n``` and ```py\ny```").unwrap(), ["x", "y"]);
        assert_eq!(blocks("'x = 1'").unwrap(), ["x = 1"]);
        let told = tests("assert f(1) == 2", "class Solution:\n  pass").unwrap();
        assert_eq!(told, "assert Solution().f(1) == 2");
    }
}
