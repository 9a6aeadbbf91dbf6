//! `LCBTestOutputEvaluator`: a model completes an assertion, and what it expects is compared with what is right.
//!
//! What a model expects is an expression, so it is Python that says what it comes to.

use serde_json::{Value, json};

use super::{Programs, ended};
use crate::{
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores},
    sandbox::{Ended, Program},
};

/// Compares expected results.
pub(in crate::evaluate) struct TestOutput;

const NAME: &str = "lcb_test_output";

const SECONDS: f64 = 10.0;

/// Finds the right side of an assertion and what it comes to: our own text.
const READER: &str = "import ast, json

def expected_of(text):
    lines = text.splitlines()
    if len(lines) > 1:
        told = [line for line in lines if 'assert' in line and not line.startswith('#')]
        text = told[0] if told else text
    text = text.strip()
    if 'assert' not in text:
        return text
    try:
        body = ast.parse(text, mode='exec').body
    except SyntaxError:
        return 'Invalid syntax'
    if not body:
        return 'Empty statement'
    if not isinstance(body[0], ast.Assert):
        return 'Not an assert statement'
    test = body[0].test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return 'Not an equality assertion'
    return str(ast.get_source_segment(text, test.comparators[0]))
";

/// The line or block of an answer that holds the assertion.
fn assertion(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    if let Some(line) = lines.iter().rev().find(|line| line.starts_with("assert")) {
        return (*line).to_owned();
    }
    let first = |lines: &[&str], is: fn(&str) -> bool| lines.iter().position(|line| is(line));
    let start = first(&lines, is_python).or_else(|| first(&lines, is_fence));
    let Some(start) = start.map(|at| at + 1) else { return String::new() };
    let rest = lines.get(start..).unwrap_or_default();
    let end = first(rest, is_fence);
    end.and_then(|end| rest.get(..end)).map(|block| block.join("\n")).unwrap_or_default()
}

fn is_fence(line: &str) -> bool {
    line.contains("```")
}

fn is_python(line: &str) -> bool {
    line.contains("```python") || line.contains("```Python")
}

/// What is right, as the JSON of the row says.
fn output(row: &Row<'_>, index: usize) -> Result<String, EvaluateError> {
    let wrong = || EvaluateError::WrongKind {
        row: index,
        evaluator: NAME,
        what: "the reference",
        expected: "JSON with output",
        found: row.reference.to_string(),
    };
    let parsed: Value =
        serde_json::from_str(row.reference.as_str().ok_or_else(wrong)?).map_err(|_| wrong())?;
    parsed.get("output").and_then(Value::as_str).map(str::to_owned).ok_or_else(wrong)
}

impl Evaluator for TestOutput {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let are_right: Vec<bool> =
            ended(rows, &programs)?.iter().map(|own| own.iter().all(Ended::is_passed)).collect();
        let metrics = vec![Metric::of_shares("pass@1", &are_right)];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let told = json!(assertion(row.prediction.as_str().unwrap_or_default()));
            let right = json!(output(row, index)?);
            // A text in JSON is one in Python too.
            let tests = format!("assert eval(expected_of({told})) == json.loads({right})");
            Ok(vec![Program::new(READER, &tests, SECONDS)])
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assertion_is_found_in_a_line_or_a_block() {
        for (text, expected) in [
            ("so\nassert f(1) == 2\nassert f(2) == 3", "assert f(2) == 3"),
            ("x\n```python\n assert f() == 1\n```", " assert f() == 1"),
            ("```\nf() == 1\n```", "f() == 1"),
            ("nothing", ""),
        ] {
            assert_eq!(assertion(text), expected, "{text}");
        }
    }
}
