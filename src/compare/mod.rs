//! What the same samples say of the wordings, models, rules and runs they were asked under.
//!
//! A member is a data set under a model in a run, with the variant of its prompts and the rule that scores it.
//! Members whose rows are the same, number and content, are compared row by row: what makes a question hard
//! is then the same on both sides, and differences show that two percentages side by side would hide. All pairs
//! are judged together ([`statistics::AllPairs`](crate::statistics::AllPairs)), and what the figures allow to be
//! said is said in words.
//!
//! Everything comes from kept runs: no model, no weights, no data files. Nothing here prints.

mod attribution;
mod common_rows;
mod comparison;
mod comparisons;
mod difference;
mod error;
mod flip;
mod grouping;
mod judgement;
mod measured_sample;
mod measured_unit;
mod member;
mod member_key;
mod metric;
mod notes;
mod pair;
mod pair_numbers;
mod part;
mod rank_of_prompts;
mod spread;
mod verdict;

pub use self::{
    attribution::{Attribution, LostPart},
    comparison::Comparison,
    comparisons::{CompareOptions, ComparedRun, Comparisons, compare},
    difference::{Difference, Unsaid},
    error::CompareError,
    flip::Flip,
    member::Member,
    member_key::MemberKey,
    pair::Pair,
    part::Part,
    rank_of_prompts::RankOfPrompts,
    spread::SpreadFigures,
    verdict::{amount, p_text},
};
pub(crate) use self::{
    comparisons::compare_kept,
    metric::{factor, is_more_better, unit_of_mean},
};
