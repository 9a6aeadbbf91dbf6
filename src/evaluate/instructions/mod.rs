//! `ifeval`: whether answers follow instructions that a program can check.
//!
//! Strictly an answer has to follow as it is; loosely it is enough that it does without its first line, its last
//! line, both, or stars.

mod check;
mod instruction;
mod language;
mod multilingual;
mod pieces;
mod turns;

use serde_json::{Map, Value};

use self::instruction::Instruction;
pub(super) use self::{multilingual::MultilingualIfEval, turns::MultiIf};
use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{postprocess::PatternError, python::blank::strip};

/// Fields of a gold.
const NAMES: &str = "instruction_id_list";
const PARAMETERS: &str = "kwargs";

/// Shares of prompts of which all instructions are followed, and of instructions.
pub(super) struct IfEval;

/// What became of a prompt's instructions.
struct Followed {
    strict: Vec<bool>,
    loose: Vec<bool>,
}

impl Evaluator for IfEval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut all = Vec::with_capacity(rows.len());
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "ifeval");
            let instructions = instructions(&asked, NAMES, PARAMETERS)?;
            let followed = followed(asked.prediction()?, &instructions);
            let followed = followed.map_err(|error| asked.failed(error))?;
            details.push(detail(row, &followed));
            all.push(followed);
        }
        let strict: Vec<&[bool]> = all.iter().map(|own| own.strict.as_slice()).collect();
        let loose: Vec<&[bool]> = all.iter().map(|own| own.loose.as_slice()).collect();
        let metrics = vec![
            of_prompts("Prompt-level-strict-accuracy", &strict),
            of_instructions("Inst-level-strict-accuracy", &strict),
            of_prompts("Prompt-level-loose-accuracy", &loose),
            of_instructions("Inst-level-loose-accuracy", &loose),
        ];
        Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let of_row = |(index, row)| {
            let asked = Asked::new(row, index, "ifeval");
            let instructions = instructions(&asked, NAMES, PARAMETERS).ok()?;
            Some((index, instructions.iter().find_map(Instruction::departure)?))
        };
        rows.iter().enumerate().filter_map(of_row).collect()
    }
}

/// The instructions of a gold, each with its parameters, from the fields of these names.
fn instructions(
    asked: &Asked<'_>,
    names: &str,
    parameters: &str,
) -> Result<Vec<Instruction>, EvaluateError> {
    let unreadable = || {
        asked.unreadable_reference(
            "a record with lists of instructions and of their kwargs, as the benchmark writes it",
        )
    };
    let list = |name: &str| asked.row.reference.get(name).and_then(Value::as_array);
    let (names, parameters) = list(names).zip(list(parameters)).ok_or_else(unreadable)?;
    if parameters.len() < names.len() {
        return Err(unreadable());
    }
    let read = |(name, parameters): (&Value, &Value)| {
        let read = Instruction::read(name, &without_nulls(parameters));
        read.map_err(|error| {
            asked.wrong("an instruction", "one that IFEval has, with its parameters", &error.into())
        })
    };
    names.iter().zip(parameters).map(read).collect()
}

/// The instructions' parameters, of which null stands for none.
fn without_nulls(parameters: &Value) -> Value {
    match parameters {
        Value::Object(all) => {
            let given = all.iter().filter(|(_, value)| !value.is_null());
            given.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

fn followed(text: &str, instructions: &[Instruction]) -> Result<Followed, PatternError> {
    let lines: Vec<&str> = text.split('\n').collect();
    let joined = |lines: Option<&[&str]>| strip(&lines.unwrap_or_default().join("\n")).to_owned();
    let last = lines.len().saturating_sub(1);
    let parts = [
        text.to_owned(),
        joined(lines.get(1..)),
        joined(lines.get(..last)),
        joined(lines.get(1..last)),
    ];
    let without_stars = parts.iter().map(|part| part.replace('*', ""));
    let variants: Vec<String> = parts.iter().cloned().chain(without_stars).collect();
    let mut followed = Followed { strict: Vec::new(), loose: Vec::new() };
    for instruction in instructions {
        let is_followed = |text: &str| -> Result<bool, PatternError> {
            Ok(!strip(text).is_empty() && check::is_followed(instruction, text)?)
        };
        followed.strict.push(is_followed(text)?);
        let mut is_loose = false;
        for variant in &variants {
            is_loose = is_loose || is_followed(variant)?;
        }
        followed.loose.push(is_loose);
    }
    Ok(followed)
}

fn of_prompts(name: &str, followed: &[&[bool]]) -> Metric {
    let whole: Vec<bool> = followed.iter().map(|own| own.iter().all(|is_so| *is_so)).collect();
    Metric::of_shares(name, &whole)
}

fn of_instructions(name: &str, followed: &[&[bool]]) -> Metric {
    let right: usize = followed.iter().map(|own| own.iter().filter(|is_so| **is_so).count()).sum();
    let all: usize = followed.iter().map(|own| own.len()).sum();
    Metric::of_all(name, Unit::Percent, right as f64 / all as f64 * 100.0)
}

fn detail(row: &Row<'_>, followed: &Followed) -> Map<String, Value> {
    let (strict, loose) =
        (followed.strict.iter().all(|is_so| *is_so), followed.loose.iter().all(|is_so| *is_so));
    let grade = if strict {
        "strict"
    } else if loose {
        "loose"
    } else {
        "none"
    };
    let mut reference = row.reference.clone();
    if let Some(parameters) = reference.get_mut("kwargs").and_then(Value::as_array_mut) {
        for own in parameters {
            *own = without_nulls(own);
        }
    }
    Map::from_iter([
        ("prompt".to_owned(), row.prompt.clone()),
        ("pred".to_owned(), row.prediction.clone()),
        ("refer".to_owned(), reference),
        ("is_strict_correct".to_owned(), strict.into()),
        ("is_loose_correct".to_owned(), loose.into()),
        ("is_correct".to_owned(), strict.into()),
        ("grade".to_owned(), grade.into()),
    ])
}
