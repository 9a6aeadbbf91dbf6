//! Requests that a row makes itself: `surprisal answer`, for programs that make their own prompts.
//!
//! A row with `context` and `continuation` asks how likely the second is after the first; with `text`, how likely that is as
//! a whole; with `context` and nothing to follow it, how it goes on, up to a text of `until`. They become ids as those of a
//! task do. Rows that draw from one prompt are told apart by `draw`; without it they draw the same.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::{
    generation::{self, Settings},
    pair, question, rolling,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    dataset::Sample,
    infer::{
        Draw, InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, ScoredForm,
        Task, continuation::Continuation, ppl::candidate,
    },
    prompt::Label,
};

/// Columns that do not say how text is generated: what a request is, what whoever asks knows it by, and what every row
/// has.
const OF_REQUEST: [&str; 7] = ["context", "continuation", "text", "id", "idx", "subdivision", DRAW];

/// The column that says which of several draws of one prompt is asked, from 0: each has a seed of its own.
const DRAW: &str = "draw";

/// Asks what each row asks.
#[derive(Clone, Copy, Debug)]
pub struct GivenRequestInferencer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {}

/// What a row asks.
enum Given<'a> {
    Continuation { context: &'a str, continuation: &'a str },
    Document(&'a str),
    Generation { context: &'a str, settings: Box<Settings>, draw: usize },
}

impl GivenRequestInferencer {
    /// Reads `dict(type='GivenRequest')`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let Params {} = component.read()?;
        Ok(Self)
    }
}

impl<'a> Given<'a> {
    /// What a row asks; an error in words where that cannot be told.
    fn of(row: &'a Sample) -> Result<Self, String> {
        let text = |column: &str| match row.get(column) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(format!("{column} is {other}, not text")),
        };
        let others = || -> Map<String, Json> {
            row.iter()
                .filter(|(name, value)| !OF_REQUEST.contains(name) && !value.is_null())
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect()
        };
        let draw = match row.get(DRAW) {
            None | Some(Json::Null) => None,
            Some(value) => {
                let whole = value.as_u64().and_then(|draw| usize::try_from(draw).ok());
                Some(whole.ok_or_else(|| format!("{DRAW} is {value}, not a whole number"))?)
            }
        };
        let nothing_else = |given: Self| {
            let others = others();
            match draw.map(|_| DRAW).or_else(|| others.keys().next().map(String::as_str)) {
                Some(other) => Err(format!("{other} belongs to a text that is generated")),
                None => Ok(given),
            }
        };
        match (text("context")?, text("continuation")?, text("text")?) {
            (Some(context), Some(continuation), None) => {
                nothing_else(Self::Continuation { context, continuation })
            }
            (None, None, Some(document)) => nothing_else(Self::Document(document)),
            (Some(context), None, None) => {
                let settings = Box::new(Settings::new(&others())?);
                Ok(Self::Generation { context, settings, draw: draw.unwrap_or_default() })
            }
            _ => Err(
                "a request has context and continuation, or text, or context and how it goes on"
                    .to_owned(),
            ),
        }
    }

    fn prompts(&self, task: &Task<'_>) -> Result<Vec<PreparedPrompt>, String> {
        match self {
            Self::Continuation { context, continuation } => {
                let label = Some(Label::new(Json::Null));
                let prompt = pair::encode(task, context, continuation)?;
                Ok(vec![PreparedPrompt { label, ..prompt }])
            }
            Self::Document(text) => rolling::windows(task, text),
            Self::Generation { context, settings, draw } => {
                let prompt = settings.prompt(task, context)?;
                Ok(vec![PreparedPrompt { draw: Draw { run: 0, answer: *draw }, ..prompt }])
            }
        }
    }
}

impl Inferencer for GivenRequestInferencer {
    fn mode(&self) -> &'static str {
        "ll"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(*self)
    }

    fn needs_template(&self) -> bool {
        false
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let wrong = |(place, what): (usize, String)| {
            InferError::Mismatch(format!("line {}: {what}", place + 1))
        };
        for (place, row) in task.test.iter().enumerate() {
            let given = Given::of(row).map_err(|what| wrong((place, what)))?;
            if let Given::Generation { settings, .. } = given {
                Continuation::check(task, settings.max_new_tokens)?;
            }
        }
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let failed = |what: String| InferError::Tokenizer { sample, what };
        let Some(row) = task.test.get(sample) else {
            return Ok(Prepared::of_prompts(sample, Vec::new(), 0));
        };
        let prompts = Given::of(row).and_then(|given| given.prompts(task)).map_err(failed)?;
        Ok(Prepared::of_prompts(sample, prompts, 0))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        question(prompt)
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        match prepared.prompts.as_slice() {
            [only] if only.max_new_tokens > 0 => generation::outcome(&prepared.prompts, 1),
            [only] if only.label.is_some() => {
                let form = ScoredForm::LogLikelihood;
                Outcome::Scored { form, candidate: candidate(only) }
            }
            windows => Outcome::Windows {
                total_chars: windows.iter().map(|own| own.text.chars().count()).sum(),
                windows: windows.iter().map(candidate).collect(),
            },
        }
    }
}
