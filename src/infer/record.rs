//! What is kept of a sample. Scoring, evaluation and reports work from these records alone.

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Candidate, Counterpart, RetrievedPassage, ThinkingForm, Thought};
use crate::{
    engine::FinishReason,
    model::media::{ShownMedium, Sight},
};

/// One sample, answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Index in the test split.
    pub id: usize,
    /// The gold answer, if the data set has one.
    pub gold: Option<Json>,
    /// In-context examples that were dropped to make the prompt fit.
    pub dropped_examples: usize,
    /// Tokens that were cut off because the prompt did not fit without examples either; summed over
    /// candidates.
    pub truncated_tokens: usize,
    /// The images of each of its prompts, in the order in which they were asked; nothing if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Vec<ShownMedium>>,
    /// The answer.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Record {
    /// One of its prompts for people and tables: what it shows as `[image cat.jpg]`.
    pub fn readable<'a>(&self, prompt: &'a str) -> Cow<'a, str> {
        if self.images.is_empty() { Cow::Borrowed(prompt) } else { Sight::readable(prompt) }
    }
}

/// The answer to a sample. What inferencers make of a prepared sample lacks the answers themselves:
/// [`Outcome::with_answers`] fills them in, from the engine or from the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Candidates were scored. Which of them is chosen is a scoring rule's to say.
    Ranked {
        /// What is asked about the candidates.
        #[serde(default, skip_serializing_if = "is_default")]
        form: RankedForm,
        /// The examples before any was dropped.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        in_context_examples: String,
        /// In the order of the labels.
        candidates: Vec<Candidate>,
        /// Them asked in other ways, as the scoring rule wanted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        counterparts: Vec<Counterpart>,
    },
    /// A text was scored.
    Scored {
        /// Which figure of it is reported.
        #[serde(default, skip_serializing_if = "is_default")]
        form: ScoredForm,
        /// The text and its score.
        candidate: Candidate,
    },
    /// Windows of a text that goes on from sample to sample were scored.
    Windows {
        /// Characters of the texts of all samples.
        total_chars: usize,
        /// Those windows whose first scored token is the sample's.
        windows: Vec<Candidate>,
    },
    /// A text was continued.
    Generated {
        /// The text that was continued.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        prompt: String,
        /// The messages that the text was written from, as they are reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        messages: Option<Json>,
        /// How it may think.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<ThinkingForm>,
        /// How it goes on.
        #[serde(skip)]
        continuation: Continued,
    },
    /// A text was continued several times.
    Sampled {
        /// The text that was continued.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        prompt: String,
        /// The messages that the text was written from, as they are reported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        messages: Option<Json>,
        /// How it may think.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking: Option<ThinkingForm>,
        /// How many continuations there are.
        answers: usize,
        /// How it goes on, each time.
        #[serde(skip)]
        continuations: Vec<Continued>,
    },
    /// A dialogue was held.
    Dialogue {
        /// How it is written into a predictions file.
        form: DialogueForm,
        /// What was asked and answered, in order.
        exchanges: Vec<Exchange>,
    },
    /// Nobody was asked: the answer stood in the row.
    Given {
        /// The answer.
        prediction: Json,
    },
    /// Nobody was asked: passages were searched for.
    Retrieved {
        /// What was searched for.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        query: String,
        /// What was found, the best one first.
        passages: Vec<RetrievedPassage>,
    },
    /// There is no answer.
    Failed {
        /// Why, and what to do.
        error: String,
    },
}

/// What is asked about candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RankedForm {
    /// How surprising each text is.
    #[default]
    Perplexity,
    /// How likely the row's continuation is in each text.
    LogLikelihood,
    /// How likely each choice is as the next token; all shares together are the prediction.
    Shares,
}

/// Which figure of a scored text is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScoredForm {
    /// Its surprisal per token.
    #[default]
    Perplexity,
    /// The mean log-probability of the fifth of its tokens that is the least likely.
    MinKPercent,
    /// The surprisal of the tokens that count, and how many they are.
    CountedSum,
    /// The log-probability of its answer.
    LogLikelihood,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How a text goes on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Continued {
    /// Ids of the prompt.
    pub prompt_ids: Arc<[u32]>,
    /// Its text, without thinking.
    pub text: String,
    /// What was thought before it.
    pub thought: Option<Thought>,
    /// The generated ids; those of thinking too, unless that was asked for on its own.
    pub ids: Vec<u32>,
    /// Why it ended; nothing before it is answered.
    pub finish: Option<FinishReason>,
    /// How many tokens its server counted, which tells no ids.
    pub served: Option<ServedCounts>,
}

/// Tokens as a server counts them, as far as it tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServedCounts {
    /// Of the prompt.
    pub prompt_tokens: Option<usize>,
    /// Of the continuation.
    pub new_tokens: Option<usize>,
}

impl Continued {
    /// How many tokens were generated; nothing where a server does not tell.
    pub fn new_tokens(&self) -> Option<usize> {
        self.served.map_or(Some(self.ids.len()), |own| own.new_tokens)
    }

    /// How many tokens the prompt has; nothing where a server does not tell.
    pub fn prompt_tokens(&self) -> Option<usize> {
        self.served.map_or(Some(self.prompt_ids.len()), |own| own.prompt_tokens)
    }
}

/// How a dialogue is written into a predictions file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogueForm {
    /// One answer was asked for and stands alone.
    Last,
    /// AISBench's turns: a list of prompts and one of answers; the gold is the sample's.
    Turns,
    /// OpenCompass's `every`: lists of prompts, answers and golds.
    Every,
    /// OpenCompass's `every_with_gt`: turn `t` of sample `i` stands at `i + t`.
    EveryWithGt,
    /// OpenCompass's dialogues with empty replies: the messages as they were, and a list of answers; the gold is the
    /// sample's.
    Slots,
    /// OpenCompass's dialogues for judges: one dict of user and assistant per round.
    Rounds,
}

/// A question of a dialogue and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The whole text that was continued, earlier turns included.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// The prompt as it is reported.
    pub origin_prompt: Json,
    /// The gold answer to this turn, if it has one of its own.
    pub gold: Option<Json>,
    /// How the answer may think.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<ThinkingForm>,
    /// How the prompt goes on.
    #[serde(skip)]
    pub continuation: Continued,
}
