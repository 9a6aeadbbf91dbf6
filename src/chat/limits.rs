//! What a template may cost.
//!
//! A chat template is a program that comes with a checkpoint, so it is run as one that nobody has
//! read: it reaches no file and no network, and what it computes ends. Instructions are counted by
//! the engine. Text and lists are counted here, by everything that makes them larger, because a few
//! instructions are enough to double a string until memory is full. The limits are far beyond what
//! honest templates need for the longest conversations.

use minijinja::{Error, ErrorKind, State};

/// Most instructions of one rendering.
const INSTRUCTIONS: u64 = 10_000_000;

/// Most bytes that the literal text of a template may add up to in one rendering. The engine copies
/// literal text by itself, one piece per instruction, so this bounds the instructions.
const LITERAL_BYTES: u64 = 4 << 30;

/// Most bytes of text and lists made in one rendering, intermediate values included.
const WORK_BYTES: usize = 1 << 30;

/// Most bytes of a rendered conversation.
pub(super) const OUTPUT_BYTES: usize = 64 << 20;

/// Most bytes of a template.
pub(super) const SOURCE_BYTES: usize = 4 << 20;

/// Most lists and mappings within each other.
pub(super) const NESTING: usize = 100;

/// What an entry of a list counts for.
pub(super) const ENTRY_BYTES: usize = 32;

/// Instructions that a template may run whose longest piece of literal text is this long.
pub(super) fn instructions(longest_literal_bytes: usize) -> u64 {
    INSTRUCTIONS.min(LITERAL_BYTES / longest_literal_bytes.max(1) as u64)
}

/// What a rendering has made so far.
#[derive(Default)]
struct Spent {
    bytes: usize,
}

/// Counts text or lists that were made, or are about to be.
pub(super) fn charge(state: &mut State, bytes: usize) -> Result<(), Error> {
    let spent = state.get_or_insert_extension(Spent::default());
    spent.bytes = spent.bytes.saturating_add(bytes);
    if spent.bytes > WORK_BYTES {
        return Err(exceeded(format!("it makes more than {} MiB of text", WORK_BYTES >> 20)));
    }
    Ok(())
}

/// Counts a string and gives it back.
pub(super) fn charged(state: &mut State, text: String) -> Result<String, Error> {
    charge(state, text.len())?;
    Ok(text)
}

/// Refuses what lies within too many lists.
pub(super) fn check_nesting(depth: usize) -> Result<(), Error> {
    if depth > NESTING {
        return Err(exceeded(format!("a value has more than {NESTING} levels of lists")));
    }
    Ok(())
}

/// The error of a limit.
pub(super) fn exceeded(what: String) -> Error {
    Error::new(ErrorKind::OutOfFuel, what)
}
