//! Which rows and columns of a data set an evaluation uses.

use std::fmt;

use serde::{Deserialize, Deserializer, de};

use super::{DatasetError, RowRange, Rows, Sample};
use crate::python::python_str;

/// The `reader_cfg` of a data set, as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderConfig {
    /// The columns that make up the question: a list of names, or one text of names with blanks
    /// between them.
    #[serde(deserialize_with = "names")]
    pub input_columns: Vec<String>,
    /// The column of the answer; `None` or empty if there is none.
    #[serde(default, deserialize_with = "name")]
    pub output_column: Option<String>,
    /// The split that examples are taken from.
    #[serde(default = "train")]
    pub train_split: String,
    /// The split whose rows are asked about.
    #[serde(default = "test")]
    pub test_split: String,
    /// Which rows of the training split are used.
    #[serde(default)]
    pub train_range: RowRange,
    /// Which rows of the test split are used.
    #[serde(default)]
    pub test_range: RowRange,
    /// Accepted for the sake of old configs; the text of a row is always its input columns.
    #[serde(default)]
    pub input_template: Option<de::IgnoredAny>,
    /// Accepted for the sake of old configs, without effect as in OpenCompass.
    #[serde(default)]
    pub output_template: Option<de::IgnoredAny>,
}

impl ReaderConfig {
    /// All rows of the usual splits, these columns being question and answer.
    pub fn of_columns(input_columns: Vec<String>, output_column: Option<String>) -> Self {
        Self {
            input_columns,
            output_column,
            train_split: train(),
            test_split: test(),
            train_range: RowRange::default(),
            test_range: RowRange::default(),
            input_template: None,
            output_template: None,
        }
    }
}

/// The chosen rows of a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dataset {
    /// Rows that examples are taken from.
    pub train: Vec<Sample>,
    /// Rows that are asked about.
    pub test: Vec<Sample>,
    /// How many more of these a limit left out, as far as they were read.
    pub left_out: usize,
}

/// Chooses rows and names columns, as a [`ReaderConfig`] says.
#[derive(Clone, Debug)]
pub struct Reader {
    config: ReaderConfig,
    /// Whether rows may lack input columns.
    may_lack_inputs: bool,
}

impl Reader {
    /// A reader of this configuration.
    pub fn new(config: ReaderConfig) -> Self {
        Self { config, may_lack_inputs: false }
    }

    /// The same reader, for rows that may lack input columns: where nothing looks for similar rows, nothing reads
    /// them, and configs name some that their class of data sets does not make.
    pub fn without_inputs(self) -> Self {
        Self { may_lack_inputs: true, ..self }
    }

    /// The columns that make up the question.
    pub fn input_columns(&self) -> &[String] {
        &self.config.input_columns
    }

    /// The column of the answer.
    pub fn output_column(&self) -> Option<&str> {
        self.config.output_column.as_deref()
    }

    /// The names of the splits it reads, the training split first.
    pub fn splits(&self) -> [&str; 2] {
        [&self.config.train_split, &self.config.test_split]
    }

    /// Whether the first so many test rows are the first rows of their split, whatever comes behind them.
    pub(crate) fn is_in_order(&self) -> bool {
        [&self.config.train_range, &self.config.test_range].map(|range| *range == RowRange::All)
            == [true; 2]
    }

    /// The text by which similar rows are found: the input columns, one blank between them.
    pub fn corpus_text(&self, row: &Sample) -> String {
        let text = |column: &String| row.get(column).map(python_str).unwrap_or_default();
        self.config.input_columns.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    /// The training and test rows.
    ///
    /// The chosen training rows take the place of the split named `train` before the test split is
    /// looked up, as in OpenCompass: with `test_split='train'` the test rows are the training rows
    /// already chosen.
    ///
    /// The columns of the training rows are not looked at: only those that are shown matter, see
    /// [`check_train`](Self::check_train).
    pub fn load(&self, rows: Rows) -> Result<Dataset, DatasetError> {
        let config = &self.config;
        match rows {
            Rows::Single(rows) => {
                self.check_columns(&rows, "train and test")?;
                Ok(Dataset {
                    train: chosen(&rows, "train_range", &config.train_range)?,
                    test: chosen(&rows, "test_range", &config.test_range)?,
                    left_out: 0,
                })
            }
            Rows::Splits(mut splits) => {
                let mut take = |field, split: &String, range_field, range, role: &str| {
                    let rows = splits.get(split).ok_or_else(|| DatasetError::MissingSplit {
                        field,
                        split: split.clone(),
                        available: splits.keys().cloned().collect(),
                    })?;
                    if role == "test" {
                        self.check_columns(rows, split)?;
                    }
                    let rows = chosen(rows, range_field, range)?;
                    splits.insert(role.to_owned(), rows.clone());
                    Ok(rows)
                };
                let (train_range, test_range) = (&config.train_range, &config.test_range);
                Ok(Dataset {
                    train: take(
                        "train_split",
                        &config.train_split,
                        "train_range",
                        train_range,
                        "train",
                    )?,
                    test: take("test_split", &config.test_split, "test_range", test_range, "test")?,
                    left_out: 0,
                })
            }
        }
    }

    /// Whether training rows have the columns that are named, which matters if any of them is shown.
    pub fn check_train(&self, train: &[Sample]) -> Result<(), DatasetError> {
        self.check_columns(train, &self.config.train_split)
    }

    /// Every column that the reader names must exist.
    fn check_columns(&self, rows: &[Sample], split: &str) -> Result<(), DatasetError> {
        let Some(first) = rows.first() else { return Ok(()) };
        let inputs = self.config.input_columns.iter().filter(|_| !self.may_lack_inputs);
        let inputs = inputs.map(|column| ("input_columns", column));
        let outputs = self.config.output_column.iter().map(|column| ("output_column", column));
        match inputs.chain(outputs).find(|(_, column)| first.get(column).is_none()) {
            None => Ok(()),
            Some((field, column)) => Err(DatasetError::MissingColumn {
                field,
                column: column.clone(),
                split: split.to_owned(),
                available: first.iter().map(|(name, _)| name.to_owned()).collect(),
            }),
        }
    }
}

fn chosen(
    rows: &[Sample],
    field: &'static str,
    range: &RowRange,
) -> Result<Vec<Sample>, DatasetError> {
    let numbers =
        range.rows(rows.len()).map_err(|problem| DatasetError::Range { field, problem })?;
    Ok(numbers.into_iter().filter_map(|number| rows.get(number)).cloned().collect())
}

fn train() -> String {
    "train".to_owned()
}

fn test() -> String {
    "test".to_owned()
}

/// A name, where an empty one means none.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(deserializer)?.filter(|name| !name.is_empty()))
}

/// A list of names, or a text of names.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Names;

    impl<'de> de::Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(
                "a list of column names, or a text of column names with blanks between them",
            )
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
            Ok(text.split_whitespace().map(str::to_owned).collect())
        }

        fn visit_seq<A: de::SeqAccess<'de>>(self, names: A) -> Result<Vec<String>, A::Error> {
            Vec::deserialize(de::value::SeqAccessDeserializer::new(names))
        }
    }

    deserializer.deserialize_any(Names)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn reader(config: Value) -> Reader {
        Reader::new(serde_json::from_value(config).expect("the test's reader_cfg is valid"))
    }

    #[test]
    fn names_may_be_one_text() {
        let reader = reader(json!({"input_columns": "question  choices", "output_column": ""}));
        assert_eq!(reader.input_columns(), ["question", "choices"]);
        assert_eq!(reader.output_column(), None);
    }

    #[test]
    fn a_missing_column_is_named_with_the_likely_one() {
        let rows = Rows::from_json(&json!([{"question": "1+1", "answer": 2}])).unwrap();
        let error = reader(json!({"input_columns": ["qestion"]})).load(rows).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("`qestion`") && message.ends_with("did you mean `question`?"),
            "{message}"
        );
    }

    #[test]
    fn training_rows_may_lack_columns_until_they_are_shown() {
        let rows = json!({"train": [{"text": "x"}], "test": [{"question": "1+1", "answer": 2}]});
        let reader = reader(json!({"input_columns": ["question"], "output_column": "answer"}));
        let read = reader.load(Rows::from_json(&rows).unwrap()).unwrap();
        let error = reader.check_train(&read.train).unwrap_err().to_string();
        assert!(error.contains("`question`") && error.contains("split `train`"), "{error}");
        let rows = json!({"train": [{"question": "1+1", "answer": 2}], "test": [{"text": "x"}]});
        assert!(reader.load(Rows::from_json(&rows).unwrap()).is_err());
    }

    #[test]
    fn a_missing_split_lists_those_that_exist() {
        let rows =
            Rows::from_json(&json!({"train": [{"q": 1}], "validation": [{"q": 2}]})).unwrap();
        let error = reader(json!({"input_columns": "q"})).load(rows).unwrap_err().to_string();
        assert!(error.contains("test_split") && error.contains("`train`, `validation`"), "{error}");
    }

    #[test]
    fn text_for_retrieval_prints_as_python_does() {
        let reader = reader(json!({"input_columns": ["x", "y"]}));
        let row = Sample::new(vec![("x".into(), json!("red")), ("y".into(), Value::Null)]);
        assert_eq!(reader.corpus_text(&row), "red None");
    }
}
