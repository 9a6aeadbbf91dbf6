//! What an inferencer knows about the data set and the model it works for.

use std::{ops::Range, sync::OnceLock};

use serde_json::Value as Json;

use super::{Thinking, Wanted};
use crate::{
    dataset::Sample,
    model::media::ShownMedium,
    prompt::{Label, Markup, Message, Mode, Prompt, PromptAssembly, PromptError, Rendered},
};

/// The little that prompts need of a tokenizer.
pub trait Tokenize: Sync {
    /// How long a text is held to be where the model's own tokenizer is behind a server, and no ids are known. Nothing
    /// for a tokenizer that is here.
    fn measured_tokens(&self, _text: &str) -> Option<usize> {
        None
    }
    /// Ids of a whole text, special tokens included.
    fn encode(&self, text: &str) -> Result<Vec<u32>, String>;
    /// The bytes of a text that are tokenised, where the text is so long that `max_tokens` could only be a
    /// part of it: what is cut away lies on the side that [`Self::encode_within`] cuts. Nothing if the
    /// text is taken whole.
    fn bounds(&self, _text: &str, _max_tokens: usize) -> Option<Range<usize>> {
        None
    }
    /// Whether a text that is too long is cut, where no example is left to be dropped.
    fn is_cut(&self, _text: &str) -> bool {
        true
    }
    /// As [`Self::encode`], cut to at most `max_tokens` on the side the model's entry says; special tokens
    /// that the tokenizer adds stay.
    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String>;
    /// The ids of [`Self::encode_within`], each with the bytes of the text it stands for. A tokenizer
    /// that cannot tell them says so.
    fn encode_with_offsets(
        &self,
        _text: &str,
        _max_tokens: usize,
    ) -> Result<Vec<(u32, Range<usize>)>, String> {
        Err("it does not tell where its tokens stand in the text".to_owned())
    }
    /// The images that a text names, with the tokens that they take; none where it names none.
    fn images(&self, _text: &str) -> Result<Vec<ShownMedium>, String> {
        Ok(Vec::new())
    }
    /// The stretch of `text` that holds its byte `at` and whose ids do not depend on what stands around
    /// it: the whole text, if nothing shorter is known.
    fn stretch(&self, text: &str, _at: usize) -> Range<usize> {
        0..text.len()
    }
    /// The ids of such a stretch, each with the bytes of it that it stands for, without special tokens;
    /// `begins` says whether it is the beginning of its text. Nothing without a tokenizer.
    fn encode_stretch(&self, _stretch: &str, _begins: bool) -> Option<Vec<(u32, Range<usize>)>> {
        None
    }
    /// How the model thinks, if it is known to.
    fn thinking(&self) -> Option<&Thinking> {
        None
    }
    /// The id of the token that begins a sequence, if there is one.
    fn bos_id(&self) -> Option<u32> {
        None
    }
    /// Ids of a whole text, with the special tokens that the tokenizer adds or without them, whatever its model is given.
    fn encode_as(&self, text: &str, _adds_special_tokens: bool) -> Result<Vec<u32>, String> {
        self.encode(text)
    }
    /// Id and text of the token that stands where there is no text: the one that begins texts, else the one that ends
    /// them.
    fn beginning(&self) -> Option<(u32, String)> {
        None
    }
    /// What is to be told of images, videos and sounds that texts named since this was last asked.
    fn take_remarks(&self) -> Vec<String> {
        Vec::new()
    }
    /// The text of the token that ends texts.
    fn eos_text(&self) -> Option<String> {
        None
    }
}

/// The last step from a prompt to the text that a model reads.
pub trait Render: Sync {
    /// The text.
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError>;

    /// The messages that a dialogue is written from, as OpenCompass reports them in the place of a prompt; nothing
    /// where the model is given text.
    fn reported(&self, _prompt: &Prompt, _mode: Mode) -> Result<Option<Json>, PromptError> {
        Ok(None)
    }

    /// The text of a chat that the model answers, message by message.
    fn chat(&self, messages: &[Message]) -> Result<String, PromptError>;

    /// Whether a chat template writes what the model reads.
    fn is_chat(&self) -> bool {
        false
    }

    /// The text of messages, each a role and what it says; with the opening of an answer, or else going on with the last
    /// message.
    fn turns(&self, _turns: &[(&str, &str)], _begins_answer: bool) -> Result<String, PromptError> {
        Err(PromptError::NotChat)
    }

    /// The text as it is scored, and the bytes of it that the assistant says. Only a model with a chat
    /// template can tell.
    fn render_marked(&self, _prompt: &Prompt) -> Result<(String, Vec<Range<usize>>), PromptError> {
        Err(PromptError::NotChat)
    }
}

impl Render for Markup {
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        Self::render(self, prompt, mode)
    }

    fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        match Self::chat(self, messages)? {
            Rendered::Text(text) => Ok(text),
            Rendered::Messages(_) => Err(PromptError::ChatOnly),
        }
    }

    /// Without a template messages are lines.
    fn turns(&self, turns: &[(&str, &str)], _: bool) -> Result<String, PromptError> {
        match self {
            Self::Lines => Ok(turns.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n")),
            Self::Meta(_) | Self::Chat(_) => Err(PromptError::NotChat),
        }
    }
}

/// One data set under one model.
pub struct Task<'a> {
    /// Samples that examples are taken from.
    pub train: &'a [Sample],
    /// Samples that are asked about.
    pub test: &'a [Sample],
    /// The columns that make up the question.
    pub input_columns: &'a [String],
    /// The column with the gold answer, which prompts for generation must not show.
    pub output_column: Option<&'a str>,
    /// The templates.
    pub assembly: &'a PromptAssembly,
    /// For every test sample, the train samples retrieved for it, best first.
    pub examples: &'a [Vec<usize>],
    /// How the model is given a dialogue.
    pub markup: &'a dyn Render,
    /// The model's tokenizer.
    pub tokenizer: &'a dyn Tokenize,
    /// Most tokens of a prompt.
    pub max_seq_len_tokens: usize,
    /// Texts that end every generation of this model.
    pub stop_words: &'a [String],
    /// What the data set's scoring rule wants asked beside the candidates.
    pub wanted: Wanted,
    /// The candidates, once somebody asked for them.
    pub found_labels: OnceLock<Vec<Label>>,
}

impl Task<'_> {
    /// The candidates that the templates or, without labels in them, the golds give.
    pub fn labels(&self) -> &[Label] {
        self.found_labels.get_or_init(|| {
            self.assembly.labels((0..self.test.len()).filter_map(|sample| self.gold(sample)))
        })
    }

    /// The gold answer of a test sample.
    pub fn gold(&self, sample: usize) -> Option<&Json> {
        self.output_column.and_then(|column| self.test[sample].get(column))
    }

    /// Tokens that a prompt may have if `max_new_tokens` are to follow it.
    pub(crate) fn room_tokens(&self, max_new_tokens: usize) -> usize {
        self.max_seq_len_tokens.saturating_sub(max_new_tokens)
    }

    /// The bytes that are left of a text of megabytes before it is tokenised.
    pub(crate) fn bounds(&self, text: &str) -> Option<Range<usize>> {
        self.tokenizer.bounds(text, self.max_seq_len_tokens)
    }

    /// In-context examples as a prompt.
    pub(crate) fn ice(&self, chosen: &[usize]) -> Result<Prompt, PromptError> {
        let samples: Vec<&Sample> =
            chosen.iter().filter_map(|index| self.train.get(*index)).collect();
        self.assembly.examples(&samples, self.output_column)
    }

    /// The text of the examples alone; none is no text, whatever the markup.
    pub(crate) fn ice_text(&self, ice: &Prompt) -> Result<String, PromptError> {
        if ice.plain().is_empty() { Ok(String::new()) } else { self.markup.render(ice, Mode::Ppl) }
    }

    /// The text of a prompt that is continued, with these examples.
    pub(crate) fn generation_text(
        &self,
        sample: usize,
        ice: &Prompt,
        mask: &str,
        mode: Mode,
    ) -> Result<String, PromptError> {
        let prompt = self.assembly.generation(&self.test[sample], ice, self.output_column, mask)?;
        self.markup.render(&prompt, mode)
    }

    /// What is reported of a prompt that is continued, where that is not its text.
    pub(crate) fn reported(
        &self,
        sample: usize,
        ice: &Prompt,
        mask: &str,
    ) -> Result<Option<Json>, PromptError> {
        let prompt = self.assembly.generation(&self.test[sample], ice, self.output_column, mask)?;
        self.markup.reported(&prompt, Mode::Gen)
    }

    /// The scored text of a prompt, with these examples, and the bytes of it that the assistant says.
    pub(crate) fn marked_text(
        &self,
        sample: usize,
        ice: &Prompt,
    ) -> Result<(String, Vec<Range<usize>>), PromptError> {
        let prompt = self.assembly.generation(&self.test[sample], ice, self.output_column, "")?;
        self.markup.render_marked(&prompt)
    }

    /// The text of a candidate, with these examples.
    pub(crate) fn candidate_text(
        &self,
        sample: usize,
        ice: &Prompt,
        label: &Label,
    ) -> Result<String, PromptError> {
        self.candidate_text_of(&self.test[sample], ice, label)
    }

    /// The same of a row that is not in the data set.
    pub(crate) fn candidate_text_of(
        &self,
        row: &Sample,
        ice: &Prompt,
        label: &Label,
    ) -> Result<String, PromptError> {
        let prompt = self.assembly.candidate(row, ice, label, false)?;
        self.markup.render(&prompt, Mode::Ppl)
    }

    /// The text of a candidate in two parts, the context and the answer, parted at the first separator
    /// of the template. Nothing if the template has no such text.
    pub(crate) fn candidate_parts(
        &self,
        sample: usize,
        ice: &Prompt,
        label: &Label,
    ) -> Result<Option<(String, String)>, PromptError> {
        let prompt = self.assembly.candidate(&self.test[sample], ice, label, true)?;
        let (Prompt::Text(text), Some(separator)) = (prompt, self.assembly.separator()) else {
            return Ok(None);
        };
        let parts = text.split_once(separator);
        Ok(parts.map(|(context, answer)| (context.to_owned(), answer.replace(separator, ""))))
    }
}
