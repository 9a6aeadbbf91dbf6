//! The tables.
//!
//! What is kept once and shared: models, answers, segments of surprisals, texts, rows of data sets. What
//! belongs to a run: its row, a unit for each data set under each model, a sample for each row, the scores
//! of each metric. `vector` holds what retrievers were told before there was a run. `owner` and `claim` say which process computes what at the moment.

/// Raised when tables change so that an older program would misread them.
pub(super) const FORMAT: i64 = 5;

/// Every table with the statement that makes it, by name. The statement is also what a database is
/// recognised by, to the character.
pub(super) const TABLES: &[(&str, &str)] = &[
    (
        // `first_target` and `length`: the surprisals of tokens first_target..length of the segment's path.
        "answer",
        "CREATE TABLE answer(question BLOB PRIMARY KEY, kind INTEGER NOT NULL, run INTEGER NOT NULL, \
         segment INTEGER NOT NULL, length INTEGER NOT NULL, first_target INTEGER NOT NULL, \
         generation TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID",
    ),
    (
        "claim",
        "CREATE TABLE claim(question BLOB PRIMARY KEY, owner INTEGER NOT NULL) WITHOUT ROWID",
    ),
    (
        "content",
        "CREATE TABLE content(hash BLOB PRIMARY KEY, columns TEXT NOT NULL, checksum INTEGER NOT NULL) \
         WITHOUT ROWID",
    ),
    (
        "file",
        "CREATE TABLE file(path TEXT PRIMARY KEY, stamp TEXT NOT NULL, digest BLOB NOT NULL, \
         checksum INTEGER NOT NULL) WITHOUT ROWID",
    ),
    ("format", "CREATE TABLE format(version INTEGER NOT NULL, checksum INTEGER NOT NULL)"),
    (
        "model",
        "CREATE TABLE model(id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, facts TEXT NOT NULL, \
         checksum INTEGER NOT NULL)",
    ),
    ("owner", "CREATE TABLE owner(id INTEGER PRIMARY KEY AUTOINCREMENT, process INTEGER NOT NULL)"),
    (
        "run",
        "CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, command BLOB NOT NULL, work BLOB NOT NULL, \
         owner INTEGER NOT NULL, state INTEGER NOT NULL, facts TEXT NOT NULL, checksum INTEGER NOT NULL)",
    ),
    (
        // `origins`: the row of `text` that says where the texts come from.
        "sample",
        "CREATE TABLE sample(unit INTEGER NOT NULL, row INTEGER NOT NULL, content BLOB NOT NULL, \
         texts BLOB NOT NULL, origins INTEGER NOT NULL, questions BLOB NOT NULL, record TEXT NOT NULL, \
         checksum INTEGER NOT NULL, \
         PRIMARY KEY(unit, row)) WITHOUT ROWID",
    ),
    (
        "score",
        "CREATE TABLE score(unit INTEGER NOT NULL, metric TEXT NOT NULL, facts TEXT NOT NULL, \
         scores BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY(unit, metric)) WITHOUT ROWID",
    ),
    (
        // The path of a segment: the first `start` tokens of its parent's path, then its own. `likeliest`: a bit
        // for each of them, whether it was the likeliest at its place.
        "segment",
        "CREATE TABLE segment(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, start INTEGER NOT NULL, \
         ids BLOB NOT NULL, nlls BLOB NOT NULL, likeliest BLOB NOT NULL, checksum INTEGER NOT NULL)",
    ),
    (
        // As a segment, in bytes of UTF-8.
        "text",
        "CREATE TABLE text(id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, start INTEGER NOT NULL, \
         bytes BLOB NOT NULL, checksum INTEGER NOT NULL)",
    ),
    (
        // `text` is `bytes` as far as they are characters.
        "token",
        "CREATE TABLE token(model INTEGER NOT NULL, id INTEGER NOT NULL, text TEXT NOT NULL, \
         bytes BLOB NOT NULL, is_special INTEGER NOT NULL, checksum INTEGER NOT NULL, \
         PRIMARY KEY(model, id)) WITHOUT ROWID",
    ),
    (
        "unit",
        "CREATE TABLE unit(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, place INTEGER NOT NULL, \
         model INTEGER NOT NULL, samples INTEGER NOT NULL, facts TEXT NOT NULL, checksum INTEGER NOT NULL, \
         UNIQUE(run, place))",
    ),
    (
        "vector",
        "CREATE TABLE vector(question BLOB PRIMARY KEY, numbers BLOB NOT NULL, checksum INTEGER NOT NULL) \
         WITHOUT ROWID",
    ),
];
