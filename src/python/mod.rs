//! What Python writes: `str`, `repr`, `json.dumps`; what it takes for a blank, a digit and a number; and
//! the random numbers it draws, and how NumPy adds numbers up.
//!
//! Prompts, files and drawn samples of the original tools are made of these, character by character and
//! bit by bit, so there is one truth for all rooms. Nothing here runs Python, and nothing knows what a
//! data set or a metric is.

pub(crate) mod blank;
mod casefold;
mod digit;
mod float;
mod format;
mod generator;
mod integer;
mod json;
mod lines;
mod literal;
mod pairwise_sum;
mod printable;
mod random;
pub(crate) mod regex;
mod repr;
mod truth;

pub(crate) use blank::is_blank;
pub(crate) use casefold::casefolded;
pub(crate) use digit::{decimal_digit, is_digit};
pub(crate) use float::parse_float;
pub(crate) use format::python_format;
pub(crate) use integer::parse_integer;
pub(crate) use json::{to_json, write_number, write_string};
pub(crate) use lines::split_lines;
pub(crate) use pairwise_sum::pairwise_sum;
pub(crate) use printable::is_printable;
pub(crate) use repr::{write_float, write_text};
pub(crate) use truth::is_truthy;
pub use {
    generator::NumpyGenerator,
    json::to_string_indented,
    literal::python_literal,
    random::{NumpyRandom, PythonRandom},
    repr::{python_repr, python_str},
};
