//! How a model of the plan is given prompts, its checkpoint's chat template included.

use std::{ops::Range, sync::Arc};

use jiff::civil::DateTime;
use serde_json::{Value as Json, json};

use crate::{
    chat::{
        self, ChatError, ChatTemplate, RenderOptions, Rendered as Written, checkpoint_templates,
    },
    dataset::web_image,
    hub::is_on_web,
    infer::Render,
    model::{
        Checkpoint,
        vision::{ImageAddress, Sight},
    },
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
    template: ChatTemplate,
    options: RenderOptions,
    sight: Arc<Sight>,
}

impl<'a> ModelMarkup<'a> {
    /// Compiles the checkpoint's template if the model needs it; `now` is what templates that write a
    /// date are told. Also gives what the user should know about the template.
    pub(crate) fn new(
        model: &'a ModelPlan,
        checkpoint: &Checkpoint,
        now: DateTime,
    ) -> Result<(Self, Option<String>), ChatError> {
        let Markup::Chat(_) = &model.markup else {
            let (markup, sends_messages, is_served) = (&model.markup, false, false);
            return Ok((Self { markup, chat: None, sends_messages, is_served }, None));
        };
        let settings = checkpoint.tokenizer().settings();
        let templates = checkpoint_templates(checkpoint.path(), &settings.chat_templates)?;
        let chosen = templates.choose(&model.chat.template, with_tools(&model.chat))?;
        let special_tokens = settings.special_tokens.clone();
        let options = RenderOptions { special_tokens, ..RenderOptions::at(now) }
            .with_arguments(&model.chat.arguments)?;
        let template = chosen.template.reading_texts(&options);
        let sight = Arc::clone(checkpoint.sight());
        let chat = Chat { settings: &model.chat, template, options, sight };
        let chat = Some(chat);
        let (markup, sends_messages, is_served) = (&model.markup, false, false);
        Ok((Self { markup, chat, sends_messages, is_served }, chosen.note))
    }

    /// How a model behind a server is given prompts: as text, or as the JSON list of the messages that are sent.
    pub(crate) fn served(model: &'a ModelPlan) -> Self {
        let sends_messages = matches!(model.markup, Markup::Chat(_));
        Self { markup: &model.markup, chat: None, sends_messages, is_served: true }
    }
}

impl ModelMarkup<'_> {
    /// Puts messages into the checkpoint's chat template.
    fn text(&self, rendered: Rendered, mode: Mode) -> Result<String, PromptError> {
        let (messages, chat) = match (rendered, &self.chat) {
            (Rendered::Text(text), _) => return Ok(text),
            (Rendered::Messages(_), None) => return Err(PromptError::ChatOnly),
            (Rendered::Messages(messages), Some(chat)) => (for_template(messages), chat),
        };
        let written = chat.written(&messages, mode);
        written.map(|written| written.text).map_err(|error| PromptError::Chat(Box::new(error)))
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
        self.chat.is_some()
    }

    fn turns(&self, turns: &[(&str, &str)], begins_answer: bool) -> Result<String, PromptError> {
        let Some(chat) = &self.chat else { return Err(PromptError::NotChat) };
        let messages: Vec<chat::Message> =
            turns.iter().map(|(role, content)| chat::Message::new(role, *content)).collect();
        let options = RenderOptions {
            add_generation_prompt: begins_answer,
            continue_final_message: (!begins_answer).then(|| "content".to_owned()),
            ..chat.options.clone()
        };
        let written = chat.template.render(&messages, &options);
        written.map(|written| written.text).map_err(|error| PromptError::Chat(Box::new(error)))
    }

    fn render_marked(&self, prompt: &Prompt) -> Result<(String, Vec<Range<usize>>), PromptError> {
        let failed = |error| PromptError::Chat(Box::new(error));
        let (Rendered::Messages(messages), Some(chat)) =
            (self.markup.rendered(prompt, Mode::Ppl)?, &self.chat)
        else {
            return Err(PromptError::NotChat);
        };
        let messages = for_template(messages);
        let written = chat.written(&messages, Mode::Ppl).map_err(failed)?;
        let options = RenderOptions { add_generation_prompt: false, ..chat.options.clone() };
        let turns = chat.template.assistant_turns(&messages, &options, &written).map_err(failed)?;
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
    /// The conversation as text; one that is continued ends where the model is to go on.
    fn written(&self, messages: &[chat::Message], mode: Mode) -> Result<Written, ChatError> {
        let ends_with_answer = messages.last().and_then(chat::Message::role) == Some("assistant");
        let goes_on = mode == Mode::Gen && self.settings.continue_final_message && ends_with_answer;
        let options = RenderOptions {
            add_generation_prompt: mode == Mode::Gen
                && self.settings.add_generation_prompt
                && !goes_on,
            continue_final_message: goes_on.then(|| "content".to_owned()),
            ..self.options.clone()
        };
        let (messages, images) = shown_images(messages)?;
        let mut written = self.template.render(&messages, &options)?;
        if !images.is_empty() {
            let marked = self.sight.marked(&written.text, &images);
            written.text = marked.map_err(|problem| ChatError::Images { problem })?;
        }
        Ok(written)
    }
}

/// Messages as templates of transformers expect them, each image as `{"type": "image"}`, and where the images are.
///
/// # Errors
/// A part is none that a model here is shown: video, sound, or something unknown.
fn shown_images(
    messages: &[chat::Message],
) -> Result<(Vec<chat::Message>, Vec<ImageAddress>), ChatError> {
    let mut images = Vec::new();
    let mut shown = Vec::with_capacity(messages.len());
    for message in messages {
        let Some(Json::Array(parts)) = message.get("content") else {
            shown.push(message.clone());
            continue;
        };
        let own = parts.iter().map(|part| shown_part(part, &mut images));
        let own: Vec<Json> = own.collect::<Result<_, ChatError>>()?;
        shown.push(message.clone().with("content", own));
    }
    Ok((shown, images))
}

fn shown_part(part: &Json, images: &mut Vec<ImageAddress>) -> Result<Json, ChatError> {
    let refused = |problem: String| Err(ChatError::Images { problem });
    let kind = part["type"].as_str().unwrap_or_default();
    match kind {
        "text" => return Ok(part.clone()),
        "image" | "image_url" => {}
        _ => {
            return refused(format!(
                "a model here is shown text and images, and a message has a part of the type {kind:?}"
            ));
        }
    }
    let inner = &part["image_url"];
    let fields = [&inner["url"], inner, &part["image"], &part["path"], &part["url"]];
    let Some(named) = fields.into_iter().find_map(Json::as_str) else {
        return refused(
            "an image in a message does not say where it is: give it `image_url`".to_owned(),
        );
    };
    let here = if is_on_web(named) { web_image(named) } else { Ok(named.to_owned()) };
    match here.and_then(|written| ImageAddress::parse(&written)) {
        Ok(address) => images.push(address),
        Err(problem) => return refused(problem),
    }
    Ok(json!({"type": "image"}))
}

/// Whether every conversation comes with tools, for which a checkpoint may have another template.
fn with_tools(settings: &ChatSettings) -> bool {
    settings.arguments.get("tools").is_some_and(|tools| !tools.is_null())
}
