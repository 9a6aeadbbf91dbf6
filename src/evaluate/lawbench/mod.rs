//! `lawbench_*`: the tasks of `LawBench`, a file for each way in which they are compared.
//!
//! A task gives each row a grade, and most say besides how many predictions hold no answer at all. Rows that
//! the data set has wrong are left out of the score, as the original does.

mod arabic_numerals;
mod articles;
mod choices;
mod extraction;
mod label_names;
mod labels;
mod numeral;
mod sentence_length;

use serde::Deserialize;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, by_row::Asked, chinese_summary::word_rouge,
};
use crate::config::{Component, ConfigError};

/// What a row comes to.
struct Judged {
    /// From 0 to 1 mostly; nothing for a row that is left out.
    grade: Option<f64>,
    /// Whether the prediction holds no answer.
    abstains: bool,
}

impl Judged {
    fn graded(grade: f64) -> Self {
        Self { grade: Some(grade), abstains: false }
    }
}

/// One of the tasks.
pub(super) struct LawBench {
    judge: fn(&Asked<'_>) -> Result<Judged, EvaluateError>,
    /// The figure of the grades.
    figure: fn(&str, Vec<f64>) -> Metric,
    /// The name of the share of predictions without an answer, where it is told.
    abstention: Option<&'static str>,
}

/// The parameters of a task: none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParameters {}

/// The tasks by number, as the registry names them.
pub(super) fn build(
    component: &Component,
    task: &LawBench,
) -> Result<Box<dyn Evaluator>, ConfigError> {
    component.read::<NoParameters>()?;
    Ok(Box::new(LawBench { ..*task }))
}

impl LawBench {
    const fn new(judge: fn(&Asked<'_>) -> Result<Judged, EvaluateError>) -> Self {
        Self { judge, figure: of_known_grades, abstention: Some("abstention_rate") }
    }

    const fn without_abstention(self) -> Self {
        Self { abstention: None, ..self }
    }

    /// Questions about statutes, and questions of clients: the words of the answer.
    pub(super) const SUMMARY: Self = Self::new(summary).without_abstention();
    /// Statutes recited, whose golds have an introduction.
    pub(super) const RECITATION: Self = Self::new(recitation).without_abstention();
    /// Points at issue.
    pub(super) const DISPUTE: Self = Self::new(choices::dispute);
    /// Letters of options in four forms of golds.
    pub(super) const KNOWLEDGE: Self = Self::new(choices::knowledge);
    /// The same with another colon.
    pub(super) const CASE: Self = Self::new(choices::case);
    /// Which of five arguments answers another.
    pub(super) const ARGUMENT: Self = Self::new(choices::argument);
    /// What a question is about.
    pub(super) const TOPIC: Self = Self::new(choices::topic);
    /// Labels of marriage cases.
    pub(super) const MARRIAGE: Self = Self::new(labels::marriage);
    /// Events.
    pub(super) const EVENTS: Self = Self::new(labels::events);
    /// Accusations.
    pub(super) const ACCUSATIONS: Self = Self::new(labels::accusations);
    /// Answers found in a text.
    pub(super) const READING: Self = Self::new(extraction::reading).without_abstention();
    /// Named parts of a case. The name of the share without an answer is misspelt in the original.
    pub(super) const ENTITIES: Self =
        Self { abstention: Some("anstention_rate"), ..Self::new(extraction::entities) };
    /// Words that tell of events.
    pub(super) const TRIGGERS: Self = Self::new(extraction::triggers).without_abstention();
    /// Numbers of articles.
    pub(super) const ARTICLES: Self = Self::new(articles::judge);
    /// Months in prison, on a logarithmic scale that has no lower end.
    pub(super) const MONTHS: Self =
        Self { figure: Metric::of_hundreds, ..Self::new(sentence_length::judge) };
    /// Amounts of money.
    pub(super) const AMOUNT: Self = Self::new(choices::amount);
}

/// The mean of the grades that are known, in percent.
fn of_known_grades(name: &str, grades: Vec<f64>) -> Metric {
    let known: Vec<f64> = grades.iter().copied().filter(|grade| !grade.is_nan()).collect();
    Metric { scores: grades, ..Metric::of_grades(name, known) }
}

impl Evaluator for LawBench {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut grades, mut abstaining) = (Vec::new(), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let judged = (self.judge)(&Asked::new(row, index, "lawbench"))?;
            grades.push(judged.grade.unwrap_or(f64::NAN));
            abstaining.push(judged.abstains);
        }
        let mut metrics = vec![(self.figure)("score", grades)];
        metrics.extend(self.abstention.map(|name| Metric::of_shares(name, &abstaining)));
        Ok(Scores::new(metrics, rows.len()))
    }
}

fn summary(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let rouge = word_rouge(asked, asked.prediction()?, asked.reference()?)?;
    Ok(Judged::graded(rouge.longest))
}

fn recitation(asked: &Asked<'_>) -> Result<Judged, EvaluateError> {
    let reference = asked.reference()?.replace("答案:", "");
    Ok(Judged::graded(word_rouge(asked, asked.prediction()?, &reference)?.longest))
}
