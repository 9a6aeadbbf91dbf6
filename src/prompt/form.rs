//! The two forms a template can be written in: a string, or the sections of a dialogue.

use super::{Label, Prompt, PromptError, PromptItem, PromptList, Section};
use crate::config::{ConfigError, Node, Origin, Value, from_node};

/// A template for one kind of sample.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// Text with fields.
    Text(String),
    /// Turns with fields.
    Dialogue(Dialogue),
}

/// A dialogue template: `dict(begin=…, round=…, end=…)`.
#[derive(Clone, Debug)]
pub(super) struct Dialogue {
    begin: Option<Vec<PromptItem>>,
    pub(super) round: Vec<PromptItem>,
    end: Option<Vec<PromptItem>>,
}

impl Form {
    /// Reads one entry of a template that differs by label.
    pub(super) fn of_label(key: &Node, value: &Node) -> Result<(Label, Self), PromptError> {
        let refuse = |what: String| PromptError::Template { origin: value.origin.clone(), what };
        let label = Label::from_node(key)
            .ok_or_else(|| refuse("a label must be a string or a number".into()))?;
        let form = match &value.value {
            Value::Str(text) => Self::Text(text.clone()),
            Value::Dict(entries) => {
                if let Some((odd, _)) = entries.iter().find(|(key, _)| !is_section(key)) {
                    let name = Label::from_node(odd)
                        .map_or_else(|| "?".to_owned(), |name| name.to_string());
                    return Err(refuse(format!(
                        "the template of label {label} has the key {name:?}; only begin, round and end have a meaning"
                    )));
                }
                Self::Dialogue(Dialogue::from_entries(entries, &value.origin)?)
            }
            _ => {
                return Err(refuse(format!(
                    "the template of label {label} must be a string or a dict with begin/round/end"
                )));
            }
        };
        Ok((label, form))
    }

    /// The prompt before anything is filled in.
    pub(super) fn encoded(&self, section: Section) -> Prompt {
        match self {
            Self::Text(text) => Prompt::Text(text.clone()),
            Self::Dialogue(dialogue) => Prompt::List(dialogue.encoded(section)),
        }
    }
}

impl Dialogue {
    /// Reads a dict whose keys are sections.
    pub(super) fn from_entries(
        entries: &[(Node, Node)],
        origin: &Origin,
    ) -> Result<Self, PromptError> {
        let section = |name: &str| {
            entries
                .iter()
                .find(|(key, _)| matches!(&key.value, Value::Str(own) if own == name))
                .map(|(_, node)| items(node))
        };
        let round = section("round").ok_or_else(|| PromptError::Template {
            origin: origin.clone(),
            what: "a dialogue template needs a `round`: a list of dicts with role and prompt"
                .into(),
        })??;
        let dialogue =
            Self { begin: section("begin").transpose()?, round, end: section("end").transpose()? };
        let says_both = |item: &PromptItem| matches!(item, PromptItem::Turn(turn) if turn.prompt.is_some() && turn.prompt_mm.is_some());
        if dialogue.items().any(says_both) {
            return Err(PromptError::Template {
                origin: origin.clone(),
                what: "a turn has both prompt and prompt_mm, and a message shows one of them; leave out prompt, and give prompt_mm a place for \
                       text"
                    .into(),
            });
        }
        Ok(dialogue)
    }

    /// The sections between their markers. `section` is what the round is called; an example is its
    /// round alone.
    pub(super) fn encoded(&self, section: Section) -> PromptList {
        let mut list = Vec::new();
        let mut push = |section: Section, items: &[PromptItem]| {
            list.push(PromptItem::Open(section));
            list.extend_from_slice(items);
            list.push(PromptItem::Close(section));
        };
        let is_example = section == Section::Ice;
        if let Some(begin) = self.begin.as_ref().filter(|_| !is_example) {
            push(Section::Begin, begin);
        }
        push(section, &self.round);
        if let Some(end) = self.end.as_ref().filter(|_| !is_example) {
            push(Section::End, end);
        }
        PromptList(list)
    }

    /// The same dialogue with another round.
    pub(super) fn with_round(&self, round: Vec<PromptItem>) -> Self {
        Self { round, ..self.clone() }
    }

    /// The names of its sections: what OpenCompass takes for labels when there are none.
    pub(super) fn section_labels(&self) -> Vec<Label> {
        let sections =
            [("begin", self.begin.is_some()), ("round", true), ("end", self.end.is_some())];
        sections
            .iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| Label::new((*name).into()))
            .collect()
    }

    /// All items of all sections.
    pub(super) fn items(&self) -> impl Iterator<Item = &PromptItem> {
        let begin = self.begin.iter().flatten();
        begin.chain(&self.round).chain(self.end.iter().flatten())
    }
}

/// Whether a key of a template names a section of a dialogue.
pub(super) fn is_section(key: &Node) -> bool {
    matches!(&key.value, Value::Str(name) if matches!(name.as_str(), "begin" | "round" | "end"))
}

/// A section: a list, or one item.
fn items(node: &Node) -> Result<Vec<PromptItem>, ConfigError> {
    match &node.value {
        Value::List(nodes) | Value::Tuple(nodes) => nodes.iter().map(from_node).collect(),
        _ => Ok(vec![from_node(node)?]),
    }
}
