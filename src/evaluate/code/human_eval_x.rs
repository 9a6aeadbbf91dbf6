//! `HumanevalXEvaluator` and `PMMEvalHumanEvalXLEvaluator`: functions in several languages, run with their tests.
//!
//! The original sends completions to a service that has the tasks; here the tasks are the rows', and the sandbox runs them.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Programs, column, ended, harness, human_eval_x_answer::completion, languages, texts};
use crate::{
    config::{Component, ConfigError},
    evaluate::{EvaluateError, Evaluator, Row, Scores},
    sandbox::{Ended, Program},
};

/// Share of completions that pass the tests of their tasks.
pub(in crate::evaluate) struct HumanEvalX {
    language: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    language: String,
    // What follows is about the service, or says which rows they are.
    #[serde(rename = "text_language")]
    _text_language: Option<String>,
    #[serde(rename = "ip_address")]
    _address: Option<String>,
    #[serde(rename = "port")]
    _port: Option<Value>,
    #[serde(rename = "retry")]
    _retry: Option<u64>,
    #[serde(rename = "timeout")]
    _timeout: Option<u64>,
}

const NAME: &str = "humaneval_x";

const LANGUAGES: [&str; 7] = ["cpp", "go", "java", "javascript", "js", "python", "rust"];

/// What completions take for granted.
const PYTHON_IMPORTS: &str =
    "import math, re, sys, copy, datetime, itertools, collections, heapq, statistics, functools
import hashlib, string
import numpy
import numpy as np
from typing import *
from collections import *
";
const CPP_HEADERS: [&str; 9] = [
    "<stdlib.h>",
    "<algorithm>",
    "<math.h>",
    "<stdio.h>",
    "<vector>",
    "<string>",
    "<climits>",
    "<cstring>",
    "<iostream>",
];
const GO_PACKAGES: [&str; 10] = [
    "math",
    "strings",
    "fmt",
    "strconv",
    "time",
    "bytes",
    "regexp",
    "sort",
    "math/rand",
    "crypto/md5",
];

impl HumanEvalX {
    /// Reads `language`.
    pub(in crate::evaluate) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Params { language, .. } = component.read()?;
        if !LANGUAGES.contains(&language.as_str()) {
            let error = ConfigError::at(&component.origin, format!("language is {language:?}"));
            return Err(error.with_hint(format!("write one of {}", LANGUAGES.join(", "))));
        }
        Ok(Box::new(Self { language }))
    }

    /// A completion with all that it is run with.
    fn whole(&self, row: &Row<'_>, index: usize, code: &str) -> Result<String, EvaluateError> {
        let own = |name| column(row, index, NAME, name);
        let (prompt, test) = (own("prompt")?, own("test")?);
        Ok(match self.language.as_str() {
            "python" => {
                let call = row.sample.and_then(|sample| sample.get("entry_point"));
                let call = call.and_then(Value::as_str).map(|entry| format!("check({entry})"));
                let call = call.filter(|call| !test.contains(call.as_str())).unwrap_or_default();
                format!("{PYTHON_IMPORTS}{prompt}{}\n{test}\n{call}\n", indented(code))
            }
            "cpp" => {
                let missing = |header: &&&str| !prompt.contains(&format!("#include{header}"));
                let headers = CPP_HEADERS.iter().filter(missing);
                let headers: Vec<String> = headers.map(|own| format!("#include{own}")).collect();
                let headers = headers.join("\n");
                format!("{headers}\n{prompt}{code}\n{test}")
            }
            "go" => {
                let (import, setup) = (own("import")?, own("test_setup")?);
                let is_used = |package: &&&str| {
                    let name = package.rsplit('/').next().unwrap_or_default();
                    !setup.contains(**package) && code.contains(&format!("{name}."))
                };
                let used = GO_PACKAGES.iter().filter(is_used);
                let imports: Vec<String> = used.map(|own| format!("import \"{own}\"")).collect();
                let imports = imports.join("\n");
                let prompt = prompt.replace(import, "");
                format!("{setup}\n{imports}\n{prompt}{code}\n{test}")
            }
            "rust" => {
                format!("\nfn main(){{ \n }} \n{}{prompt}{code}{test}", own("declaration")?)
            }
            _ => format!("{prompt}{code}\n{test}"),
        })
    }
}

/// The lines up to the first that is not indented.
fn indented(code: &str) -> String {
    let is_inside = |line: &&str| line.trim().is_empty() || line.starts_with([' ', '\t']);
    code.split('\n').take_while(is_inside).collect::<Vec<_>>().join("\n")
}

impl Evaluator for HumanEvalX {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let programs = self.programs(rows)?;
        let ended = ended(rows, &programs)?;
        harness::all_there(&ended)?;
        let are_right: Vec<bool> =
            ended.iter().map(|how| how.iter().all(Ended::is_passed)).collect();
        let detail = |is_right: &bool| Map::from_iter([("correct".to_owned(), json!(is_right))]);
        let details = are_right.iter().map(detail).collect();
        Ok(Scores::share("pass@1", &are_right).with_details(details))
    }

    fn runs_code(&self) -> bool {
        true
    }

    fn needed_modules(&self) -> &'static [&'static str] {
        if self.language == "python" { &["numpy"] } else { &[] }
    }

    fn programs(&self, rows: &[Row<'_>]) -> Result<Programs, EvaluateError> {
        let of_row = |(index, row): (usize, &Row<'_>)| -> Result<Vec<Program>, EvaluateError> {
            let head = row.reference.as_str().ok_or_else(|| EvaluateError::WrongKind {
                row: index,
                evaluator: NAME,
                what: "the reference",
                expected: "what is to be completed, as text",
                found: row.reference.to_string(),
            })?;
            let program = |text: &str| -> Result<Program, EvaluateError> {
                let code = completion(text, &self.language, head).map_err(|error| {
                    EvaluateError::Normalization { row: index, source: Box::new(error.into()) }
                })?;
                let code = self.whole(row, index, &code)?;
                languages::program(&self.language, &code).ok_or_else(|| EvaluateError::NoLanguage {
                    row: index,
                    language: self.language.clone(),
                    known: languages::names(),
                })
            };
            texts(row, index, NAME)?.into_iter().map(program).collect()
        };
        rows.iter().enumerate().map(of_row).collect()
    }
}
