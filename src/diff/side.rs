//! One account of some samples: what was asked of a model, and what came of it, whatever file it was read from.

use std::{collections::BTreeMap, sync::Arc};

use serde::Serialize;
use serde_json::Value as Json;

use super::side_settings::SideSettings;

/// The samples of one data set under one model, as one program has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// What messages call it: a run's name, or a file's.
    pub name: String,
    /// Where it comes from.
    pub format: SideFormat,
    /// How its model was asked, where that is known.
    pub settings: SideSettings,
    /// In the order of the file or the run.
    pub samples: Vec<SideSample>,
    /// Figures over all of its samples.
    pub figures: Vec<Figure>,
    /// What a reader of the comparison has to know of it.
    pub notes: Vec<String>,
}

/// Where a side comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SideFormat {
    /// A run of a working folder.
    KeptRun,
    /// `samples_<task>.jsonl` of lm-eval.
    LmEval,
    /// `predictions/<model>/<data set>.json` of OpenCompass.
    OpenCompass,
}

/// A sample. What its format does not tell is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SideSample {
    /// Its number: the row of the test split, or what the file calls it.
    pub number: usize,
    /// The row of the data set.
    pub columns: BTreeMap<String, Json>,
    /// The gold answer.
    pub gold: Option<String>,
    /// What the model was asked about it: each candidate, or the text to be continued.
    pub requests: Vec<Request>,
    /// What is taken for its answer.
    pub answer: Option<Answer>,
    /// Why it has no answer.
    pub error: Option<String>,
    /// Tokens that were cut off to make its prompts fit.
    pub cut_tokens: usize,
}

/// What is taken for the answer to a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request, by its place, that is chosen.
    Choice(usize),
    /// A text, after post-processing.
    Text(String),
}

/// One text that a model was given, and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// What tells it from the others of its sample.
    pub label: String,
    /// All that the model was given; of a scored text with the answer.
    pub text: String,
    /// How many bytes at the end of the text are the answer.
    pub answer_bytes: Option<usize>,
    /// The ids of the text as the model was given them.
    pub ids: Option<Arc<[u32]>>,
    /// The SHA-256 of the file of each image that the text names, in hexadecimal digits, where that is known.
    pub images: Vec<String>,
    /// How likely it is.
    pub likelihoods: Likelihoods,
    /// How the model went on.
    pub generated: Option<String>,
}

/// How likely a text is, in each way that its side tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likelihoods {
    /// Σ ln p of the answer's tokens after all before it, in nats.
    pub answer_nats: Option<f64>,
    /// Σ ln p of all tokens that have a surprisal, in nats.
    pub text_nats: Option<f64>,
    /// The mean ln p of a token as OpenCompass counts them, in nats.
    pub per_token_nats: Option<f64>,
    /// Tokens of the text, special ones included.
    pub tokens: Option<usize>,
    /// Tokens of the answer.
    pub answer_tokens: Option<usize>,
}

/// A figure of a side.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The metric, as `metric,filter` where lm-eval has several filters.
    pub metric: String,
    /// The figure.
    pub value: f64,
    /// What a share is a part of.
    pub scale: FigureScale,
}

/// How a side writes a figure that is a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureScale {
    /// As a number up to a hundred.
    OfHundred,
    /// As a number up to one, or the figure is no share.
    OfOne,
    /// It does not say how.
    AsWritten,
}

impl Request {
    /// The answer as it stands in the text, blanks before it included; nothing where it is not known.
    pub fn answer(&self) -> Option<&str> {
        let at = self.text.len().checked_sub(self.answer_bytes?)?;
        self.text.get(at..)
    }

    /// How many tokens the text has; nothing where that is not known.
    pub fn tokens(&self) -> Option<usize> {
        self.ids.as_ref().map(|ids| ids.len()).or(self.likelihoods.tokens)
    }
}

impl SideSample {
    /// The answer in words: the label that is chosen, or the text.
    pub fn answer_text(&self) -> Option<String> {
        match self.answer.as_ref()? {
            Answer::Choice(place) => self.requests.get(*place).map(|own| own.label.clone()),
            Answer::Text(text) => Some(text.clone()),
        }
    }

    /// What the model wrote, request by request; nothing if it was not asked to write.
    pub fn generated(&self) -> Option<Vec<&str>> {
        let texts: Option<Vec<&str>> =
            self.requests.iter().map(|own| own.generated.as_deref()).collect();
        texts.filter(|texts| !texts.is_empty())
    }
}
