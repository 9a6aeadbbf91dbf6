//! A sample's prompts, ready to be asked about.
//!
//! All prompts of a data set are held at once, so a text is held once however often it is needed.

use std::{ops::Range, sync::Arc};

use serde_json::Value as Json;

use super::{Asking, DialogueForm, Outcome, ThinkingForm, fit::Fitted};
use crate::{
    answer::{Question, ServedContinuation, ServedQuestion, ServedWanted},
    engine::Sampling,
    prompt::Label,
};

/// One sample's work.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Index in the test split.
    pub sample: usize,
    /// Which time it is asked, from 0.
    pub run: usize,
    /// One prompt per candidate or per turn, or a single one.
    pub prompts: Vec<PreparedPrompt>,
    /// The prompts of a dialogue that come after the model's own answers, written with gold answers in
    /// their place. They are never asked: they show early what cannot be written, how long it gets,
    /// and what a record depends on.
    pub foreseen: Vec<PreparedPrompt>,
    /// The text of all retrieved examples, before any was dropped.
    pub in_context_examples: String,
    /// Examples that were dropped to make the prompt fit.
    pub dropped_examples: usize,
    /// How the prompts after those of the candidates ask again: a round of all candidates for each.
    pub askings: Vec<Asking>,
    /// How its dialogue is kept, if it holds one.
    pub dialogue: Option<DialogueForm>,
    /// What came of it, if that is known without asking; there is no prompt then.
    pub known: Option<Outcome>,
}

/// One text that the model reads.
#[derive(Clone, Debug)]
pub struct PreparedPrompt {
    /// Which candidate it is, if it is one.
    pub label: Option<Label>,
    /// The text that the model reads.
    pub text: Arc<str>,
    /// The text as it is reported.
    pub origin_prompt: Arc<str>,
    /// The messages that it was written from, where those are reported instead.
    pub messages: Option<Arc<Json>>,
    /// The text without its examples.
    pub testing_input: Arc<str>,
    /// The ids that are sent, cut to the context.
    pub ids: Arc<[u32]>,
    /// Tokens at its start that are read and not scored.
    pub context_tokens: usize,
    /// Index of the first token of its answer.
    pub answer_start: usize,
    /// How many bytes at the end of its text are the answer.
    pub answer_bytes: usize,
    /// Whether the template says where its answer begins.
    pub is_separated: bool,
    /// Most tokens of its continuation; 0 when it is scored.
    pub max_new_tokens: usize,
    /// Texts that end its continuation.
    pub stop: Vec<String>,
    /// How its continuation may think, if the model is known to.
    pub thinking: Option<ThinkingForm>,
    /// Special tokens that its continuation shows.
    pub shown: Arc<[u32]>,
    /// Tokens that the cut removed.
    pub truncated_tokens: usize,
    /// The tokens that count, if not all do: ranges of indices into `ids`, in order.
    pub counted: Option<Vec<Range<usize>>>,
    /// What is kept of it if it is a turn of a dialogue.
    pub turn: Option<TurnNote>,
    /// Which of several answers to the same text it is drawn for.
    pub draw: Draw,
    /// How its tokens are drawn, where its inferencer leaves that to each prompt.
    pub sampling: Option<Sampling>,
}

/// Which of several answers to the same text: each is drawn from random numbers of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Draw {
    /// The run, from 0.
    pub run: usize,
    /// The answer within a run, from 0.
    pub answer: usize,
}

/// What is kept of a turn beside the text that the model reads.
#[derive(Clone, Debug)]
pub struct TurnNote {
    /// The prompt as it is reported: messages, the last of them, or the whole text.
    pub origin_prompt: Json,
    /// The gold answer to this turn, if a gold belongs to a turn and not to the sample.
    pub gold: Option<Json>,
}

impl Prepared {
    /// A sample with a single prompt.
    pub(super) fn single(sample: usize, prompt: PreparedPrompt, dropped_examples: usize) -> Self {
        Self::of_prompts(sample, vec![prompt], dropped_examples)
    }

    /// A sample with these prompts.
    pub(super) fn of_prompts(
        sample: usize,
        prompts: Vec<PreparedPrompt>,
        dropped_examples: usize,
    ) -> Self {
        Self {
            sample,
            run: 0,
            prompts,
            foreseen: Vec::new(),
            in_context_examples: String::new(),
            dropped_examples,
            askings: Vec::new(),
            dialogue: None,
            known: None,
        }
    }

    /// A sample that nobody has to be asked about.
    pub(crate) fn known(sample: usize, outcome: Outcome) -> Self {
        Self { known: Some(outcome), ..Self::of_prompts(sample, Vec::new(), 0) }
    }

    /// The same with so many answers to its only prompt.
    pub(super) fn drawn_times(mut self, answers: usize) -> Self {
        if let [only] = self.prompts.as_slice() {
            let draw = |answer| Draw { answer, ..only.draw };
            // The same prompt is cut once, however often it is asked.
            let cut = |answer| if answer == 0 { only.truncated_tokens } else { 0 };
            let one = |answer| PreparedPrompt {
                draw: draw(answer),
                truncated_tokens: cut(answer),
                ..only.clone()
            };
            self.prompts = (0..answers.max(1)).map(one).collect();
        }
        self
    }

    /// The same sample, asked once more in another run.
    pub(crate) fn again(&self, run: usize) -> Self {
        let mut again = Self { run, ..self.clone() };
        again.prompts.iter_mut().chain(&mut again.foreseen).for_each(|own| own.draw.run = run);
        again
    }

    /// The prompts that are its texts: those of its candidates, or else the first, which may be followed by the turns
    /// of a dialogue. What candidates are measured against, or asked in other ways, is none of them.
    pub fn own_prompts(&self) -> impl Iterator<Item = &PreparedPrompt> {
        let has_candidates = self.prompts.iter().any(|prompt| prompt.label.is_some());
        let is_own = move |(place, prompt): (usize, &PreparedPrompt)| {
            if has_candidates { prompt.label.is_some() } else { place == 0 }
        };
        self.prompts.iter().enumerate().filter(move |own| is_own(*own)).map(|(_, prompt)| prompt)
    }

    /// Tokens that were cut from its prompts.
    pub fn truncated_tokens(&self) -> usize {
        self.prompts.iter().map(|prompt| prompt.truncated_tokens).sum()
    }

    /// Its prompts, those that are only foreseen included.
    pub fn all_prompts(&self) -> impl Iterator<Item = &PreparedPrompt> {
        self.prompts.iter().chain(&self.foreseen)
    }

    /// Tokens of its prompts, those that are only foreseen included.
    pub fn prompt_tokens(&self) -> usize {
        self.all_prompts().map(|prompt| prompt.ids.len()).sum()
    }
}

impl PreparedPrompt {
    /// A fitted text on its own.
    pub(super) fn of(fitted: Fitted) -> Self {
        let text: Arc<str> = fitted.text.into();
        Self {
            label: None,
            testing_input: text.clone(),
            origin_prompt: text.clone(),
            messages: None,
            text,
            ids: fitted.ids.into(),
            context_tokens: 0,
            answer_start: 0,
            answer_bytes: 0,
            is_separated: false,
            max_new_tokens: 0,
            stop: Vec::new(),
            thinking: None,
            shown: Arc::default(),
            truncated_tokens: fitted.truncated_tokens,
            counted: None,
            turn: None,
            draw: Draw::default(),
            sampling: None,
        }
    }

    /// What a model behind a server is asked instead of `question`: the text in the place of its ids.
    pub fn served(&self, question: &Question) -> Question {
        let wanted = match question {
            Question::Score(_) => ServedWanted::Surprisals,
            Question::Generate(request) => ServedWanted::Continuation(ServedContinuation {
                max_new_tokens: request.max_new_tokens,
                min_new_tokens: request.min_new_tokens,
                stop: request.stop.clone(),
                draw: ((self.draw.run as u64) << 32) | self.draw.answer as u64,
            }),
            Question::Served(own) => own.wanted.clone(),
        };
        Question::Served(ServedQuestion { text: self.text.clone(), wanted })
    }

    /// Tokens of the text before it was cut.
    pub fn uncut_tokens(&self) -> usize {
        self.ids.len() + self.truncated_tokens
    }
}
