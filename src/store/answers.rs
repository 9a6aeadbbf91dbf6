//! Answers by their questions.

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::{
    checksum::{checksum, readable},
    front_coding::FrontCoder,
    scored_tokens::{Scored, scored},
    segment::{self, SegmentReader},
};
use crate::{
    answer::{Answer, Answered, Question, QuestionKey},
    engine::{FinishReason, Generation, Score},
};

const SCORE: i64 = 0;
const GENERATION: i64 = 1;
// Of models behind a server, which tell no ids: as JSON in `generation`, with no segment.
const SERVED_SCORE: i64 = 2;
const SERVED_TEXT: i64 = 3;

/// A continuation as it is written.
#[derive(Serialize, Deserialize)]
struct Continuation {
    ids: Vec<u32>,
    text: String,
    finish: FinishReason,
}

/// Writes an answer of `run`, over one that is there. Failures are not written.
pub(super) fn write(
    connection: &Connection,
    coder: &mut FrontCoder<Scored>,
    run: i64,
    (key, question, answer): &(QuestionKey, Question, Answer),
) -> rusqlite::Result<()> {
    let (kind, first_target, generation) = match answer {
        Answer::Score(_) => {
            let Question::Score(request) = question else { return Ok(()) };
            (SCORE, request.first_target.max(1), String::new())
        }
        Answer::Generation(Generation { ids, text, finish }) => {
            let whole = Continuation { ids: ids.clone(), text: text.clone(), finish: *finish };
            (GENERATION, question.ids().len(), serde_json::to_string(&whole).unwrap_or_default())
        }
        Answer::ServedScore(own) => {
            (SERVED_SCORE, 0, serde_json::to_string(own).unwrap_or_default())
        }
        Answer::ServedText(own) => (SERVED_TEXT, 0, serde_json::to_string(own).unwrap_or_default()),
        Answer::Failed(_) => return Ok(()),
    };
    let sequence = sequence(question, answer);
    let segment = segment::write(connection, coder, &sequence)?;
    let row = Row {
        kind,
        run,
        segment,
        length: sequence.len() as i64,
        first_target: first_target as i64,
        generation,
    };
    let sum = row.checksum(key, sequence.iter().copied());
    connection
        .prepare_cached("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?
        .execute((
            key.as_bytes(),
            row.kind,
            row.run,
            row.segment,
            row.length,
            row.first_target,
            row.generation,
            sum,
        ))?;
    Ok(())
}

/// The tokens that an answer is kept by.
pub(super) fn sequence(question: &Question, answer: &Answer) -> Vec<Scored> {
    match (question, answer) {
        (Question::Score(request), Answer::Score(score)) => {
            scored(&request.ids, request.first_target.max(1), score)
        }
        _ => scored(question.ids(), question.ids().len(), &Score::default()),
    }
}

struct Row {
    kind: i64,
    run: i64,
    segment: i64,
    length: i64,
    first_target: i64,
    generation: String,
}

impl Row {
    /// The checksum of the answer as a whole: of all tokens and their scores on its path, too.
    fn checksum(&self, key: &QuestionKey, sequence: impl Iterator<Item = Scored>) -> i64 {
        let mut bytes = Vec::new();
        for number in [self.kind, self.run, self.segment, self.length, self.first_target] {
            bytes.extend(number.to_le_bytes());
        }
        let first_target = usize::try_from(self.first_target).unwrap_or(usize::MAX);
        for (index, token) in sequence.enumerate() {
            bytes.extend(token.id.to_le_bytes());
            // What another question on the same path has before this one's first target does not count.
            if index >= first_target {
                bytes.extend(token.nll_bits.to_le_bytes());
                bytes.push(u8::from(token.is_likeliest));
            }
        }
        checksum("answer", [key.as_bytes().as_slice(), self.generation.as_bytes(), &bytes])
    }
}

/// The answer to a question; nothing if there is none, or none that is as it was written.
pub(super) fn read(
    connection: &Connection,
    segments: &mut SegmentReader,
    key: &QuestionKey,
) -> rusqlite::Result<Option<Answered>> {
    let found = readable(
        connection
            .prepare_cached(
                "SELECT kind, run, segment, length, first_target, generation, checksum FROM answer \
             WHERE question = ?",
            )?
            .query_row([key.as_bytes()], |row| {
                let sum: i64 = row.get(6)?;
                Ok((
                    Row {
                        kind: row.get(0)?,
                        run: row.get(1)?,
                        segment: row.get(2)?,
                        length: row.get(3)?,
                        first_target: row.get(4)?,
                        generation: row.get(5)?,
                    },
                    sum,
                ))
            }),
    )?;
    let Some((row, sum)) = found else { return Ok(None) };
    let Some(path) = segments.path(connection, row.segment)? else { return Ok(None) };
    let length = usize::try_from(row.length).unwrap_or(usize::MAX);
    let (Some(ids), Some(tokens)) = (path.ids.get(..length), path.tokens(length)) else {
        return Ok(None);
    };
    if row.checksum(key, tokens) != sum {
        return Ok(None);
    }
    let answer = match row.kind {
        SCORE => {
            let first_target = usize::try_from(row.first_target).unwrap_or(usize::MAX);
            let scored = first_target.min(length)..length;
            let Some(score) = path.score(scored) else { return Ok(None) };
            Answer::Score(score)
        }
        GENERATION => match serde_json::from_str(&row.generation) {
            Ok(Continuation { ids, text, finish }) => {
                Answer::Generation(Generation { ids, text, finish })
            }
            Err(_) => return Ok(None),
        },
        SERVED_SCORE => match serde_json::from_str(&row.generation) {
            Ok(own) => Answer::ServedScore(own),
            Err(_) => return Ok(None),
        },
        SERVED_TEXT => match serde_json::from_str(&row.generation) {
            Ok(own) => Answer::ServedText(own),
            Err(_) => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok(Some(Answered { ids: ids.into(), answer }))
}
