//! `longbench_v2` and `quality`: shares of right answers, over all rows and over those of a kind.

use serde_json::Value;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit, acc_with_details::are_equal, by_row::Asked,
};

/// Over all, by difficulty, and by length. A part without rows has no figure.
pub(super) struct LongBenchV2;

impl Evaluator for LongBenchV2 {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let correct = correct(rows);
        let mut metrics = vec![Metric::of_shares("accuracy", &correct)];
        let parts = [
            ("difficulty", ["easy", "hard"].as_slice()),
            ("length", ["short", "medium", "long"].as_slice()),
        ];
        for (column, kinds) in parts {
            for kind in kinds {
                let own = of_part(rows, &correct, |row| column_is(row, column, kind));
                if own.iter().any(Option::is_some) {
                    metrics.push(Metric::of_part(&format!("accuracy_{kind}"), &own));
                }
            }
        }
        Ok(Scores::new(metrics, rows.len()))
    }
}

fn column_is(row: &Row<'_>, column: &str, kind: &str) -> bool {
    row.sample.and_then(|sample| sample.get(column)).is_some_and(|value| value == kind)
}

/// Over the easy rows, the hard ones and all.
///
/// The original divides the right answers to hard questions by the number of easy ones; the figure is
/// kept under its name, and is no share.
pub(super) struct Quality;

impl Evaluator for Quality {
    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let evaluator = "quality";
        let correct = correct(rows);
        let mut is_easy = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let difficult = Asked::new(row, index, evaluator).column("difficult")?;
            is_easy.push(are_equal(difficult, &Value::from(0)));
        }
        let part = |wanted: bool| -> Vec<Option<bool>> {
            let pairs = correct.iter().zip(&is_easy);
            pairs.map(|(&is_right, &own)| (own == wanted).then_some(is_right)).collect()
        };
        let easy_rows = is_easy.iter().filter(|&&is_easy| is_easy).count();
        if easy_rows == 0 {
            let reason = "no row is easy (difficult = 0), and the figures are over their number";
            return Err(EvaluateError::Undefined { evaluator, reason });
        }
        let hard = part(false).into_iter().filter(|own| *own == Some(true)).count();
        let hard = hard as f64 / easy_rows as f64 * 100.0;
        let metrics = vec![
            Metric::of_part("easy_acc", &part(true)),
            Metric::of_all("hard_acc", Unit::Number, hard),
            Metric::of_shares("all_acc", &correct),
        ];
        Ok(Scores::new(metrics, rows.len()))
    }
}

fn correct(rows: &[Row<'_>]) -> Vec<bool> {
    rows.iter().map(|row| are_equal(&row.prediction, &row.reference)).collect()
}

fn of_part(
    rows: &[Row<'_>],
    correct: &[bool],
    is_part: impl Fn(&Row<'_>) -> bool,
) -> Vec<Option<bool>> {
    let pairs = rows.iter().zip(correct);
    pairs.map(|(row, &is_right)| is_part(row).then_some(is_right)).collect()
}
