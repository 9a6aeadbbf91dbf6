//! From samples to questions, and what is kept of a sample that was asked about.
//!
//! An [`Inferencer`] decides what is asked about a sample (every candidate's surprisal, or a
//! continuation) and what the answers mean. It builds the prompts of all samples before the model is
//! loaded, so that a template that cannot work costs seconds and not hours; only the prompts of a
//! dialogue that show the model its own replies come later ([`Inferencer::next`]). It never touches a
//! tensor and never evaluates: predictions are compared with golds later, from the stored records alone.

mod answer_place;
mod answer_surprisal;
mod candidate;
mod chat;
mod choice_shares;
mod continuation;
mod counterpart;
mod dialogue;
mod drawing;
mod examples;
mod fit;
mod generate;
mod lm_eval;
mod log_likelihood;
mod multi_turn;
mod normalized;
mod outcome;
mod passage_search;
mod ppl;
mod ppl_only;
mod prepared;
mod record;
mod response_scoring;
mod retrieved;
mod served_answer;
mod slots;
mod task;
mod text_tokens;
mod thinking;
mod unasked;
mod windows;

pub(crate) use answer_place::{shared_bytes, start_in_stretch};
pub use answer_surprisal::AnswerSurprisalInferencer;
pub use candidate::{Candidate, CountedTokens, Normalizer};
pub use choice_shares::ChoiceSharesInferencer;
pub use counterpart::{Asking, Choice, Counterpart, OptionColumns, Wanted};
pub use dialogue::DialogueInferencer;
pub use drawing::Drawing;
pub use generate::GenInferencer;
pub use lm_eval::{GivenRequestInferencer, LmEvalInferencer, TaskOptions};
pub use log_likelihood::LogLikelihoodInferencer;
pub use outcome::RecordText;
pub use passage_search::PassageSearch;
pub use ppl::PplInferencer;
pub use ppl_only::PplOnlyInferencer;
pub use prepared::{Draw, Prepared, PreparedPrompt, TurnNote};
pub use record::{
    Continued, DialogueForm, Exchange, Outcome, RankedForm, Record, ScoredForm, ServedCounts,
};
pub(crate) use response_scoring::ResponseScoring;
pub use retrieved::RetrievedPassage;
pub use task::{Render, Task, Tokenize};
pub use thinking::{Thinking, ThinkingForm, ThinkingMarks, Thought};
pub use unasked::Unasked;
pub use windows::WindowsInferencer;

use crate::{
    answer::{Answer, Question},
    config::{Component, ConfigError},
    engine::Sampling,
    prompt::PromptError,
    registry::{Registration, Registry},
};

/// Turns the samples of one data set into work and the answers into outcomes.
pub trait Inferencer: Send + Sync + std::fmt::Debug {
    /// The method: `ppl` or `gen`.
    fn mode(&self) -> &'static str;

    /// The method's name in OpenCompass's summary, which goes by the class: it knows `ppl` and `gen`, and
    /// calls classes without such a name `unknown`.
    fn summary_mode(&self) -> &'static str {
        self.mode()
    }

    /// The same for a model whose entry gives these defaults.
    fn with_defaults(&self, defaults: ModelDefaults) -> Box<dyn Inferencer>;

    /// What stands in place of the output column in a prompt that is continued.
    fn mask(&self) -> Option<&str> {
        None
    }

    /// Whether a data set must give a template.
    fn needs_template(&self) -> bool {
        true
    }

    /// Most tokens that are generated after a prompt; 0 when nothing is.
    fn max_new_tokens(&self) -> usize {
        0
    }

    /// Whether it scores candidates, among which a rule then chooses.
    fn ranks(&self) -> bool {
        false
    }

    /// Whether every answer to a text would be the same, however often it is asked.
    fn is_greedy(&self) -> bool {
        true
    }

    /// Whether its prompts hold the in-context examples that were retrieved.
    fn shows_examples(&self) -> bool {
        true
    }

    /// Why it cannot ask a model behind a server, which is given texts and tells no ids; nothing if it can.
    fn not_served(&self) -> Option<&'static str> {
        Some("it needs the ids of tokens")
    }

    /// What is known of each sample without asking a model, for those that ask none.
    fn unasked(&self) -> Option<&Unasked> {
        None
    }

    /// Finds what is wrong with the data set as a whole; gives notes about what is merely odd.
    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError>;

    /// The prompts of one sample, fitted into the context and tokenised: all that do not depend on
    /// an answer.
    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError>;

    /// What to ask the model about a prompt.
    fn question(&self, prompt: &PreparedPrompt) -> Question;

    /// What to ask about a sample after all that was asked is answered; most inferencers ask everything
    /// at once.
    fn next(
        &self,
        _task: &Task<'_>,
        _asked: &Prepared,
        _answers: &[Answer],
    ) -> Result<Option<PreparedPrompt>, InferError> {
        Ok(None)
    }

    /// What is kept of a sample of which everything is asked; the answers are still to be filled in, one
    /// for each of its prompts in order.
    fn outcome(&self, prepared: &Prepared) -> Outcome;
}

/// Why a data set cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum InferError {
    /// The prompt of a sample cannot be built.
    #[error("sample {sample}: {source}")]
    Prompt {
        /// Index in the test split.
        sample: usize,
        /// Why.
        source: PromptError,
    },
    /// The tokenizer refused a text.
    #[error("sample {sample}: the prompt cannot be made into tokens: {what}")]
    Tokenizer {
        /// Index in the test split.
        sample: usize,
        /// Its words.
        what: String,
    },
    /// Nothing of a sample's text counts.
    #[error(
        "sample {sample}: the assistant says nothing in this conversation, or its text was cut off; \
         assistant_only needs assistant turns, such as a BOT prompt or messages of that role"
    )]
    NoAssistant {
        /// Index in the test split.
        sample: usize,
    },
    /// The inferencer and the data set do not go together.
    #[error("{0}")]
    Mismatch(String),
    /// Several samples cannot be asked about, each for a reason of its own.
    #[error("{first}; {}", others_failed(others))]
    Several {
        /// Why the first cannot.
        first: Box<Self>,
        /// The others, as indices in the test split.
        others: Vec<usize>,
    },
}

/// Samples that are named beside the one whose reason is told.
const NAMED_SAMPLES: usize = 8;

/// That others cannot be asked about either, and which.
fn others_failed(others: &[usize]) -> String {
    let named: Vec<String> = others.iter().take(NAMED_SAMPLES).map(usize::to_string).collect();
    let rest = if others.len() > NAMED_SAMPLES { ", …" } else { "" };
    let samples = if others.len() == 1 { "sample" } else { "samples" };
    format!("{} more {samples} cannot be asked either: {}{rest}", others.len(), named.join(", "))
}

/// What a model's entry in the config gives an inferencer that does not say it itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct ModelDefaults {
    /// Most tokens to generate.
    pub max_out_len: Option<usize>,
    /// Fewest tokens to generate.
    pub min_out_len: Option<usize>,
    /// How tokens are drawn; `None` takes the likeliest.
    pub sampling: Option<Sampling>,
    /// How many answers are drawn to each prompt, as OpenCompass's `num_return_sequences`.
    pub answers: Option<usize>,
}

/// Makes an inferencer from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Inferencer>, ConfigError>;

/// All inferencers.
// An inferencer is a line, however long.
#[rustfmt::skip]
pub const INFERENCERS: Registry<Constructor> = Registry {
    kind: "inferencer",
    registrations: &[
        Registration::new("answer_surprisal", &["AnswerSurprisal"], "how surprising the text of a column is after each of several prompts", |component| Ok(Box::new(AnswerSurprisalInferencer::from_component(component)?))),
        Registration::new("chat", &["ChatInferencer"], "replies to the user's messages of a dialogue, to the last or to each", |component| Ok(Box::new(chat::inferencer(component)?))),
        Registration::new("choice_shares", &["CLPInferencer"], "how likely each choice is as the next token, among the choices", |component| Ok(Box::new(ChoiceSharesInferencer::from_component(component)?))),
        Registration::new("gen", &["GenInferencer"], "a continuation of the prompt", GenInferencer::from_component),
        Registration::new("given_request", &["GivenRequest"], "what each row asks itself: a text and its continuation, a text, or how one goes on", |component| Ok(Box::new(GivenRequestInferencer::from_component(component)?))),
        Registration::new("lm_eval_task", &["LmEvalTask"], "what a task of lm-evaluation-harness asks", |component| Ok(Box::new(LmEvalInferencer::from_component(component)?))),
        Registration::new("log_likelihood", &["LLInferencer"], "the label in whose prompt the row's continuation is likeliest", |component| Ok(Box::new(LogLikelihoodInferencer::from_component(component)?))),
        Registration::new("min_k_percent", &["MinKPercentInferencer"], "how surprising the least likely fifth of each text is", |component| Ok(Box::new(PplOnlyInferencer::min_k_percent(component)?))),
        Registration::new("multi_turn", &["MultiTurnGenInferencer"], "replies in a dialogue from a multi-turn template, round by round", |component| Ok(Box::new(multi_turn::inferencer(component)?))),
        Registration::new("passage_search", &["PassageSearch"], "the passages of a corpus that a query of the row finds; no model is asked", |component| Ok(Box::new(Unasked::search(component)?))),
        Registration::new("ppl", &["PPLInferencer"], "the label whose prompt surprises the model least", |component| Ok(Box::new(PplInferencer::from_component(component)?))),
        Registration::new("ppl_only", &["PPLOnlyInferencer"], "how much each text surprises the model, without a choice", |component| Ok(Box::new(PplOnlyInferencer::from_component(component)?))),
        Registration::new("ppl_stretches", &["InferencePPLOnlyInferencer"], "how surprising the stretches of each text are that its row names", |component| Ok(Box::new(PplOnlyInferencer::of_stretches(component)?))),
        Registration::new("row_column", &["RowColumn"], "the value of a column; no model is asked", |component| Ok(Box::new(Unasked::column(component)?))),
        Registration::new("self_consistency", &["SCInferencer"], "several continuations of the prompt, drawn one by one", |component| Ok(Box::new(GenInferencer::self_consistent(component)?))),
        Registration::new("windows", &["SWCELossInferencer"], "how surprising all texts together are, in windows that overlap", |component| Ok(Box::new(WindowsInferencer::from_component(component)?))),
    ],
};

/// The inferencer that a config names; [`Inferencer::with_defaults`] makes it a model's.
pub fn build(component: &Component) -> Result<Box<dyn Inferencer>, ConfigError> {
    INFERENCERS.get(component)?(component)
}
