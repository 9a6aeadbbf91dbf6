//! The in-context examples that stand in a sample's prompts.
//!
//! They are written once for all prompts of a sample, and again only when one of them has to go so that
//! a prompt fits.

use super::{InferError, Task};
use crate::prompt::{Prompt, PromptError};

/// A sample's examples, of which the last may be dropped.
pub(super) struct Examples {
    sample: usize,
    /// Indices of train samples, best first.
    chosen: Vec<usize>,
    prompt: Prompt,
    text: Option<String>,
    dropped: usize,
}

impl Examples {
    /// All examples that were retrieved for a sample.
    pub(super) fn retrieved(task: &Task<'_>, sample: usize) -> Result<Self, InferError> {
        Self::new(task, sample, task.examples[sample].clone())
    }

    /// None, for a text that has no place for them.
    pub(super) fn none(task: &Task<'_>, sample: usize) -> Result<Self, InferError> {
        Self::new(task, sample, Vec::new())
    }

    fn new(task: &Task<'_>, sample: usize, chosen: Vec<usize>) -> Result<Self, InferError> {
        let prompt = task.ice(&chosen).map_err(|source| InferError::Prompt { sample, source })?;
        Ok(Self { sample, chosen, prompt, text: None, dropped: 0 })
    }

    /// The test sample whose examples they are.
    pub(super) fn sample(&self) -> usize {
        self.sample
    }

    /// Them, before the model's markup.
    pub(super) fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// Their text alone, as the model reads it.
    pub(super) fn text(&mut self, task: &Task<'_>) -> Result<&str, InferError> {
        let failed = |source: PromptError| InferError::Prompt { sample: self.sample, source };
        if self.text.is_none() {
            self.text = Some(task.ice_text(&self.prompt).map_err(failed)?);
        }
        Ok(self.text.as_deref().unwrap_or(""))
    }

    /// Drops the last one; whether there was one.
    pub(super) fn drop_last(&mut self, task: &Task<'_>) -> Result<bool, InferError> {
        if self.chosen.pop().is_none() {
            return Ok(false);
        }
        let chosen = std::mem::take(&mut self.chosen);
        *self = Self { dropped: self.dropped + 1, ..Self::new(task, self.sample, chosen)? };
        Ok(true)
    }

    /// How many were dropped.
    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }

    /// `text` without them, wherever they stand in it.
    pub(super) fn removed_from(
        &mut self,
        text: &str,
        task: &Task<'_>,
    ) -> Result<Option<String>, InferError> {
        let own = self.text(task)?;
        if own.is_empty() {
            return Ok(None);
        }
        Ok(Some(match text.strip_prefix(own) {
            // Too short to hold them once more.
            Some(rest) if rest.len() < own.len() => rest.to_owned(),
            _ => text.replace(own, ""),
        }))
    }
}
