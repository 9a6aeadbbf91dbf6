//! `MultiTurnGenInferencer`: AISBench's dialogues of several questions.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{
    DialogueForm, Task, TurnNote,
    continuation::Continuation,
    dialogue::{Conversation, DialogueInferencer, Question, Script},
};
use crate::{
    config::{Component, ConfigError},
    dataset::Sample,
    prompt::{DialogueMode, Mode, MultiTurn, PromptError},
};

/// The column that says how long the replies to a sample may be.
const MAX_OUT_LEN: &str = "max_out_len";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default = "every")]
    infer_mode: DialogueMode,
    max_out_len: Option<usize>,
    #[serde(default)]
    stopping_criteria: Vec<String>,
    #[serde(default)]
    gen_field_replace_token: String,
}

/// Reads `dict(type=MultiTurnGenInferencer, infer_mode=…, stopping_criteria=[…])`; what it leaves out
/// comes from the model's entry.
pub(super) fn inferencer(component: &Component) -> Result<DialogueInferencer, ConfigError> {
    let params: Params = component.read()?;
    let stop = params.stopping_criteria;
    Ok(DialogueInferencer {
        script: Arc::new(MultiTurnScript { mask: params.gen_field_replace_token }),
        mode: params.infer_mode,
        continuation: Continuation::new(params.max_out_len, None, stop),
    })
}

fn every() -> DialogueMode {
    DialogueMode::Every
}

#[derive(Debug)]
struct MultiTurnScript {
    /// What stands in place of the output column where the template would show it.
    mask: String,
}

struct MultiTurnConversation {
    turns: MultiTurn,
    form: DialogueForm,
    max_out_len: Option<usize>,
}

impl Script for MultiTurnScript {
    fn mask(&self) -> Option<&str> {
        Some(&self.mask)
    }

    fn begin(
        &self,
        task: &Task<'_>,
        sample: usize,
        mode: DialogueMode,
    ) -> Result<Box<dyn Conversation>, PromptError> {
        let ice = task.ice(&task.examples[sample])?;
        let row = &task.test[sample];
        let prompt = task.assembly.generation(row, &ice, task.output_column, &self.mask)?;
        let is_read = task.input_columns.iter().any(|column| column == MAX_OUT_LEN);
        Ok(Box::new(MultiTurnConversation {
            turns: MultiTurn::new(prompt, mode)?,
            form: match mode {
                DialogueMode::Last => DialogueForm::Last,
                DialogueMode::Every | DialogueMode::EveryWithGt => DialogueForm::Turns,
            },
            max_out_len: if is_read { own_max_out_len(row, mode)? } else { None },
        }))
    }
}

impl Conversation for MultiTurnConversation {
    fn question(&self, task: &Task<'_>) -> Result<Option<Question>, PromptError> {
        let Some(request) = self.turns.request() else { return Ok(None) };
        let text = task.markup.render(&request, Mode::Gen)?;
        let note = TurnNote { origin_prompt: Json::String(text.clone()), gold: None };
        Ok(Some(Question { text, gold: self.turns.gold().to_owned(), note }))
    }

    fn answered(&mut self, reply: &str) {
        self.turns.answered(reply);
    }

    fn form(&self) -> DialogueForm {
        self.form
    }

    fn max_out_len(&self) -> Option<usize> {
        self.max_out_len
    }
}

/// What a sample says about the length of its replies: a number of tokens, or a list of them; nothing
/// or zero leaves it to the config.
fn own_max_out_len(row: &Sample, mode: DialogueMode) -> Result<Option<usize>, PromptError> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Tokens {
        All(usize),
        PerTurn(Vec<usize>),
    }
    let value = row.get(MAX_OUT_LEN).unwrap_or(&Json::Null);
    let tokens = Option::<Tokens>::deserialize(value).map_err(|_| PromptError::Column {
        kind: "MultiTurnGenInferencer",
        column: MAX_OUT_LEN.to_owned(),
        expected: "a number of tokens or a list of them",
        found: value.to_string(),
    })?;
    let tokens = match tokens {
        Some(Tokens::All(tokens)) => Some(tokens),
        Some(Tokens::PerTurn(list)) => mode.max_out_len(&list),
        None => None,
    };
    Ok(tokens.filter(|tokens| *tokens > 0))
}
