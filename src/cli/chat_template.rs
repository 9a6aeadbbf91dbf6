//! `surprisal chat-template`: conversations as the text that a chat model reads.

use std::{fs, io, path::Path, process::ExitCode};

use anyhow::Context as _;
use serde_json::{Map, Value, json};

use super::{
    args::ChatTemplateArguments,
    chat_batch, highlight,
    output::{print, print_json, print_styled, talk},
    progress::TerminalProgress,
};
use crate::{
    chat::{ChatError, ChosenTemplate, Conversation, RenderOptions, Rendered},
    prepare::ChatCheckpoint,
};

/// Renders the conversation, or those of a `.jsonl` file.
pub(super) fn chat_template(arguments: &ChatTemplateArguments) -> anyhow::Result<ExitCode> {
    let mut writer = ConversationWriter::new(arguments)?;
    match &arguments.messages {
        Some(path) if path.extension().is_some_and(|extension| extension == "jsonl") => {
            return chat_batch::render(&mut writer, path, arguments.output.as_deref());
        }
        _ => {}
    }
    anyhow::ensure!(arguments.output.is_none(), "--output is for --messages FILE.jsonl");
    let conversation = match &arguments.messages {
        Some(path) => Conversation::from_json(&read_json(path)?)
            .with_context(|| path.display().to_string())
            .map_err(flat)?,
        None => Conversation::sample(),
    };
    show(&mut writer, &conversation, arguments.json)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints one conversation.
fn show(
    writer: &mut ConversationWriter<'_>,
    conversation: &Conversation,
    as_json: bool,
) -> anyhow::Result<()> {
    let options = writer.options(conversation)?;
    let (rendered, turns, template, file) = {
        let chosen = writer.template(&options)?;
        let rendered = chosen.template.render(&conversation.messages, &options)?;
        let turns =
            chosen.template.assistant_turns(&conversation.messages, &options, &rendered).ok();
        (rendered, turns, chosen.template.name().to_owned(), chosen.file.clone())
    };
    let checkpoint = &writer.checkpoint;
    let mut notes = writer.notes.clone();
    notes.extend(checkpoint.notes(&rendered.text));
    let Rendered { text, .. } = rendered;
    let spans = turns.as_ref().map(|turns| turns.spans.clone());
    if !as_json {
        for note in &notes {
            talk(&format!("note: {note}"));
        }
        if !highlight::wanted() {
            return print(&text);
        }
        let special = checkpoint.special_tokens();
        return print_styled(&highlight::highlighted(&text, &special, &spans.unwrap_or_default()));
    }
    let ids = checkpoint.ids(&text)?;
    let spans = spans.map(|spans| {
        spans.iter().map(|span| json!([span.start, span.end])).collect::<Vec<Value>>()
    });
    print_json(&json!({
        "text": text,
        "tokens": ids.as_ref().map(Vec::len),
        "ids": ids,
        "assistant_spans_bytes": spans,
        "assistant_marked_by": turns.map(|turns| turns.marked_by),
        "template": template,
        "template_file": file,
        "notes": notes,
    }))
}

/// A checkpoint with what the command line says about its conversations.
pub(super) struct ConversationWriter<'a> {
    arguments: &'a ChatTemplateArguments,
    checkpoint: ChatCheckpoint,
    defaults: RenderOptions,
    /// The templates for conversations without and with tools, once one was needed.
    chosen: [Option<ChosenTemplate>; 2],
    notes: Vec<String>,
}

impl<'a> ConversationWriter<'a> {
    fn new(arguments: &'a ChatTemplateArguments) -> anyhow::Result<Self> {
        let checkpoint = ChatCheckpoint::open(&arguments.model, &TerminalProgress::new())?;
        let mut given = Map::new();
        for assignment in &arguments.set {
            let (name, value) = assignment.split_once('=').with_context(|| {
                format!("--set {assignment}: write NAME=VALUE, such as enable_thinking=false")
            })?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            given.insert(name.to_owned(), value);
        }
        for (name, path) in [("tools", &arguments.tools), ("documents", &arguments.documents)] {
            if let Some(path) = path {
                given.insert(name.to_owned(), read_json(path)?);
            }
        }
        if arguments.add_generation_prompt {
            given.insert("add_generation_prompt".to_owned(), true.into());
        }
        if arguments.continue_final_message {
            given.insert("continue_final_message".to_owned(), true.into());
        }
        let defaults = checkpoint.options(super::now()).with_arguments(&given)?;
        Ok(Self { arguments, checkpoint, defaults, chosen: [None, None], notes: Vec::new() })
    }

    /// How a conversation is rendered: what stands beside its messages comes before the command line.
    fn options(&self, conversation: &Conversation) -> Result<RenderOptions, ChatError> {
        self.defaults.clone().with_arguments(&conversation.arguments)
    }

    fn template(&mut self, options: &RenderOptions) -> Result<&ChosenTemplate, ChatError> {
        let with_tools = options.tools.is_some();
        let [without, with] = &mut self.chosen;
        let slot = if with_tools { with } else { without };
        if slot.is_none() {
            let (own, name) = (self.arguments.template.as_deref(), self.arguments.name.as_deref());
            let chosen = self.checkpoint.template(own, name, with_tools)?;
            self.notes.extend(chosen.note.clone().filter(|note| !self.notes.contains(note)));
            *slot = Some(chosen);
        }
        Ok(slot.as_ref().expect("it was filled above"))
    }

    /// Compiles the template, so that a wrong one is one error and not one per conversation.
    pub(super) fn check(&mut self) -> Result<(), ChatError> {
        let options = self.defaults.clone();
        self.template(&options).map(drop)
    }

    /// The text of a conversation.
    pub(super) fn text(&mut self, conversation: &Conversation) -> Result<String, ChatError> {
        let options = self.options(conversation)?;
        let template = &self.template(&options)?.template;
        template.render(&conversation.messages, &options).map(|rendered| rendered.text)
    }

    /// What should be known about a text.
    pub(super) fn notes_on(&self, text: &str) -> Vec<String> {
        self.checkpoint.notes(text)
    }

    /// What should be known about the template.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Reads a JSON file; `-` is stdin.
fn read_json(path: &Path) -> anyhow::Result<Value> {
    let read = if path == Path::new("-") {
        io::read_to_string(io::stdin().lock())
    } else {
        fs::read_to_string(path)
    };
    let text = read.map_err(|error| anyhow::anyhow!("cannot read {}: {error}", path.display()))?;
    serde_json::from_str(&text)
        .map_err(|error| anyhow::anyhow!("{}: this is not JSON: {error}", path.display()))
}

/// An error with its context in one line.
#[expect(clippy::needless_pass_by_value, reason = "it is what map_err gives")]
fn flat(error: anyhow::Error) -> anyhow::Error {
    anyhow::anyhow!("{error:#}")
}
