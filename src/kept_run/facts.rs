//! What a run says of itself, as the store keeps it.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::{Unscored, judgements::JudgedFacts};
use crate::{
    evaluate::Repeats,
    origin::Origin,
    plan::ChainLink,
    report::{FamilyRow, ResultRow, grouped},
    store::{RunRow, StoreError, UnitRow},
    warn::WarningCount,
};

/// What a run says of itself.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunFacts {
    /// The name of its folder with OpenCompass's files, once there is one.
    pub folder: Option<String>,
    /// The command line.
    pub command_line: Vec<String>,
    /// The version of this program.
    pub version: String,
    /// What it ran on.
    pub machine: String,
    /// The devices.
    pub devices: Vec<String>,
    /// When it was begun, in the user's zone.
    pub started: String,
    /// Runs are numbered anew whenever they are asked for: the greatest number is `latest`'s.
    #[serde(default)]
    pub asked: u64,
    /// When everything was done.
    pub finished: Option<String>,
    /// The models, data sets and summarizer, as a config in Python syntax.
    pub config: String,
    /// The summarizer's entry.
    pub summarizer: Json,
    /// The run whose answers it evaluates, if it asked nothing itself.
    pub answers_of: Option<AnswerSource>,
    /// Data sets times models, once all of them are kept.
    #[serde(default)]
    pub units: usize,
    /// What it asked.
    pub work: WorkDone,
    /// Under which asking it has answers of models behind servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub askings: Vec<ServedAsking>,
    /// One row per metric, data set and model.
    pub results: Vec<ResultRow>,
    /// One row per metric, family of data sets and model.
    #[serde(default)]
    pub families: Vec<FamilyRow>,
    /// Prompt sensitivity of data sets with variants, if it was asked for.
    #[serde(default)]
    pub posix: Vec<PosixFacts>,
    /// Samples without an answer.
    pub failed_samples: usize,
    /// What was measured wrongly.
    #[serde(default)]
    pub warnings: Vec<WarningCount>,
    /// Data sets whose predictions wait for somebody before they have a figure.
    #[serde(default)]
    pub unscored: Vec<Unscored>,
}

/// How much the answers to variants of a data set depend on the wording (POSIX, Chatterjee et al. 2024).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PosixFacts {
    /// The data set, without variants.
    pub dataset: String,
    /// The model.
    pub model: String,
    /// The variants, in the order of the run.
    pub variants: Vec<String>,
    /// Samples that it is the mean of.
    pub samples: usize,
    /// Samples without an answer of a token to every variant, or whose texts are longer than the context.
    pub left_out: usize,
    /// Mean change of an answer's log-likelihood, per token, when another wording is asked; 0: none at all.
    pub nats_per_token: Option<f64>,
    /// Lower bound of its 95 % interval.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
}

/// Answers of a model behind a server that belong together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedAsking {
    /// The key of the model and its server, in hexadecimal digits.
    pub model: String,
    /// The number of the run that asked first.
    pub number: i64,
}

/// How much of a run's work was done before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkDone {
    /// Distinct questions.
    pub questions: usize,
    /// Those whose answers were there.
    pub reused_questions: usize,
    /// Tokens that went through a model.
    pub computed_tokens: usize,
    /// Tokens of questions whose answers were there, each question counted in full.
    pub reused_tokens: usize,
}

/// What a run says of a data set under a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitFacts {
    /// Short name of the data set.
    pub dataset: String,
    /// Short name of the model.
    pub model: String,
    /// What its model was computed in: `f32`, `bf16` or `f16`.
    pub dtype: String,
    /// How it was asked: `ppl`, `gen`, ….
    pub mode: String,
    /// OpenCompass's short hash of the prompt configuration.
    pub version: String,
    /// `eval_cfg` of the data set's entry.
    pub eval_cfg: Json,
    /// `pred_postprocessor` of the model's entry.
    pub pred_postprocessor: Json,
    /// How often each of its samples was asked.
    #[serde(default)]
    pub repeats: Repeats,
    /// The columns that its prompts are made of.
    #[serde(default)]
    pub input_columns: Vec<String>,
    /// Where stretches of its texts come from; its samples number these.
    #[serde(default)]
    pub origins: Vec<Origin>,
    /// The columns of its rows that earlier stages have made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stage_columns: Vec<String>,
    /// The stages of its chain, if it is one of several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ChainLink>,
    /// How many more samples there are, which a limit left out.
    #[serde(default, skip_serializing_if = "is_none_left_out")]
    pub left_out: usize,
    /// Whose predictions it judges, if its model is a judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedFacts>,
}

/// The run whose answers an evaluation scores, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerSource {
    /// Its number.
    pub run: i64,
    /// Its work, in hexadecimal digits: a number alone may come to another run.
    pub work: String,
    /// When it was finished: what went on since has other answers.
    pub finished: Option<String>,
}

impl AnswerSource {
    /// The run as it is now.
    pub(crate) fn of(run: &RunRow, facts: &RunFacts) -> Self {
        Self { run: run.id, work: run.work.to_string(), finished: facts.finished.clone() }
    }
}

impl PosixFacts {
    /// The index in words.
    pub fn line(&self) -> String {
        let Some(index) = self.nats_per_token else {
            return format!(
                "POSIX of {}: no sample has an answer of a token to every variant that fits",
                self.dataset
            );
        };
        let interval = match self.low.zip(self.high) {
            Some((low, high)) => format!(" ({low:.4} to {high:.4})"),
            None => String::new(),
        };
        let left_out = match self.left_out {
            0 => String::new(),
            count => format!(", {} left out", grouped(count)),
        };
        format!(
            "POSIX of {}, model {}: {index:.4} nats/token{interval} over {} samples{left_out}; so much the log-likelihood \
             of an answer changes when its question is asked in other words",
            self.dataset,
            self.model,
            grouped(self.samples)
        )
    }
}

impl RunFacts {
    /// As the store keeps it.
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Whether a field is not worth writing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_none_left_out(left_out: &usize) -> bool {
    *left_out == 0
}

/// The class of metrics of lm-eval's tasks.
const TASK_METRICS: &str = "LmEvalTask";

impl UnitFacts {
    /// Whether it is a task of lm-eval, whose metrics filter answers themselves and look at more than a prediction.
    pub(crate) fn is_task(&self) -> bool {
        self.eval_cfg["evaluator"]["type"] == TASK_METRICS
    }

    /// What a unit says of itself. Its row is as it was written, so that it says something else is an error of
    /// the store.
    pub(crate) fn of(unit: &UnitRow) -> Result<Self, StoreError> {
        serde_json::from_str(&unit.facts).map_err(|_| StoreError::Incomplete {
            unit: format!("run {}", unit.run),
            missing: 1,
            samples: 1,
            what: "data sets",
        })
    }
}

impl WorkDone {
    /// The work of two models.
    pub fn and(self, other: Self) -> Self {
        Self {
            questions: self.questions + other.questions,
            reused_questions: self.reused_questions + other.reused_questions,
            computed_tokens: self.computed_tokens + other.computed_tokens,
            reused_tokens: self.reused_tokens + other.reused_tokens,
        }
    }
}
