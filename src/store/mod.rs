//! What is kept of runs: one SQLite database for each working folder, and for each run the files that
//! OpenCompass would write.
//!
//! Answers are kept by everything that decides them (see [`QuestionKey`](crate::answer::QuestionKey)), so
//! staleness is not detected but impossible, and much follows without code of its own: a run that was killed
//! goes on; a changed metric, label order or name asks nothing again; an added data set or template asks its
//! own questions only; processes that share a folder share answers. Samples, scores and runs refer to
//! answers. Everything right of here works from the store alone: no model, no weights, no data files.
//!
//! A shard of a run has a folder and a database of its own ([`ShardFolder`]), which one process at a time has open; answers
//! in it are found by others ([`OtherAnswers`]).
//!
//! The database is trusted row by row: each carries a checksum of all that is in it, and one that does not
//! match counts as missing. Nothing here knows what a record or a metric means; those are text.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "it keeps results in files"
)]
#![expect(
    clippy::cast_possible_wrap,
    reason = "SQLite's integers have a sign, and no count here reaches 2^63"
)]

mod answers;
mod atomic;
mod checksum;
mod database;
mod error;
mod file_digest;
mod file_state;
mod file_system;
mod front_coding;
mod kept_file;
mod models;
mod other_answers;
mod owner;
mod run_folder;
mod runs;
mod salvage;
mod samples;
mod schema;
mod scored_tokens;
mod scores;
mod segment;
mod shard_folder;
mod text;
mod vectors;
mod work_folder;
mod writer;

pub use atomic::write_atomically;
pub use error::StoreError;
pub use file_digest::{FileDigest, digest as file_digest, size_and_time as file_size_and_time};
pub use file_state::FileState;
pub use kept_file::KeptFile;
pub use models::KeptToken;
pub use other_answers::OtherAnswers;
pub use owner::Claimed;
pub(crate) use run_folder::file_name;
pub use run_folder::{PAGE_FILE, RunFolder};
pub use runs::{Renewal, RunKey, RunRow, RunState};
pub use samples::{KeptText, SampleRow, UnitRow};
pub use scores::ScoreRow;
pub use shard_folder::{SHARD_RECORD, ShardFolder};
pub use work_folder::{Begun, Store};
pub use writer::AnswerWriter;
