//! `mol_instructions_biotext`: what texts say of molecules, by the task that the answers belong to.

use std::{collections::HashSet, sync::LazyLock};

use serde::Deserialize;

use super::{
    super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked, confusion::ratio},
    answer::first_text,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::{PatternError, PythonRegex},
    python::blank::strip,
};

/// The options of a question.
const OPTIONS: [char; 4] = ['A', 'B', 'C', 'D'];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    task: String,
}

/// How the answers of a task are compared.
#[derive(Clone, Copy)]
pub(in super::super) enum BioText {
    /// F1 of what stands in parentheses.
    Relations,
    /// F1 of what stands between commas.
    Entities,
    /// Yes, no and maybe.
    Verdicts,
    /// A letter.
    Options,
}

impl BioText {
    /// Reads `task`.
    pub(in super::super) fn build(
        component: &Component,
    ) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Parameters { task } = component.read()?;
        let refused = |what: String, hint: &str| {
            Err(ConfigError::at(&component.origin, what).with_hint(hint.to_owned()))
        };
        Ok(Box::new(match task.as_str() {
            "chemical_disease_interaction_extraction"
            | "chemical_protein_interaction_extraction" => Self::Relations,
            "chemical_entity_recognition" => Self::Entities,
            "true_or_false_question" => Self::Verdicts,
            "multi_choice_question" => Self::Options,
            "open_question" => {
                let what = "open_question is compared by the vectors of another model (BERTScore)";
                return refused(
                    what.to_owned(),
                    "leave the evaluator out to keep predictions, or choose another",
                );
            }
            _ => {
                let known = "chemical_disease_interaction_extraction, \
                             chemical_protein_interaction_extraction, chemical_entity_recognition, \
                             true_or_false_question and multi_choice_question are known";
                return refused(format!("unknown task {task:?}"), known);
            }
        }))
    }

    fn share(self, asked: &Asked<'_>) -> Result<f64, EvaluateError> {
        let (given, meant) = pair(asked)?;
        let failed = |error: PatternError| asked.failed(error);
        let right = |is_right| f64::from(u8::from(is_right));
        Ok(match self {
            Self::Relations => {
                let (given, meant) = (given.to_lowercase(), meant.to_lowercase());
                let meant = in_parentheses(&meant).map_err(failed)?;
                let whole = format!("({given})");
                let mut own = in_parentheses(&given).map_err(failed)?;
                if own.is_empty() {
                    own = in_parentheses(&whole).map_err(failed)?;
                }
                f1(&own, &meant)
            }
            Self::Entities => {
                let (given, meant) = (given.to_lowercase(), meant.to_lowercase());
                f1(&given.split(", ").collect(), &meant.split(", ").collect())
            }
            Self::Verdicts => {
                let meant = meant.split(',').next().unwrap_or_default();
                right(verdict(given) == Some(strip(meant).to_lowercase().as_str()))
            }
            Self::Options => {
                let meant = meant.split('(').nth(1).and_then(|rest| rest.split(')').next());
                let meant =
                    meant.ok_or_else(|| asked.unreadable_reference("an option in parentheses"))?;
                right(option(given).map_or(given == meant, |letter| meant == letter.to_string()))
            }
        })
    }
}

impl Evaluator for BioText {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let asked = || {
            let all = rows.iter().enumerate();
            all.map(|(index, row)| Asked::new(row, index, "mol_instructions_biotext"))
        };
        let shares: Vec<f64> = asked().map(|asked| self.share(&asked)).collect::<Result<_, _>>()?;
        let mut metrics = match self {
            Self::Relations | Self::Entities => {
                vec![Metric::of_numbers("f1", Unit::Number, shares)]
            }
            Self::Verdicts | Self::Options => vec![Metric::of_grades("accuracy", shares)],
        };
        if matches!(self, Self::Verdicts) {
            let given = asked().map(|asked| Ok(verdict(pair(&asked)?.0).is_none()));
            let others: Vec<bool> = given.collect::<Result<_, EvaluateError>>()?;
            metrics.push(Metric::count(
                "other_answers",
                others.iter().filter(|is_other| **is_other).count(),
            ));
        }
        Ok(Scores::new(metrics, rows.len()))
    }
}

fn pair<'r>(asked: &Asked<'r>) -> Result<(&'r str, &'r str), EvaluateError> {
    let given = first_text(asked, "the prediction", &asked.row.prediction)?;
    Ok((given, first_text(asked, "the reference", &asked.row.reference)?))
}

fn in_parentheses(text: &str) -> Result<HashSet<&str>, PatternError> {
    static ENTITY: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\(.*?\)"));
    Ok(ENTITY.all(text)?.into_iter().collect())
}

fn f1(given: &HashSet<&str>, meant: &HashSet<&str>) -> f64 {
    let common = given.intersection(meant).count() as f64;
    let (precision, recall) =
        (ratio(common, given.len() as f64), ratio(common, meant.len() as f64));
    ratio(2.0 * (precision * recall), precision + recall)
}

/// The first verdict whose word is in an answer, looked for in the order of the original.
fn verdict(given: &str) -> Option<&'static str> {
    let given = given.to_lowercase();
    let verdicts =
        [("yes", "yes"), ("no", "no"), ("maybe", "maybe"), ("may be", "maybe"), ("might", "maybe")];
    verdicts.into_iter().find(|(word, _)| given.contains(word)).map(|(_, verdict)| verdict)
}

/// The first option that stands at a parenthesis or between blanks.
fn option(given: &str) -> Option<char> {
    OPTIONS.into_iter().find(|letter| {
        [format!("({letter}"), format!("{letter})"), format!(" {letter} ")]
            .iter()
            .any(|written| given.contains(written))
    })
}
