//! In-context examples that are the very row that is asked about.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};
use crate::dataset::Sample;

/// Columns that say where a row is from, not what it is.
const PLACE_COLUMNS: [&str; 2] = ["subdivision", "idx"];

/// The first such example.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let examples = subject.examples(asked);
    let Some(number) = examples.iter().position(|(_, row)| is_same(subject, asked.row, row)) else {
        return Vec::new();
    };
    let message = format!(
        "in-context example {} is the row that is asked about, with its answer; let train_split or train_range leave \
         out the rows that are asked",
        number + 1
    );
    vec![Finding::new(message)]
}

/// Whether two rows show the same: they are equal in all that templates and reader name.
fn is_same(subject: &Subject<'_>, left: &Sample, right: &Sample) -> bool {
    let named = subject.filled_columns.iter().map(String::as_str);
    let read =
        subject.task.input_columns.iter().map(String::as_str).chain(subject.task.output_column);
    let mut columns = named.chain(read).filter(|column| !PLACE_COLUMNS.contains(column)).peekable();
    columns.peek().is_some() && columns.all(|column| left.get(column) == right.get(column))
}
