//! `CodeCompassEvaluator`: programs in C++, compiled and run on the inputs of their problem.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, ended, harness, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores, Unit},
    python::is_blank,
    sandbox::{Ended, Program},
};

/// pass@1 of programs, from 0 to 1, each run in the time and memory of its problem.
///
/// As in the original an answer without code has no part in the figure.
pub(in crate::evaluate) struct CodeCompass {
    /// The time of an input where the problem names none.
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    // These change no figure here: the cases of a row are its own, programs run in the sandbox.
    #[serde(rename = "num_process_evaluate")]
    _processes: Option<u64>,
    #[serde(rename = "temp_base_dir")]
    _folder: Option<String>,
    #[serde(rename = "dataset_path")]
    _cases: Option<String>,
    timeout: Option<f64>,
    k_list: Option<Vec<usize>>,
}

const NAME: &str = "code_compass";

const SECONDS: f64 = 15.0;

/// The memory of a problem that names none.
const MEMORY_MIB: u64 = 256;

/// What compiling may take, and what starting programs may beside their own time.
const COMPILATION_SECONDS: f64 = 20.0;

/// Without a block of code, an answer with one of these is code.
const WORDS: [&str; 5] = ["def ", "class ", "int main", "#include", "using namespace"];

const LEFT_OUT: &str = "it has no part in pass@1, as in OpenCompass, because no answer to it has code (or its metadata no \
                        question_id); counted as wrong, it would make the figure lower";

impl CodeCompass {
    /// Reads the time of an input.
    ///
    /// # Errors
    ///
    /// A `k_list` without 1, for which the original writes a pass@1 of 0 whatever the answers are.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        if params.k_list.is_some_and(|ks| !ks.is_empty() && !ks.contains(&1)) {
            let message = "k_list has no 1, but pass@1 is all that is told";
            return Err(ConfigError::at(&component.origin, message).with_hint("write k_list=[1]"));
        }
        Ok(Box::new(Self { seconds: params.timeout.unwrap_or(SECONDS) }))
    }

    fn program(&self, code: &str, row: &Row<'_>, index: usize) -> Result<Program, EvaluateError> {
        let (inputs, outputs) = (cases(row, index, "inputs")?, cases(row, index, "outputs")?);
        let limit = |name| row.reference.get(name).map(|limit: &Value| (limit, limit.as_f64()));
        let seconds = match limit("time_limit_s") {
            None => self.seconds,
            Some((_, Some(seconds))) if seconds >= 0.0 => seconds,
            Some((found, _)) => return Err(wrong_kind(index, "time_limit_s", "seconds", found)),
        };
        let mib = match row.reference.get("memory_limit_mb") {
            None => MEMORY_MIB,
            Some(found) => found
                .as_u64()
                .ok_or_else(|| wrong_kind(index, "memory_limit_mb", "a whole number", found))?,
        };
        let job = json!({
            "code": code,
            "inputs": inputs,
            "outputs": outputs,
            "seconds": seconds,
            "memory_bytes": mib.saturating_mul(1 << 20),
        });
        let total = COMPILATION_SECONDS + (seconds + 0.5) * inputs.len() as f64;
        let program = harness::program(harness::COMPILED_CONTEST, &job, total);
        Ok(Program { memory_bytes: harness::LARGE_MEMORY_BYTES, ..program })
    }
}

fn wrong_kind(
    row: usize,
    what: &'static str,
    expected: &'static str,
    found: &Value,
) -> EvaluateError {
    EvaluateError::WrongKind { row, evaluator: NAME, what, expected, found: found.to_string() }
}

/// The texts that the row's program reads, or those that it is to write.
fn cases<'r>(
    row: &'r Row<'_>,
    index: usize,
    side: &'static str,
) -> Result<&'r Vec<Value>, EvaluateError> {
    let sample = row.sample.and_then(|sample| sample.get("evaluation_sample"));
    let sample = sample.ok_or(EvaluateError::NoColumn {
        row: index,
        evaluator: NAME,
        column: "evaluation_sample",
    })?;
    let texts = sample.get(side).and_then(Value::as_array);
    texts.filter(|texts| texts.iter().all(Value::is_string)).ok_or_else(|| {
        wrong_kind(index, "evaluation_sample", "a record with lists of texts", sample)
    })
}

/// The program of each answer; none where the original leaves the row out.
fn codes(row: &Row<'_>, index: usize) -> Result<Vec<String>, EvaluateError> {
    let is_known = match row.reference.get("question_id") {
        None | Some(Value::Null) => false,
        Some(id) => id != "" && id != 0,
    };
    let codes: Vec<String> = texts(row, index, NAME)?.into_iter().map(code).collect();
    let has_code = codes.iter().any(|code| !code.is_empty());
    Ok(if is_known && has_code { codes } else { Vec::new() })
}

/// The code of an answer: its first block that is said to be C++, or what stands between its first and last marks of
/// code. An answer without blocks is code if it looks like some.
fn code(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let between = |begin: usize, end: usize| {
        let block = lines.get(begin + 1..end).unwrap_or_default().join("\n");
        block.trim_matches(is_blank).to_owned()
    };
    let marks: Vec<(usize, &str)> =
        lines.iter().copied().enumerate().filter(|(_, line)| line.contains("```")).collect();
    let [(first, _), .., (last, _)] = marks[..] else {
        let is_code = WORDS.iter().any(|word| text.contains(word));
        return if is_code { text.trim_matches(is_blank).to_owned() } else { String::new() };
    };
    let mut named = marks.iter().skip_while(|(_, line)| !line.to_lowercase().contains("```cpp"));
    match (named.next(), named.next()) {
        (Some((begin, _)), Some((end, _))) => between(*begin, *end),
        _ => between(first, last),
    }
}

/// What became of each input, in the original's numbers.
fn results(how: &Ended, inputs: usize) -> Vec<i64> {
    match how {
        Ended::Passed => vec![1; inputs],
        Ended::Wrong(why) if let Ok(results) = serde_json::from_str(why) => results,
        _ => vec![-1; inputs],
    }
}

impl Evaluator for CodeCompass {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        harness::all_there(&ended)?;
        let (mut shares, mut details) = (Vec::new(), Vec::new());
        for (index, (row, how)) in rows.iter().zip(ended).enumerate() {
            let right = how.iter().filter(|how| how.is_passed()).count();
            shares.push(if how.is_empty() { f64::NAN } else { right as f64 / how.len() as f64 });
            let Some(first) = how.first() else { continue };
            let code = codes(row, index)?.into_iter().next();
            details.push(Map::from_iter([
                ("extracted_prediction".to_owned(), json!(code)),
                (
                    "eval_result".to_owned(),
                    json!(results(first, cases(row, index, "inputs")?.len())),
                ),
                ("final_metadata".to_owned(), row.reference.clone()),
                ("correct".to_owned(), json!(right > 0)),
            ]));
        }
        let samples = details.len();
        let mut metric = Metric::of_numbers("pass@1", Unit::Number, shares);
        if samples == 0 {
            metric.value = 0.0;
        }
        Ok(Scores { metrics: vec![metric], samples, details: Some(details) })
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let is_left_out = |(index, row): &(usize, &Row<'_>)| {
            codes(row, *index).is_ok_and(|codes| codes.is_empty())
        };
        rows.iter().enumerate().filter(is_left_out).map(|(index, _)| (index, LEFT_OUT)).collect()
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn reads_lists(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let codes = codes(row, index)?;
            codes.iter().map(|code| self.program(code, row, index)).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_in_the_first_block_of_its_language_or_between_all_marks() {
        for (text, expected) in [
            ("so\n```python\na\n```\n```CPP\n b \n```\n```", "b"),
            ("```\na\n```\n```\nb\n```", "a\n```\n```\nb"),
            // The last mark begins a block that never ends.
            ("```\na\n```\n```cpp\nb", "a\n```"),
            ("```cpp\nint main() {}", "```cpp\nint main() {}"),
            (" #include <x>\n", "#include <x>"),
            ("I do not know", ""),
        ] {
            assert_eq!(code(text), expected, "{text}");
        }
    }
    #[test]
    fn a_figure_that_nobody_tells_is_refused() {
        let build = |ks: Value| {
            let entry = json!({"type": "CodeCompassEvaluator", "k_list": ks});
            CodeCompass::build(&Component::parse(&crate::config::Node::from_json(&entry)).unwrap())
        };
        assert!(build(json!([1, 5])).is_ok() && build(json!([])).is_ok());
        assert!(build(json!([5])).err().unwrap().to_string().contains("k_list"));
    }
}
