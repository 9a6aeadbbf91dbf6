//! Putting a sample's prompt together from the two templates of a data set.

use super::{Label, Prompt, PromptError, PromptItem, PromptList, PromptTemplate};
use crate::dataset::Sample;

/// The templates of a data set and how examples are joined.
///
/// | `prompt_template` | `ice_template` | written with |
/// |---|---|---|
/// | given | given | `prompt_template`, examples at its `ice_token` |
/// | – | given | `ice_template`, examples at its `ice_token` |
/// | given | – | `prompt_template` |
#[derive(Clone, Debug)]
pub struct PromptAssembly {
    ice_template: Option<PromptTemplate>,
    /// Missing only where an inferencer writes prompts without templates.
    main_template: Option<PromptTemplate>,
    /// Whether `prompt_template` was left out, so that the `ice_template` serves both roles.
    is_shared: bool,
    ice_separator: String,
    ice_eos_token: String,
}

impl PromptAssembly {
    /// Checks what can be checked without a sample.
    pub fn new(
        ice_template: Option<PromptTemplate>,
        prompt_template: Option<PromptTemplate>,
        ice_separator: &str,
        ice_eos_token: &str,
    ) -> Result<Self, PromptError> {
        let is_shared = prompt_template.is_none();
        let main_template = match (prompt_template, &ice_template) {
            (None, None) => return Err(PromptError::NoTemplate),
            (Some(prompt), Some(_)) if prompt.ice_token().is_none() => {
                return Err(PromptError::NoIceToken { template: "prompt_template" });
            }
            (Some(prompt), _) => prompt,
            (None, Some(ice)) => ice.clone(),
        };
        Ok(Self {
            ice_template,
            main_template: Some(main_template),
            is_shared,
            ice_separator: ice_separator.to_owned(),
            ice_eos_token: ice_eos_token.to_owned(),
        })
    }

    /// No templates at all, for an inferencer that can do without.
    pub fn without_templates() -> Self {
        Self {
            ice_template: None,
            main_template: None,
            is_shared: false,
            ice_separator: String::new(),
            ice_eos_token: String::new(),
        }
    }

    /// The `prompt_template`, if it was given.
    pub fn prompt_template(&self) -> Option<&PromptTemplate> {
        self.main_template.as_ref().filter(|_| !self.is_shared)
    }

    /// What marks the end of the context in the prompts of candidates, if anything does.
    pub fn separator(&self) -> Option<&str> {
        self.main_template.as_ref()?.sep_token()
    }

    /// The template that the sample itself is written with.
    fn main_template(&self) -> Result<&PromptTemplate, PromptError> {
        self.main_template.as_ref().ok_or(PromptError::NoTemplate)
    }

    /// Whether a turn of the prompts shows or plays something.
    pub(crate) fn shows_media(&self) -> bool {
        self.main_template.as_ref().is_some_and(PromptTemplate::shows_media)
    }

    /// Whether prompts have no place for in-context examples, whatever was retrieved.
    pub(crate) fn ignores_examples(&self) -> bool {
        self.main_template.as_ref().is_some_and(PromptTemplate::ignores_examples)
    }

    /// The template of in-context examples.
    pub fn ice_template(&self) -> Option<&PromptTemplate> {
        self.ice_template.as_ref()
    }

    /// Candidates: the labels of the `prompt_template`, or else those of an `ice_template` with a place
    /// for examples, or else the distinct values of the output column in order of appearance.
    pub fn labels<'a>(&self, golds: impl Iterator<Item = &'a serde_json::Value>) -> Vec<Label> {
        let of_examples = || {
            self.ice_template.as_ref().filter(|template| template.ice_token().is_some())?.labels()
        };
        let of_prompts = || self.main_template.as_ref()?.labels();
        of_prompts().or_else(of_examples).unwrap_or_else(|| {
            let mut labels: Vec<Label> = Vec::new();
            for gold in golds {
                if !labels.iter().any(|label| label.names(gold)) {
                    labels.push(Label::new(gold.clone()));
                }
            }
            labels
        })
    }

    /// Whether the template has a prompt for each of several labels.
    pub fn has_labels(&self) -> bool {
        self.main_template.as_ref().is_some_and(|template| template.labels().is_some())
    }

    /// The candidates of one row, where every row has its own; nothing where all rows have the same.
    pub fn labels_of(&self, row: &Sample) -> Option<Result<Vec<Label>, PromptError>> {
        self.main_template.as_ref()?.labels_of(row)
    }

    /// Whether every row has candidates of its own.
    pub fn has_row_labels(&self) -> bool {
        self.main_template.as_ref().is_some_and(PromptTemplate::has_row_labels)
    }

    /// The in-context examples as one prompt. `output_column` picks the form of a label template.
    pub fn examples(
        &self,
        samples: &[&Sample],
        output_column: Option<&str>,
    ) -> Result<Prompt, PromptError> {
        self.examples_with(samples, output_column, |_, template, sample, gold| {
            template.example(sample, gold)
        })
    }

    /// The same, each example written by `write`: its number, the template, the row and its gold.
    pub(crate) fn examples_with(
        &self,
        samples: &[&Sample],
        output_column: Option<&str>,
        write: impl Fn(
            usize,
            &PromptTemplate,
            &Sample,
            &serde_json::Value,
        ) -> Result<Prompt, PromptError>,
    ) -> Result<Prompt, PromptError> {
        let (separator, eos_token) = match &self.ice_template {
            Some(template) if template.is_dialogue() => ("", ""),
            _ => (self.ice_separator.as_str(), self.ice_eos_token.as_str()),
        };
        let template = match &self.ice_template {
            Some(template) => template,
            None if samples.is_empty() => return Ok(Prompt::Text(eos_token.to_owned())),
            None => return Err(PromptError::NoIceTemplate { count: samples.len() }),
        };
        let no_gold = serde_json::Value::Null;
        let mut texts = Vec::with_capacity(samples.len());
        let mut list = Vec::new();
        let mut messages = Vec::new();
        for (number, sample) in samples.iter().enumerate() {
            let gold = output_column.and_then(|column| sample.get(column)).unwrap_or(&no_gold);
            match write(number, template, sample, gold)? {
                Prompt::Text(text) => texts.push(text),
                Prompt::List(items) => {
                    list.extend(items.0);
                    if !separator.is_empty() {
                        list.push(PromptItem::Text(separator.to_owned()));
                    }
                }
                Prompt::Messages(example) => messages.extend(example),
            }
        }
        if template.is_messages() {
            return Ok(Prompt::Messages(messages));
        }
        if list.is_empty() {
            return Ok(Prompt::Text(texts.join(separator) + eos_token));
        }
        if let Some(text) = texts.into_iter().next() {
            return Err(PromptError::Template {
                origin: template.origin().clone(),
                what: format!(
                    "some labels of the ice_template are dialogues and others are strings ({text:?}); use one kind"
                ),
            });
        }
        list.push(PromptItem::Text(eos_token.to_owned()));
        Ok(Prompt::List(PromptList(list)))
    }

    /// The prompt that is continued, the output column replaced by `mask` so that it cannot leak.
    pub fn generation(
        &self,
        sample: &Sample,
        examples: &Prompt,
        output_column: Option<&str>,
        mask: &str,
    ) -> Result<Prompt, PromptError> {
        self.check_place(examples)?;
        let masked = output_column.map(|column| (column, mask));
        self.main_template()?.generation(sample, examples, masked)
    }

    /// The prompt of one candidate; the gold column is not masked.
    pub fn candidate(
        &self,
        sample: &Sample,
        examples: &Prompt,
        label: &Label,
        keep_separator: bool,
    ) -> Result<Prompt, PromptError> {
        self.check_place(examples)?;
        self.main_template()?.candidate(sample, examples, label, keep_separator)
    }

    /// A single template serves both roles; without a token it can only serve when nothing is inserted.
    fn check_place(&self, examples: &Prompt) -> Result<(), PromptError> {
        let lost = self.is_shared
            && self.main_template.as_ref().is_none_or(|template| template.ice_token().is_none())
            && !examples.plain().is_empty();
        if lost { Err(PromptError::NoIceToken { template: "ice_template" }) } else { Ok(()) }
    }
}
