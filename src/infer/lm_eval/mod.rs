//! What a task of lm-evaluation-harness asks, asked of our engine.
//!
//! A [`TaskPlan`] makes the requests, all documents in one go, because its examples are drawn from one stream of random
//! numbers. Here they become ids as lm-eval's own `hf` model makes them: text and answer are tokenised together, an empty
//! text is the token that begins one, what is too long loses its beginning, and a whole document is cut into windows.
//! Nothing is known here of metrics, and no example is ever dropped: lm-eval drops none.

mod generation;
mod given;
mod pair;
mod rolling;

use std::{
    borrow::Cow,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use self::generation::Settings;
pub use self::given::GivenRequestInferencer;
pub(super) use self::pair::encode as encode_pair;
use super::{
    Counterpart, InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt,
    RankedForm, ScoredForm, Task, continuation::Continuation, counterpart::Asking, ppl::candidate,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError, functions::FunctionFiles},
    engine::ScoreRequest,
    prompt::{Label, PromptError},
    tasks::{
        Arguments, Chat, OutputType, Request, RequestOptions, Row, TaskPlan, TaskRows, Turn,
        document,
    },
};

/// How the requests of a task are made, as lm-eval's command line says it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskOptions {
    /// How many examples; the task's own number without it.
    pub num_fewshot: Option<usize>,
    /// The seed by which examples are drawn; lm-eval's without it.
    pub fewshot_seed: Option<u64>,
    /// What stands before everything.
    pub system_instruction: Option<String>,
    /// Whether the model's chat template writes the prompt.
    #[serde(default)]
    pub apply_chat_template: bool,
    /// Whether examples are messages of their own.
    #[serde(default)]
    pub fewshot_as_multiturn: bool,
}

/// Asks what a task asks.
#[derive(Debug)]
pub struct LmEvalInferencer {
    plan: Arc<TaskPlan>,
    options: TaskOptions,
    made: OnceLock<Result<Made, String>>,
}

/// The requests of all documents under one model.
#[derive(Debug)]
struct Made {
    /// By document.
    requests: Vec<Vec<Request>>,
    /// Whether the chat template refused a system message, which was left out.
    has_dropped_system: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    task: Map<String, Json>,
    #[serde(default)]
    options: TaskOptions,
    /// The folder of task files, where the task names functions.
    folder: Option<PathBuf>,
}

impl LmEvalInferencer {
    /// Asks for a task, in this way.
    pub fn new(plan: Arc<TaskPlan>, options: TaskOptions) -> Self {
        Self { plan, options, made: OnceLock::new() }
    }

    /// Reads `dict(type='LmEvalTask', task=dict(…), options=dict(num_fewshot=5, …))`; the task is a task file's mapping,
    /// includes and functions resolved.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params { task, options, folder } = component.read()?;
        let plan = TaskPlan::from_fields(&task, &FunctionFiles::new(&folder.unwrap_or_default()))
            .map_err(|error| ConfigError::at(&component.origin, error.to_string()))?;
        Ok(Self::new(Arc::new(plan), options))
    }

    fn made(&self, task: &Task<'_>) -> Result<&Made, InferError> {
        let made = self.made.get_or_init(|| self.make(task));
        made.as_ref().map_err(|what| InferError::Mismatch(what.clone()))
    }

    /// All requests.
    fn make(&self, task: &Task<'_>) -> Result<Made, String> {
        if task.markup.is_chat() && !self.options.apply_chat_template {
            return Err("the model is given chat messages, but the task is asked as text; give --apply-chat-template, or \
                        name the model as HuggingFaceBaseModel"
                .to_owned());
        }
        let documents: Vec<Row> = task.test.iter().map(document).collect();
        let examples: Vec<Row> = task.train.iter().map(document).collect();
        let has_dropped_system = AtomicBool::new(false);
        let write = |turns: &[Turn], begins_answer: bool| {
            written(task, turns, begins_answer, &has_dropped_system)
        };
        let rows = TaskRows {
            documents: Cow::Borrowed(&documents),
            examples: Cow::Borrowed(&examples),
            is_shared: self.plan.shows_documents(),
        };
        let options = RequestOptions {
            shots: self.options.num_fewshot,
            system_instruction: self.options.system_instruction.as_deref(),
            chat: self
                .options
                .apply_chat_template
                .then_some(Chat { write: &write, is_multiturn: self.options.fewshot_as_multiturn }),
            ..RequestOptions::default()
        };
        let options = match self.options.fewshot_seed {
            Some(seed) => RequestOptions { seed, ..options },
            None => options,
        };
        let made = self.plan.requests(&rows, &options).map_err(|error| error.to_string())?;
        let mut requests: Vec<Vec<Request>> = vec![Vec::new(); documents.len()];
        for request in made {
            if let Some(own) = requests.get_mut(request.document) {
                own.push(request);
            }
        }
        let has_dropped_system = has_dropped_system.load(Ordering::Relaxed);
        Ok(Made { requests, has_dropped_system })
    }

    fn settings(&self) -> Result<Settings, String> {
        Settings::new(&self.plan.generation_kwargs)
    }

    /// The prompts of a request: several for a document that is longer than the context.
    fn prompts(
        &self,
        task: &Task<'_>,
        request: &Request,
    ) -> Result<Vec<PreparedPrompt>, InferError> {
        let sample = request.document;
        let failed = |what: String| InferError::Tokenizer { sample, what };
        match &request.arguments {
            Arguments::Continuation { context, continuation } => {
                let encoded = pair::encode(task, context, continuation).map_err(failed)?;
                let label = Label::new(request.index.into());
                Ok(vec![PreparedPrompt { label: Some(label), ..encoded }])
            }
            Arguments::Document(text) => rolling::windows(task, text).map_err(failed),
            Arguments::Generation { context, .. } => {
                let settings = self.settings().map_err(InferError::Mismatch)?;
                Ok(vec![settings.prompt(task, context).map_err(failed)?])
            }
        }
    }

    fn is_ranking(&self) -> bool {
        self.plan.output_type == OutputType::MultipleChoice
    }
}

/// Messages as the chat template writes them; without the system message where it refuses one, as in lm-eval.
fn written(
    task: &Task<'_>,
    turns: &[Turn],
    begins_answer: bool,
    has_dropped_system: &AtomicBool,
) -> Result<String, String> {
    let write = |turns: &[Turn]| {
        let messages: Vec<(&str, &str)> =
            turns.iter().map(|turn| (turn.role, turn.content.as_str())).collect();
        task.markup.turns(&messages, begins_answer)
    };
    let is_system = |turn: &Turn| turn.role == "system";
    match write(turns) {
        Err(PromptError::NotChat) => {
            return Err("the task is asked through a chat template, but the model is given text; name it as \
                        HuggingFacewithChatTemplate, or leave --apply-chat-template out"
                .to_owned());
        }
        Err(PromptError::Chat(_)) if turns.iter().any(is_system) => {
            has_dropped_system.store(true, Ordering::Relaxed);
            let rest: Vec<Turn> = turns.iter().filter(|turn| !is_system(turn)).cloned().collect();
            write(&rest)
        }
        written => written,
    }
    .map_err(|error| error.to_string())
}

/// What the engine is asked about a prompt.
fn question(prompt: &PreparedPrompt) -> Question {
    if prompt.max_new_tokens > 0 {
        return generation::question(prompt);
    }
    let first_target = prompt.context_tokens.max(1);
    Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target })
}

impl Inferencer for LmEvalInferencer {
    fn mode(&self) -> &'static str {
        match self.plan.output_type {
            OutputType::MultipleChoice | OutputType::Loglikelihood => "ll",
            OutputType::LoglikelihoodRolling => "ppl",
            OutputType::GenerateUntil => "gen",
        }
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        // Another model has another chat template and other tokens.
        Box::new(Self::new(self.plan.clone(), self.options.clone()))
    }

    fn needs_template(&self) -> bool {
        false
    }

    fn max_new_tokens(&self) -> usize {
        match self.plan.output_type {
            OutputType::GenerateUntil => self.settings().map_or(0, |own| own.max_new_tokens),
            _ => 0,
        }
    }

    fn ranks(&self) -> bool {
        self.is_ranking()
    }

    fn is_greedy(&self) -> bool {
        self.settings().is_ok_and(|own| own.is_greedy())
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let mut notes = Vec::new();
        if self.plan.output_type == OutputType::GenerateUntil {
            let settings = self.settings().map_err(InferError::Mismatch)?;
            Continuation::check(task, settings.max_new_tokens)?;
            notes.extend(settings.notes);
        }
        if self.made(task)?.has_dropped_system {
            notes.push(
                "the chat template takes no system message, so the description and the system instruction are left out, as in \
                 lm-eval"
                    .to_owned(),
            );
        }
        if self.plan.output_type == OutputType::LoglikelihoodRolling {
            let ids = pair::encode_text(task.tokenizer, "a").unwrap_or_default();
            if ids.first() == task.tokenizer.bos_id().as_ref() {
                notes.push(
                    "documents begin with two BOS tokens, the tokenizer's and one before every document, as in lm-eval"
                        .to_owned(),
                );
            }
        }
        if self.plan.repeats > 1 && self.is_greedy() {
            notes.push(format!(
                "each question is asked {} times and the likeliest tokens are taken, so all answers to it are equal",
                self.plan.repeats
            ));
        }
        Ok(notes)
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let made = self.made(task)?;
        let requests = made.requests.get(sample).map(Vec::as_slice).unwrap_or_default();
        let mut prompts = Vec::new();
        for request in requests {
            prompts.extend(self.prompts(task, request)?);
        }
        let prepared = Prepared::of_prompts(sample, prompts, 0);
        Ok(match self.plan.output_type {
            OutputType::GenerateUntil => prepared.drawn_times(self.plan.repeats),
            OutputType::MultipleChoice if self.plan.asks_options_alone() => {
                Prepared { askings: vec![Asking::BareAnswer], ..prepared }
            }
            _ => prepared,
        })
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        question(prompt)
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        let prompts = &prepared.prompts;
        match self.plan.output_type {
            OutputType::MultipleChoice => {
                let count = prompts.len() / (1 + prepared.askings.len());
                let (own, again) = prompts.split_at(count);
                let counterpart = |(asking, round): (&Asking, &[PreparedPrompt])| Counterpart {
                    asking: asking.clone(),
                    candidates: round.iter().map(candidate).collect(),
                };
                let rounds = again.chunks_exact(count.max(1));
                Outcome::Ranked {
                    form: RankedForm::LogLikelihood,
                    in_context_examples: String::new(),
                    candidates: own.iter().map(candidate).collect(),
                    counterparts: prepared.askings.iter().zip(rounds).map(counterpart).collect(),
                }
            }
            OutputType::Loglikelihood => match prompts.first() {
                Some(prompt) => Outcome::Scored {
                    form: ScoredForm::LogLikelihood,
                    candidate: candidate(prompt),
                },
                None => Outcome::Failed { error: "the task asks nothing of it".to_owned() },
            },
            OutputType::LoglikelihoodRolling => Outcome::Windows {
                total_chars: prompts.iter().map(|prompt| prompt.text.chars().count()).sum(),
                windows: prompts.iter().map(candidate).collect(),
            },
            OutputType::GenerateUntil => generation::outcome(prompts, self.plan.repeats),
        }
    }
}
