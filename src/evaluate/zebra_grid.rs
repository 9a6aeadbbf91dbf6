//! `zebralogic_grid`: how much of a logic puzzle's table is right.
//!
//! An answer's table is read from its lines between bars. Where there is none of the gold's size, a cell counts as
//! right if its text stands anywhere in the answer, as in the original.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{EvaluateError, Metric, Row, Scores, Unit, by_row::Asked};
use crate::{
    postprocess::{PatternError, PythonRegex, escaped},
    python::{blank::strip, python_literal, python_str},
};

/// Characters of texts that details show.
const SHOWN_CHARS: usize = 200;

/// First cells of a line that names the columns.
const HEADERS: &[&str] = &["house", "houses", "home", "position"];

/// Shares of right cells and of tables without a wrong one. A gold without rows is passed over.
pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let (mut right, mut all) = (0_usize, 0_usize);
    let mut perfect = Vec::with_capacity(rows.len());
    let mut details = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, "zebralogic_grid");
        let text = python_str(&row.prediction);
        let Some(gold) = gold_rows(&asked)? else {
            perfect.push(false);
            continue;
        };
        let cells: usize = gold.iter().map(Vec::len).sum();
        let own = right_cells(&text, &gold).map_err(|error| asked.failed(error))?;
        let is_perfect = own == cells;
        let share = if cells == 0 { 0.0 } else { own as f64 / cells as f64 };
        right += own;
        all += cells;
        perfect.push(is_perfect);
        details.push(Map::from_iter([
            ("pred".to_owned(), shown(&text)),
            ("answer".to_owned(), shown(&python_str(&row.reference))),
            ("cell_accuracy".to_owned(), share.into()),
            ("correct".to_owned(), is_perfect.into()),
        ]));
    }
    let cells = if all == 0 { 0.0 } else { right as f64 / all as f64 * 100.0 };
    let metrics = vec![
        Metric::of_all("score", Unit::Percent, cells),
        Metric::of_all("cell_accuracy", Unit::Percent, cells),
        Metric::of_shares("perfect_accuracy", &perfect),
    ];
    Ok(Scores { metrics, samples: rows.len(), details: Some(details) })
}

fn shown(text: &str) -> Value {
    text.chars().take(SHOWN_CHARS).collect::<String>().into()
}

/// The cells of the gold, which is a record or the text of one.
fn gold_rows(asked: &Asked<'_>) -> Result<Option<Vec<Vec<String>>>, EvaluateError> {
    let reference = &asked.row.reference;
    let read = match reference {
        Value::String(text) => python_literal(text)
            .filter(Value::is_object)
            .or_else(|| serde_json::from_str(text).ok().filter(Value::is_object)),
        other => Some(other.clone()),
    };
    let rows = match read.as_ref().and_then(|record| record.get("rows")) {
        None | Some(Value::Null) => return Ok(None),
        Some(rows) => rows,
    };
    let row = |row: &Value| match row {
        Value::Array(cells) => Some(cells.iter().map(python_str).collect()),
        Value::String(text) => Some(text.chars().map(String::from).collect()),
        _ => None,
    };
    let rows = rows.as_array().and_then(|rows| rows.iter().map(row).collect::<Option<_>>());
    rows.map(Some).ok_or_else(|| asked.unreadable_reference("a record with lists of cells as rows"))
}

fn right_cells(text: &str, gold: &[Vec<String>]) -> Result<usize, PatternError> {
    let mut table = table(text)?.unwrap_or_default();
    let is_header =
        |row: &Vec<String>| row.first().is_some_and(|cell| HEADERS.contains(&plain(cell).as_str()));
    if table.len() == gold.len() + 1 && table.first().is_some_and(is_header) {
        table.remove(0);
    }
    if !table.is_empty() && table.len() == gold.len() {
        let same = |(own, gold): (&Vec<String>, &Vec<String>)| {
            own.iter().zip(gold).filter(|(own, gold)| plain(own) == plain(gold)).count()
        };
        return Ok(table.iter().zip(gold).map(same).sum());
    }
    let mut right = 0;
    for cell in gold.iter().flatten() {
        let pattern = PythonRegex::new(&format!("(?i){}", escaped(cell)))?;
        right += usize::from(pattern.finds(text)?);
    }
    Ok(right)
}

fn plain(cell: &str) -> String {
    strip(cell).to_lowercase()
}

/// The cells of lines between bars, without the line under the head; one line is no table.
fn table(text: &str) -> Result<Option<Vec<Vec<String>>>, PatternError> {
    static RULE: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"^\|[-| :]+\|$"));
    let mut rows = Vec::new();
    for line in text.split('\n').map(strip).filter(|line| line.starts_with('|')) {
        if !RULE.finds(line)? {
            let cells = line.trim_matches('|').split('|');
            rows.push(cells.map(|cell| strip(cell).to_owned()).collect());
        }
    }
    Ok((rows.len() > 1).then_some(rows))
}
