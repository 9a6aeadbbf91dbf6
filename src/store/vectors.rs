//! What models said before a run: vectors of texts, and surprisals that retrievers asked for.
//!
//! They belong to no run, because examples are chosen before there is one. A row is known by everything that decides
//! its numbers, as an answer is.

use rusqlite::Connection;

use super::checksum::{checksum, readable};
use crate::answer::QuestionKey;

/// Writes numbers, also over rows that were damaged.
pub(super) fn write(
    connection: &Connection,
    rows: &[(QuestionKey, &[f32])],
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)")?;
    for (key, numbers) in rows {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        insert.execute((key.as_bytes(), &bytes, sum(key, &bytes)))?;
    }
    Ok(())
}

/// The numbers of a key; nothing if there are none, or other ones than were written.
pub(super) fn read(
    connection: &Connection,
    key: &QuestionKey,
) -> rusqlite::Result<Option<Vec<f32>>> {
    let found = connection
        .prepare_cached("SELECT numbers, checksum FROM vector WHERE question = ?")?
        .query_row([key.as_bytes()], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, i64>(1)?)));
    let kept = readable(found)?.filter(|(bytes, found)| sum(key, bytes) == *found);
    Ok(kept.map(|(bytes, _)| {
        let numbers = bytes.chunks_exact(4).filter_map(|four| four.try_into().ok());
        numbers.map(f32::from_le_bytes).collect()
    }))
}

fn sum(key: &QuestionKey, numbers: &[u8]) -> i64 {
    checksum("vector", [key.as_bytes().as_slice(), numbers])
}
