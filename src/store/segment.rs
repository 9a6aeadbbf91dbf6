//! Surprisals of token sequences, what sequences share kept once.

use std::{collections::HashMap, rc::Rc};

use rusqlite::Connection;

use super::{
    checksum::{checksum, readable},
    front_coding::{Branch, FrontCoder, NO_PARENT},
};

/// Paths that are kept while answers are read; those of neighbours share most of their rows.
const CACHED_PATHS: usize = 2048;

/// What stands for the surprisal of a token that was not scored.
const NOT_SCORED: f32 = f32::NAN;

/// A token and the bits of its surprisal.
pub(super) type Scored = (u32, u32);

/// A sequence with the surprisals of its tokens from `first_target` on.
pub(super) fn scored(ids: &[u32], first_target: usize, nlls: &[f32]) -> Vec<Scored> {
    let unscored = std::iter::repeat_n(NOT_SCORED, first_target);
    ids.iter()
        .zip(unscored.chain(nlls.iter().copied()).chain(std::iter::repeat(NOT_SCORED)))
        .map(|(&id, nll)| (id, nll.to_bits()))
        .collect()
}

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
    let (ids, nlls) = (packed_ids(own), packed_nlls(own));
    // The id is part of the checksum, so it is chosen before the row is written.
    let id: i64 = connection
        .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM segment")?
        .query_row([], |row| row.get(0))?;
    let start = branch.start as i64;
    connection.prepare_cached("INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?)")?.execute((
        id,
        branch.parent,
        start,
        &ids,
        &nlls,
        sum(id, branch, &ids, &nlls),
    ))?;
    coder.extend(id, branch, sequence);
    Ok(id)
}

fn sum(id: i64, branch: Branch, ids: &[u8], nlls: &[u8]) -> i64 {
    let Branch { parent, start } = branch;
    checksum(
        "segment",
        [&id.to_le_bytes(), &parent.to_le_bytes(), &(start as u64).to_le_bytes(), ids, nlls]
            as [&[u8]; 5],
    )
}

/// Ids in 2 or 4 bytes each, which the first byte says.
fn packed_ids(own: &[Scored]) -> Vec<u8> {
    if own.iter().all(|(id, _)| u16::try_from(*id).is_ok()) {
        std::iter::once(2)
            .chain(own.iter().flat_map(|(id, _)| (*id as u16).to_le_bytes()))
            .collect()
    } else {
        std::iter::once(4).chain(own.iter().flat_map(|(id, _)| id.to_le_bytes())).collect()
    }
}

fn unpacked_ids(bytes: &[u8]) -> Option<Vec<u32>> {
    match bytes.split_first()? {
        (2, rest) => Some(
            rest.chunks_exact(2)
                .map(|two| u32::from(u16::from_le_bytes([two[0], two[1]])))
                .collect(),
        ),
        (4, rest) => Some(rest.chunks_exact(4).map(le_u32).collect()),
        _ => None,
    }
}

/// Surprisals as little-endian f32; nothing where none of the tokens was scored.
fn packed_nlls(own: &[Scored]) -> Vec<u8> {
    if own.iter().all(|(_, bits)| *bits == NOT_SCORED.to_bits()) {
        return Vec::new();
    }
    own.iter().flat_map(|(_, bits)| bits.to_le_bytes()).collect()
}

fn le_u32(four: &[u8]) -> u32 {
    u32::from_le_bytes([four[0], four[1], four[2], four[3]])
}

/// A whole sequence.
#[derive(Debug)]
pub(super) struct Path {
    pub(super) ids: Vec<u32>,
    /// One for each id; NaN where there is none.
    pub(super) nlls: Vec<f32>,
}

/// Reads sequences.
#[derive(Debug, Default)]
pub(super) struct SegmentReader {
    paths: HashMap<i64, Rc<Path>>,
}

impl SegmentReader {
    /// The sequence that a segment's path spells; nothing if a row of it is not as it was written.
    pub(super) fn path(
        &mut self,
        connection: &Connection,
        segment: i64,
    ) -> rusqlite::Result<Option<Rc<Path>>> {
        // Up to a row that is known, then down again.
        let mut rows = Vec::new();
        let mut at = segment;
        let mut path = loop {
            if at == NO_PARENT {
                break Rc::new(Path { ids: Vec::new(), nlls: Vec::new() });
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
        for (id, Row { branch, ids, nlls }) in rows.into_iter().rev() {
            let (Some(before), Some(before_nlls)) =
                (path.ids.get(..branch.start), path.nlls.get(..branch.start))
            else {
                return Ok(None);
            };
            let whole = Path { ids: [before, &ids].concat(), nlls: [before_nlls, &nlls].concat() };
            path = Rc::new(whole);
            self.paths.insert(id, path.clone());
        }
        Ok(Some(path))
    }
}

struct Row {
    branch: Branch,
    ids: Vec<u32>,
    nlls: Vec<f32>,
}

/// A row of its own; nothing if it is missing or not as it was written.
fn read(connection: &Connection, id: i64) -> rusqlite::Result<Option<Row>> {
    let row = readable(
        connection
            .prepare_cached("SELECT parent, start, ids, nlls, checksum FROM segment WHERE id = ?")?
            .query_row([id], |row| {
                let (ids, nlls): (Vec<u8>, Vec<u8>) = (row.get(2)?, row.get(3)?);
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, ids, nlls, row.get::<_, i64>(4)?))
            }),
    )?;
    let Some((parent, start, ids, nlls, found)) = row else { return Ok(None) };
    let branch = Branch { parent, start: usize::try_from(start).unwrap_or(usize::MAX) };
    if sum(id, branch, &ids, &nlls) != found {
        return Ok(None);
    }
    let Some(ids) = unpacked_ids(&ids) else { return Ok(None) };
    let nlls = if nlls.is_empty() {
        vec![NOT_SCORED; ids.len()]
    } else {
        nlls.chunks_exact(4).map(|four| f32::from_bits(le_u32(four))).collect()
    };
    Ok((nlls.len() == ids.len()).then_some(Row { branch, ids, nlls }))
}
