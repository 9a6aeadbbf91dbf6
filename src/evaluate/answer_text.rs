//! `answer_text`: short answers in English or Chinese, beside one gold or several; also to questions that have no answer.
//!
//! Where the gold is empty the passages do not say: it is right to say so, or nothing. These questions have a figure of
//! their own, because a model that never answers is right on all of them. An answer that a post-processor found nothing in
//! is not one of those that say nothing: it is counted, and its figures have [bounds](super::bounds).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    EvaluateError, Evaluator, Row, Scores,
    bounds::{Bounded, UNREADABLE, Worth, listed},
    by_row::Asked,
    mixed_words::{Overlap, mixed_words},
};
use crate::{
    config::{Component, ConfigError},
    python::blank::strip,
};

/// Compares short answers word by word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerText {
    #[serde(default = "default_unknown")]
    unknown: Vec<String>,
}

fn default_unknown() -> Vec<String> {
    ["unknown", "不知道"].map(str::to_owned).to_vec()
}

/// What an answer is worth that can be read.
struct Grade {
    is_exact: bool,
    overlap: Overlap,
}

impl AnswerText {
    /// Reads `unknown`: what says that there is no answer (`['unknown', '不知道']`).
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        Ok(Box::new(component.read::<Self>()?))
    }

    /// Grades an answer against its golds; without golds there is no answer.
    fn grade(
        &self,
        asked: &Asked<'_>,
        answer: &str,
        golds: &[&str],
    ) -> Result<Grade, EvaluateError> {
        let cut = |text: &str| mixed_words(text).map_err(|error| asked.failed(error));
        let written = cut(answer)?;
        if golds.is_empty() {
            let mut is_right = written.is_empty();
            for unknown in &self.unknown {
                is_right |= cut(unknown)? == written;
            }
            let share = f64::from(u8::from(is_right));
            let overlap = Overlap { token_f1: share, rouge_l: share };
            return Ok(Grade { is_exact: is_right, overlap });
        }
        let mut best = Grade { is_exact: false, overlap: Overlap::default() };
        for gold in golds {
            let words = cut(gold)?;
            // A gold such as `A` has no words: it is compared as it is written.
            let is_same = if words.is_empty() { strip(answer) == *gold } else { words == written };
            best.is_exact |= is_same;
            if is_same || !words.is_empty() {
                best.overlap = best.overlap.or(Overlap::of(&written, &words));
            }
        }
        Ok(best)
    }
}

impl Evaluator for AnswerText {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let (mut exact, mut words, mut sequence) = (Vec::new(), Vec::new(), Vec::new());
        let (mut is_answerable, mut details, mut unreadable) = (Vec::new(), Vec::new(), 0);
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "answer_text");
            let golds = golds(&asked)?;
            let answer = answer(&asked)?;
            let grade = answer.map(|answer| self.grade(&asked, answer, &golds)).transpose()?;
            let worth = |share: fn(&Grade) -> f64| {
                grade.as_ref().map_or(UNREADABLE, |grade| [share(grade); 2])
            };
            exact.push(worth(|grade| f64::from(u8::from(grade.is_exact))));
            words.push(worth(|grade| grade.overlap.token_f1));
            sequence.push(worth(|grade| grade.overlap.rouge_l));
            is_answerable.push(!golds.is_empty());
            unreadable += usize::from(grade.is_none());
            details.push(Map::from_iter([
                ("pred".to_owned(), json!(answer)),
                ("answer".to_owned(), row.reference.clone()),
                ("correct".to_owned(), json!(grade.as_ref().is_some_and(|grade| grade.is_exact))),
                ("token_f1".to_owned(), json!(grade.as_ref().map(|grade| grade.overlap.token_f1))),
                ("rouge_l".to_owned(), json!(grade.as_ref().map(|grade| grade.overlap.rouge_l))),
            ]));
        }
        let mut figures = vec![
            Bounded::of_rows("exact_match", &exact),
            Bounded::of_rows("token_f1", &words),
            Bounded::of_rows("rouge_l", &sequence),
        ];
        if is_answerable.contains(&false) {
            let part = |wanted: bool| -> Vec<Worth> {
                let own = exact.iter().zip(&is_answerable);
                own.map(|(worth, is)| if *is == wanted { *worth } else { [f64::NAN; 2] }).collect()
            };
            figures.push(Bounded::of_rows("answerable", &part(true)));
            figures.push(Bounded::of_rows("unanswerable", &part(false)));
        }
        Ok(Scores::new(listed(figures, unreadable), rows.len()).with_details(details))
    }
}

/// The golds of a row that say something.
fn golds<'r>(asked: &Asked<'r>) -> Result<Vec<&'r str>, EvaluateError> {
    let texts = match &asked.row.reference {
        Value::Null => Vec::new(),
        _ => asked.texts()?,
    };
    Ok(texts.into_iter().map(strip).filter(|gold| !gold.is_empty()).collect())
}

/// The answer of a row; nothing where something was written and the post-processor found no answer in it.
fn answer<'r>(asked: &Asked<'r>) -> Result<Option<&'r str>, EvaluateError> {
    let prediction = match &asked.row.prediction {
        Value::Null => "",
        _ => strip(asked.prediction()?),
    };
    if !prediction.is_empty() {
        return Ok(Some(prediction));
    }
    let continuations = asked.row.record.map(|record| record.outcome.continuations());
    let is_silent =
        continuations.is_none_or(|own| own.iter().all(|own| strip(&own.text).is_empty()));
    Ok((is_silent && !asked.row.prediction.is_null()).then_some(prediction))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(rows: &[(Value, Value)]) -> Vec<(String, f64)> {
        let rows = rows.iter().map(|(prediction, gold)| Row {
            prediction: prediction.clone(),
            reference: gold.clone(),
            ..Row::default()
        });
        let evaluator = AnswerText { unknown: default_unknown() };
        let scores = evaluator.evaluate(&rows.collect::<Vec<_>>()).unwrap();
        scores.metrics.into_iter().map(|metric| (metric.name, metric.value.round())).collect()
    }

    fn named<const N: usize>(figures: [(&str, f64); N]) -> Vec<(String, f64)> {
        figures.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    #[test]
    fn the_gold_that_fits_best_counts() {
        let rows = [
            (json!("The red kiln."), json!("red kiln")),
            (json!("两个 牛"), json!("两头牛")),
            (json!("kiln"), json!(["red kiln", "oven"])),
            (json!("A"), json!("A")),
            (json!(""), json!("B A")),
        ];
        let expected = [
            ("exact_match", 40.0),
            ("token_f1", 67.0),
            ("rouge_l", 67.0),
            ("unreadable_answers", 0.0),
        ];
        assert_eq!(scores(&rows), named(expected));
    }

    #[test]
    fn a_question_without_answer_is_met_by_saying_so_or_nothing() {
        let rows = [
            (json!("Unknown."), json!("")),
            (json!("不知道。"), json!([])),
            (json!(""), json!(null)),
            (json!("a kiln"), json!([""])),
            (json!("unknown"), json!("kiln")),
            (json!(null), json!("")),
        ];
        let expected = [
            ("exact_match", 50.0),
            ("token_f1", 50.0),
            ("rouge_l", 50.0),
            ("answerable", 0.0),
            ("unanswerable", 60.0),
            ("exact_match_at_most", 67.0),
            ("token_f1_at_most", 67.0),
            ("rouge_l_at_most", 67.0),
            ("answerable_at_most", 0.0),
            ("unanswerable_at_most", 80.0),
            ("unreadable_answers", 1.0),
        ];
        assert_eq!(scores(&rows), named(expected));
    }
}
