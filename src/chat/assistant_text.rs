//! Which part of a rendered conversation the assistant wrote.
//!
//! Templates made for training put what the assistant says between `{% generation %}` and
//! `{% endgeneration %}`. Such a block is rendered aside; when its text reaches the output, the output
//! notes where. No marks are put into the text, so no message can imitate them. A block inside of
//! `{% set x %}`, a macro, a call or another filter becomes part of a value, and what is done with a
//! value is not followed: that there was such a block is noted, but not where its text stands.

use std::{
    io,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use minijinja::{Error, Output, State, Value, value::Object};

use super::limits::{OUTPUT_BYTES, charge};

/// Where the assistant's text stands so far.
#[derive(Debug, Default)]
pub(super) struct AssistantSpans {
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    /// The next piece of output is the assistant's.
    expected: bool,
    /// Bytes of the output.
    spans: Vec<Range<usize>>,
    /// A text became part of a value.
    has_kept: bool,
}

impl Object for AssistantSpans {}

impl AssistantSpans {
    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The spans in the order of the output, and whether they are all.
    pub(super) fn take(&self) -> (Vec<Range<usize>>, bool) {
        let noted = std::mem::take(&mut *self.noted());
        (noted.spans, !noted.has_kept)
    }
}

/// The text of one `{% generation %}` block.
#[derive(Debug)]
pub(super) struct AssistantText {
    text: String,
    spans: Arc<AssistantSpans>,
}

impl Object for AssistantText {}

impl AssistantText {
    /// Writes the text; where it goes into the output and not into a variable, its place is noted.
    pub(super) fn write(&self, out: &mut Output) -> Result<(), Error> {
        self.spans.noted().expected = true;
        let written = out.write_str(&self.text);
        let mut noted = self.spans.noted();
        let is_kept = std::mem::take(&mut noted.expected);
        noted.has_kept |= is_kept && !self.text.is_empty();
        Ok(written?)
    }
}

/// The filter that a `{% generation %}` block becomes.
pub(super) fn mark(state: &mut State, text: String, spans: &Value) -> Result<Value, Error> {
    charge(state, text.len())?;
    Ok(match spans.downcast_object::<AssistantSpans>() {
        Some(spans) => Value::from_object(AssistantText { text, spans }),
        None => text.into(),
    })
}

/// The text of a conversation while it is written.
pub(super) struct RenderedBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) spans: Arc<AssistantSpans>,
}

impl io::Write for RenderedBytes {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.write_all(piece)?;
        Ok(piece.len())
    }

    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        let start = self.bytes.len();
        if start + piece.len() > OUTPUT_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(piece);
        let mut noted = self.spans.noted();
        if std::mem::take(&mut noted.expected) {
            noted.spans.push(start..self.bytes.len());
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
