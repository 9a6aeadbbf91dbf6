//! Sending the passages of a corpus to a collection, those that are not there yet.

use super::{MilvusError, client::Client, requests::MOST_ROWS};
use crate::passages::{PassageEncoder, PassageError, TextRole, dense::unit_vectors};

/// Passages whose vectors are asked for at once, and looked for at once.
pub(super) const SPAN_PASSAGES: usize = MOST_ROWS;
/// Rows of a call at most, and numbers of its vectors: 8 MiB.
const BATCH_ROWS: usize = 1024;
const BATCH_NUMBERS: usize = 2 << 20;

/// How far a collection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filling {
    /// So many passages are about to be sent.
    Sending(usize),
    /// So many more were taken by the server.
    Sent(usize),
    /// All passages are there.
    Complete {
        /// Passages that were sent.
        sent: usize,
        /// Passages that were there before.
        there: usize,
    },
}

/// Sends what is missing, and sees that all passages and nothing else is there.
///
/// What is there is asked of the server, so that a command that was stopped goes on. Rows are replaced, never added
/// twice: a call whose answer was lost may be made again.
pub(super) fn fill(
    client: &Client,
    texts: &[String],
    encoder: &dyn PassageEncoder,
    width: usize,
    told: &dyn Fn(Filling),
) -> Result<(), PassageError> {
    let there = rows(client, texts.len())?;
    let mut sent = 0;
    if there < texts.len() {
        let rows = (BATCH_NUMBERS / width.max(1)).clamp(1, BATCH_ROWS);
        let mut first = 0;
        for span in texts.chunks(SPAN_PASSAGES) {
            let present = client.present(first..first + span.len())?;
            let missing: Vec<usize> =
                (first..first + span.len()).filter(|number| !present.contains(number)).collect();
            first += span.len();
            if missing.is_empty() {
                continue;
            }
            let wanted: Vec<String> =
                missing.iter().filter_map(|&number| texts.get(number).cloned()).collect();
            let vectors = unit_vectors(encoder, &wanted, TextRole::Passage, Some(width))?;
            told(Filling::Sending(missing.len()));
            for (passages, vectors) in missing.chunks(rows).zip(vectors.chunks(rows)) {
                client.upsert(passages, vectors)?;
                told(Filling::Sent(passages.len()));
            }
            sent += missing.len();
        }
        client.flush()?;
    }
    let found = rows(client, texts.len())?;
    if found < texts.len() {
        return Err(incomplete(client, found, texts.len(), 0).into());
    }
    told(Filling::Complete { sent, there });
    Ok(())
}

/// Passages that are there; an error if there is anything else.
fn rows(client: &Client, passages: usize) -> Result<usize, MilvusError> {
    let found = client.rows()?;
    let others = client.rows_beyond(passages)?;
    if others > 0 || found > passages {
        return Err(incomplete(client, found, passages, others));
    }
    Ok(found)
}

fn incomplete(client: &Client, found: usize, passages: usize, others: usize) -> MilvusError {
    MilvusError::Rows { place: client.place(), found, passages, others }
}
