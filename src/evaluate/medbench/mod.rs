//! `medbench_*`: the tasks of `MedBench`: options, gaps, named parts of a text, and texts.

mod entities;
mod labels;
mod options;
mod texts;

pub(super) use self::{
    entities::Entities,
    labels::Labels,
    options::{choice, cloze, yes_or_no},
    texts::{Sections, Texts},
};
