//! Chat templates of real models against the texts that transformers renders with them.
//!
//! The templates belong to others and stay out of the repository: the folder comes from
//! `SURPRISAL_CHAT_FIXTURES`, and without it nothing is compared.

use std::{collections::HashMap, env, error::Error, fs, path::PathBuf};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use surprisal::chat::{ChatError, ChatTemplate, Message, RenderOptions, Rendered};

#[test]
fn chat_fixtures_give_the_texts_of_transformers() {
    let Some(fixtures) = Fixtures::find() else { return };
    let (passed, failures) = fixtures.compare("goldens.jsonl", wrong_text).unwrap();
    println!("goldens.jsonl: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty() && passed > 0, "{}", failures.join("\n"));
}

#[test]
fn chat_fixtures_give_the_spans_of_transformers() {
    let Some(fixtures) = Fixtures::find() else { return };
    let (passed, failures) = fixtures.compare("spans.jsonl", wrong_spans).unwrap();
    println!("spans.jsonl: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty() && passed > 0, "{}", failures.join("\n"));
}

/// What is wrong with a text, if anything. A refusal must have the template's words; of other errors
/// it counts that they are errors.
fn wrong_text(row: &Value, rendered: Result<Rendered, ChatError>) -> Option<String> {
    match (row["error_kind"].as_str(), rendered) {
        (None, Ok(rendered)) if row["expected"] == rendered.text => None,
        (None, got) => {
            let got = got.map(|rendered| rendered.text);
            Some(format!("\n  expected {}\n       got {got:?}", row["expected"]))
        }
        (Some("raise_exception"), Err(ChatError::Refused { message, .. }))
            if row["error"] == message =>
        {
            None
        }
        (Some("raise_exception"), got) => {
            Some(format!("expected the refusal {}, got {got:?}", row["error"]))
        }
        (Some(_), Err(_)) => None,
        (Some(kind), Ok(_)) => Some(format!("expected {kind}, got a text")),
    }
}

/// What is wrong with the assistant's spans, if anything.
fn wrong_spans(row: &Value, rendered: Result<Rendered, ChatError>) -> Option<String> {
    let rendered = match rendered {
        Ok(rendered) => rendered,
        Err(error) => return Some(error.to_string()),
    };
    let spans: Vec<[usize; 2]> =
        rendered.assistant_spans_chars().iter().map(|span| [span.start, span.end]).collect();
    let agrees = row["expected"] == rendered.text && row["spans"] == json!(spans);
    (!agrees).then(|| format!("expected {}, got {spans:?}", row["spans"]))
}

struct Fixtures {
    folder: PathBuf,
}

impl Fixtures {
    #[expect(clippy::print_stdout, reason = "a test that does not run says so")]
    fn find() -> Option<Self> {
        let folder = env::var_os("SURPRISAL_CHAT_FIXTURES").map_or_else(
            || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/fixtures/chat")),
            PathBuf::from,
        );
        if !folder.is_dir() {
            println!("chat templates: fixtures not found at {}, not run", folder.display());
            return None;
        }
        Some(Self { folder })
    }

    fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, Box<dyn Error>> {
        Ok(serde_json::from_str(&fs::read_to_string(self.folder.join(name))?)?)
    }

    /// Renders every row of a file; gives how many are right, and what is wrong with the others.
    fn compare(
        &self,
        file: &str,
        wrong: impl Fn(&Value, Result<Rendered, ChatError>) -> Option<String>,
    ) -> Result<(usize, Vec<String>), Box<dyn Error>> {
        let id = |entry: &Value| entry["id"].as_str().unwrap_or_default().to_owned();
        let mut templates = HashMap::new();
        for entry in self.json::<Vec<Value>>("templates.json")? {
            let path = self.folder.join(entry["file"].as_str().ok_or("a template has no file")?);
            let template = ChatTemplate::compile(&id(&entry), &fs::read_to_string(path)?)?;
            templates.insert(id(&entry), (template, object(&entry["special_tokens"])));
        }
        let conversations: HashMap<String, Value> = self
            .json::<Vec<Value>>("conversations.json")?
            .into_iter()
            .map(|entry| (id(&entry), entry))
            .collect();

        let (mut passed, mut failures) = (0, Vec::new());
        // Texts hold U+2028, so rows end at `\n` alone.
        for row in fs::read_to_string(self.folder.join(file))?.split_terminator('\n') {
            let row: Value = serde_json::from_str(row)?;
            let [template, conversation] =
                ["template_id", "conversation_id"].map(|key| row[key].as_str().unwrap_or_default());
            let (compiled, tokens) = templates.get(template).ok_or("an unknown template")?;
            let entry = conversations.get(conversation).ok_or("an unknown conversation")?;
            match wrong(&row, render(compiled, tokens, entry, &row["kwargs"])) {
                None => passed += 1,
                Some(why) => failures.push(format!("{template}, {conversation}: {why}")),
            }
        }
        Ok((passed, failures))
    }
}

fn render(
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    conversation: &Value,
    arguments: &Value,
) -> Result<Rendered, ChatError> {
    let list = |value: &Value| value.as_array().cloned();
    let mut variables = object(arguments);
    let without_tokens = conversation["special_tokens"] == json!(false);
    let options = RenderOptions {
        add_generation_prompt: variables.remove("add_generation_prompt") == Some(json!(true)),
        continue_final_message: match variables.remove("continue_final_message") {
            Some(Value::String(field)) => Some(field),
            Some(Value::Bool(true)) => Some("content".to_owned()),
            _ => None,
        },
        tools: list(&conversation["tools"]),
        documents: list(&conversation["documents"]),
        special_tokens: if without_tokens { Map::new() } else { special_tokens.clone() },
        variables,
        now: jiff::civil::date(2025, 7, 4).at(9, 5, 6, 0),
    };
    let messages = list(&conversation["messages"]).unwrap_or_default();
    template.render(&Message::list_from_json(messages)?, &options)
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}
