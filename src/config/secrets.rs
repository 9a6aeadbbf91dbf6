//! Keys that configs of served models hold, taken out before anybody sees them.
//!
//! A config is printed, kept with a run and quoted in messages. A key in it would be in all of these, so it is replaced
//! as soon as the config is evaluated, and whoever reads the entry refuses what stands in its place.

use super::value::{Node, Value};

/// What stands in the place of a key.
pub(super) const HIDDEN: &str = "[key]";

/// Fields that hold keys.
const KEY_FIELDS: [&str; 11] = [
    "ak",
    "access_key",
    "api_key",
    "apikey",
    "api_secret",
    "key",
    "keys",
    "secret_key",
    "secret_key2",
    "secretkey",
    "sk",
];

/// Fields of entries of models behind servers, and of no others.
const SERVED_FIELDS: [&str; 8] = [
    "api_base",
    "base_url",
    "host_ip",
    "host_port",
    "openai_api_base",
    "query_per_second",
    "rpm_verbose",
    "url",
];

/// Words in the place of a key that are none.
const HARMLESS: [&str; 5] = ["", "EMPTY", "ENV", "None", "none"];

/// What keys of all kinds of servers begin with.
const KEY_BEGINNINGS: [&str; 3] = ["sk-", "hf_", "Bearer "];

/// Takes keys out of a value and of all that is in it.
pub(super) fn hide(node: &mut Node) {
    let is_served = is_served(node);
    match &mut node.value {
        Value::Str(text) if KEY_BEGINNINGS.iter().any(|begins| is_key(text, begins)) => {
            HIDDEN.clone_into(text);
        }
        Value::List(items) | Value::Tuple(items) => items.iter_mut().for_each(hide),
        Value::Dict(entries) => {
            for (name, value) in entries {
                let is_key = name.as_str().is_some_and(|name| KEY_FIELDS.contains(&name));
                if is_served && is_key {
                    hide_key(value);
                } else {
                    hide(value);
                }
                if is_served && let Value::Str(text) = &mut value.value {
                    hide_user(text);
                }
            }
        }
        _ => {}
    }
}

/// Whether a text is a key as they are made: one long word of letters and digits.
fn is_key(text: &str, begins: &str) -> bool {
    let letters = |own: char| own.is_ascii_alphanumeric() || "-_.".contains(own);
    text.strip_prefix(begins).is_some_and(|rest| rest.len() >= 16 && rest.chars().all(letters))
}

/// Whether a dict is the entry of a model behind a server.
fn is_served(node: &Node) -> bool {
    let class = node.get("type").and_then(Node::as_str).unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or_default();
    let is_class = ["API", "Api", "OpenAI", "SDK", "served_"].iter().any(|own| class.contains(own));
    is_class || SERVED_FIELDS.iter().any(|field| node.get(field).is_some())
}

/// Whether a text says that a key belongs here, as in `YOUR_API_KEY`. Keys as they are made have digits.
fn is_placeholder(text: &str) -> bool {
    let words = text.to_ascii_lowercase();
    let letters = |own: char| own.is_ascii_alphabetic() || "-_ ".contains(own);
    words.starts_with("your") && words.contains("key") && words.chars().all(letters)
}

fn hide_key(node: &mut Node) {
    match &mut node.value {
        Value::Str(text) if HARMLESS.contains(&text.as_str()) || text.starts_with("ENV:") => {}
        Value::Str(text) if is_placeholder(text) => {}
        Value::Str(text) => HIDDEN.clone_into(text),
        Value::List(items) | Value::Tuple(items) => items.iter_mut().for_each(hide_key),
        _ => {}
    }
}

/// Takes name and password out of an address.
fn hide_user(text: &mut String) {
    let Some((scheme, rest)) = text.split_once("://") else { return };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if let Some((user, _)) = host.rsplit_once('@') {
        *text = format!("{scheme}://{HIDDEN}{}", &rest[user.len()..]);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_taken_out_and_nothing_else() {
        let long = format!("sk-{}", "a1".repeat(20));
        let mut node = Node::from_json(&json!([
            {"type": "x.OpenAI", "path": "m", "key": "secret", "org": "o"},
            {"type": "x.OpenAI", "key": ["secret", "ENV"], "openai_api_base": "http://me:secret@h/v1"},
            {"type": "x.VLLMCustomAPI", "api_key": "", "host_ip": "localhost"},
            {"type": "x.OpenAI", "key": ["YOUR_API_KEY", "your-api-key-here", "yours1keyless"]},
            {"type": "AnyLoader", "path": "p", "key": "question"},
            long,
            "sk-learn",
        ]));
        hide(&mut node);
        assert_eq!(
            node.to_json(),
            json!([
                {"type": "x.OpenAI", "path": "m", "key": "[key]", "org": "o"},
                {"type": "x.OpenAI", "key": ["[key]", "ENV"], "openai_api_base": "http://[key]@h/v1"},
                {"type": "x.VLLMCustomAPI", "api_key": "", "host_ip": "localhost"},
                {"type": "x.OpenAI", "key": ["YOUR_API_KEY", "your-api-key-here", "[key]"]},
                {"type": "AnyLoader", "path": "p", "key": "question"},
                "[key]",
                "sk-learn",
            ])
        );
    }
}
