//! `LCBCodeGenerationEvaluator`: programs of contests, run on their inputs, public and private.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Metric, Row, Scores},
    sandbox::{Ended, Program},
};

/// pass@1 of programs for contests of some time.
pub(in crate::evaluate) struct LiveCodeBench {
    seconds: u64,
    takes_last: bool,
    first_date: Option<String>,
    last_date: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    // These change no figure here: rows are those of the data set, memory is the sandbox's.
    #[serde(rename = "num_process_evaluate")]
    _processes: Option<u64>,
    #[serde(rename = "release_version")]
    _release: Option<String>,
    #[serde(rename = "memory_limit_bytes")]
    _memory: Option<u64>,
    timeout: Option<u64>,
    extractor_version: Option<String>,
    start_date: Option<String>,
    end_date: Option<String>,
}

const NAME: &str = "lcb_code_generation";

const SECONDS: u64 = 6;

/// What a program is told whose inputs together took too long, or that was killed.
const KILLED: &str =
    r#"{"error_code": -3, "error_message": "Global Timeout or Memory Limit Exceeded"}"#;

impl LiveCodeBench {
    /// Reads the time of each input, the dates, and which block of an answer is meant.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let params: Params = component.read()?;
        let takes_last = match params.extractor_version.as_deref() {
            None | Some("v1") => false,
            Some("v2") => true,
            Some(other) => {
                let message = format!("extractor_version is {other:?}");
                return Err(ConfigError::at(&component.origin, message).with_hint("write v1 or v2"));
            }
        };
        Ok(Box::new(Self {
            seconds: params.timeout.unwrap_or(SECONDS),
            takes_last,
            first_date: params.start_date,
            last_date: params.end_date,
        }))
    }

    /// Whether the row's contest was in the time that is asked about.
    fn is_meant(&self, row: &Row<'_>, index: usize) -> Result<bool, EvaluateError> {
        if self.first_date.is_none() && self.last_date.is_none() {
            return Ok(true);
        }
        let date = column(row, index, NAME, "contest_date")?;
        // Dates and times of one form: their texts are in their order, a day is its midnight.
        let is_after = |first: &String| date >= first.as_str();
        let is_before = |last: &String| date <= format!("{last}T00:00:00").as_str();
        Ok(self.first_date.as_ref().is_none_or(is_after)
            && self.last_date.as_ref().is_none_or(is_before))
    }

    fn detail(&self, row: &Row<'_>, index: usize, how: &Ended) -> Detail {
        let cases = column(row, index, NAME, "evaluation_sample")?;
        let (results, told) = match how {
            Ended::Passed => (json!(vec![true; inputs(cases)]), "{}".to_owned()),
            Ended::Wrong(why) if let Ok((results, told)) = serde_json::from_str(why) => {
                (results, told)
            }
            _ => (json!(vec![-1; inputs(cases)]), KILLED.to_owned()),
        };
        let text = texts(row, index, NAME)?.first().copied().unwrap_or_default();
        Ok(Map::from_iter([
            ("extracted_prediction".to_owned(), fenced(text, self.takes_last).into()),
            ("eval_result".to_owned(), results),
            ("final_metadata".to_owned(), told.into()),
            ("correct".to_owned(), json!(how.is_passed())),
        ]))
    }
}

type Detail = Result<Map<String, Value>, EvaluateError>;

/// The lines between the first two marks of code, or the last two.
fn fenced(text: &str, takes_last: bool) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let marks: Vec<usize> = (0..lines.len())
        .filter(|at| lines.get(*at).is_some_and(|line| line.contains("```")))
        .collect();
    let pair = if takes_last { marks.last_chunk() } else { marks.first_chunk() };
    let Some([begin, end]) = pair else { return String::new() };
    lines.get(begin + 1..*end).unwrap_or_default().join("\n")
}

/// How many inputs there are.
fn inputs(cases: &str) -> usize {
    let cases: Value = serde_json::from_str(cases).unwrap_or_default();
    cases.get("inputs").and_then(Value::as_array).map_or(0, Vec::len)
}

impl Evaluator for LiveCodeBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let mut details = Vec::new();
        let mut are_right = Vec::new();
        for (index, (row, how)) in rows.iter().zip(ended(rows, &programs)?).enumerate() {
            are_right.push((!how.is_empty()).then(|| how.iter().all(Ended::is_passed)));
            details.push(match how.first() {
                Some(how) => self.detail(row, index, how)?,
                None => Map::new(),
            });
        }
        let metric = Metric::of_part("pass@1", &are_right);
        let samples = are_right.iter().flatten().count();
        Ok(Scores { metrics: vec![metric], samples, details: Some(details) })
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            if !self.is_meant(row, index)? {
                return Ok(Vec::new());
            }
            let cases = column(row, index, NAME, "evaluation_sample")?;
            let total = (self.seconds + 1) * inputs(cases) as u64 + 5;
            let program = |text: &str| {
                let job = json!({
                    "style": "live_code_bench",
                    "code": fenced(text, self.takes_last),
                    "cases": cases,
                    "seconds": self.seconds,
                    "total_seconds": total,
                });
                harness::program(harness::CONTEST, &job, total as f64)
            };
            Ok(texts(row, index, NAME)?.into_iter().map(program).collect())
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_between_marks() {
        let text = "so\n```python\na\n```\nand\n```\nb\n```";
        assert_eq!(fenced(text, false), "a");
        assert_eq!(fenced(text, true), "b");
        assert_eq!(fenced("```\na", false), "");
    }
}
