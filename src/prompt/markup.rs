//! How a model is given a prompt.

use super::{
    ApiTemplate, Message, MetaTemplate, Prompt, PromptError, PromptList, message::for_chat,
};

/// What the prompt is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is continued: it ends where the generating role of the last round begins.
    Gen,
    /// It is scored: everything is written out.
    Ppl,
}

/// The last step of a prompt, which belongs to the model and not to the data set.
#[derive(Clone, Debug)]
pub enum Markup {
    /// No markup: the texts, a line each.
    Lines,
    /// A `meta_template` with the text around each role.
    Meta(Box<MetaTemplate>),
    /// The checkpoint's own chat template, which is given messages. It is applied by whoever holds
    /// the checkpoint; here the messages are made.
    Chat(Box<ApiTemplate>),
}

/// What a model is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Rendered {
    /// Text to be tokenised as it is.
    Text(String),
    /// Messages to be put into the checkpoint's chat template.
    Messages(Vec<Message>),
}

impl Markup {
    /// What the model is given.
    pub fn rendered(&self, prompt: &Prompt, mode: Mode) -> Result<Rendered, PromptError> {
        match self {
            Self::Lines => Ok(Rendered::Text(match prompt {
                Prompt::Text(text) => text.clone(),
                Prompt::List(list) => lines(list),
                Prompt::Messages(messages) => lines(&PromptList::from(&**messages)),
            })),
            Self::Meta(meta) => meta.render(prompt, mode).map(Rendered::Text),
            Self::Chat(api) => for_chat(api.messages(prompt, mode)?).map(Rendered::Messages),
        }
    }

    /// What the model is given of a chat that it answers, message by message.
    pub fn chat(&self, messages: &[Message]) -> Result<Rendered, PromptError> {
        match self {
            Self::Lines => {
                let lines: Result<Vec<&str>, _> = messages.iter().map(Message::said).collect();
                Ok(Rendered::Text(lines?.join("\n")))
            }
            Self::Meta(meta) => meta.chat(messages).map(Rendered::Text),
            Self::Chat(api) => for_chat(api.chat(messages)?).map(Rendered::Messages),
        }
    }

    /// The text that the model reads; an error for a model that is given messages.
    pub fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        match self.rendered(prompt, mode)? {
            Rendered::Text(text) => Ok(text),
            Rendered::Messages(_) => Err(PromptError::ChatOnly),
        }
    }
}

/// The text for a model without a meta template: the non-empty texts of a dialogue, a line each,
/// including what the answering role says. An empty first item still counts as a line.
pub(super) fn lines(list: &PromptList) -> String {
    let mut joined = String::new();
    for (index, text) in list.texts().enumerate() {
        if !text.is_empty() {
            if index > 0 {
                joined.push('\n');
            }
            joined.push_str(text);
        }
    }
    joined
}
