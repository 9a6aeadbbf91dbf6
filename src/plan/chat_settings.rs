//! What a model's entry says about its chat template.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::{
    chat::{RenderOptions, TemplateChoice, own_template},
    config::{ConfigError, Node, from_node, locate},
};

/// Fields of an entry that are read here.
pub(super) const FIELDS: [&str; 6] = [
    "add_generation_prompt",
    "chat_template",
    "chat_template_kwargs",
    "chat_template_name",
    "continue_final_message",
    "fastchat_template",
];

/// How a model's conversations are written.
#[derive(Clone, Debug)]
pub struct ChatSettings {
    /// Which template.
    pub template: TemplateChoice,
    /// Whether a prompt that is continued ends with the opening of the assistant's answer.
    pub add_generation_prompt: bool,
    /// Whether a prompt whose last message is the assistant's is continued inside of it.
    pub continue_final_message: bool,
    /// Further arguments of the rendering, the template's variables among them.
    pub arguments: Map<String, Json>,
}

impl Default for ChatSettings {
    fn default() -> Self {
        Self {
            template: TemplateChoice::Automatic,
            add_generation_prompt: true,
            continue_final_message: false,
            arguments: Map::new(),
        }
    }
}

#[derive(Deserialize)]
struct ChatFields {
    chat_template: Option<Node>,
    chat_template_name: Option<String>,
    chat_template_kwargs: Option<Node>,
    add_generation_prompt: Option<bool>,
    continue_final_message: Option<bool>,
    fastchat_template: Option<String>,
}

impl ChatSettings {
    /// Reads them from an entry in the file `config`, from which relative paths are found; also gives
    /// what has no effect.
    pub(super) fn from_node(
        node: &Node,
        config: &Path,
    ) -> Result<(Self, Option<String>), ConfigError> {
        let entry: ChatFields = from_node(node)?;
        let own = entry.chat_template.filter(|node| !node.is_none());
        let template = match (own, entry.chat_template_name) {
            (Some(own), None) => {
                let failed =
                    |what: String| ConfigError::at(&own.origin, what).under("chat_template");
                let written = own.as_str().ok_or_else(|| {
                    failed(format!("expected a template or a file, found {}", own.describe()))
                })?;
                let choice = own_template(written, "chat_template", |path| locate(path, config))
                    .map_err(|error| failed(error.to_string()))?;
                // Compiled here only to be refused at the place where it is written.
                crate::chat::TemplateSet::default()
                    .choose(&choice, false)
                    .map_err(|error| failed(error.to_string()))?;
                choice
            }
            (None, Some(name)) => TemplateChoice::Named(name),
            (None, None) => TemplateChoice::Automatic,
            (Some(own), Some(_)) => {
                let what = "chat_template and chat_template_name are both given; choose one";
                return Err(ConfigError::at(&own.origin, what));
            }
        };
        let arguments = match entry.chat_template_kwargs.filter(|node| !node.is_none()) {
            None => Map::new(),
            Some(kwargs) => {
                let failed = |what: String| {
                    ConfigError::at(&kwargs.origin, what).under("chat_template_kwargs")
                };
                let Json::Object(arguments) = kwargs.to_json() else {
                    return Err(failed(format!("expected a dict, found {}", kwargs.describe())));
                };
                RenderOptions::at(jiff::civil::DateTime::default())
                    .with_arguments(&arguments)
                    .map_err(|error| failed(error.to_string()))?;
                arguments
            }
        };
        let argument = |own: Option<bool>, name: &str| {
            own.or_else(|| arguments.get(name).and_then(Json::as_bool))
        };
        let note = entry.fastchat_template.map(|name| {
            format!(
                "fastchat_template {name:?} is not built in, the checkpoint's chat template is used; \
                 give another with chat_template"
            )
        });
        let settings = Self {
            template,
            add_generation_prompt: argument(entry.add_generation_prompt, "add_generation_prompt")
                .unwrap_or(true),
            continue_final_message: argument(
                entry.continue_final_message,
                "continue_final_message",
            )
            .unwrap_or(false),
            arguments,
        };
        Ok((settings, note))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(entry: &Json) -> Result<(ChatSettings, Option<String>), String> {
        let node = Node::from_json(entry);
        ChatSettings::from_node(&node, Path::new("config.py")).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_chooses_its_template() {
        let (plain, note) = settings(&json!({"path": "m"})).unwrap();
        assert_eq!(plain.template, TemplateChoice::Automatic);
        assert!(plain.add_generation_prompt && !plain.continue_final_message && note.is_none());
        let entry = json!({"chat_template_name": "tool_use", "fastchat_template": "vicuna",
            "chat_template_kwargs": {"enable_thinking": false, "add_generation_prompt": false}});
        let (named, note) = settings(&entry).unwrap();
        assert_eq!(named.template, TemplateChoice::Named("tool_use".to_owned()));
        assert!(!named.add_generation_prompt && note.unwrap().contains("vicuna"));
    }

    #[test]
    fn what_cannot_work_is_said() {
        for (entry, expected) in [
            (json!({"chat_template": "gone.jinja"}), "neither a file"),
            (json!({"chat_template": "a\n{% if %}"}), "line 2"),
            (json!({"chat_template": 1}), "found int 1"),
            (json!({"chat_template": "{{ 1 }}", "chat_template_name": "x"}), "choose one"),
            (json!({"chat_template_kwargs": {"tools": 1}}), "`tools` must be a list"),
        ] {
            let error = settings(&entry).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
