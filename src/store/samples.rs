//! Samples of a run: for each data set under each model a unit, and for each row of it a sample.

use rusqlite::{Connection, Row};
use sha2::{Digest, Sha256};

use super::{
    checksum::{checksum, readable, readable_rows},
    text::{TextReader, TextWriter},
};
use crate::answer::QuestionKey;

/// A data set under a model, as a run has asked about it.
#[derive(Clone, Debug)]
pub struct UnitRow {
    /// Its number in the database.
    pub id: i64,
    /// The run.
    pub run: i64,
    /// Its place among the units of the run.
    pub place: usize,
    /// The model's number in the database.
    pub model: i64,
    /// How many samples it has.
    pub samples: usize,
    /// What the run says of it, as JSON.
    pub facts: String,
}

/// A sample as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRow {
    /// Index in the test split.
    pub row: usize,
    /// All columns of the row, as a JSON object in their order.
    pub columns: String,
    /// Its texts, in an order that the record knows.
    pub texts: Vec<KeptText>,
    /// Where its texts come from, as words that the record's own room knows; empty where that is not known.
    pub origins: String,
    /// What was asked about it, in an order that the record knows.
    pub questions: Vec<QuestionKey>,
    /// Everything else, as JSON.
    pub record: String,
}

/// A text of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptText {
    /// It.
    pub text: String,
    /// Whether other samples have the same text, as in-context examples are.
    pub is_repeated: bool,
}

/// Length of a key in `content`.
const HASH_BYTES: usize = 16;

/// Writes a unit with all its samples over what was there in its place; gives its number.
pub(super) fn write_unit(
    connection: &Connection,
    unit: &UnitRow,
    samples: &mut dyn Iterator<Item = SampleRow>,
) -> rusqlite::Result<i64> {
    let known: Option<i64> = readable(connection.query_row(
        "SELECT id FROM unit WHERE run = ? AND place = ?",
        (unit.run, unit.place as i64),
        |row| row.get(0),
    ))?;
    let new =
        connection.query_row("SELECT coalesce(max(id), 0) + 1 FROM unit", [], |row| row.get(0))?;
    let id: i64 = known.unwrap_or(new);
    // Also those that a unit has left behind which was lost.
    for table in ["sample", "score"] {
        connection.execute(&format!("DELETE FROM {table} WHERE unit = ?"), [id])?;
    }
    let unit = UnitRow { id, ..unit.clone() };
    connection.execute(
        "INSERT OR REPLACE INTO unit VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            id,
            unit.run,
            unit.place as i64,
            unit.model,
            unit.samples as i64,
            &unit.facts,
            unit_sum(&unit),
        ),
    )?;
    // Texts share with the texts before them, and origins with origins.
    let (mut texts, mut origins) = (TextWriter::default(), TextWriter::default());
    for sample in samples {
        write_sample(connection, id, &sample, &mut texts, &mut origins)?;
    }
    Ok(id)
}

fn write_sample(
    connection: &Connection,
    unit: i64,
    sample: &SampleRow,
    texts: &mut TextWriter,
    origins: &mut TextWriter,
) -> rusqlite::Result<()> {
    let hash = &Sha256::digest(&sample.columns)[..HASH_BYTES];
    // A row that is as it should be is not written again.
    connection
        .prepare_cached(
            "INSERT INTO content VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET columns = ?2, checksum = ?3 \
             WHERE columns IS NOT ?2 OR checksum IS NOT ?3",
        )?
        .execute((hash, &sample.columns, checksum("content", [hash, sample.columns.as_bytes()])))?;
    let mut places = Vec::with_capacity(sample.texts.len() * 8);
    let mut before = "";
    for text in &sample.texts {
        let place = if let Some(start) = suffix_start(before, &text.text) {
            -1 - start as i64
        } else if text.is_repeated {
            texts.write_repeated(connection, &text.text)?
        } else {
            texts.write(connection, &text.text)?
        };
        places.extend(place.to_le_bytes());
        before = &text.text;
    }
    let questions: Vec<u8> =
        sample.questions.iter().flat_map(|key| key.as_bytes().iter().copied()).collect();
    let sum = sample_sum(unit, hash, sample);
    connection.prepare_cached("INSERT INTO sample VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?.execute((
        unit,
        sample.row as i64,
        hash,
        &places,
        origins.write_repeated(connection, &sample.origins)?,
        &questions,
        &sample.record,
        sum,
    ))?;
    Ok(())
}

/// Where a text begins that the one before it ends with: it is kept as that place, below zero.
fn suffix_start(before: &str, text: &str) -> Option<usize> {
    (!text.is_empty() && before.ends_with(text)).then(|| before.len() - text.len())
}

fn unit_sum(unit: &UnitRow) -> i64 {
    let numbers = [unit.id, unit.run, unit.place as i64, unit.model, unit.samples as i64]
        .map(i64::to_le_bytes);
    checksum("unit", numbers.iter().map(<[u8; 8]>::as_slice).chain([unit.facts.as_bytes()]))
}

/// The checksum of a sample as a whole: of its texts themselves, not only of their rows' numbers.
fn sample_sum(unit: i64, hash: &[u8], sample: &SampleRow) -> i64 {
    let (unit, row) = (unit.to_le_bytes(), (sample.row as u64).to_le_bytes());
    let counts =
        [sample.texts.len(), sample.questions.len()].map(|count| (count as u64).to_le_bytes());
    let (record, origins) = (sample.record.as_bytes(), sample.origins.as_bytes());
    let own: [&[u8]; 7] = [&unit, &row, hash, record, origins, &counts[0], &counts[1]];
    let texts = sample.texts.iter().map(|text| text.text.as_bytes());
    let questions = sample.questions.iter().map(|key| key.as_bytes().as_slice());
    checksum("sample", own.into_iter().chain(texts).chain(questions))
}

/// The units of a run, in their order.
pub(super) fn units(connection: &Connection, run: i64) -> rusqlite::Result<Vec<UnitRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, run, place, model, samples, facts, checksum FROM unit WHERE run = ? ORDER BY place",
    )?;
    let rows = statement.query_map([run], |row| {
        let unit = UnitRow {
            id: row.get(0)?,
            run: row.get(1)?,
            place: row.get::<_, u32>(2)? as usize,
            model: row.get(3)?,
            samples: row.get::<_, u32>(4)? as usize,
            facts: row.get(5)?,
        };
        let sum: i64 = row.get(6)?;
        Ok(Some(unit).filter(|unit| unit_sum(unit) == sum))
    })?;
    readable_rows(rows)
}

/// The samples of a unit that are as they were written, in their order.
pub(super) fn read(
    connection: &Connection,
    texts: &mut TextReader,
    unit: i64,
) -> rusqlite::Result<Vec<SampleRow>> {
    let mut statement = connection.prepare_cached(
        "SELECT row, content, texts, origins, questions, record, checksum FROM sample WHERE unit = ? ORDER BY row",
    )?;
    let mut rows = statement.query([unit])?;
    let mut samples: Vec<SampleRow> = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(found) = readable(FoundSample::of(row))? else { continue };
        let FoundSample { row, hash, places, origins, questions, record, sum } = found;
        let Some(columns) = content(connection, &hash)? else { continue };
        let mut kept = Vec::new();
        for place in places.chunks_exact(8).filter_map(|eight| eight.try_into().ok()) {
            let place = i64::from_le_bytes(place);
            let text = if place < 0 {
                let start = usize::try_from(-1 - place).unwrap_or(usize::MAX);
                kept.last()
                    .and_then(|before: &KeptText| before.text.get(start..))
                    .map(str::to_owned)
            } else {
                texts.text(connection, place)?
            };
            let Some(text) = text else { break };
            kept.push(KeptText { text, is_repeated: false });
        }
        if kept.len() * 8 != places.len() {
            continue;
        }
        let Some(origins) = texts.text(connection, origins)? else { continue };
        let questions = questions
            .chunks_exact(QuestionKey::BYTES)
            .filter_map(|key| key.try_into().ok().map(QuestionKey::from_bytes))
            .collect();
        let sample = SampleRow { row, columns, texts: kept, origins, questions, record };
        if sample_sum(unit, &hash, &sample) == sum {
            samples.push(sample);
        }
    }
    Ok(samples)
}

/// A row of `sample`.
struct FoundSample {
    row: usize,
    hash: Vec<u8>,
    places: Vec<u8>,
    origins: i64,
    questions: Vec<u8>,
    record: String,
    sum: i64,
}

impl FoundSample {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            row: row.get::<_, u32>(0)? as usize,
            hash: row.get(1)?,
            places: row.get(2)?,
            origins: row.get(3)?,
            questions: row.get(4)?,
            record: row.get(5)?,
            sum: row.get(6)?,
        })
    }
}

/// The columns of a row.
fn content(connection: &Connection, hash: &[u8]) -> rusqlite::Result<Option<String>> {
    let found: Option<(String, i64)> = readable(
        connection
            .prepare_cached("SELECT columns, checksum FROM content WHERE hash = ?")?
            .query_row([hash], |row| Ok((row.get(0)?, row.get(1)?))),
    )?;
    Ok(found
        .filter(|(columns, sum)| checksum("content", [hash, columns.as_bytes()]) == *sum)
        .map(|(columns, _)| columns))
}
