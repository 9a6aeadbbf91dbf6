//! `circular_rows`: questions whose rows say in which order their options stand.
//!
//! A data set that was turned round keeps two columns more: `qid`, the question, and `circular_pattern`,
//! the option that stands at each place. A question counts as right in so and so many of its turns.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores,
    acc_with_details::are_equal,
    option_likeness::{MeantOption, detail},
};
use crate::{
    config::{Component, ConfigError},
    python::python_str,
};

/// The parameters of `datasets.circular.CircularEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    #[serde(default)]
    circular_pattern: Turning,
}

/// The parameters of `CircularOptionSimAccEvaluator`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FreeParameters {
    options: Vec<String>,
    #[serde(default)]
    circular_pattern: Turning,
}

/// Which orders of the options there are.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turning {
    /// As many as options, each one place further.
    #[default]
    Circular,
    /// All.
    AllPossible,
}

/// Shares of rows (`acc_*`) and of questions, over the plain order, the circular ones and all.
pub(super) struct CircularRows {
    turning: Turning,
    /// For free answers, which mean an option; without it predictions are compared as they are.
    meant: Option<MeantOption>,
}

impl CircularRows {
    /// Reads `circular_pattern`: `circular` (the default) or `all_possible`.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let turning = component.read::<Parameters>()?.circular_pattern;
        Ok(Box::new(Self { turning, meant: None }))
    }

    /// Reads `options` too: the same for free answers.
    pub(super) fn build_free(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let FreeParameters { options, circular_pattern } = component.read()?;
        let meant = MeantOption::new(options, component)?;
        Ok(Box::new(Self { turning: circular_pattern, meant: Some(meant) }))
    }
}

/// One answered row.
struct Turn {
    question: String,
    pattern: Vec<Value>,
    is_correct: bool,
    detail: Option<Map<String, Value>>,
}

/// What is known of a question over some of the orders of its options.
struct Question {
    first_row: usize,
    turns: usize,
    correct: usize,
}

impl Evaluator for CircularRows {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let turns: Vec<Turn> = rows
            .iter()
            .enumerate()
            .map(|(index, row)| self.turn(index, row))
            .collect::<Result<_, _>>()?;
        let plain = turns.first().map(|turn| turn.pattern.clone()).unwrap_or_default();
        let mut sets = vec![("origin", vec![plain.clone()]), ("circular", circular(&plain))];
        if self.turning == Turning::AllPossible {
            sets.push(("all_possible", permutations(&plain)));
        }
        let (mut metrics, mut of_counts) = (Vec::new(), Vec::new());
        for (name, patterns) in &sets {
            let mut questions: IndexMap<&str, Question> = IndexMap::new();
            let own = |(_, turn): &(usize, &Turn)| patterns.contains(&turn.pattern);
            for (first_row, turn) in turns.iter().enumerate().filter(own) {
                let start = || Question { first_row, turns: 0, correct: 0 };
                let question = questions.entry(&turn.question).or_insert_with(start);
                question.turns += 1;
                question.correct += usize::from(turn.is_correct);
            }
            let figure = |name: &str, worth: &dyn Fn(&Question) -> f64| {
                let worth = questions.values().map(|own| (own.first_row, worth(own)));
                Metric::of_questions(name, rows.len(), worth)
            };
            let total =
                |count: fn(&Question) -> usize| questions.values().map(count).sum::<usize>();
            let share = |own: &Question| own.correct as f64 / own.turns as f64;
            metrics.push(Metric {
                // Of rows, as the original has it: where some have failed, questions have fewer turns.
                value: 100.0 * total(|own| own.correct) as f64 / total(|own| own.turns) as f64,
                ..figure(&format!("acc_{name}"), &share)
            });
            for least in 1..=patterns.len() {
                let name = if least == patterns.len() {
                    format!("perf_{name}")
                } else {
                    format!("more_{least}_{name}")
                };
                let is_enough = |own: &Question| f64::from(u8::from(own.correct >= least));
                of_counts.push(figure(&name, &is_enough));
            }
        }
        metrics.extend(of_counts);
        let details = turns.into_iter().map(|turn| turn.detail).collect::<Option<Vec<_>>>();
        Ok(Scores {
            metrics,
            samples: rows.len(),
            details: details.filter(|_| self.meant.is_some()),
        })
    }

    fn accepts(&self, prediction: &Value, reference: &Value) -> Option<bool> {
        self.meant.is_none().then(|| are_equal(prediction, reference))
    }

    fn options(&self) -> Option<&[String]> {
        self.meant.as_ref().map(MeantOption::options)
    }
}

impl CircularRows {
    fn turn(&self, index: usize, row: &Row<'_>) -> Result<Turn, EvaluateError> {
        let column = |name: &str| row.sample.and_then(|sample| sample.get(name));
        let pattern = column("circular_pattern").and_then(Value::as_array);
        let (question, pattern) =
            column("qid").zip(pattern).ok_or_else(|| EvaluateError::WrongKind {
                row: index,
                evaluator: "circular_rows",
                what: "the row",
                expected: "the columns qid and circular_pattern, which a circular data set has",
                found: "one without them".to_owned(),
            })?;
        let (is_correct, detail) = match &self.meant {
            None => (are_equal(&row.prediction, &row.reference), None),
            Some(meant) => {
                let meant = meant.of_row(index, row)?;
                let is_correct = row.reference == json!(meant);
                let mut noted = Map::new();
                noted.extend(column("question").map(|text| ("question".to_owned(), text.clone())));
                noted.extend(detail(row, &meant, is_correct));
                (is_correct, Some(noted))
            }
        };
        Ok(Turn { question: python_str(question), pattern: pattern.clone(), is_correct, detail })
    }
}

/// The order and every one that it can be turned to.
fn circular(plain: &[Value]) -> Vec<Vec<Value>> {
    let turned = |by: usize| {
        let mut pattern = plain.to_vec();
        pattern.rotate_left(by);
        pattern
    };
    (0..plain.len()).map(turned).collect()
}

/// Every order.
fn permutations(plain: &[Value]) -> Vec<Vec<Value>> {
    let mut orders = vec![Vec::new()];
    for option in plain {
        let insert = |order: &Vec<Value>| {
            let order = order.clone();
            (0..=order.len()).map(move |place| {
                let mut longer = order.clone();
                longer.insert(place, option.clone());
                longer
            })
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Sample;

    #[test]
    fn figures_are_of_questions_and_not_of_their_turns() {
        // Right in the plain order alone, and in both.
        let samples = ["ab", "ba", "ab", "ba"].iter().zip([1, 1, 2, 2]).map(|(order, qid)| {
            let pattern: Vec<String> = order.chars().map(String::from).collect();
            Sample::new(vec![
                ("qid".to_owned(), json!(qid)),
                ("circular_pattern".to_owned(), json!(pattern)),
            ])
        });
        let samples: Vec<_> = samples.collect();
        let rows: Vec<Row<'_>> = samples
            .iter()
            .zip(["a", "b", "a", "a"])
            .map(|(sample, prediction)| Row {
                sample: Some(sample),
                prediction: json!(prediction),
                reference: json!("a"),
                ..Row::default()
            })
            .collect();
        let scores =
            CircularRows { turning: Turning::Circular, meant: None }.evaluate(&rows).unwrap();
        let figures: Vec<_> = scores
            .metrics
            .iter()
            .map(|metric| (metric.name.as_str(), metric.value, metric.samples(scores.samples)))
            .collect();
        assert_eq!(
            figures,
            [
                ("acc_origin", 100.0, 2),
                ("acc_circular", 75.0, 2),
                ("perf_origin", 100.0, 2),
                ("more_1_circular", 100.0, 2),
                ("perf_circular", 50.0, 2)
            ]
        );
        assert_eq!(scores.metrics.last().unwrap().scores[..1], [0.0]);
    }
}
