//! The training rows of the same field, for Xiezhi.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

use super::{Corpus, RetrieveError, Retriever, newline, one};
use crate::dataset::Sample;

/// The column that says which fields a question belongs to, the narrowest first.
const LABELS: &str = "labels";

/// Shows the first training rows of the test row's narrowest field, then of the next, until there are enough; a row
/// that is of two fields may come twice.
///
/// The released class stops with a `KeyError` at a field that no training row has; here it has no rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names of the config")]
pub struct XiezhiRetriever {
    /// Most examples per row.
    #[serde(default = "one")]
    ice_num: usize,
    #[serde(default = "newline")]
    ice_separator: String,
    #[serde(default = "newline")]
    ice_eos_token: String,
}

/// The training rows of each field.
type Fields = IndexMap<String, Vec<isize>>;

impl XiezhiRetriever {
    /// The rows for a test row, and how many of the fields that were looked up no training row has.
    fn chosen(&self, fields: &Fields, row: &Sample) -> Result<(Vec<isize>, usize), RetrieveError> {
        let (mut ids, mut unknown) = (Vec::new(), 0);
        for label in labels(row)? {
            if ids.len() >= self.ice_num {
                break;
            }
            match fields.get(&label) {
                Some(rows) => ids.extend(rows),
                None => unknown += 1,
            }
        }
        ids.truncate(self.ice_num);
        Ok((ids, unknown))
    }
}

impl Retriever for XiezhiRetriever {
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError> {
        let fields = fields(&corpus.dataset.train)?;
        let test = corpus.dataset.test.iter();
        test.map(|row| Ok(self.chosen(&fields, row)?.0)).collect()
    }

    fn notes(&self, corpus: &Corpus<'_>) -> Vec<String> {
        let Ok(fields) = fields(&corpus.dataset.train) else { return Vec::new() };
        let lacks = |row: &&Sample| self.chosen(&fields, row).is_ok_and(|(_, unknown)| unknown > 0);
        let rows = corpus.dataset.test.iter().filter(lacks).count();
        let note = || {
            format!(
                "{rows} test rows are of a field that no training row has, where OpenCompass's XiezhiRetriever stops \
                 with a KeyError; their other fields give the examples"
            )
        };
        (rows > 0).then(note).into_iter().collect()
    }

    fn reads_texts(&self) -> bool {
        false
    }

    fn ice_separator(&self) -> &str {
        &self.ice_separator
    }

    fn ice_eos_token(&self) -> &str {
        &self.ice_eos_token
    }
}

fn fields(train: &[Sample]) -> Result<Fields, RetrieveError> {
    let mut fields = Fields::new();
    for (id, row) in train.iter().enumerate() {
        for label in labels(row)? {
            fields.entry(label).or_default().push(id.cast_signed());
        }
    }
    Ok(fields)
}

/// The fields of a row, each as JSON so that the text `1` is not the number 1.
fn labels(row: &Sample) -> Result<Vec<String>, RetrieveError> {
    match row.get(LABELS) {
        Some(Value::Array(labels)) => Ok(labels.iter().map(Value::to_string).collect()),
        found => Err(RetrieveError::Column {
            column: LABELS,
            wanted: "a list of fields",
            found: found.map_or_else(|| "no such column".to_owned(), Value::to_string),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        dataset::{Reader, ReaderConfig, Rows},
        retrieve::NoModels,
    };

    #[test]
    fn fields_give_their_rows_until_there_are_enough() {
        let config: ReaderConfig = serde_json::from_value(json!({"input_columns": ["q"]})).unwrap();
        let reader = Reader::new(config);
        let rows = json!({
            "train": [{"q": 0, "labels": ["ab", "a"]}, {"q": 1, "labels": ["a"]}, {"q": 2, "labels": ["ab"]}],
            "test": [{"q": 3, "labels": ["ab", "a"]}, {"q": 4, "labels": ["c", "a"]}],
        });
        let dataset = reader.load(Rows::from_json(&rows).unwrap()).unwrap();
        let corpus = Corpus { dataset: &dataset, reader: &reader, models: &NoModels };
        let retriever = |ice_num| -> XiezhiRetriever {
            serde_json::from_value(json!({"ice_num": ice_num})).unwrap()
        };
        assert_eq!(retriever(3).select(&corpus).unwrap(), [vec![0, 2, 0], vec![0, 1]]);
        assert_eq!(retriever(2).select(&corpus).unwrap(), [[0, 2], [0, 1]]);
        assert!(retriever(2).notes(&corpus)[0].starts_with("1 test rows"));
    }
}
