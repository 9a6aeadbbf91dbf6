//! How a model of the plan is given prompts, its checkpoint's chat template included.

use jiff::civil::DateTime;

use super::ModelPlan;
use crate::{
    chat::{self, ChatError, ChatTemplate, RenderOptions, TemplateChoice, checkpoint_templates},
    infer::Render,
    model::Checkpoint,
    prompt::{Markup, Message, Mode, Prompt, PromptError, Rendered},
};

/// A model's markup and, where it goes through messages, the template that writes them.
pub(super) struct ModelMarkup<'a> {
    markup: &'a Markup,
    chat: Option<Chat>,
}

struct Chat {
    template: ChatTemplate,
    options: RenderOptions,
}

impl<'a> ModelMarkup<'a> {
    /// Compiles the checkpoint's template if the model needs it; `now` is what templates that write a
    /// date are told. Also gives what the user should know about the template.
    pub(super) fn new(
        model: &'a ModelPlan,
        checkpoint: &Checkpoint,
        now: DateTime,
    ) -> Result<(Self, Option<String>), ChatError> {
        let Markup::Chat(_) = &model.markup else {
            return Ok((Self { markup: &model.markup, chat: None }, None));
        };
        let settings = checkpoint.tokenizer().settings();
        let templates = checkpoint_templates(checkpoint.folder(), &settings.chat_templates)?;
        let chosen = templates.choose(&TemplateChoice::Automatic, false)?;
        let options = RenderOptions::at(now)
            .with_special_token("bos_token", settings.bos_token.as_deref())
            .with_special_token("eos_token", settings.eos_token.as_deref());
        let chat = Chat { template: chosen.template, options };
        Ok((Self { markup: &model.markup, chat: Some(chat) }, chosen.note))
    }
}

impl ModelMarkup<'_> {
    /// Puts messages into the checkpoint's chat template; `answers` says whether the model goes on.
    fn text(&self, rendered: Rendered, answers: bool) -> Result<String, PromptError> {
        let (messages, chat) = match (rendered, &self.chat) {
            (Rendered::Text(text), _) => return Ok(text),
            (Rendered::Messages(_), None) => return Err(PromptError::ChatOnly),
            (Rendered::Messages(messages), Some(chat)) => (messages, chat),
        };
        let messages: Vec<chat::Message> = messages
            .into_iter()
            .map(|message| chat::Message::new(&message.role, message.content))
            .collect();
        let mut options = chat.options.clone();
        options.add_generation_prompt = answers;
        let rendered = chat.template.render(&messages, &options);
        rendered.map(|rendered| rendered.text).map_err(|error| PromptError::Chat(Box::new(error)))
    }
}

impl Render for ModelMarkup<'_> {
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        self.text(self.markup.rendered(prompt, mode)?, mode == Mode::Gen)
    }

    fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        self.text(self.markup.chat(messages)?, true)
    }
}
