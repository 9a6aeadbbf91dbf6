//! `CodeCompass`: problems of contests to solve in C++, each with its cases, time and memory.
//!
//! Its repository on the hub is a program over two tables. That program is not run: the tables are read here, and put
//! together by the numbers of their problems. What is said around a problem is OpenCompass's, read in the user's package.

use std::{collections::HashMap, sync::LazyLock};

use fancy_regex::Regex;
use serde_json::{Value, json};

use super::{
    arguments::{Arguments, value_of},
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::malformed,
    row::{Fields, Flaw, Made, Row, formatted, object, row},
};
use crate::{
    dataset::DatasetError,
    python::{parse_integer, python_str, to_json},
};

const MODULE: &str = "opencompass/datasets/codecompass/CodeCompass.py";

const PROBLEMS: &str = "CodeCompass_v0/problems/problems.parquet";

const CASES: &str = "CodeCompass_v0/cases/cases.parquet";

/// The columns that the repository's program gives.
const COLUMNS: [&str; 7] =
    ["question_id", "title", "problem", "difficulty", "source", "link", "cases"];

/// A number of seconds after these words; `2000 ms` is none.
static TIME: LazyLock<Result<Regex, String>> =
    LazyLock::new(|| pattern(r"(?i)Time Limit:[\s\x1c-\x1f]*([0-9.]+)[\s\x1c-\x1f]*s"));
static MEMORY: LazyLock<Result<Regex, String>> =
    LazyLock::new(|| pattern(r"(?i)Memory Limit:[\s\x1c-\x1f]*(\d+)[\s\x1c-\x1f]*MB"));

/// The limits of a problem that names none.
const SECONDS: f64 = 2.0;
const MEMORY_MB: i64 = 256;

pub(super) const CODE_COMPASS: ClassForm =
    own(&["path", "difficulty?", "source?", "system_prompt?", "problem_template?"], |arguments| {
        let before = told(arguments, "system_prompt", "DEFAULT_SYSTEM_PROMPT")?;
        let template = told(arguments, "problem_template", "DEFAULT_PROBLEM_TEMPLATE")?;
        let rows = problems(arguments)?;
        let made = rows.iter().enumerate().filter_map(|(index, problem)| {
            let place = || format!("data set {}, problem {}", arguments.abbr, index + 1);
            let made = with_prompt(problem, &before, &template).transpose()?;
            Some(made.map_err(|flaw| malformed(&place(), flaw)))
        });
        Ok(Tables::Splits(vec![("test".into(), made.collect::<Result<_, _>>()?)]))
    })
    .unnamed()
    .with_texts(&[MODULE])
    .with_note(
        "the repository's own program is not run: its two tables are put together here by question_id; as in the original, \
         problems without a text or without cases are left out",
    );

fn pattern(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}

/// A text of the entry, or else of OpenCompass's class.
fn told(arguments: &Arguments<'_>, field: &str, name: &str) -> Result<String, DatasetError> {
    if arguments.is_given(field) {
        return arguments.text(field).map(str::to_owned);
    }
    match texts(arguments, MODULE)?.value(&format!("CodeCompassCodeGenerationDataset.{name}")) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(malformed(MODULE, Flaw(format!("there is no {name}")))),
    }
}

/// The problems with their cases, those of one difficulty or source if that is asked.
fn problems(arguments: &Arguments<'_>) -> Result<Vec<Row>, DatasetError> {
    let problems = arguments.files_of_repository("problems", PROBLEMS)?;
    let mut cases: HashMap<String, Vec<Value>> = HashMap::new();
    for sample in arguments.files_of_repository("cases", CASES)? {
        let (id, own) = arguments.asked(cases_of(&value_of(&sample)))?;
        cases.entry(id).or_default().extend(own);
    }
    let mut made = Vec::new();
    for sample in &problems {
        let problem = value_of(sample);
        let column = |name: &&str| -> Made<(String, Value)> {
            let value = if *name == "cases" {
                let own = cases.get(&python_str(problem.at("question_id")?));
                to_json(&json!(own.map_or(&[][..], Vec::as_slice)), true).into()
            } else {
                problem.at(name)?.clone()
            };
            Ok(((*name).to_owned(), value))
        };
        let row: Row = arguments.asked(COLUMNS.iter().map(column).collect())?;
        let is_asked = ["difficulty", "source"]
            .iter()
            .all(|name| !arguments.is_given(name) || arguments.fields.get(*name) == row.get(*name));
        made.extend(is_asked.then_some(row));
    }
    if made.is_empty() && !problems.is_empty() {
        return arguments
            .asked(Flaw::new("no problem has this difficulty and source, upper case or lower"));
    }
    Ok(made)
}

/// The number of a problem, and the cases in a row of their table: one, or the text of a list.
fn cases_of(row: &Value) -> Made<(String, Vec<Value>)> {
    let id = python_str(row.at("question_id")?);
    if let Some(input) = row.get("input") {
        return Ok((id, vec![json!({"input": input, "output": row.at("output")?})]));
    }
    let all = row.text("cases").map_err(|Flaw(why)| {
        Flaw(format!("{CASES} has neither columns input and output nor cases in JSON: {why}"))
    })?;
    let all: Value = serde_json::from_str(all)
        .map_err(|error| Flaw(format!("the cases of {id} are not JSON: {error}")))?;
    let all = all.as_array().ok_or_else(|| Flaw(format!("the cases of {id} are no list")))?;
    Ok((id, all.clone()))
}

/// A problem with its prompt, its cases apart and what its text says of it; nothing if it lacks text or cases.
fn with_prompt(problem: &Row, before: &str, template: &str) -> Made<Option<Row>> {
    let text = match problem.at("problem")? {
        Value::Null => "",
        _ => problem.text("problem")?,
    };
    let (inputs, outputs) = sides(problem.text("cases")?)?;
    if text.is_empty() || inputs.is_empty() {
        return Ok(None);
    }
    let prompt = format!("{before}{}", formatted(template, &[], &[("problem", text)])?);
    let about = row([
        ("question_id", problem.at("question_id")?.clone()),
        ("difficulty", problem.at("difficulty")?.clone()),
        ("source", problem.at("source")?.clone()),
        ("problem_length", text.chars().count().into()),
        ("num_test_cases", inputs.len().into()),
        ("time_limit_s", seconds(text)?.into()),
        ("memory_limit_mb", memory_mb(text)?.into()),
    ]);
    let count = inputs.len();
    let cases = row([
        ("inputs", inputs.into()),
        ("outputs", outputs.into()),
        ("fn_name", Value::Null),
        ("num_cases", count.into()),
    ]);
    let mut made = problem.clone();
    made.insert("prompt".to_owned(), prompt.into());
    made.insert("evaluation_sample".to_owned(), cases.into());
    made.insert("metadata".to_owned(), about.into());
    made.insert("original_problem".to_owned(), text.into());
    Ok(Some(made))
}

/// What is read and what is to be written in each case, as texts; what is no record is no case.
fn sides(cases: &str) -> Made<(Vec<String>, Vec<String>)> {
    let cases: Value = serde_json::from_str(cases)
        .map_err(|error| Flaw(format!("its cases are not JSON: {error}")))?;
    let side = |case: &Row, name: &str| case.get(name).map(python_str).unwrap_or_default();
    let cases = cases.as_array().map_or(&[][..], Vec::as_slice).iter();
    Ok(cases
        .filter_map(|case| object(case).ok())
        .map(|case| (side(case, "input"), side(case, "output")))
        .unzip())
}

fn seconds(text: &str) -> Made<f64> {
    Ok(found(&TIME, text)?.and_then(|number| number.parse().ok()).unwrap_or(SECONDS))
}

fn memory_mb(text: &str) -> Made<i64> {
    let Some(number) = found(&MEMORY, text)? else { return Ok(MEMORY_MB) };
    let number = parse_integer(number).and_then(|number| number.parse().ok());
    number.ok_or_else(|| Flaw("its memory limit is out of bounds".to_owned()))
}

/// The number that a limit is.
fn found<'t>(pattern: &Result<Regex, String>, text: &'t str) -> Made<Option<&'t str>> {
    let pattern = pattern.as_ref().map_err(|why| Flaw(why.clone()))?;
    let found = pattern.captures(text).map_err(|error| Flaw(error.to_string()))?;
    Ok(found.and_then(|found| found.get(1)).map(|number| number.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_original_reads_them() {
        for (text, expected_seconds, expected_mb) in [
            ("Time Limit: 1.5 sec\nmemory limit:512MB", 1.5, 512),
            ("time limit:2000 ms, Memory Limit: 1 GB", 2.0, 256),
            ("Time Limit: 1.2.3 s", 2.0, 256),
            ("none", 2.0, 256),
        ] {
            assert!((seconds(text).unwrap() - expected_seconds).abs() < 1e-12, "{text}");
            assert_eq!(memory_mb(text).unwrap(), expected_mb, "{text}");
        }
    }
}
