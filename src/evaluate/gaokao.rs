//! `gaokao_*`: the choices of Chinese university entrance examinations, several to a question.

use std::sync::LazyLock;

use serde_json::{Map, json};

use super::{EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::is_blank,
    statistics::Mean,
};

/// What introduces an answer.
const ANSWER: &str = "【答案】";
/// What stands for an answer where there are not as many as questions.
const NO_ANSWER: &str = "Z";

/// The kinds of questions whose answers are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gaokao {
    /// One option.
    SingleChoice,
    /// Several options in one answer, half of the points for a part of them.
    MultiChoice,
    /// Several questions with one option each.
    MultiQuestionChoice,
    /// Five of seven sentences for five gaps.
    FiveOutOfSeven,
}

/// The points of all questions, in percent of those there are.
impl Evaluator for Gaokao {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut points, mut most) = (0, 0);
        let mut shares = Vec::with_capacity(rows.len());
        let mut details = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "gaokao");
            let answers = asked.references()?;
            let chosen = self
                .chosen(asked.prediction()?, answers.len())
                .map_err(|error| asked.failed(error))?;
            let chosen = if chosen.len() == answers.len() {
                chosen
            } else {
                vec![NO_ANSWER.to_owned(); answers.len()]
            };
            let pairs = || chosen.iter().zip(&answers);
            let own: u32 = pairs().map(|(chosen, answer)| self.points(chosen, answer)).sum();
            let own_most = self.most() * answers.len() as u32;
            points += own;
            most += own_most;
            shares.push(if own_most == 0 { 0.0 } else { f64::from(own) / f64::from(own_most) });
            let is_correct = pairs().all(|(chosen, answer)| chosen == answer);
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(chosen)),
                ("refr".to_owned(), row.reference.clone()),
                ("is_correct".to_owned(), json!(is_correct)),
            ]));
        }
        let mut metric = Metric::of_grades("score", shares);
        // Rows with several questions weigh more.
        metric.value = f64::from(points) / f64::from(most) * 100.0;
        Ok(Scores { metrics: vec![metric], samples: rows.len(), details: Some(details) })
    }
}

impl Gaokao {
    /// The points of one question.
    fn most(self) -> u32 {
        if self == Self::MultiChoice { 2 } else { 1 }
    }

    fn points(self, chosen: &str, answer: &str) -> u32 {
        let is_part = || self == Self::MultiChoice && chosen.chars().all(|c| answer.contains(c));
        if chosen == answer { self.most() } else { u32::from(is_part()) }
    }

    /// The answers to `questions` questions, as far as they are found.
    fn chosen(self, output: &str, questions: usize) -> Result<Vec<String>, PatternError> {
        static INTRODUCED: LazyLock<PythonRegex> =
            LazyLock::new(|| PythonRegex::constant(r"【答案】\s*[:：]*\s*([A-Z])"));
        let letters = |text: &str, last: char| -> Vec<String> {
            text.chars().filter(|c| ('A'..=last).contains(c)).map(String::from).collect()
        };
        let first = |mut found: Vec<String>, most: usize| {
            found.truncate(most);
            found
        };
        Ok(match self {
            Self::SingleChoice => letters(output, 'D').pop().into_iter().collect(),
            Self::FiveOutOfSeven => first(letters(output, 'G'), 5),
            Self::MultiQuestionChoice => {
                let introduced = INTRODUCED.all(output)?;
                if introduced.len() == questions {
                    introduced.into_iter().map(str::to_owned).collect()
                } else {
                    first(letters(output, 'Z'), questions)
                }
            }
            Self::MultiChoice => {
                let content: String = output.chars().filter(|c| !is_blank(*c)).collect();
                // An introduction at the very start is not taken for one.
                let last_ten = content.char_indices().rev().nth(9).map_or(0, |(start, _)| start);
                // An introduction at the very start is not taken for one.
                let introduced = content.find(ANSWER).filter(|&start| start > 0);
                let part = &content[introduced.unwrap_or(last_ten)..];
                let answer = letters(part, 'D').concat();
                if answer.is_empty() { Vec::new() } else { vec![answer] }
            }
        })
    }
}

/// Answers in words, which are never compared: the figure is 0 whatever was answered.
pub(super) struct Uncompared;

impl Evaluator for Uncompared {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let mean = Mean { value: 0.0, standard_error: None };
        let metric = Metric::from_mean("score", mean, Unit::Percent);
        Ok(Scores { metrics: vec![metric], samples: rows.len(), details: None })
    }
}
