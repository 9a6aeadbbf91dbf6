//! Programs that judge a program: our own texts in Python, run in the sandbox with what they are to judge.
//!
//! Each defines `judge(job, same)`, which comes to its end where all is right, and else ends in an assertion that says
//! what is wrong.

use serde_json::Value;

use super::super::EvaluateError;
use crate::sandbox::{Ended, Program};

/// Compiles a program of a contest and runs it on inputs.
pub(super) const COMPILED_CONTEST: &str = include_str!("compiled_contest.py");

/// Runs a program of a contest on inputs.
pub(super) const CONTEST: &str = include_str!("contest.py");

/// Runs a program on the data of a problem and has its own test look at the results.
pub(super) const DATA_SCIENCE: &str = include_str!("data_science.py");

/// Compiles and runs a program in any language.
pub(super) const LANGUAGES: &str = include_str!("languages.py");

/// Compares a function with another one on many inputs.
pub(super) const PLUS: &str = include_str!("plus.py");

/// Runs a step of a problem of science with its tests.
pub(super) const SCIENCE: &str = include_str!("science.py");

/// Runs unit tests on code that it takes out of an answer.
pub(super) const UNIT_TESTS: &str = include_str!("unit_tests.py");

/// The driver's comparison, by value and type.
pub(super) const SAME: &str = "__opencompass_type_aware_equal";

/// How a judge says that Python or the system lacks something.
const LACKS: &str = "it lacks: ";

/// Address space that large libraries and virtual machines reserve.
pub(super) const LARGE_MEMORY_BYTES: u64 = 30 << 30;

/// The program that judges a job.
pub(super) fn program(judge: &str, job: &Value, seconds: f64) -> Program {
    // A text in JSON is one in Python too.
    let job = Value::from(job.to_string());
    let tests = format!("import json\njudge(json.loads({job}), {SAME})");
    Program { is_type_aware: true, ..Program::new(judge, &tests, seconds) }
}

/// An error where a judge found that something is missing, because no answer can be right then.
pub(super) fn all_there(ended: &[&[Ended]]) -> Result<(), EvaluateError> {
    let mut lacking: Vec<&str> = Vec::new();
    for how in ended.iter().copied().flatten() {
        if let Ended::Failed(why) = how
            && let Some(names) = why.strip_prefix(LACKS)
        {
            lacking.extend(names.split(", "));
        }
    }
    if lacking.is_empty() {
        return Ok(());
    }
    lacking.sort_unstable();
    lacking.dedup();
    Err(EvaluateError::NoTools { tools: lacking.join(", ") })
}
