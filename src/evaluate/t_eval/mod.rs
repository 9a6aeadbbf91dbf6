//! `t_eval`: what an agent does: calls, plans, single steps, reviews.
//!
//! Zehui Chen et al., "T-Eval: Evaluating the Tool Utilization Capability of Large Language Models Step by Step" (2024).
//! Plans, thoughts and arguments are compared by the vectors of a sentence encoder; what turns texts into them is
//! whoever evaluates.

mod case;
mod instruct;
mod matching;
mod parsed;
mod plan;
mod review;
mod step;

use indexmap::IndexMap;
use serde::Deserialize;

use self::{
    case::{Case, likeness},
    plan::Plans,
    step::Part,
};
use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit};
use crate::{
    config::{Component, ConfigError},
    statistics::Mean,
};

/// The encoder of texts in English.
const ENGLISH: &str = "all-mpnet-base-v2";

/// The encoder of texts in Chinese.
const CHINESE: &str = "thenlper/gte-large-zh";

/// Why a plan has no figure in the original.
const NOTHING: &str = "a plan that is nothing but its end, on which the original fails";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    /// Which task it is, `_zh` behind it for texts in Chinese.
    subset: String,
    /// An encoder in the place of the original's, by folder or name.
    encoder: Option<String>,
}

/// The figures of a task of T-Eval.
pub(super) struct TEval {
    task: Task,
    encoder: String,
}

#[derive(Clone, Copy)]
enum Task {
    Instruct,
    Plan,
    Review,
    Step(Part),
}

/// The tasks by name.
const TASKS: &[(&str, Task)] = &[
    ("instruct", Task::Instruct),
    ("plan", Task::Plan),
    ("reason", Task::Step(Part::Thought)),
    ("reason_retrieve_understand", Task::Step(Part::All)),
    ("retrieve", Task::Step(Part::Name)),
    ("review", Task::Review),
    ("understand", Task::Step(Part::Arguments)),
];

impl TEval {
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let Parameters { subset, encoder } = component.read()?;
        let (name, own) = match subset.strip_suffix("_zh") {
            Some(name) => (name, CHINESE),
            None => (subset.as_str(), ENGLISH),
        };
        let task = TASKS.iter().find(|(known, _)| *known == name).map(|(_, task)| *task);
        let task = task.ok_or_else(|| {
            let names = TASKS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            ConfigError::at(&component.origin, format!("unknown task '{subset}'"))
                .under("subset")
                .with_hint(format!("it is one of {names}, with _zh behind it for Chinese"))
        })?;
        Ok(Box::new(Self { task, encoder: encoder.unwrap_or_else(|| own.to_owned()) }))
    }

    /// What a row is worth under each figure that it has a part in.
    fn grades(
        &self,
        row: &Row<'_>,
        index: usize,
    ) -> Result<Vec<(&'static str, f64)>, EvaluateError> {
        let case = Case::of(row, index)?;
        Ok(match self.task {
            Task::Instruct => {
                let worth = instruct::worth(&case)?;
                let [format, arguments] = if worth.is_json { JSON } else { STRING };
                vec![(format, worth.format), (arguments, worth.arguments)]
            }
            Task::Review => {
                let verdict = review::verdict(&case)?;
                let quality = verdict.unwrap_or_default();
                vec![("parse_rate", truth(verdict.is_some())), ("review_quality", truth(quality))]
            }
            Task::Plan => {
                let plans = Plans::of(&case)?;
                let found = plans.agreement(&row.vectors);
                vec![
                    ("precision", found.precision),
                    ("recall", found.recall),
                    ("f1_score", found.f1),
                    ("parse_rate", truth(plans.is_read)),
                ]
            }
            Task::Step(part) => {
                let steps = part.steps(&case)?;
                let mut pairs = row.vectors.chunks_exact(2);
                let mut grades = Vec::new();
                for &figure in part.figures() {
                    let grade = if figure == "name" {
                        truth(steps.names_tool(part, &case)?)
                    } else if steps.texts(figure).is_some() {
                        match pairs.next() {
                            Some([one, other]) => likeness(one, other),
                            _ => 0.0,
                        }
                    } else {
                        0.0
                    };
                    grades.push((figure, grade));
                }
                grades.push(("parse_rate", truth(steps.is_read())));
                grades
            }
        })
    }

    fn texts_of(&self, row: &Row<'_>, index: usize) -> Result<Vec<String>, EvaluateError> {
        match self.task {
            Task::Instruct | Task::Review | Task::Step(Part::Name) => Ok(Vec::new()),
            Task::Plan => Ok(Plans::of(&Case::of(row, index)?)?.texts()),
            Task::Step(part) => {
                let steps = part.steps(&Case::of(row, index)?)?;
                let compared = part.figures().iter().filter(|figure| **figure != "name");
                Ok(compared.filter_map(|figure| steps.texts(figure)).flatten().collect())
            }
        }
    }
}

/// The figures of calls in JSON.
const JSON: [&str; 2] = ["json_format_metric", "json_args_em_metric"];

/// The figures of calls between marks.
const STRING: [&str; 2] = ["string_format_metric", "string_args_em_metric"];

impl Evaluator for TEval {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mut figures: IndexMap<&'static str, Vec<f64>> = IndexMap::new();
        for (index, row) in rows.iter().enumerate() {
            if self.texts_of(row, index)?.len() != row.vectors.len() {
                return Err(EvaluateError::NotEmbedded { row: index });
            }
            for (figure, grade) in self.grades(row, index)? {
                let own = figures.entry(figure).or_default();
                own.resize(index, f64::NAN);
                own.push(grade);
            }
        }
        if let Task::Instruct = self.task {
            for figure in JSON.into_iter().chain(STRING) {
                figures.entry(figure).or_default().resize(rows.len(), f64::NAN);
            }
        }
        let is_rounded = matches!(self.task, Task::Instruct | Task::Review);
        let metrics = figures.into_iter().map(|(name, grades)| share(name, grades, is_rounded));
        Ok(Scores::new(metrics.collect(), rows.len()))
    }

    fn encoder(&self) -> Option<&str> {
        match self.task {
            Task::Instruct | Task::Review | Task::Step(Part::Name) => None,
            Task::Plan | Task::Step(_) => Some(&self.encoder),
        }
    }

    fn texts(&self, rows: &[Row<'_>]) -> Result<Vec<Vec<String>>, EvaluateError> {
        rows.iter().enumerate().map(|(index, row)| self.texts_of(row, index)).collect()
    }

    fn departures(&self, rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
        let Task::Plan = self.task else { return Vec::new() };
        let is_nothing = |(index, row)| {
            let plans = Plans::of(&Case::of(row, index).ok()?).ok()?;
            plans.is_nothing().then_some((index, NOTHING))
        };
        rows.iter().enumerate().filter_map(is_nothing).collect()
    }
}

fn truth(is_so: bool) -> f64 {
    f64::from(u8::from(is_so))
}

/// The mean of what rows are worth, in percent; some of the original's are rounded to four places before they are.
fn share(name: &str, grades: Vec<f64>, is_rounded: bool) -> Metric {
    let known: Vec<f64> = grades.iter().filter(|grade| !grade.is_nan()).copied().collect();
    let percents: Vec<f64> = known.iter().map(|grade| 100.0 * grade).collect();
    let mut metric = Metric::from_mean(name, Mean::of(&percents), Unit::Percent);
    if is_rounded {
        metric.value = (Mean::of(&known).value * 1e4).round_ties_even() / 1e4 * 100.0;
    }
    Metric { scores: grades, ..metric }
}
