//! The version of a prompt: what the `version` column of a summary shows.
//!
//! Two results are comparable only if they asked the same way. OpenCompass therefore hashes the
//! `infer_cfg` of a data set: templates, retriever and inferencer with all their parameters. The same
//! bytes are hashed here, so versions can be compared with published ones and with the suffixes of
//! OpenCompass's config files.

use std::{cmp::Ordering, fmt::Write as _};

use serde_json::Number;
use sha2::{Digest, Sha256};

use crate::{
    config::{Node, Value},
    python::{write_number, write_string},
};

/// How many hexadecimal digits of the hash a version shows.
const VERSION_DIGITS: usize = 6;

/// The version of the prompts that this `infer_cfg` makes: six hexadecimal digits.
pub fn prompt_version(infer_cfg: &Node) -> String {
    let mut version = prompt_hash(infer_cfg);
    version.truncate(VERSION_DIGITS);
    version
}

/// The SHA-256 of `json.dumps(infer_cfg, sort_keys=True)`, in hexadecimal. Types are written as dotted
/// paths, and the retriever's `fix_id_list` is hashed as if it stood in the inferencer, where it once
/// was.
pub fn prompt_hash(infer_cfg: &Node) -> String {
    let mut text = String::new();
    write_node(&mut text, &with_moved_fix_id_list(infer_cfg));
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        write!(digits, "{byte:02x}").expect("writing to a string cannot fail");
    }
    digits
}

fn with_moved_fix_id_list(infer_cfg: &Node) -> Node {
    let mut moved = infer_cfg.clone();
    let fix_id_list =
        entry_mut(&mut moved, "retriever").and_then(|node| node.remove("fix_id_list"));
    if let Some(fix_id_list) = fix_id_list
        && let Some(inferencer) = entry_mut(&mut moved, "inferencer")
    {
        inferencer.remove("fix_id_list");
        if let Value::Dict(entries) = &mut inferencer.value {
            entries.push((Value::Str("fix_id_list".to_owned()).into(), fix_id_list));
        }
    }
    moved
}

fn entry_mut<'n>(node: &'n mut Node, key: &str) -> Option<&'n mut Node> {
    let Value::Dict(entries) = &mut node.value else { return None };
    entries.iter_mut().find(|(name, _)| name.as_str() == Some(key)).map(|(_, value)| value)
}

/// `json.dumps(node, sort_keys=True)`.
fn write_node(out: &mut String, node: &Node) {
    match &node.value {
        Value::Str(text) | Value::Type(text) => write_string(out, text, true),
        Value::List(items) | Value::Tuple(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_node(out, item);
            }
            out.push(']');
        }
        Value::Dict(entries) => {
            let mut entries: Vec<&(Node, Node)> = entries.iter().collect();
            entries.sort_by(|(left, _), (right, _)| compare_keys(left, right));
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_string(out, &key_text(key), true);
                out.push_str(": ");
                write_node(out, value);
            }
            out.push('}');
        }
        _ => out.push_str(&scalar_text(node)),
    }
}

/// Numbers sort by value and texts by code points. Python refuses to sort the two together; here
/// numbers come first.
fn compare_keys(left: &Node, right: &Node) -> Ordering {
    match (left.as_float(), right.as_float()) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => key_text(left).cmp(&key_text(right)),
    }
}

fn key_text(key: &Node) -> String {
    key.as_str().map_or_else(|| scalar_text(key), str::to_owned)
}

/// A number, truth value or `None` as JSON; Python writes `NaN` and `Infinity`, too.
fn scalar_text(node: &Node) -> String {
    let mut text = String::new();
    match &node.value {
        Value::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => text.push_str(&number.to_string()),
        Value::Float(number) => match Number::from_f64(*number) {
            Some(number) => write_number(&mut text, &number),
            None if number.is_nan() => text.push_str("NaN"),
            None => text.push_str(if *number > 0.0 { "Infinity" } else { "-Infinity" }),
        },
        _ => text.push_str("null"),
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(json: &serde_json::Value) -> String {
        let mut text = String::new();
        write_node(&mut text, &Node::from_json(json));
        text
    }

    #[test]
    fn keys_are_sorted_by_value_and_written_as_text() {
        let node = json!({"b": 1.0, "a": {"$items": [[10, "é"], [2, null]]}, "B": [true]});
        let expected = r#"{"B": [true], "a": {"2": null, "10": "\u00e9"}, "b": 1.0}"#;
        assert_eq!(written(&node), expected);
    }

    #[test]
    fn versions_are_those_of_opencompass() {
        // `order_gen` of the end-to-end run of OpenCompass 0.5.4 in tests/fixtures/e2e_run3.
        let infer_cfg = json!({
            "prompt_template": {
                "type": "opencompass.openicl.icl_prompt_template.PromptTemplate",
                "template": {"zeta": "Z {text}", "alpha": "A {text}"},
            },
            "retriever": {"type": "opencompass.openicl.icl_retriever.ZeroRetriever"},
            "inferencer": {
                "type": "opencompass.openicl.icl_inferencer.GenInferencer", "max_out_len": 3,
            },
        });
        assert_eq!(prompt_version(&Node::from_json(&infer_cfg)), "dff0d1");
    }

    #[test]
    fn fix_id_list_is_hashed_with_the_inferencer() {
        let kept =
            json!({"retriever": {"type": "R", "fix_id_list": [0]}, "inferencer": {"type": "I"}});
        let moved =
            json!({"inferencer": {"fix_id_list": [0], "type": "I"}, "retriever": {"type": "R"}});
        assert_eq!(prompt_hash(&Node::from_json(&kept)), prompt_hash(&Node::from_json(&moved)));
    }
}
