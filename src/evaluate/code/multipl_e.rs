//! `MultiplEEvaluator` and its kin: programs of many languages with their tests.
//!
//! The original sends them to a service; here they are compiled and run in the sandbox.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, languages, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Row, Scores, sequence_matcher::ratio},
    postprocess::{PatternError, PythonRegex},
    python::split_lines,
    sandbox::{Ended, Program},
};

/// What a program is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// The prompt, the block of an answer behind what it repeats of the prompt, up to a word that ends it, and the tests.
    Chat,
    /// The prompt, the answer up to a word that ends it, and the tests.
    Continuation,
    /// The block of an answer and the tests, in Python.
    Block,
}

/// Share of programs that pass their tests.
pub(in crate::evaluate) struct MultiplE {
    form: Form,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    // The rows name their language themselves, and there is no service.
    #[serde(rename = "language")]
    _language: Option<String>,
    #[serde(rename = "ip_address")]
    _address: Option<String>,
    #[serde(rename = "port")]
    _port: Option<Value>,
    #[serde(rename = "retry")]
    _retry: Option<u64>,
    #[serde(rename = "timeout")]
    _timeout: Option<u64>,
}

const NAME: &str = "multipl_e";

/// How alike a line must be to the prompt's last one to be it.
const SAME_LINE: f64 = 0.95;

impl MultiplE {
    /// `MultiplEEvaluator`.
    pub(in crate::evaluate) fn chat(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::with_form(component, Form::Chat)
    }

    /// `HumanevalMultiEvaluator`.
    pub(in crate::evaluate) fn continuation(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::with_form(component, Form::Continuation)
    }

    /// `HumanevalProEvaluator` and `MBPPProEvaluator`.
    pub(in crate::evaluate) fn block(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        Self::with_form(component, Form::Block)
    }

    fn with_form(component: &Component, form: Form) -> Result<Box<dyn Evaluator>, ConfigError> {
        let _: Params = component.read()?;
        Ok(Box::new(Self { form }))
    }

    fn program(&self, row: &Row<'_>, index: usize, text: &str) -> Result<Program, EvaluateError> {
        let own = |name| column(row, index, NAME, name);
        let wrong = |error: PatternError| EvaluateError::Normalization {
            row: index,
            source: Box::new(error.into()),
        };
        let (language, code) = match self.form {
            Form::Block => {
                ("py", format!("{}\n{}", first_block(text).map_err(wrong)?, own("test_code")?))
            }
            form => {
                let prompt = own("prompt")?;
                let answer = if form == Form::Chat {
                    behind_prompt(prompt, first_block(text).map_err(wrong)?)
                } else {
                    text.to_owned()
                };
                let answer = up_to_end(&answer, row);
                (own("language")?, format!("{prompt}{answer}\n{}", own("tests")?))
            }
        };
        languages::program(language, &code).ok_or_else(|| EvaluateError::NoLanguage {
            row: index,
            language: language.to_owned(),
            known: languages::names(),
        })
    }
}

/// The first block of an answer, or the answer.
fn first_block(text: &str) -> Result<&str, PatternError> {
    let blocks = PythonRegex::dotall(r"```\w*\n(.*?)```")?;
    Ok(blocks.first(text)?.unwrap_or(text))
}

/// What an answer says behind the last line of the prompt, where it repeats it.
fn behind_prompt(prompt: &str, answer: &str) -> String {
    let letters = |line: &&str| line.chars().collect::<Vec<char>>();
    let Some(last) = split_lines(prompt).last().map(letters) else { return answer.to_owned() };
    let lines = split_lines(answer);
    let at = lines.iter().position(|line| ratio(&last, &letters(line)) >= SAME_LINE);
    at.and_then(|at| lines.get(at + 1..)).map_or_else(|| answer.to_owned(), |rest| rest.join("\n"))
}

/// An answer up to the first word that ends it.
fn up_to_end<'t>(answer: &'t str, row: &Row<'_>) -> &'t str {
    let words = row.sample.and_then(|sample| sample.get("stop_tokens")).and_then(Value::as_array);
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    let end = words.filter_map(|word| answer.find(word)).min();
    end.and_then(|end| answer.get(..end)).unwrap_or(answer)
}

impl Evaluator for MultiplE {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        harness::all_there(&ended)?;
        let (mut are_right, mut details) = (Vec::new(), Vec::new());
        for (row, how) in rows.iter().zip(ended) {
            let is_right = how.iter().all(Ended::is_passed);
            let status = match how.first() {
                Some(Ended::Passed) => "OK",
                Some(Ended::Wrong(why)) if why == "Timeout" => "Timeout",
                Some(Ended::TimedOut) => "Timeout",
                _ => "Exception",
            };
            let sample = |name| row.sample.and_then(|sample| sample.get(name)).cloned();
            let name = sample("name").or_else(|| sample("id")).unwrap_or_default();
            are_right.push(is_right);
            details.push(Map::from_iter([
                ("name".to_owned(), name),
                ("status".to_owned(), json!(status)),
                ("correct".to_owned(), json!(is_right)),
            ]));
        }
        Ok(Scores::share("pass@1", &are_right).with_details(details))
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let program = |text: &str| self.program(row, index, text);
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
