//! What a row of a data set says, in a few bytes: rows that say the same may be compared.

use std::fmt::Write as _;

use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::dataset::Sample;

/// Length of a digest.
const DIGEST_BYTES: usize = 16;

/// Where a row has no such column, it is the data set's abbr: of `choices@short` another one than of `choices`.
const NAME_COLUMN: &str = "subdivision";

/// A digest of all columns of a row with their names, in order; without the one that a data set gives its own
/// name, and without those that stages of the data set have made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowContent([u8; DIGEST_BYTES]);

impl RowContent {
    /// Of a row of a data set of these names and columns of earlier stages.
    pub(crate) fn of(row: &Sample, dataset_names: [&str; 2], stage_columns: &[String]) -> Self {
        let mut text = String::new();
        for (name, value) in row.iter() {
            if stage_columns.iter().any(|column| column == name) {
                continue;
            }
            if name == NAME_COLUMN && dataset_names.iter().any(|name| value == name) {
                continue;
            }
            // Names and values as JSON, so that no two rows are written alike.
            let _ = write!(text, "{}:{value},", Json::from(name));
        }
        let mut digest = [0; DIGEST_BYTES];
        digest.copy_from_slice(&Sha256::digest(text)[..DIGEST_BYTES]);
        Self(digest)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_are_equal_if_every_column_is() {
        let row = |columns: &[(&str, Json)]| {
            let columns = columns.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
            RowContent::of(&Sample::new(columns.collect()), ["d@v", "d"], &["said".to_owned()])
        };
        let own = row(&[("a", json!("x")), ("b", json!(1))]);
        assert_eq!(own, row(&[("a", json!("x")), ("b", json!(1))]));
        for other in [
            row(&[("a", json!("y")), ("b", json!(1))]),
            row(&[("a", json!("x")), ("b", json!("1"))]),
            row(&[("a", json!("x")), ("c", json!(1))]),
            row(&[("a", json!("x"))]),
            row(&[("a", json!("x")), ("b", json!(1)), ("subdivision", json!("own"))]),
        ] {
            assert_ne!(own, other);
        }
        assert_eq!(own, row(&[("a", json!("x")), ("b", json!(1)), ("said", json!("y"))]));
        for name in ["d", "d@v"] {
            let named = row(&[("a", json!("x")), ("b", json!(1)), ("subdivision", json!(name))]);
            assert_eq!(own, named);
        }
    }
}
