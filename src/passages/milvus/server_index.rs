//! The index that a server builds over the vectors of a collection.

use std::{fmt, str::FromStr};

use serde_json::{Map, Value, json};

use super::{MilvusError, messages::KeyValue};

/// The index that compares with every vector.
const EXACT: &str = "FLAT";

/// How vectors are compared: the inner product, which of vectors of length 1 is the cosine.
pub(super) const METRIC: &str = "IP";

/// A kind of index in Milvus' words, with the numbers that it is built by, and behind a slash those that it is searched
/// by: `FLAT`, or `HNSW,M=16,efConstruction=200/ef=256`.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerIndex {
    kind: String,
    parameters: Map<String, Value>,
    search_parameters: Map<String, Value>,
}

impl Default for ServerIndex {
    /// The exact one.
    fn default() -> Self {
        Self { kind: EXACT.to_owned(), parameters: Map::new(), search_parameters: Map::new() }
    }
}

impl ServerIndex {
    /// Whether no passage is passed over.
    pub fn is_exact(&self) -> bool {
        self.kind == EXACT
    }

    /// What it is built by, as the server is told.
    pub(super) fn pairs(&self) -> Vec<KeyValue> {
        vec![
            KeyValue::new("index_type", &self.kind),
            KeyValue::new("metric_type", METRIC),
            KeyValue::new("params", &Value::Object(self.parameters.clone()).to_string()),
        ]
    }

    /// What it is searched by.
    pub(super) fn search_parameters(&self) -> &Map<String, Value> {
        &self.search_parameters
    }

    /// What tells indexes apart: the kind, and the numbers in the order of their names.
    pub(super) fn built(&self) -> String {
        let mut numbers: Vec<String> =
            self.parameters.iter().map(|(name, number)| format!("{name}={number}")).collect();
        numbers.sort();
        numbers.insert(0, self.kind.clone());
        numbers.join(",")
    }

    /// What the server has instead, if that is another kind or another metric. Its numbers are not compared: servers fill
    /// in some of their own.
    pub(super) fn other(&self, pairs: &[KeyValue]) -> Option<String> {
        let value = |key: &str| {
            let pair = pairs.iter().find(|pair| pair.key == key);
            pair.map_or("", |pair| pair.value.as_str())
        };
        let (kind, metric) = (value("index_type"), value("metric_type"));
        (kind != self.kind || metric != METRIC).then(|| format!("{kind} by {metric}"))
    }
}

impl FromStr for ServerIndex {
    type Err = MilvusError;

    fn from_str(text: &str) -> Result<Self, MilvusError> {
        let refused = || MilvusError::Index { text: text.to_owned() };
        let (built, searched) =
            text.split_once('/').map_or((text, None), |(built, searched)| (built, Some(searched)));
        let (kind, parameters) = built
            .split_once(',')
            .map_or((built, None), |(kind, parameters)| (kind, Some(parameters)));
        let numbers =
            |list: Option<&str>| list.map_or(Some(Map::new()), numbers).ok_or_else(refused);
        if !is_word(kind) {
            return Err(refused());
        }
        Ok(Self {
            kind: kind.to_ascii_uppercase(),
            parameters: numbers(parameters)?,
            search_parameters: numbers(searched)?,
        })
    }
}

fn is_word(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !text.is_empty() && text.chars().all(fits)
}

/// `name=number,name=number`
fn numbers(list: &str) -> Option<Map<String, Value>> {
    let number = |part: &str| {
        let (name, number) = part.split_once('=')?;
        let number: u32 = number.parse().ok()?;
        is_word(name).then(|| (name.to_owned(), json!(number)))
    };
    list.split(',').map(number).collect()
}

impl fmt::Display for ServerIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.built())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_a_kind_and_numbers() {
        let index: ServerIndex = "hnsw,efConstruction=200,M=16/ef=64".parse().unwrap();
        assert_eq!(index.to_string(), "HNSW,M=16,efConstruction=200");
        assert_eq!(index.pairs()[2], KeyValue::new("params", "{\"efConstruction\":200,\"M\":16}"));
        assert_eq!(index.search_parameters()["ef"], 64);
        assert!(!index.is_exact() && ServerIndex::default().is_exact());
        for text in ["", "HNSW,M", "HNSW,M=a", "HNSW,=1", "HN SW", "HNSW,", "HNSW/", "HNSW/ef"] {
            let error = text.parse::<ServerIndex>().unwrap_err().to_string();
            assert!(error.contains("HNSW,M=16,efConstruction=200"), "{error}");
        }
    }

    #[test]
    fn another_kind_or_metric_is_another_index() {
        let index = ServerIndex::default();
        assert_eq!(index.other(&index.pairs()), None);
        let pairs = [KeyValue::new("index_type", "FLAT"), KeyValue::new("metric_type", "L2")];
        assert_eq!(index.other(&pairs).as_deref(), Some("FLAT by L2"));
    }
}
