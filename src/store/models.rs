//! Models that were asked, and the texts of their tokens.

use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;

use super::checksum::{checksum, readable_rows};
use crate::answer::ModelKey;

/// The number of a model in the database: the front of its key, so that no other model can ever have it.
fn number(key: &ModelKey) -> i64 {
    let mut front = [0; 8];
    front.copy_from_slice(&key.as_bytes()[..8]);
    // Below 2^62, as all numbers of rows.
    (u64::from_be_bytes(front) >> 2).cast_signed()
}

/// Writes a model, also over a row that was damaged; gives its number.
pub(super) fn write(connection: &Connection, key: &ModelKey, facts: &str) -> rusqlite::Result<i64> {
    let id = number(key);
    let sum =
        checksum("model", [&id.to_le_bytes(), key.as_bytes(), facts.as_bytes()] as [&[u8]; 3]);
    connection.execute(
        "INSERT OR REPLACE INTO model VALUES (?, ?, ?, ?)",
        (id, key.as_bytes(), facts, sum),
    )?;
    Ok(id)
}

/// Writes the texts of those of `ids` that have none yet.
pub(super) fn write_tokens(
    connection: &Connection,
    model: i64,
    ids: &HashSet<u32>,
    text: &dyn Fn(u32) -> String,
) -> rusqlite::Result<()> {
    let known = tokens(connection, model)?;
    let mut missing: Vec<u32> = ids.iter().copied().filter(|id| !known.contains_key(id)).collect();
    missing.sort_unstable();
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?)")?;
    for id in missing {
        let text = text(id);
        let sum = token_sum(model, id, &text);
        insert.execute((model, id, text, sum))?;
    }
    Ok(())
}

/// The texts of a model's tokens that are as they were written.
pub(super) fn tokens(
    connection: &Connection,
    model: i64,
) -> rusqlite::Result<BTreeMap<u32, String>> {
    let mut statement =
        connection.prepare_cached("SELECT id, text, checksum FROM token WHERE model = ?")?;
    let rows = statement.query_map([model], |row| {
        let (id, text): (u32, String) = (row.get(0)?, row.get(1)?);
        let sum: i64 = row.get(2)?;
        Ok((token_sum(model, id, &text) == sum).then_some((id, text)))
    })?;
    Ok(readable_rows(rows)?.into_iter().collect())
}

fn token_sum(model: i64, id: u32, text: &str) -> i64 {
    checksum("token", [&model.to_le_bytes(), &id.to_le_bytes(), text.as_bytes()] as [&[u8]; 3])
}
