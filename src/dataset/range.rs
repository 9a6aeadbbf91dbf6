//! Which rows of a split are used.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::slice::sliced_rows;
use crate::python::PythonRandom;

/// A reader's `train_range` or `test_range`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RowRange {
    /// Every row, in order.
    #[default]
    All,
    /// This many rows, drawn with the number itself as the seed; all of them if it is not positive
    /// or there are no more.
    Count(i64),
    /// This share of the rows, drawn likewise; must be below 1 to mean anything but "all".
    Share(f64),
    /// A chain of Python slices.
    Slices(String),
}

impl RowRange {
    /// The chosen row numbers out of `total`, in the order in which they are used.
    ///
    /// The error says what is wrong with the range.
    pub fn rows(&self, total: usize) -> Result<Vec<usize>, String> {
        match self {
            Self::All => Ok((0..total).collect()),
            Self::Count(count) => Ok(match usize::try_from(*count) {
                Ok(count) if 0 < count && count < total => drawn(count, total),
                _ => (0..total).collect(),
            }),
            Self::Share(share) if *share <= 0.0 || *share >= total as f64 => {
                Ok((0..total).collect())
            }
            Self::Share(share) if *share < 1.0 => Ok(drawn((share * total as f64) as usize, total)),
            Self::Share(share) => Err(format!(
                "{share:?} is neither a share below 1 nor a whole number of rows; write {:.0} for that many rows",
                share.trunc()
            )),
            Self::Slices(text) => sliced_rows(text, total),
        }
    }
}

/// The head of a shuffle that is seeded with the number of rows wanted.
fn drawn(count: usize, total: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..total).collect();
    PythonRandom::from_seed(count as u64).shuffle(&mut rows);
    rows.truncate(count);
    rows
}

impl<'de> Deserialize<'de> for RowRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RowRangeVisitor)
    }
}

struct RowRangeVisitor;

impl<'de> de::Visitor<'de> for RowRangeVisitor {
    type Value = RowRange;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of rows, a share of them, a slice such as \"[:100]\", or None")
    }

    fn visit_none<E: de::Error>(self) -> Result<RowRange, E> {
        Ok(RowRange::All)
    }

    fn visit_unit<E: de::Error>(self) -> Result<RowRange, E> {
        Ok(RowRange::All)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<RowRange, D::Error> {
        RowRange::deserialize(deserializer)
    }

    fn visit_i64<E: de::Error>(self, count: i64) -> Result<RowRange, E> {
        Ok(RowRange::Count(count))
    }

    fn visit_u64<E: de::Error>(self, count: u64) -> Result<RowRange, E> {
        Ok(RowRange::Count(i64::try_from(count).unwrap_or(i64::MAX)))
    }

    fn visit_f64<E: de::Error>(self, share: f64) -> Result<RowRange, E> {
        Ok(RowRange::Share(share))
    }

    fn visit_str<E: de::Error>(self, slices: &str) -> Result<RowRange, E> {
        Ok(RowRange::Slices(slices.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_no_number_of_rows_are_refused() {
        assert!(RowRange::Share(2.0).rows(20).is_err());
        assert!(RowRange::Share(f64::NAN).rows(20).is_err());
        assert_eq!(RowRange::Share(20.0).rows(20).map(|rows| rows.len()), Ok(20));
        assert_eq!(RowRange::Count(-3).rows(4), Ok(vec![0, 1, 2, 3]));
    }

    #[test]
    fn a_share_may_come_out_empty() {
        assert_eq!(RowRange::Share(0.05).rows(10), Ok(vec![]));
    }
}
