//! Texts, what neighbours share kept once.

use std::{collections::HashMap, rc::Rc};

use rusqlite::Connection;

use super::{
    checksum::{checksum, readable},
    front_coding::{Branch, FrontCoder, NO_PARENT},
};

/// Texts that are kept while others are read.
const CACHED_TEXTS: usize = 2048;

/// The row that stands for a text without a letter.
pub(super) const EMPTY: i64 = NO_PARENT;

/// Writes texts in the order of the samples they belong to.
#[derive(Debug, Default)]
pub(super) struct TextWriter {
    coder: FrontCoder<u8>,
    /// Texts that were written whole, by their hash: examples come again with every sample.
    known: HashMap<Rc<str>, i64>,
}

impl TextWriter {
    /// Writes a text that may come again; gives its row.
    pub(super) fn write_repeated(
        &mut self,
        connection: &Connection,
        text: &str,
    ) -> rusqlite::Result<i64> {
        if let Some(&row) = self.known.get(text) {
            return Ok(row);
        }
        let row = self.write(connection, text)?;
        if self.known.len() >= CACHED_TEXTS {
            self.known.clear();
        }
        self.known.insert(text.into(), row);
        Ok(row)
    }

    /// Writes a text; gives its row.
    pub(super) fn write(&mut self, connection: &Connection, text: &str) -> rusqlite::Result<i64> {
        if text.is_empty() {
            return Ok(EMPTY);
        }
        let branch = self.coder.branch(text.as_bytes());
        let own = &text.as_bytes()[branch.start..];
        // A path has no end of its own: a text that ends inside another needs a row that says so.
        let id: i64 = connection
            .prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM text")?
            .query_row([], |row| row.get(0))?;
        connection.prepare_cached("INSERT INTO text VALUES (?, ?, ?, ?, ?)")?.execute((
            id,
            branch.parent,
            branch.start as i64,
            own,
            sum(id, branch, own),
        ))?;
        if !own.is_empty() {
            self.coder.extend(id, branch, text.as_bytes());
        }
        Ok(id)
    }
}

fn sum(id: i64, branch: Branch, own: &[u8]) -> i64 {
    let Branch { parent, start } = branch;
    checksum(
        "text",
        [&id.to_le_bytes(), &parent.to_le_bytes(), &(start as u64).to_le_bytes(), own]
            as [&[u8]; 4],
    )
}

/// Reads texts.
#[derive(Debug, Default)]
pub(super) struct TextReader {
    texts: HashMap<i64, Rc<[u8]>>,
}

impl TextReader {
    /// A text; nothing if a row of it is not as it was written.
    pub(super) fn text(
        &mut self,
        connection: &Connection,
        text: i64,
    ) -> rusqlite::Result<Option<String>> {
        let mut rows = Vec::new();
        let mut at = text;
        let mut whole: Rc<[u8]> = loop {
            if at == NO_PARENT {
                break Rc::from([]);
            }
            if let Some(known) = self.texts.get(&at) {
                break known.clone();
            }
            let Some((branch, own)) = read(connection, at)? else { return Ok(None) };
            if branch.parent >= at {
                return Ok(None);
            }
            rows.push((at, branch, own));
            at = branch.parent;
        };
        if self.texts.len() + rows.len() > CACHED_TEXTS {
            self.texts.clear();
        }
        for (id, branch, own) in rows.into_iter().rev() {
            let Some(before) = whole.get(..branch.start) else { return Ok(None) };
            whole = [before, &own].concat().into();
            self.texts.insert(id, whole.clone());
        }
        Ok(String::from_utf8(whole.to_vec()).ok())
    }
}

fn read(connection: &Connection, id: i64) -> rusqlite::Result<Option<(Branch, Vec<u8>)>> {
    let row: Option<(i64, i64, Vec<u8>, i64)> = readable(
        connection
            .prepare_cached("SELECT parent, start, bytes, checksum FROM text WHERE id = ?")?
            .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))),
    )?;
    let Some((parent, start, own, found)) = row else { return Ok(None) };
    let branch = Branch { parent, start: usize::try_from(start).unwrap_or(usize::MAX) };
    Ok((sum(id, branch, &own) == found).then_some((branch, own)))
}
