//! `ChoicesTemplate`: one form for all candidates, which are the options of the row itself.
//!
//! A `PromptTemplate` names its candidates, so every row has the same number of them under the same labels. Many
//! benchmarks are not like that: a question of ARC has three to five options, labelled `A` to `E` or `1` to `4`.
//! Here the options and their labels are read from the row, and the form shows them in `{choice.text}`,
//! `{choice.label}` and `{choice.list}`, which are filled in after everything else and never searched again.
//!
//! OpenCompass has no such template: its loaders rewrite or leave out the rows that do not fit.

use serde_json::{Map, Value as Json};

use super::{
    Label, PromptError, deep_field,
    fill::fill,
    form::{Dialogue, Form, is_section},
};
use crate::{
    config::{Node, Origin, Value},
    dataset::Sample,
    python::python_str,
};

/// The name of this template.
pub(super) const KIND: &str = "ChoicesTemplate";

/// What the form sees of a candidate, beside the columns of the row.
const COLUMN: &str = "choice";

/// A form, and where the options are that it is written for.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    pub(super) form: Form,
    /// Texts with fields; one that is a single field and holds a list stands for its items.
    options: Vec<String>,
    labels: Labels,
}

/// How options are called.
#[derive(Clone, Debug)]
enum Labels {
    /// By their place: 0, 1, 2, ….
    Places,
    /// By what they say.
    Texts,
    /// By the items of this field.
    Field(String),
    /// By these, as many of them as there are options.
    Given(Vec<Label>),
}

impl Choices {
    /// Reads `template`, `choices` and `labels` of a config.
    pub(super) fn new(
        template: &Node,
        choices: &Node,
        labels: Option<&Node>,
    ) -> Result<Self, PromptError> {
        let refused = |origin: &Origin, what: &str| PromptError::Template {
            origin: origin.clone(),
            what: what.to_owned(),
        };
        let form = match &template.value {
            Value::Str(text) => Form::Text(text.clone()),
            Value::Dict(entries) if entries.iter().all(|(key, _)| is_section(key)) => {
                Form::Dialogue(Dialogue::from_entries(entries, &template.origin)?)
            }
            _ => {
                let what = "the template of a ChoicesTemplate must be a string or a dict with begin/round/end";
                return Err(refused(&template.origin, what));
            }
        };
        let texts = choices.as_list().unwrap_or(std::slice::from_ref(choices));
        let options = texts.iter().map(|node| node.as_str().map(str::to_owned));
        let options = options.collect::<Option<Vec<String>>>().filter(|texts| !texts.is_empty());
        let options = options.ok_or_else(|| {
            let what = "choices must be a field with a list, as in '{choices.text}', or a list of texts with fields";
            refused(&choices.origin, what)
        })?;
        let labels = match labels.filter(|labels| !labels.is_none()) {
            None => Labels::Places,
            Some(node) => match (node.as_str(), node.as_list()) {
                (Some("{choice.text}"), _) => Labels::Texts,
                (Some(text), _) if field(text).is_some() => Labels::Field(text.to_owned()),
                (None, Some(given)) => Labels::Given(
                    given.iter().map(Label::from_node).collect::<Option<_>>().ok_or_else(|| {
                        refused(&node.origin, "a label must be a string or a number")
                    })?,
                ),
                _ => {
                    let what = "labels must be a field with a list, as in '{choices.label}', a list of labels, or '{choice.text}'";
                    return Err(refused(&node.origin, what));
                }
            },
        };
        Ok(Self { form, options, labels })
    }

    /// Texts with their fields unfilled.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let labels = match &self.labels {
            Labels::Field(text) => Some(text.as_str()),
            _ => None,
        };
        self.options.iter().map(String::as_str).chain(labels)
    }

    /// The labels of a row's options, in their order.
    pub(super) fn labels(&self, row: &Sample) -> Result<Vec<Label>, PromptError> {
        let options = self.options(row)?;
        let count = options.len();
        let labels: Vec<Label> = match &self.labels {
            Labels::Places => (0..count).map(|place| Label::new(place.into())).collect(),
            Labels::Texts => options.into_iter().map(|text| Label::new(text.into())).collect(),
            Labels::Field(text) => items(text, row)?.into_iter().map(Label::new).collect(),
            Labels::Given(labels) => labels.iter().take(count).cloned().collect(),
        };
        if labels.len() != count {
            return Err(PromptError::Choices {
                what: format!("{count} options, but {} labels", labels.len()),
            });
        }
        Ok(labels)
    }

    /// The row as the form sees it for a candidate.
    pub(super) fn candidate_row(&self, row: &Sample, label: &Json) -> Result<Sample, PromptError> {
        let labels = self.labels(row)?;
        let place = labels.iter().position(|own| own.names(label)).ok_or_else(|| {
            let known: Vec<String> = labels.iter().map(ToString::to_string).collect();
            PromptError::UnknownLabel { label: Label::new(label.clone()), known: known.join(", ") }
        })?;
        self.row(row, &labels, Some(place))
    }

    /// The row as the form sees it where the model is to answer: with the options, without any of them chosen.
    pub(super) fn open_row(&self, row: &Sample) -> Result<Sample, PromptError> {
        self.row(row, &self.labels(row)?, None)
    }

    fn row(
        &self,
        row: &Sample,
        labels: &[Label],
        place: Option<usize>,
    ) -> Result<Sample, PromptError> {
        if row.get(COLUMN).is_some() {
            let what = format!("a column named {COLUMN}, which stands for the candidate here");
            return Err(PromptError::Choices { what });
        }
        let options = self.options(row)?;
        let lines: Vec<String> =
            labels.iter().zip(&options).map(|(label, text)| format!("{label}. {text}")).collect();
        let text = place.and_then(|place| options.get(place)).cloned().unwrap_or_default();
        let label = place.and_then(|place| labels.get(place)).map(ToString::to_string);
        let choice = Map::from_iter([
            ("text".to_owned(), text.into()),
            ("label".to_owned(), label.unwrap_or_default().into()),
            ("list".to_owned(), lines.join("\n").into()),
        ]);
        let mut seen = row.clone();
        seen.set(COLUMN, choice.into());
        Ok(seen)
    }

    /// What the options of a row say.
    fn options(&self, row: &Sample) -> Result<Vec<String>, PromptError> {
        let mut options = Vec::new();
        for text in &self.options {
            match field(text) {
                Some(name) => match deep_field::value(name, row) {
                    Some(Json::Array(several)) => options.extend(several.iter().map(python_str)),
                    Some(one) => options.push(python_str(one)),
                    None => return Err(missing(name, row)),
                },
                None => options.push(fill(text, row)),
            }
        }
        Ok(options)
    }
}

/// The items of a field.
fn items(text: &str, row: &Sample) -> Result<Vec<Json>, PromptError> {
    let name = field(text).unwrap_or(text);
    match deep_field::value(name, row) {
        Some(Json::Array(items)) => Ok(items.clone()),
        Some(other) => Err(PromptError::Column {
            kind: KIND,
            column: name.to_owned(),
            expected: "a list",
            found: python_str(other),
        }),
        None => Err(missing(name, row)),
    }
}

fn missing(name: &str, row: &Sample) -> PromptError {
    let columns: Vec<&str> = row.iter().map(|(column, _)| column).collect();
    PromptError::Column {
        kind: KIND,
        column: name.to_owned(),
        expected: "there",
        found: format!("only {}", columns.join(", ")),
    }
}

/// The name between the braces of a text that is one field.
fn field(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    (!name.is_empty() && !name.contains(['{', '}'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn choices(config: &Json) -> Result<Choices, String> {
        let node = Node::from_json(config);
        Choices::new(
            node.get("template").unwrap(),
            node.get("choices").unwrap(),
            node.get("labels"),
        )
        .map_err(|error| error.to_string())
    }

    fn row(columns: &Json) -> Sample {
        let columns = columns.as_object().unwrap();
        Sample::new(columns.iter().map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    fn names(choices: &Choices, row: &Sample) -> Vec<Json> {
        choices.labels(row).unwrap().iter().map(|label| label.json().clone()).collect()
    }

    #[test]
    fn labels_are_places_texts_given_or_read_from_the_row() {
        let row = row(&json!({"a": ["x", "y"], "n": ["1", "2"], "best": "z", "bad": ["u", "v"]}));
        for (config, expected) in [
            (json!({"choices": "{a}"}), json!([0, 1])),
            (json!({"choices": "{a}", "labels": ["A", "B", "C"]}), json!(["A", "B"])),
            (json!({"choices": "{a}", "labels": "{n}"}), json!(["1", "2"])),
            (
                json!({"choices": ["{best}", "{bad}"], "labels": "{choice.text}"}),
                json!(["z", "u", "v"]),
            ),
            (
                json!({"choices": ["is {best}", "no"], "labels": "{choice.text}"}),
                json!(["is z", "no"]),
            ),
        ] {
            let mut config = config;
            config["template"] = "{choice.text}".into();
            assert_eq!(Json::from(names(&choices(&config).unwrap(), &row)), expected, "{config}");
        }
    }

    #[test]
    fn the_form_sees_the_candidate_and_the_list_of_all() {
        let config = json!({"template": "x", "choices": "{c.text}", "labels": "{c.label}"});
        let choices = choices(&config).unwrap();
        let row = row(&json!({"c": {"text": ["{c}", "dog", "ant"], "label": ["1", "2", "3"]}}));
        let seen = choices.candidate_row(&row, &json!("2")).unwrap();
        let text = "{choice.list}\n= {choice.label} {choice.text}";
        assert_eq!(fill(text, &seen), "1. {c}\n2. dog\n3. ant\n= 2 dog");
        assert_eq!(fill(text, &choices.open_row(&row).unwrap()), "1. {c}\n2. dog\n3. ant\n=  ");
        let error = choices.candidate_row(&row, &json!("B")).unwrap_err().to_string();
        assert!(error.contains("label B") && error.contains("1, 2, 3"), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let plain = json!({"template": "x", "choices": "{c}", "labels": "{l}"});
        let choices_of = choices(&plain).unwrap();
        for (columns, expected) in [
            (json!({"c": ["x"], "l": ["A", "B"]}), "1 options, but 2 labels"),
            (json!({"c": ["x"], "l": "A"}), "\"l\", which must be a list"),
            (json!({"c": ["x"]}), "\"l\", which must be there; the sample has only c"),
            (json!({"c": ["x"], "l": ["A"], "choice": 1}), "a column named choice"),
        ] {
            let error = choices_of.open_row(&row(&columns)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let few = json!({"template": "x", "choices": "{c}", "labels": ["A"]});
        let error = choices(&few).unwrap().labels(&row(&json!({"c": ["x", "y"]}))).unwrap_err();
        assert!(error.to_string().contains("2 options, but 1 labels"), "{error}");
        for (config, expected) in [
            (json!({"template": {"A": "x"}, "choices": "{c}"}), "a string or a dict with begin"),
            (json!({"template": "x", "choices": []}), "a list of texts"),
            (json!({"template": "x", "choices": "{c}", "labels": "letters"}), "a list of labels"),
        ] {
            let error = choices(&config).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
