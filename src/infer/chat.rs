//! `ChatInferencer`: OpenCompass's chats, message by message.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::{
    DialogueForm, Task, TurnNote,
    continuation::Continuation,
    dialogue::{Conversation, DialogueInferencer, Question, Script},
};
use crate::{
    config::{Component, ConfigError},
    prompt::{Chat, ChatColumns, DialogueMode, PromptError},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    #[serde(default = "last")]
    infer_mode: DialogueMode,
    max_out_len: Option<usize>,
}

/// Reads `dict(type=ChatInferencer, infer_mode=…, max_out_len=…)`.
pub(super) fn inferencer(component: &Component) -> Result<DialogueInferencer, ConfigError> {
    let params: Params = component.read()?;
    Ok(DialogueInferencer {
        script: Arc::new(ChatScript),
        mode: params.infer_mode,
        continuation: Continuation::new(params.max_out_len, None, Vec::new()),
    })
}

fn last() -> DialogueMode {
    DialogueMode::Last
}

#[derive(Debug)]
struct ChatScript;

struct ChatConversation {
    chat: Chat,
    form: DialogueForm,
}

impl Script for ChatScript {
    fn needs_template(&self) -> bool {
        false
    }

    fn summary_mode(&self) -> &'static str {
        // No method's name is part of `ChatInferencer`.
        "unknown"
    }

    fn shows_examples(&self) -> bool {
        false
    }

    fn notes(&self, task: &Task<'_>) -> Vec<String> {
        let unused = task.examples.iter().filter(|examples| !examples.is_empty()).count();
        let note = "ChatInferencer shows no in-context examples; the retrieved ones are not used";
        Vec::from_iter((unused > 0).then(|| note.to_owned()))
    }

    fn begin(
        &self,
        task: &Task<'_>,
        sample: usize,
        mode: DialogueMode,
    ) -> Result<Box<dyn Conversation>, PromptError> {
        let columns = ChatColumns {
            input: task.input_columns,
            output: task.output_column,
            template: task.assembly.prompt_template(),
        };
        let chat = columns.chat(&task.test[sample], mode)?;
        let form = match mode {
            DialogueMode::Last => DialogueForm::Last,
            DialogueMode::EveryWithGt => DialogueForm::EveryWithGt,
            DialogueMode::Every if chat.is_dialogue() => DialogueForm::Rounds,
            DialogueMode::Every => DialogueForm::Every,
        };
        Ok(Box::new(ChatConversation { chat, form }))
    }
}

impl Conversation for ChatConversation {
    fn question(&self, task: &Task<'_>) -> Result<Option<Question>, PromptError> {
        let (Some(messages), Some(gold)) = (self.chat.request(), self.chat.gold()) else {
            return Ok(None);
        };
        let origin_prompt = match (self.form, messages.last()) {
            (DialogueForm::Last, _) => json!(messages),
            (_, Some(question)) => json!(question.content),
            (_, None) => Json::Null,
        };
        Ok(Some(Question {
            text: task.markup.chat(messages)?,
            gold: gold.text().unwrap_or_default().to_owned(),
            note: TurnNote { origin_prompt, gold: Some(json!(gold)) },
        }))
    }

    fn answered(&mut self, reply: &str) {
        self.chat.answered(reply);
    }

    fn form(&self) -> DialogueForm {
        self.form
    }
}
