//! Knowing a row that is not as it was written.
//!
//! Disks and copies flip bits, and people edit databases by hand. Every row holds a checksum of everything
//! in it, its own key and the table's name included; a row that does not match counts as missing, so what
//! it held is asked or written again and never becomes a figure.

use std::hash::Hasher as _;

use twox_hash::XxHash3_64;

/// The checksum of a row of `table` with these parts (XXH3, 64 bits).
pub(super) fn checksum<'a>(table: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> i64 {
    let mut hasher = XxHash3_64::new();
    hasher.write(table.as_bytes());
    for part in parts {
        // The length in front keeps ["ab", "c"] and ["a", "bc"] apart.
        hasher.write(&(part.len() as u64).to_le_bytes());
        hasher.write(part);
    }
    hasher.finish().cast_signed()
}

/// What a query for one row found; nothing without a row, or if a value is not of the type that was written.
pub(super) fn readable<T>(found: rusqlite::Result<T>) -> rusqlite::Result<Option<T>> {
    use rusqlite::Error;
    match found {
        Ok(found) => Ok(Some(found)),
        Err(
            Error::QueryReturnedNoRows
            | Error::InvalidColumnType(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::FromSqlConversionFailure(..)
            | Error::Utf8Error(..),
        ) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The rows of a query that are as they were written; `None` stands for one that is not.
pub(super) fn readable_rows<T>(
    rows: impl Iterator<Item = rusqlite::Result<Option<T>>>,
) -> rusqlite::Result<Vec<T>> {
    rows.filter_map(|row| readable(row).map(Option::flatten).transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::checksum;

    #[test]
    fn parts_and_table_count() {
        let sum = |table, parts: &[&str]| checksum(table, parts.iter().map(|part| part.as_bytes()));
        let different = [
            sum("a", &["ab", "c"]),
            sum("a", &["a", "bc"]),
            sum("b", &["ab", "c"]),
            sum("a", &["abc"]),
        ];
        for (index, found) in different.iter().enumerate() {
            assert!(!different[..index].contains(found));
        }
    }
}
