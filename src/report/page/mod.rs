//! The page: runs, their samples and what they come to, as one HTML file that needs nothing else.
//!
//! `FORMAT.md` says what is in the file, byte by byte; the scripts beside it show it. Here are the values that a
//! page is made of ([`Page`]) and how they become its bytes. Values in, bytes out: equal values give equal
//! bytes, and nothing of a data set ever becomes markup.

mod assembly;
mod body;
mod coded_number;
mod comparison;
mod file;
mod group;
mod index;
mod letters;
mod picture;
mod pieces;
mod sample;
mod segments;

pub(crate) use self::assembly::{escaped, sha256};
pub use self::{
    comparison::{Comparison, ComparisonColumn, Member, Pair},
    file::Page,
    group::{Figure, Group, Model, Note, NoteSeverity, Run},
    picture::{Drawn, Picture},
    pieces::{ImageTokens, Piece, PieceKind, Pieces},
    sample::{Column, Flags, FoundPassage, Sample, SampleText, StageSaid},
    segments::{Mark, SegmentToken, Segments, Style},
};

#[cfg(test)]
mod reference;
