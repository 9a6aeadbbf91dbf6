//! What the card of a data set on the hub says about its files.
//!
//! The card is `README.md`; its front matter is YAML. Of it only `configs` is read. Aliases are refused:
//! a few of them can stand for more than any memory holds.

use libyaml_safer::{EventData, Parser, ScalarStyle};
use serde_json::{Map, Value};

use crate::panic_guard;

/// Deepest nesting that is followed.
const DEEPEST: usize = 32;

/// One of the tables that a repository holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct CardConfig {
    pub(super) name: String,
    /// Whether it is meant when none is named.
    pub(super) is_default: bool,
    /// Its folder.
    pub(super) data_dir: Option<String>,
    /// Splits and patterns of their files; empty if the names of the files tell.
    pub(super) splits: Vec<(String, Vec<String>)>,
}

/// The configs of a card; none if it does not speak of them.
pub(super) fn card_configs(card: &str) -> Result<Vec<CardConfig>, String> {
    let Some(rest) = card.trim_start_matches('\u{feff}').strip_prefix("---") else {
        return Ok(Vec::new());
    };
    let matter = rest.split("\n---").next().unwrap_or_default();
    if !matter.contains("configs:") {
        return Ok(Vec::new());
    }
    let front = parse(matter)?;
    let configs = front.get("configs").and_then(Value::as_array);
    configs.into_iter().flatten().map(config).collect()
}

fn config(entry: &Value) -> Result<CardConfig, String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let name = text("config_name").ok_or("an entry of configs has no config_name")?;
    let splits = match entry.get("data_files") {
        None | Some(Value::Null) => Vec::new(),
        Some(files) => split_patterns(files)
            .ok_or_else(|| format!("data_files of config {name} is no list"))?,
    };
    let is_default = text("default").as_deref() == Some("true");
    Ok(CardConfig { is_default, data_dir: text("data_dir"), splits, name })
}

/// Splits and their patterns, in any of the shapes in which data files are written: one pattern, a
/// list, a map from splits, a list of such entries.
pub(super) fn split_patterns(files: &Value) -> Option<Vec<(String, Vec<String>)>> {
    let train = |patterns| Some(vec![("train".to_owned(), patterns)]);
    match files {
        Value::Object(splits) => {
            splits.iter().map(|(split, files)| Some((split.clone(), patterns(files)?))).collect()
        }
        Value::Array(entries) if entries.iter().all(Value::is_object) => entries
            .iter()
            .map(|entry| {
                let split = entry.get("split").and_then(Value::as_str).unwrap_or("train");
                Some((split.to_owned(), patterns(entry.get("path")?)?))
            })
            .collect(),
        files => train(patterns(files)?),
    }
}

fn patterns(files: &Value) -> Option<Vec<String>> {
    match files {
        Value::String(pattern) => Some(vec![pattern.clone()]),
        Value::Array(list) => {
            list.iter().map(|pattern| pattern.as_str().map(str::to_owned)).collect()
        }
        _ => None,
    }
}

/// YAML as values; every scalar is text, except an empty one.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let odd = |why| Err(format!("this is not YAML: {why}"));
    panic_guard::guarded(|| first_document(text)).unwrap_or_else(odd)
}

type Events<'r, 'b> = Parser<&'r mut &'b [u8]>;

fn first_document(text: &str) -> Result<Value, String> {
    let mut bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input_string(&mut bytes);
    loop {
        match next(&mut parser)? {
            EventData::StreamEnd => return Ok(Value::Null),
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => {}
            event => return value(&mut parser, event, 0),
        }
    }
}

fn next(parser: &mut Events<'_, '_>) -> Result<EventData, String> {
    let event = parser.parse().map_err(|error| format!("this is not YAML: {error}"))?;
    Ok(event.data)
}

fn value(parser: &mut Events<'_, '_>, event: EventData, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err("this YAML is nested too deep".to_owned());
    }
    match event {
        EventData::Scalar { value, style: ScalarStyle::Plain, .. }
            if value.is_empty() || value == "~" =>
        {
            Ok(Value::Null)
        }
        EventData::Scalar { value, .. } => Ok(Value::String(value)),
        EventData::SequenceStart { .. } => {
            let mut items = Vec::new();
            loop {
                match next(parser)? {
                    EventData::SequenceEnd => return Ok(Value::Array(items)),
                    event => items.push(value(parser, event, depth + 1)?),
                }
            }
        }
        EventData::MappingStart { .. } => {
            let mut members = Map::new();
            loop {
                let name = match next(parser)? {
                    EventData::MappingEnd => return Ok(Value::Object(members)),
                    event => value(parser, event, depth + 1)?,
                };
                let event = next(parser)?;
                let member = value(parser, event, depth + 1)?;
                if let Value::String(name) = name {
                    members.insert(name, member);
                }
            }
        }
        EventData::Alias { .. } => {
            Err("the front matter has aliases, which are not followed".to_owned())
        }
        _ => Err("the front matter ends early".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_are_read_in_every_shape() {
        let card = "---\nlicense: mit\ntags: [a, b]\nconfigs:\n- config_name: main\n  default: true\n  data_files:\n  - split: train\n    path: main/train-*\n  - split: test\n    path:\n    - \"main/a.csv\"\n    - main/b.csv\n- config_name: other\n  data_files: \"other/*.jsonl\"\n- config_name: bare\n  data_dir: bare\n- config_name: flow\n  data_files: {dev: [x.csv]}\n---\n# Text: with *stars*\n";
        let configs = card_configs(card).unwrap();
        let shown: Vec<String> = configs
            .iter()
            .map(|config| {
                format!(
                    "{} {} {:?} {:?}",
                    config.name, config.is_default, config.data_dir, config.splits
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                r#"main true None [("train", ["main/train-*"]), ("test", ["main/a.csv", "main/b.csv"])]"#,
                r#"other false None [("train", ["other/*.jsonl"])]"#,
                r#"bare false Some("bare") []"#,
                r#"flow false None [("dev", ["x.csv"])]"#,
            ]
        );
    }

    #[test]
    fn cards_without_configs_have_none_and_odd_ones_are_refused() {
        for card in ["", "# Title", "---\nlicense: mit\n---\n", "---\nconfigs:\n---\n"] {
            assert_eq!(card_configs(card), Ok(Vec::new()), "{card:?}");
        }
        for (card, says) in [
            ("---\nconfigs: &a\n- *a\n---\n", "aliases"),
            ("---\nconfigs:\n- {data_files: x}\n---\n", "config_name"),
            ("---\nconfigs:\n- config_name: [\n---\n", "YAML"),
            ("---\nconfigs:\n- config_name: a\n  data_files: {test: {a: b}}\n---\n", "data_files"),
        ] {
            let error = card_configs(card).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        let deep = format!("---\nconfigs: {}\n---\n", "[".repeat(10_000));
        assert!(card_configs(&deep).is_err());
    }
}
