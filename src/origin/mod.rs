//! Where every character of a prompt comes from: which section of a template, which example, whose words,
//! which column.
//!
//! `trace` builds a prompt once more from marked inputs (`origin_marks`) and believes what comes out only if it
//! is the text that the model reads. That needs templates, rows and examples, which a store does not have; so
//! it is done where prompts are shown (`view`) and where a run writes its samples, which keep what was found in
//! a few bytes (`kept_text`). A page is made of that.

mod chat_text;
mod kept_text;
mod origin_marks;
mod piece;
mod sample_origins;
mod stretch;
mod trace;

pub(crate) use self::{
    kept_text::{OriginNumbers, kept_stretches},
    sample_origins::SampleOrigins,
    trace::{Ingredients, Tracer},
};
pub use self::{
    piece::{PieceKind, TracedPiece},
    stretch::{Origin, OriginStretch},
};
