//! Surprisals of token sequences, what sequences share kept once.

use std::{collections::HashMap, rc::Rc};

use rusqlite::Connection;

use super::{
    checksum::{checksum, readable},
    front_coding::{Branch, FrontCoder, NO_PARENT},
    scored_tokens::{Blobs, Scored, ScoredTokens},
};

/// Paths that are kept while answers are read; those of neighbours share most of their rows.
const CACHED_PATHS: usize = 2048;

/// Writes a sequence; gives the segment whose path spells it.
pub(super) fn write(
    connection: &Connection,
    coder: &mut FrontCoder<Scored>,
    sequence: &[Scored],
) -> rusqlite::Result<i64> {
    let branch = coder.branch(sequence);
    let own = &sequence[branch.start..];
    if own.is_empty() {
        return Ok(branch.parent);
    }
    let blobs = Blobs::of(own);
    // The id is part of the checksum, so it is chosen before the row is written.
    let id: i64 = connection
        .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM segment")?
        .query_row([], |row| row.get(0))?;
    let start = branch.start as i64;
    connection.prepare_cached("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)")?.execute((
        id,
        branch.parent,
        start,
        &blobs.ids,
        &blobs.nlls,
        &blobs.likeliest,
        sum(id, branch, &blobs),
    ))?;
    coder.extend(id, branch, sequence);
    Ok(id)
}

fn sum(id: i64, branch: Branch, blobs: &Blobs) -> i64 {
    let Branch { parent, start } = branch;
    let (id, parent, start) =
        (id.to_le_bytes(), parent.to_le_bytes(), (start as u64).to_le_bytes());
    let Blobs { ids, nlls, likeliest } = blobs;
    let parts: [&[u8]; 6] = [&id, &parent, &start, ids, nlls, likeliest];
    checksum("segment", parts)
}

/// Reads sequences.
#[derive(Debug, Default)]
pub(super) struct SegmentReader {
    paths: HashMap<i64, Rc<ScoredTokens>>,
}

impl SegmentReader {
    /// The sequence that a segment's path spells; nothing if a row of it is not as it was written.
    pub(super) fn path(
        &mut self,
        connection: &Connection,
        segment: i64,
    ) -> rusqlite::Result<Option<Rc<ScoredTokens>>> {
        // Up to a row that is known, then down again.
        let mut rows = Vec::new();
        let mut at = segment;
        let mut path = loop {
            if at == NO_PARENT {
                break Rc::new(ScoredTokens::default());
            }
            if let Some(known) = self.paths.get(&at) {
                break known.clone();
            }
            let Some(row) = read(connection, at)? else { return Ok(None) };
            let parent = row.branch.parent;
            if parent >= at {
                return Ok(None);
            }
            rows.push((at, row));
            at = parent;
        };
        if self.paths.len() + rows.len() > CACHED_PATHS {
            self.paths.clear();
        }
        for (id, Row { branch, own }) in rows.into_iter().rev() {
            let Some(whole) = path.continued(branch.start, &own) else { return Ok(None) };
            path = Rc::new(whole);
            self.paths.insert(id, path.clone());
        }
        Ok(Some(path))
    }
}

struct Row {
    branch: Branch,
    own: ScoredTokens,
}

/// A row of its own; nothing if it is missing or not as it was written.
fn read(connection: &Connection, id: i64) -> rusqlite::Result<Option<Row>> {
    let row = readable(
        connection
            .prepare_cached(
                "SELECT parent, start, ids, nlls, likeliest, checksum FROM segment WHERE id = ?",
            )?
            .query_row([id], |row| {
                let blobs = Blobs { ids: row.get(2)?, nlls: row.get(3)?, likeliest: row.get(4)? };
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, blobs, row.get::<_, i64>(5)?))
            }),
    )?;
    let Some((parent, start, blobs, found)) = row else { return Ok(None) };
    let branch = Branch { parent, start: usize::try_from(start).unwrap_or(usize::MAX) };
    if sum(id, branch, &blobs) != found {
        return Ok(None);
    }
    Ok(blobs.tokens().map(|own| Row { branch, own }))
}
