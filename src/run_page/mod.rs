//! The page of runs: what the store keeps of them, as the values that `report::page` writes.
//!
//! Groups, figures and samples come from the kept run, tokens with their surprisals from its answers. What a
//! token spells where it stands is found by holding it against the text that was scored (`spelling`), so that
//! the tokens of a text joined are that text; what texts share is kept once (`text_tree`).
//! Which section of a template a stretch of a prompt comes from is kept with each sample ([`origin`](crate::origin)):
//! templates and examples, which would tell it again, are not in a store. A text of which it is not known, or which is
//! not the text that it was told of, is shown plain. Images that prompts name are in no store either: they are read where they were
//! (`pictures`), the only files that a page is made of besides.

mod alignment;
mod answered;
mod chain_stages;
mod comparisons;
mod extraction;
mod page_builder;
mod pictured_text;
mod pictures;
mod report;
mod row_text;
mod rows;
mod run_facts;
mod sample;
mod spelling;
mod styles;
mod text_batch;
mod text_tree;
mod token_marks;

pub(crate) use answered::AnsweredTokens;
pub(crate) use page_builder::unplaced_note;
pub(crate) use pictures::Pictures;
pub(crate) use report::write_into_folder;
pub use report::{Report, ReportOptions, report};
pub(crate) use spelling::{ReadText, Speller};
pub(crate) use styles::Styles;
pub(crate) use text_batch::{BATCH_SAMPLES, PlacedText, TextBatch};
