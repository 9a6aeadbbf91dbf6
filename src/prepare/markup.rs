//! How a model of the plan is given prompts, its checkpoint's chat template included.

use std::{ops::Range, sync::Arc};

use jiff::civil::DateTime;
use serde_json::{Value as Json, json};

use super::{media_parts::shown_media, prefix_prompt};
use crate::{
    chat::{
        self, ChatError, ChatTemplate, RenderOptions, Rendered as Written, TemplateChoice,
        checkpoint_templates,
    },
    infer::Render,
    model::{Checkpoint, media::Sight},
    plan::{ChatSettings, ModelPlan},
    prompt::{Markup, Message, Mode, Prompt, PromptError, Rendered, for_server},
};

/// A model's markup and, where it goes through messages, the template that writes them.
pub(crate) struct ModelMarkup<'a> {
    markup: &'a Markup,
    chat: Option<Chat<'a>>,
    /// Whether messages are sent as they are, to a server that writes the text itself.
    sends_messages: bool,
    /// Whether it is behind a server, which is sent text without images as AISBench sends it.
    is_served: bool,
}

struct Chat<'a> {
    settings: &'a ChatSettings,
    form: Form,
    sight: Arc<Sight>,
}

/// How messages become a prompt.
enum Form {
    /// As the checkpoint's chat template writes them.
    Template(Box<(ChatTemplate, RenderOptions)>),
    /// As a prompt that is seen both ways, and an answer with the end of sequence behind it.
    Prefix { end_of_sequence: String },
}

impl<'a> ModelMarkup<'a> {
    /// Compiles the checkpoint's template if the model needs it; `now` is what templates that write a
    /// date are told. Also gives what the user should know about the template.
    pub(crate) fn new(
        model: &'a ModelPlan,
        checkpoint: &Checkpoint,
        now: DateTime,
    ) -> Result<(Self, Option<String>), ChatError> {
        let of =
            |chat| Self { markup: &model.markup, chat, sends_messages: false, is_served: false };
        let Markup::Chat(_) = &model.markup else { return Ok((of(None), None)) };
        let (sight, settings) = (Arc::clone(checkpoint.sight()), checkpoint.tokenizer().settings());
        let templates = checkpoint_templates(checkpoint.path(), &settings.chat_templates)?;
        if sight.sees_prompt_both_ways() {
            let is_own = templates.names().next().is_some()
                || !matches!(model.chat.template, TemplateChoice::Automatic);
            let note = is_own.then(|| {
                "no chat template is used: prompts of this model have a form of their own"
                    .to_owned()
            });
            let tokenizer = checkpoint.tokenizer();
            let end_of_sequence = tokenizer.eos_id().map(|id| tokenizer.token_text(id));
            let form = Form::Prefix { end_of_sequence: end_of_sequence.unwrap_or_default() };
            return Ok((of(Some(Chat { settings: &model.chat, form, sight })), note));
        }
        let chosen = templates.choose(&model.chat.template, with_tools(&model.chat))?;
        let special_tokens = settings.special_tokens.clone();
        let options = RenderOptions { special_tokens, ..RenderOptions::at(now) }
            .with_arguments(&model.chat.arguments)?;
        let template = chosen.template.reading_texts(&options);
        let form = Form::Template(Box::new((template, options)));
        Ok((of(Some(Chat { settings: &model.chat, form, sight })), chosen.note))
    }

    /// How a model behind a server is given prompts: as text, or as the JSON list of the messages that are sent.
    pub(crate) fn served(model: &'a ModelPlan) -> Self {
        let sends_messages = matches!(model.markup, Markup::Chat(_));
        Self { markup: &model.markup, chat: None, sends_messages, is_served: true }
    }
}

impl ModelMarkup<'_> {
    /// The chat template, where one writes prompts.
    fn template(&self) -> Option<(&ChatTemplate, &RenderOptions)> {
        match &self.chat.as_ref()?.form {
            Form::Template(own) => Some((&own.0, &own.1)),
            Form::Prefix { .. } => None,
        }
    }

    /// Puts messages into the checkpoint's chat template.
    fn text(&self, rendered: Rendered, mode: Mode) -> Result<String, PromptError> {
        let (messages, chat) = match (rendered, &self.chat) {
            (Rendered::Text(text), _) if self.is_served => return Ok(text),
            // Text alone names nothing, whatever a row has in it.
            (Rendered::Text(text), _) => {
                return unmarked(text).map_err(|error| PromptError::Chat(Box::new(error)));
            }
            (Rendered::Messages(_), None) => return Err(PromptError::ChatOnly),
            (Rendered::Messages(messages), Some(chat)) => (for_template(messages), chat),
        };
        let written = chat.text(&messages, mode);
        written.map_err(|error| PromptError::Chat(Box::new(error)))
    }
}

impl Render for ModelMarkup<'_> {
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        if !self.is_served {
            self.markup.check_media(prompt)?;
        }
        if let (true, Markup::Chat(api)) = (self.sends_messages, self.markup) {
            return sent(api.messages(prompt, mode)?);
        }
        self.text(self.markup.rendered(prompt, mode)?, mode)
    }

    fn reported(&self, prompt: &Prompt, mode: Mode) -> Result<Option<Json>, PromptError> {
        let (Markup::Chat(api), Prompt::List(_)) = (self.markup, prompt) else { return Ok(None) };
        let named = |message: &Message| json!({"role": reported_role(&message.role), "prompt": message.content});
        Ok(Some(api.messages(prompt, mode)?.iter().map(named).collect()))
    }

    fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        if let (true, Markup::Chat(api)) = (self.sends_messages, self.markup) {
            return sent(api.chat(messages)?);
        }
        self.text(self.markup.chat(messages)?, Mode::Gen)
    }

    fn is_chat(&self) -> bool {
        self.template().is_some()
    }

    fn turns(&self, turns: &[(&str, &str)], begins_answer: bool) -> Result<String, PromptError> {
        let Some((template, options)) = self.template() else { return Err(PromptError::NotChat) };
        let messages: Vec<chat::Message> =
            turns.iter().map(|(role, content)| chat::Message::new(role, *content)).collect();
        let options = RenderOptions {
            add_generation_prompt: begins_answer,
            continue_final_message: (!begins_answer).then(|| "content".to_owned()),
            ..options.clone()
        };
        let written = template.render(&messages, &options);
        written.map(|written| written.text).map_err(|error| PromptError::Chat(Box::new(error)))
    }

    fn render_marked(&self, prompt: &Prompt) -> Result<(String, Vec<Range<usize>>), PromptError> {
        let failed = |error| PromptError::Chat(Box::new(error));
        let (Rendered::Messages(messages), Some(chat), Some((template, options))) =
            (self.markup.rendered(prompt, Mode::Ppl)?, &self.chat, self.template())
        else {
            return Err(PromptError::NotChat);
        };
        let messages = for_template(messages);
        let written = chat.written(&messages, Mode::Ppl, template, options).map_err(failed)?;
        let options = RenderOptions { add_generation_prompt: false, ..options.clone() };
        let turns = template.assistant_turns(&messages, &options, &written).map_err(failed)?;
        Ok((written.text, turns.spans))
    }
}

/// Messages as the text that stands for them: what a server is sent.
fn sent(messages: Vec<Message>) -> Result<String, PromptError> {
    Ok(json!(for_server(messages)?).to_string())
}

/// OpenCompass's name of a role, which a chat template knows by another.
fn reported_role(role: &str) -> &str {
    match role {
        "user" => "HUMAN",
        "assistant" => "BOT",
        "system" => "SYSTEM",
        other => other,
    }
}

/// Messages as the template is given them.
fn for_template(messages: Vec<Message>) -> Vec<chat::Message> {
    let message = |Message { role, content, further }| {
        let told = chat::Message::new(&role, content);
        further.into_iter().fold(told, |told, (field, value)| told.with(&field, value))
    };
    messages.into_iter().map(message).collect()
}

impl Chat<'_> {
    /// The conversation as text.
    fn text(&self, messages: &[chat::Message], mode: Mode) -> Result<String, ChatError> {
        match &self.form {
            Form::Template(own) => {
                self.written(messages, mode, &own.0, &own.1).map(|written| written.text)
            }
            Form::Prefix { end_of_sequence } => {
                let (messages, media) = shown_media(messages)?;
                prefix_prompt::written((&messages, &media), mode, end_of_sequence)
            }
        }
    }

    /// As a template writes it; a conversation that is continued ends where the model is to go on.
    fn written(
        &self,
        messages: &[chat::Message],
        mode: Mode,
        template: &ChatTemplate,
        options: &RenderOptions,
    ) -> Result<Written, ChatError> {
        let ends_with_answer = messages.last().and_then(chat::Message::role) == Some("assistant");
        let goes_on = mode == Mode::Gen && self.settings.continue_final_message && ends_with_answer;
        let options = RenderOptions {
            add_generation_prompt: mode == Mode::Gen
                && self.settings.add_generation_prompt
                && !goes_on,
            continue_final_message: goes_on.then(|| "content".to_owned()),
            ..options.clone()
        };
        let (messages, media) = shown_media(messages)?;
        // A template for texts would only say that it is given no text.
        self.sight.check_takes(&media).map_err(|problem| ChatError::Media { problem })?;
        let mut written = template.render(&messages, &options)?;
        written.text = if media.is_empty() {
            unmarked(written.text)?
        } else {
            let marked = self.sight.marked(&written.text, &media);
            marked.map_err(|problem| ChatError::Media { problem })?
        };
        Ok(written)
    }
}

/// A text that names no image, video or sound.
///
/// # Errors
/// It has a character between which they are named.
fn unmarked(text: String) -> Result<String, ChatError> {
    match Sight::check_unmarked(&text) {
        Ok(_) => Ok(text),
        Err(problem) => Err(ChatError::Media { problem }),
    }
}

/// Whether every conversation comes with tools, for which a checkpoint may have another template.
fn with_tools(settings: &ChatSettings) -> bool {
    settings.arguments.get("tools").is_some_and(|tools| !tools.is_null())
}
