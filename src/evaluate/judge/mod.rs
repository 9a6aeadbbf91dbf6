//! Evaluators that ask a judge: a model that reads a prediction and says what it is worth.
//!
//! An evaluator never asks anybody. It says what a judge is to be asked about its rows, and scores them once each row
//! has the judge's reply, as a pure function like every other one: so replies are kept and scored again like any
//! answer. Who the judge is, and how it is asked, is the run's business.

mod alignbench;
mod atlas;
mod cascade;
mod categories;
mod charm_memory;
mod comparison;
mod duel;
mod fake_alignment;
mod follow_bench;
mod gaokao_math;
mod health_bench;
mod hello_bench;
mod letters;
mod llm_judge;
mod lm_judge;
mod marks;
mod matches;
mod numbers;
mod parts;
mod reply;
mod rubric;
mod rules;
mod style;
mod subjective;

use std::fmt::Write as _;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

pub use self::comparison::BASE_PREDICTIONS;
pub use self::reply::Judged;
pub use self::rules::{JUDGE_RULES, JudgeRule};
pub(super) use self::{
    atlas::evaluator as atlas, cascade::Cascade, charm_memory::CharmMemory,
    fake_alignment::FakeAlignment, gaokao_math::GaokaoMath, health_bench::HealthBench,
    llm_judge::LlmJudge, lm_judge::LmJudge,
};
use crate::{
    config::{Component, ConfigError, Node},
    dataset::Sample,
    prompt::{self, PromptAssembly},
};

/// The column with the right answer in what a judge is asked about. As in OpenCompass it is the output column, which
/// a prompt does not show: templates name the data set's own column.
pub const REFERENCE: &str = "reference";

/// The column with the whole prompt, where an evaluator writes it itself.
const ASKED: &str = "judge_asked";

/// How a judge is asked.
#[derive(Clone, Debug)]
pub struct Judging {
    /// What the judge reads.
    pub assembly: PromptAssembly,
    /// The template as it was written.
    template: String,
    /// The entry of the model that judges, where the config names one.
    pub model: Option<Node>,
    /// How OpenCompass ends the name of the file with the replies.
    pub file_suffix: &'static str,
    /// Most tokens of a reply, where the evaluator says it; the judge's entry does otherwise.
    pub max_out_len: Option<usize>,
    /// How many times the judge is asked, replies of one round being part of what is asked in the next.
    pub rounds: usize,
}

/// What a judge is asked about one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Index of the row.
    pub row: usize,
    /// The columns that the template is filled with.
    pub sample: Sample,
}

impl Judging {
    /// Understands an evaluator's `prompt_template` and `judge_cfg`.
    fn new(
        template: &Component,
        judge_cfg: Option<Node>,
        file_suffix: &'static str,
    ) -> Result<Self, ConfigError> {
        let failed = |error: prompt::PromptError| {
            ConfigError::at(&template.origin, error.to_string()).under("prompt_template")
        };
        let built = prompt::build(template).map_err(failed)?;
        let assembly = PromptAssembly::new(None, Some(built), "", "").map_err(failed)?;
        let is_empty = |node: &Node| node.is_none() || node.as_dict().is_some_and(<[_]>::is_empty);
        Ok(Self {
            assembly,
            template: template.params.to_json().to_string(),
            model: judge_cfg.filter(|node| !is_empty(node)),
            file_suffix,
            max_out_len: None,
            rounds: 1,
        })
    }

    /// How prompts are asked that an evaluator writes itself, into the column [`ASKED`], behind the system message
    /// that OpenCompass's own judges have.
    fn of_whole_prompts(
        judge_cfg: Option<Node>,
        file_suffix: &'static str,
    ) -> Result<Self, ConfigError> {
        let template = json!({"type": "RawPromptTemplate", "messages": [
            {"role": "system", "content": "You are a helpful assistant."},
            {"role": "user", "content": format!("{{{ASKED}}}")},
        ]});
        Self::new(&Component::parse(&Node::from_json(&template))?, judge_cfg, file_suffix)
    }

    /// What the questions to a judge are known by: replies to others say nothing about these rows.
    pub fn key(&self, asked: &[Asked]) -> String {
        let mut digest = Sha256::new();
        let mut add = |text: &str| {
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text);
        };
        add(&self.template);
        if let Some(most) = self.max_out_len {
            add(&most.to_string());
        }
        for one in asked {
            add(&one.row.to_string());
            for (name, value) in one.sample.iter() {
                add(name);
                add(&value.to_string());
            }
            // Ends the row: a name is never a number of columns.
            add(&one.sample.iter().count().to_string());
        }
        digest.finalize().iter().fold(String::new(), |mut key, byte| {
            let _ = write!(key, "{byte:02x}");
            key
        })
    }
}

/// A row of a data set with more columns.
fn with_columns<const N: usize>(row: Option<&Sample>, columns: [(&str, Value); N]) -> Sample {
    let mut sample = row.cloned().unwrap_or_default();
    for (name, value) in columns {
        sample.set(name, value);
    }
    sample
}

/// The error of what stands in the package alone, where none is named.
fn not_shipped(component: &Component, what: &str) -> ConfigError {
    let message = format!("{what} OpenCompass's own and not shipped");
    ConfigError::at(&component.origin, message).with_hint(
        "install opencompass 0.5.4 and name the folder that holds `opencompass/` in SURPRISAL_OPENCOMPASS",
    )
}
