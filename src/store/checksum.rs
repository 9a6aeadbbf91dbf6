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
