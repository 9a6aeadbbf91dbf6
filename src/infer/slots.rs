//! `GenInferencer` with `multiround=True`: a dialogue whose empty replies are slots that the model fills, one after
//! another, each after what it has said before.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::{
    DialogueForm, Task, TurnNote,
    continuation::Continuation,
    dialogue::{Conversation, DialogueInferencer, Question, Script},
};
use crate::prompt::{Content, DialogueMode, Message, Mode, Prompt, PromptError};

/// Who speaks in a slot.
const SPEAKER: &str = "assistant";

/// Asks for every empty reply; `mask` stands in place of the output column where the template would show it.
pub(super) fn inferencer(continuation: Continuation, mask: String) -> DialogueInferencer {
    let script = Arc::new(SlotScript { mask });
    DialogueInferencer { script, mode: DialogueMode::Every, continuation }
}

#[derive(Debug)]
struct SlotScript {
    mask: String,
}

struct SlotConversation {
    messages: Vec<Message>,
    /// Where the replies stand that are still to come, the next one last.
    open: Vec<usize>,
    /// The dialogue before anything was said.
    origin_prompt: Json,
}

impl Script for SlotScript {
    fn mask(&self) -> Option<&str> {
        Some(&self.mask)
    }

    fn begin(
        &self,
        task: &Task<'_>,
        sample: usize,
        _: DialogueMode,
    ) -> Result<Box<dyn Conversation>, PromptError> {
        let ice = task.ice(&task.examples[sample])?;
        let row = &task.test[sample];
        let prompt = task.assembly.generation(row, &ice, task.output_column, &self.mask)?;
        let Prompt::Messages(messages) = prompt else {
            return Err(PromptError::Slots { what: "its template makes no messages" });
        };
        let replies = || {
            let all = messages.iter().enumerate();
            all.filter(|(_, message)| message.role == SPEAKER)
        };
        if replies().any(|(_, message)| !message.content.is_empty()) {
            return Err(PromptError::Slots { what: "a reply is given" });
        }
        let open: Vec<usize> = replies().map(|(place, _)| place).rev().collect();
        if open.is_empty() {
            return Err(PromptError::Slots { what: "there is none" });
        }
        let origin_prompt = json!(messages);
        Ok(Box::new(SlotConversation { messages, open, origin_prompt }))
    }
}

impl Conversation for SlotConversation {
    fn question(&self, task: &Task<'_>) -> Result<Option<Question>, PromptError> {
        let Some(history) = self.open.last().and_then(|slot| self.messages.get(..*slot)) else {
            return Ok(None);
        };
        let text = task.markup.render(&Prompt::Messages(history.to_vec()), Mode::Gen)?;
        let note = TurnNote { origin_prompt: self.origin_prompt.clone(), gold: None };
        Ok(Some(Question { text, gold: String::new(), note }))
    }

    fn answered(&mut self, reply: &str) {
        let slot = self.open.pop().and_then(|slot| self.messages.get_mut(slot));
        if let Some(message) = slot {
            message.content = Content::Text(reply.to_owned());
        }
    }

    fn form(&self) -> DialogueForm {
        DialogueForm::Slots
    }
}
