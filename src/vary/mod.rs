//! Formats that mean the same, and how far the figures lie apart that a model gets in them.
//!
//! The words of a prompt that nobody thinks about (a colon, a blank line, `A.` or `(A)`) move accuracy by points, so
//! a figure in one format says little of a model. Here a data set's own template is taken apart, what can be recognised is
//! varied by a stated [`grammar`], and every format is asked about the same samples: few at first, more for those at the
//! ends (successive halving). What is not recognised stays as it is, and is told.
//!
//! This is no evaluation of another kind: a format is a variant of the data set, each step is a [`run`](crate::run)
//! like any other, kept in the store and found by `runs`, `compare` and `report`. Nothing here prints.

mod axis;
mod best_config;
mod effect;
mod element;
mod error;
mod example_choice;
mod findings;
mod format_space;
mod grammar;
mod measured_rung;
mod model_search;
mod piece;
mod plan_search;
mod schedule;
mod search;
mod templates;
mod text_axes;
mod text_parser;
mod told_once;

pub use self::{
    axis::NotVaried,
    effect::{Effect, ValueMean},
    element::Element,
    error::VaryError,
    findings::{
        Confirmation, ElementValue, Findings, FormatFindings, RungRun, SearchFindings,
        VariedElement,
    },
    grammar::grammar,
    plan_search::{VaryOptions, vary},
    schedule::Find,
};
