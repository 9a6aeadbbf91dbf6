//! What a metric says of each sample.

use rusqlite::Connection;

use super::checksum::{checksum, readable_rows};

/// The scores of a unit under one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRow {
    /// The metric's name.
    pub metric: String,
    /// What the run says of the metric, as JSON: aggregate, unit, error.
    pub facts: String,
    /// One for each sample in the order of the rows; NaN for a sample without an answer.
    pub scores: Vec<f64>,
}

/// Replaces the scores of a unit.
pub(super) fn write(connection: &Connection, unit: i64, rows: &[ScoreRow]) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM score WHERE unit = ?", [unit])?;
    for (place, row) in rows.iter().enumerate() {
        let scores: Vec<u8> = row.scores.iter().flat_map(|score| score.to_le_bytes()).collect();
        // The place in front keeps the order of the metrics, which is part of what they say.
        let metric = format!("{place:03}:{}", row.metric);
        let sum = sum(unit, &metric, &row.facts, &scores);
        connection.execute(
            "INSERT INTO score VALUES (?, ?, ?, ?, ?)",
            (unit, &metric, &row.facts, &scores, sum),
        )?;
    }
    Ok(())
}

/// The scores of a unit that are as they were written, in the order of the metrics.
pub(super) fn read(connection: &Connection, unit: i64) -> rusqlite::Result<Vec<ScoreRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT metric, facts, scores, checksum FROM score WHERE unit = ? ORDER BY metric",
    )?;
    let rows = statement.query_map([unit], |row| {
        let (metric, facts): (String, String) = (row.get(0)?, row.get(1)?);
        let (scores, found): (Vec<u8>, i64) = (row.get(2)?, row.get(3)?);
        if sum(unit, &metric, &facts, &scores) != found {
            return Ok(None);
        }
        let numbers = scores.chunks_exact(8).filter_map(|eight| eight.try_into().ok());
        Ok(metric.split_once(':').map(|(_, name)| ScoreRow {
            metric: name.to_owned(),
            facts,
            scores: numbers.map(f64::from_le_bytes).collect(),
        }))
    })?;
    readable_rows(rows)
}

fn sum(unit: i64, metric: &str, facts: &str, scores: &[u8]) -> i64 {
    checksum(
        "score",
        [&unit.to_le_bytes(), metric.as_bytes(), facts.as_bytes(), scores] as [&[u8]; 4],
    )
}
