//! Cells that are null where a prompt or the gold answer needs them. Missing cells are null in a table.

use serde_json::Value as Json;

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::dataset::Sample;

/// Every column whose cell is null, in the row that is asked about and in the examples before it.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    let is_null = |row: &Sample, column: &str| {
        row.get(column).is_some_and(|cell| {
            cell.is_null() || cell.as_array().is_some_and(|items| items.iter().any(Json::is_null))
        })
    };
    let output = subject.task.output_column;
    for column in &subject.filled_columns {
        if is_null(asked.row, column) && output != Some(column) {
            let what = what(asked.row, column);
            let message =
                format!("{what} of column {column} is null, so the prompt says None in its place");
            found.push(Finding::about(column, message));
        }
    }
    if let Some(column) = output.filter(|column| is_null(asked.row, column))
        && subject.dataset.evaluation.evaluator.as_ref().is_some_and(|own| !own.reads_null_golds())
    {
        let message = format!(
            "the gold answer in column {column} is null, so no prediction can equal it and it counts as wrong"
        );
        found.push(Finding::about(column, message));
    }
    for (number, (_, row)) in subject.examples(asked).into_iter().enumerate() {
        for column in subject.filled_columns.iter().filter(|column| is_null(row, column)) {
            if !found.iter().any(|known| known.field.as_ref() == Some(column)) {
                let message = format!(
                    "{} of column {column} is null in in-context example {}, so the prompt says None in its place",
                    what(row, column),
                    number + 1
                );
                found.push(Finding::about(column, message));
            }
        }
    }
    found
}

/// What of a column is null.
fn what(row: &Sample, column: &str) -> &'static str {
    if row.get(column).is_some_and(Json::is_array) { "an item in a cell" } else { "the cell" }
}
