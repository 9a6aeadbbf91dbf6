//! Keys that stand twice in the object of a row, so that a value of the file is read by nobody.

use super::{
    kind::Finding,
    subject::{Asked, Subject},
};

/// Every such key of the row that is asked about, and of the examples before it.
pub(super) fn find(subject: &Subject<'_>, asked: &Asked<'_>) -> Vec<Finding> {
    let examples = subject.examples(asked).into_iter().map(|(_, row)| row);
    let told = std::iter::once(asked.row).chain(examples).filter_map(|row| row.repeated_keys());
    let mut found: Vec<Finding> = Vec::new();
    for row in told {
        for key in &row.keys {
            if !found.iter().any(|known| known.field.as_ref() == Some(key)) {
                let message = format!(
                    "{}: the key {key:?} stands there twice; the last value counts, as in Python; keep one of them",
                    row.place
                );
                found.push(Finding::about(key, message));
            }
        }
    }
    found
}
