//! `sci_reasoner_15_dude`: whether molecules go together, over all and for each target.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::{
    super::{
        EvaluateError, Evaluator, Metric, Row, Scores, Unit,
        by_row::Asked,
        confusion::{Confusion, ratio},
        correlation::roc_auc,
    },
    answer::{MOST_EXAMPLES, example, gold, gold_number, number, spoken},
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    python::{parse_float, python_str},
};

/// Words that say no, which count first; the others say yes.
const NO: &[&str] = &["dissimilar", "inactive", "negative", "no", "false"];
const YES: &[&str] = &["similar", "active", "positive", "yes", "true"];

/// Figures of classification. An answer that says neither counts as no.
pub(in super::super) struct DockedPairs;

/// One row.
struct Answer {
    meant: bool,
    /// From 0 to 1; nothing if the answer says neither.
    score: Option<f64>,
    target: String,
    unread: Option<Value>,
}

impl Answer {
    fn given(&self) -> bool {
        self.score.is_some_and(|score| score >= 0.5)
    }
}

impl Evaluator for DockedPairs {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let answers = answers(rows)?;
        let pair = |answer: &Answer| (answer.meant, answer.given());
        let counts = Confusion::of(answers.iter().map(pair));
        let correct: Vec<bool> = answers.iter().map(|own| own.meant == own.given()).collect();
        let given: Vec<bool> = answers.iter().map(Answer::given).collect();
        let meant: Vec<bool> = answers.iter().map(|own| own.meant).collect();
        let scored: Vec<(bool, f64)> =
            answers.iter().filter_map(|own| Some((own.meant, own.score?))).collect();
        let (labels, scores): (Vec<bool>, Vec<f64>) = scored.into_iter().unzip();
        let targets = by_target(&answers);
        let mean = |of: fn(Confusion) -> f64| {
            let sum: f64 = targets.values().map(|counts| of(*counts)).sum();
            ratio(sum, targets.len() as f64)
        };
        let number = |name, value| Metric::of_all(name, Unit::Number, value);
        let metrics = vec![
            Metric::count("total", rows.len()),
            Metric::of_shares("Accuracy", &correct),
            number("Precision", counts.precision()),
            number("Recall", counts.recall()),
            number("F1 Score", counts.f1()),
            Metric::of_shares("positive_rate", &given),
            Metric::of_shares("gold_positive_rate", &meant),
            number("AUC", roc_auc(&labels, &scores).unwrap_or(f64::NAN)),
            number("macro_target_f1", mean(Confusion::f1)),
            number("macro_target_recall", mean(Confusion::recall)),
            Metric::count(
                "invalid_count",
                answers.iter().filter(|own| own.score.is_none()).count(),
            ),
        ];
        Ok(Scores { metrics, samples: rows.len(), details: None })
    }

    fn notes(&self, rows: &[Row<'_>]) -> Result<Map<String, Value>, EvaluateError> {
        let answers = answers(rows)?;
        let of_target = |(target, counts): (&String, &Confusion)| {
            let right = counts.true_positives + counts.true_negatives;
            let all = right + counts.false_positives + counts.false_negatives;
            let figures = json!({
                "accuracy": ratio(right as f64, all as f64),
                "precision": counts.precision(),
                "recall": counts.recall(),
                "f1": counts.f1(),
                "total": all,
            });
            (target.clone(), figures)
        };
        let targets: Map<String, Value> = by_target(&answers).iter().map(of_target).collect();
        let unread: Vec<Value> =
            answers.into_iter().filter_map(|own| own.unread).take(MOST_EXAMPLES).collect();
        Ok(Map::from_iter([
            ("invalid_examples".to_owned(), unread.into()),
            ("target_metrics".to_owned(), targets.into()),
        ]))
    }
}

fn by_target(answers: &[Answer]) -> IndexMap<String, Confusion> {
    let mut targets: IndexMap<String, Vec<(bool, bool)>> = IndexMap::new();
    for own in answers {
        targets.entry(own.target.clone()).or_default().push((own.meant, own.given()));
    }
    targets.into_iter().map(|(target, pairs)| (target, Confusion::of(pairs))).collect()
}

fn answers(rows: &[Row<'_>]) -> Result<Vec<Answer>, EvaluateError> {
    let answer = |(index, row)| -> Result<Answer, EvaluateError> {
        let asked = Asked::new(row, index, "sci_reasoner_15_dude");
        let label = gold_number(&asked)?.trunc();
        let score = score(&row.prediction).map_err(|error| asked.failed(error))?;
        let target = gold(&row.reference).get("target").map(python_str).unwrap_or_default();
        Ok(Answer {
            meant: label.total_cmp(&1.0).is_eq(),
            score,
            target: if matches!(target.as_str(), "" | "None") {
                "unknown".to_owned()
            } else {
                target
            },
            unread: score.is_none().then(|| example(index, &row.prediction, label)),
        })
    };
    rows.iter().enumerate().map(answer).collect()
}

/// How much an answer says yes: a label, a number from 0 to 1, or a word.
fn score(prediction: &Value) -> Result<Option<f64>, PatternError> {
    static LABEL: LazyLock<PythonRegex> = LazyLock::new(|| {
        PythonRegex::constant(r"(?:label|answer|prediction|class)\s*[:=]\s*([01])(?=$|\s|[,;}\]])")
    });
    let text = spoken(prediction)?.to_lowercase();
    if let Some(label) = LABEL.first(&text)? {
        return Ok(parse_float(label));
    }
    if let Some(number) = number(&text)?.filter(|number| (0.0..=1.0).contains(number)) {
        return Ok(Some(number));
    }
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    Ok(if says(NO) {
        Some(0.0)
    } else if says(YES) {
        Some(1.0)
    } else {
        None
    })
}
