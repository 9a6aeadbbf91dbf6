//! Prompts in the notation of the golden vectors, and the parsers that the vectors name.

use std::{fs, path::PathBuf};

use serde_json::{Value as Json, json};
use surprisal::{
    config::{Component, Node},
    prompt::{
        self, ApiTemplate, Content, Markup, Media, Message, MetaTemplate, Mode, Prompt, PromptItem,
        PromptTemplate, Section, Turn,
    },
};

pub(crate) type Failure = Box<dyn std::error::Error>;

/// How the rows of a file fared.
pub(crate) struct Tally {
    pub(crate) line: String,
    pub(crate) failures: Vec<String>,
}

/// Checks every row of a file in the folder that `SURPRISAL_GOLDEN` names, or in this project's own.
pub(crate) fn tally(
    file: &str,
    check: impl Fn(&Json) -> Result<(), String>,
) -> Result<Tally, Failure> {
    let folder = std::env::var_os("SURPRISAL_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden"),
        PathBuf::from,
    );
    let rows: Vec<Json> = serde_json::from_str(&fs::read_to_string(folder.join(file))?)?;
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| check(row).err().map(|why| format!("{}: {why}", row["id"])))
        .collect();
    let passed = rows.len() - failures.len();
    let line = format!("{file}: {passed} passed, {} failed, 0 not yet", failures.len());
    Ok(Tally { line, failures })
}

/// Whether what came out is what a row expects; an error is only expected to be one.
pub(crate) fn compared(expected: &Json, got: Result<Json, Failure>) -> Result<(), String> {
    match (expected.get("error"), got) {
        (Some(_), Err(_)) => Ok(()),
        (Some(error), Ok(got)) => Err(format!("expected the error {error}, got {got}")),
        (None, Err(error)) => Err(format!("expected {expected}, got the error {error}")),
        (None, Ok(got)) => {
            let expected = end_marker_repaired(expected.clone());
            if got == expected {
                Ok(())
            } else {
                Err(format!("\n  expected {expected}\n       got {got}"))
            }
        }
    }
}

/// The released code closes the `end` section twice instead of opening it first.
fn end_marker_repaired(mut expected: Json) -> Json {
    fn repair(value: &mut Json) {
        match value {
            Json::Array(items) => {
                let closed = json!({"section": "end", "pos": "end"});
                if items.iter().filter(|item| **item == closed).count() == 2
                    && let Some(first) = items.iter_mut().find(|item| **item == closed)
                {
                    first["pos"] = "begin".into();
                }
                items.iter_mut().for_each(repair);
            }
            Json::Object(map) => map.values_mut().for_each(repair),
            _ => {}
        }
    }
    repair(&mut expected);
    expected
}

/// The template of a config.
pub(crate) fn template(config: &Json) -> Result<Option<PromptTemplate>, Failure> {
    if config.is_null() {
        return Ok(None);
    }
    Ok(Some(prompt::build(&Component::parse(&Node::from_json(config))?)?))
}

/// The model's side of a row.
pub(crate) struct Parser {
    markup: Markup,
    /// Set for models that are given messages: their roles as the meta template names them.
    api: Option<ApiTemplate>,
    has_meta_template: bool,
}

impl Parser {
    pub(crate) fn new(input: &Json) -> Result<Self, Failure> {
        let meta = Node::from_json(&input["meta_template"]);
        let api = match input["parser"].as_str() {
            Some("hf_chat") if meta.is_none() => Some(ApiTemplate::hugging_face()),
            Some("api" | "hf_chat") => Some(ApiTemplate::from_node(&meta)?),
            _ => None,
        };
        let markup = match &api {
            Some(api) => Markup::Chat(Box::new(api.clone())),
            None if meta.is_none() => Markup::Lines,
            None => Markup::Meta(Box::new(MetaTemplate::from_node(&meta)?)),
        };
        let has_meta_template = !meta.is_none() || input["parser"] == "hf_chat";
        Ok(Self { markup, api, has_meta_template })
    }

    /// What OpenCompass's `parse_template` gives.
    pub(crate) fn parsed(&self, prompt: &Prompt, mode: Mode) -> Result<Json, Failure> {
        let Some(api) = &self.api else {
            return Ok(json!({"str": self.markup.render(prompt, mode)?}));
        };
        let messages = api.messages(prompt, mode)?;
        Ok(match (prompt, messages.as_slice()) {
            (Prompt::Messages(_), _) => as_dicts(&messages),
            (Prompt::List(_), _) if self.has_meta_template => {
                let turns = messages
                    .iter()
                    .map(|message| json!({"role": message.role, "prompt": message.content}));
                json!({"promptlist": turns.collect::<Vec<_>>()})
            }
            (_, [Message { content: Content::Parts(parts), .. }]) => as_dicts(parts),
            (_, [Message { content: Content::Text(text), .. }]) => json!({"str": text}),
            _ => return Err("without a meta template there is one message".into()),
        })
    }

    /// What the chat template is given.
    #[allow(dead_code, reason = "only some of the vectors have it")]
    pub(crate) fn messages(&self, prompt: &Prompt, mode: Mode) -> Result<Json, Failure> {
        match self.markup.rendered(prompt, mode)? {
            prompt::Rendered::Messages(messages) => Ok(serde_json::to_value(messages)?),
            prompt::Rendered::Text(_) => Err("a chat model is given messages".into()),
        }
    }
}

fn as_dicts(items: &[impl serde::Serialize]) -> Json {
    json!({"list": items.iter().map(|item| json!({"dict": item})).collect::<Vec<_>>()})
}

/// A prompt before the model's side.
pub(crate) fn encoded(prompt: &Prompt) -> Json {
    let list = match prompt {
        Prompt::Text(text) => return json!({"str": text}),
        Prompt::Messages(messages) => return as_dicts(messages),
        Prompt::List(list) => list,
    };
    let marker = |section: &Section, pos: &str| {
        let name = match section {
            Section::Begin => "begin",
            Section::Round => "round",
            Section::End => "end",
            Section::Ice => "ice",
        };
        json!({"section": name, "pos": pos})
    };
    let items = list.0.iter().map(|item| match item {
        PromptItem::Text(text) => json!(text),
        PromptItem::Open(section) => marker(section, "begin"),
        PromptItem::Close(section) => marker(section, "end"),
        PromptItem::Turn(turn) => encoded_turn(turn),
    });
    json!({"promptlist": items.collect::<Vec<_>>()})
}

fn encoded_turn(turn: &Turn) -> Json {
    let mut map = serde_json::Map::new();
    let texts = [
        ("role", &turn.role),
        ("fallback_role", &turn.fallback_role),
        ("prompt", &turn.prompt),
        ("begin", &turn.begin),
        ("end", &turn.end),
        ("api_role", &turn.api_role),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            map.insert(key.to_owned(), json!(text));
        }
    }
    if let Some(generate) = turn.generate {
        map.insert("generate".to_owned(), json!(generate));
    }
    if let Some(Media::Parts(parts)) = &turn.prompt_mm {
        map.insert("prompt_mm".to_owned(), json!(parts));
    }
    map.into()
}
