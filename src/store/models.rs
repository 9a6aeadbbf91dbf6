//! Models that were asked, and what their tokens spell.

use std::collections::{BTreeMap, HashSet};

use rusqlite::Connection;

use super::checksum::{checksum, readable_rows};
use crate::answer::ModelKey;

/// What a token spells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptToken {
    /// What it adds to a text; a part of a character is U+FFFD.
    pub text: String,
    /// The same byte by byte; a part of a character is a part of a character.
    pub bytes: Vec<u8>,
    /// Whether it is one of those that stand around texts.
    pub is_special: bool,
}

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

/// Writes those of `ids` that are not there yet.
pub(super) fn write_tokens(
    connection: &Connection,
    model: i64,
    ids: &HashSet<u32>,
    token: &dyn Fn(u32) -> KeptToken,
) -> rusqlite::Result<()> {
    let known = tokens(connection, model)?;
    let mut missing: Vec<u32> = ids.iter().copied().filter(|id| !known.contains_key(id)).collect();
    missing.sort_unstable();
    let mut insert =
        connection.prepare_cached("INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?, ?, ?)")?;
    for id in missing {
        let own = token(id);
        let sum = token_sum(model, id, &own);
        insert.execute((model, id, own.text, own.bytes, own.is_special, sum))?;
    }
    Ok(())
}

/// A model's tokens that are as they were written.
pub(super) fn tokens(
    connection: &Connection,
    model: i64,
) -> rusqlite::Result<BTreeMap<u32, KeptToken>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, text, bytes, is_special, checksum FROM token WHERE model = ?",
    )?;
    let rows = statement.query_map([model], |row| {
        let id = row.get(0)?;
        let own = KeptToken { text: row.get(1)?, bytes: row.get(2)?, is_special: row.get(3)? };
        let sum: i64 = row.get(4)?;
        Ok((token_sum(model, id, &own) == sum).then_some((id, own)))
    })?;
    Ok(readable_rows(rows)?.into_iter().collect())
}

fn token_sum(model: i64, id: u32, own: &KeptToken) -> i64 {
    let parts: [&[u8]; 5] = [
        &model.to_le_bytes(),
        &id.to_le_bytes(),
        own.text.as_bytes(),
        &own.bytes,
        &[own.is_special.into()],
    ];
    checksum("token", parts)
}
