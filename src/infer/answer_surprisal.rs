//! `AnswerSurprisal`: how surprising the text of a column is after each of several prompts.
//!
//! ```python
//! dict(prompt_template=dict(type=PromptTemplate, template=dict(
//!          found='{passages}\n{question} ', gold='{evidence}\n{question} ', alone='{question} ')),
//!      retriever=dict(type=ZeroRetriever), inferencer=dict(type='AnswerSurprisal', answer='answer'))
//! ```
//!
//! asks how likely the row's `answer` is with the passages that were found, with those that should have been, and with
//! none. The answer follows the prompt as a model would write it, and its tokens alone count. `LLInferencer` is not this:
//! it takes the text out of the prompt wherever it stands, and passages that hold an answer would lose it.

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    InferError, Inferencer, ModelDefaults, Outcome, Prepared, PreparedPrompt, RankedForm, Task,
    Wanted, lm_eval::encode_pair, ppl::candidate,
};
use crate::{
    answer::Question,
    config::{Component, ConfigError},
    engine::ScoreRequest,
    prompt::Mode,
    python::python_str,
};

/// Scores an answer in several contexts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerSurprisalInferencer {
    /// The column of the answer.
    answer: String,
}

impl AnswerSurprisalInferencer {
    /// Reads `dict(type='AnswerSurprisal', answer='answer')`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        component.read()
    }
}

impl Inferencer for AnswerSurprisalInferencer {
    fn mode(&self) -> &'static str {
        "ll"
    }

    fn with_defaults(&self, _: ModelDefaults) -> Box<dyn Inferencer> {
        Box::new(self.clone())
    }

    fn ranks(&self) -> bool {
        true
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn check(&self, task: &Task<'_>) -> Result<Vec<String>, InferError> {
        let refused = |what: &str| Err(InferError::Mismatch(what.to_owned()));
        if task.wanted != Wanted::Nothing {
            return refused(
                "AnswerSurprisal asks no candidates in other ways; choose another scoring rule",
            );
        }
        if task.examples.iter().any(|chosen| !chosen.is_empty()) {
            return refused("AnswerSurprisal shows no examples; use a ZeroRetriever");
        }
        if !task.assembly.has_labels() {
            return refused(
                "AnswerSurprisal needs a name for each prompt; write the template as a dict from name to prompt",
            );
        }
        Ok(Vec::new())
    }

    fn prepare(&self, task: &Task<'_>, sample: usize) -> Result<Prepared, InferError> {
        let row = &task.test[sample];
        let Some(answer) = row.get(&self.answer) else {
            let what =
                format!("sample {sample} has no column {:?}, which is to be scored", self.answer);
            return Err(InferError::Mismatch(what));
        };
        let answer = match answer {
            Json::Null => String::new(),
            answer => python_str(answer),
        };
        if answer.trim().is_empty() {
            let error = format!(
                "the column {} is empty, so nothing can be scored; a stage with when={:?} passes over such rows",
                self.answer, self.answer
            );
            return Ok(Prepared::known(sample, Outcome::Failed { error }));
        }
        let no_examples = task.ice(&[]).map_err(|source| InferError::Prompt { sample, source })?;
        let mut prompts = Vec::new();
        for label in task.labels() {
            let prompt = task.assembly.candidate(row, &no_examples, label, false);
            let context = prompt.and_then(|prompt| task.markup.render(&prompt, Mode::Gen));
            let context = context.map_err(|source| InferError::Prompt { sample, source })?;
            let prompt = encode_pair(task, &context, &answer)
                .map_err(|what| InferError::Tokenizer { sample, what })?;
            prompts.push(PreparedPrompt { label: Some(label.clone()), ..prompt });
        }
        Ok(Prepared::of_prompts(sample, prompts, 0))
    }

    fn question(&self, prompt: &PreparedPrompt) -> Question {
        let first_target = prompt.context_tokens.max(1);
        Question::Score(ScoreRequest { ids: prompt.ids.clone(), first_target })
    }

    fn outcome(&self, prepared: &Prepared) -> Outcome {
        Outcome::Ranked {
            form: RankedForm::LogLikelihood,
            in_context_examples: String::new(),
            candidates: prepared.prompts.iter().map(candidate).collect(),
            counterparts: Vec::new(),
        }
    }
}
