//! `kaoshi`: examination questions of several kinds, as their rows are asked.

use std::sync::LazyLock;

use serde::Deserialize;

use super::{
    EvaluateError, Evaluator, Row, Scores,
    acc_with_details::are_equal,
    by_row::{Asked, ByRow, Grade},
    gaokao::Gaokao,
};
use crate::{
    config::{Component, ConfigError},
    postprocess::PythonRegex,
};

/// The parameters of `KaoshiEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    question_type: Question,
}

/// The kinds of questions.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Question {
    SingleChoice,
    MultiChoice,
    MultiQuestionChoice,
    FiveOutOfSeven,
    Cloze,
    Judgment,
}

/// Choices, of which no comparison is noted.
struct Choices(Gaokao);

/// The metric for the kind that `question_type` names.
pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
    Ok(match component.read::<Parameters>()?.question_type {
        Question::SingleChoice => Box::new(Choices(Gaokao::SingleChoice)),
        Question::MultiChoice => Box::new(Choices(Gaokao::MultiChoice)),
        Question::MultiQuestionChoice => Box::new(Choices(Gaokao::MultiQuestionChoice)),
        Question::FiveOutOfSeven => Box::new(Choices(Gaokao::FiveOutOfSeven)),
        Question::Cloze | Question::Judgment => Box::new(ByRow::new("kaoshi", introduced)),
    })
}

impl Evaluator for Choices {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        Ok(Scores { details: None, ..self.0.evaluate(rows)? })
    }
}

/// What stands between the first `【答案】` and the next blank is the gold.
fn introduced(asked: &Asked<'_>) -> Result<Grade, EvaluateError> {
    static ANSWER: LazyLock<PythonRegex> =
        LazyLock::new(|| PythonRegex::constant(r"【答案】(.*?) "));
    let found = ANSWER.first(asked.prediction()?).map_err(|error| asked.failed(error))?;
    Ok(Grade::of(are_equal(&found.unwrap_or("Z").into(), &asked.row.reference)))
}
