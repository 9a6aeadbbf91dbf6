//! `PromptTemplate`: how one sample is written down.

use super::{Label, Prompt, PromptError, PromptItem, PromptList, Section};
use crate::{
    config::{ConfigError, Node, Origin, Value, from_node},
    dataset::Sample,
};

/// A template of a data set: one shape for every sample, or one per label.
#[derive(Clone, Debug)]
pub struct PromptTemplate {
    shape: Shape,
    ice_token: Option<String>,
    sep_token: Option<String>,
    origin: Origin,
}

#[derive(Clone, Debug)]
enum Shape {
    One(Form),
    PerLabel(Vec<(Label, Form)>),
}

#[derive(Clone, Debug)]
enum Form {
    Text(String),
    Dialogue(Dialogue),
}

#[derive(Clone, Debug)]
struct Dialogue {
    begin: Option<Vec<PromptItem>>,
    round: Vec<PromptItem>,
    end: Option<Vec<PromptItem>>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    template: Node,
    ice_token: Option<String>,
    sep_token: Option<String>,
}

impl PromptTemplate {
    /// Reads `dict(type=PromptTemplate, template=…, ice_token=…, sep_token=…)` without its `type`.
    pub fn from_node(node: &Node) -> Result<Self, PromptError> {
        let Params { template, ice_token, sep_token } = from_node(node)?;
        let refuse =
            |origin: &Origin, what: String| PromptError::Template { origin: origin.clone(), what };
        let shape = match &template.value {
            Value::Str(text) => Shape::One(Form::Text(text.clone())),
            Value::Dict(entries) if entries.iter().all(|(key, _)| is_section(key)) => {
                Shape::One(Form::Dialogue(Dialogue::from_entries(entries, &template.origin)?))
            }
            Value::Dict(entries) => Shape::PerLabel(
                entries
                    .iter()
                    .map(|(key, value)| label_form(key, value))
                    .collect::<Result<_, _>>()?,
            ),
            _ => {
                return Err(refuse(
                    &template.origin,
                    "template must be a string, a dict with begin/round/end, or a dict from label to one of these".into(),
                ));
            }
        };
        let parsed = Self { shape, ice_token, sep_token, origin: template.origin.clone() };
        if let Some(token) = &parsed.ice_token
            && let Some(text) =
                parsed.texts_that_need_token(&template).find(|text| !text.contains(token))
        {
            return Err(refuse(
                &template.origin,
                format!("the ice_token {token:?} does not occur in the template {text:?}"),
            ));
        }
        Ok(parsed)
    }

    /// String templates and string values of a dict must hold the token; lists are not looked into.
    fn texts_that_need_token<'a>(
        &self,
        template: &'a Node,
    ) -> Box<dyn Iterator<Item = &'a str> + 'a> {
        match &template.value {
            Value::Str(text) => Box::new(std::iter::once(text.as_str())),
            Value::Dict(entries) => {
                Box::new(entries.iter().filter_map(|(_, value)| match &value.value {
                    Value::Str(text) => Some(text.as_str()),
                    _ => None,
                }))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The placeholder of in-context examples.
    pub fn ice_token(&self) -> Option<&str> {
        self.ice_token.as_deref()
    }

    /// Where the template is written.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether this is a dialogue that does not differ by label; such examples carry their own
    /// separators.
    pub fn is_dialogue(&self) -> bool {
        matches!(self.shape, Shape::One(Form::Dialogue(_)))
    }

    /// Labels in the order written. A dialogue without labels has the names of its sections, which is
    /// what OpenCompass makes of it; a string has none.
    pub fn labels(&self) -> Option<Vec<Label>> {
        match &self.shape {
            Shape::PerLabel(forms) => Some(forms.iter().map(|(label, _)| label.clone()).collect()),
            Shape::One(Form::Dialogue(dialogue)) => {
                let sections = [
                    ("begin", dialogue.begin.is_some()),
                    ("round", true),
                    ("end", dialogue.end.is_some()),
                ];
                Some(
                    sections
                        .iter()
                        .filter(|(_, there)| *there)
                        .map(|(name, _)| Label::new((*name).into()))
                        .collect(),
                )
            }
            Shape::One(Form::Text(_)) => None,
        }
    }

    /// Whether the template differs by label.
    pub fn is_per_label(&self) -> bool {
        matches!(self.shape, Shape::PerLabel(_))
    }

    /// Labels sorted by name: the order that a run has, because OpenCompass dumps a config with sorted
    /// keys before it runs it. It decides ties.
    #[must_use]
    pub fn with_sorted_labels(mut self) -> Self {
        if let Shape::PerLabel(forms) = &mut self.shape {
            forms.sort_by_cached_key(|(label, _)| label.to_string());
        }
        self
    }

    /// Texts with their fields unfilled, for warnings about what is in them.
    pub fn texts(&self) -> Vec<String> {
        let forms: Vec<&Form> = match &self.shape {
            Shape::One(form) => vec![form],
            Shape::PerLabel(forms) => forms.iter().map(|(_, form)| form).collect(),
        };
        forms
            .into_iter()
            .flat_map(|form| match form.encoded(Section::Round) {
                Prompt::Text(text) => vec![text],
                Prompt::List(list) => list.texts().map(str::to_owned).collect(),
            })
            .collect()
    }

    /// The sample as an in-context example. `gold` picks the form when the template differs by label.
    /// Nothing is masked; `begin` and `end` are left out.
    pub(crate) fn example(
        &self,
        sample: &Sample,
        gold: &serde_json::Value,
    ) -> Result<Prompt, PromptError> {
        let mut prompt = self.form(gold)?.encoded(Section::Ice);
        if let Some(token) = &self.ice_token {
            prompt = prompt.replaced(token, "");
        }
        Ok(prompt.filled(sample))
    }

    /// The prompt that is continued. `masked` names the output column and what stands in its place.
    /// A label template gives its first label's form. Fields are filled after the examples are in, so
    /// braces in the examples are filled too.
    pub(crate) fn generation(
        &self,
        sample: &Sample,
        examples: &Prompt,
        masked: Option<(&str, &str)>,
    ) -> Result<Prompt, PromptError> {
        let form = match &self.shape {
            Shape::One(form) => form,
            Shape::PerLabel(forms) => match forms.first() {
                Some((_, form)) => form,
                None => return Err(PromptError::NoTemplate),
            },
        };
        let mut prompt = form.encoded(Section::Round);
        if let Some(token) = &self.ice_token {
            prompt = prompt.spliced(token, examples)?;
        }
        if let Some(token) = &self.sep_token {
            prompt = prompt.replaced(token, "");
        }
        Ok(match masked {
            Some((column, replacement)) => {
                let mut row = sample.clone();
                row.set(column, replacement.into());
                prompt.filled(&row)
            }
            None => prompt.filled(sample),
        })
    }

    /// The prompt of one candidate, unmasked. `keep_separator` leaves the `sep_token` in.
    pub(crate) fn candidate(
        &self,
        sample: &Sample,
        examples: &Prompt,
        label: &Label,
        keep_separator: bool,
    ) -> Result<Prompt, PromptError> {
        let mut prompt = self.form(label.json())?.encoded(Section::Round);
        if let Some(token) = self.sep_token.as_deref().filter(|_| !keep_separator) {
            prompt = prompt.replaced(token, "");
        }
        if let Some(token) = &self.ice_token {
            prompt = prompt.spliced(token, examples)?;
        }
        Ok(prompt.filled(sample))
    }

    fn form(&self, label: &serde_json::Value) -> Result<&Form, PromptError> {
        match &self.shape {
            Shape::One(form) => Ok(form),
            Shape::PerLabel(forms) => forms
                .iter()
                .find(|(own, _)| own.names(label))
                .map(|(_, form)| form)
                .ok_or_else(|| {
                    let known: Vec<String> = forms.iter().map(|(own, _)| own.to_string()).collect();
                    PromptError::UnknownLabel {
                        label: Label::new(label.clone()),
                        known: known.join(", "),
                    }
                }),
        }
    }
}

impl Form {
    fn encoded(&self, section: Section) -> Prompt {
        match self {
            Self::Text(text) => Prompt::Text(text.clone()),
            Self::Dialogue(dialogue) => Prompt::List(dialogue.encoded(section)),
        }
    }
}

impl Dialogue {
    fn from_entries(entries: &[(Node, Node)], origin: &Origin) -> Result<Self, PromptError> {
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
        Ok(Self { begin: section("begin").transpose()?, round, end: section("end").transpose()? })
    }

    fn encoded(&self, section: Section) -> PromptList {
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
}

fn is_section(key: &Node) -> bool {
    matches!(&key.value, Value::Str(name) if matches!(name.as_str(), "begin" | "round" | "end"))
}

fn items(node: &Node) -> Result<Vec<PromptItem>, ConfigError> {
    match &node.value {
        Value::List(nodes) | Value::Tuple(nodes) => nodes.iter().map(item).collect(),
        _ => Ok(vec![item(node)?]),
    }
}

/// One item; a turn may only have the keys of a turn, so that a misspelt `promt` is found.
fn item(node: &Node) -> Result<PromptItem, ConfigError> {
    from_node(node)
}

fn label_form(key: &Node, value: &Node) -> Result<(Label, Form), PromptError> {
    let refuse = |what: String| PromptError::Template { origin: value.origin.clone(), what };
    let label = Label::from_node(key)
        .ok_or_else(|| refuse("a label must be a string or a number".into()))?;
    let form = match &value.value {
        Value::Str(text) => Form::Text(text.clone()),
        Value::Dict(entries) => {
            if let Some((odd, _)) = entries.iter().find(|(key, _)| !is_section(key)) {
                let name =
                    Label::from_node(odd).map_or_else(|| "?".to_owned(), |name| name.to_string());
                return Err(refuse(format!(
                    "the template of label {label} has the key {name:?}; only begin, round and end have a meaning"
                )));
            }
            Form::Dialogue(Dialogue::from_entries(entries, &value.origin)?)
        }
        _ => {
            return Err(refuse(format!(
                "the template of label {label} must be a string or a dict with begin/round/end"
            )));
        }
    };
    Ok((label, form))
}
