//! `PromptTemplate` and its kin: how one sample is written down.

use std::borrow::Cow;

use serde::Deserialize;

use super::{
    Label, Prompt, PromptError, Section,
    body::Body,
    form::Form,
    inverse_if_eval,
    message_template::{self, MessageTemplate},
    multi_turn, multimodal, olympiad_bench,
};
use crate::{
    config::{Node, Origin, Value, from_node},
    dataset::Sample,
};

/// A template of a data set: one form for every sample, or one per label; or chat messages, a dialogue
/// of several questions, or a multimodal dialogue.
#[derive(Clone, Debug)]
pub struct PromptTemplate {
    body: Body,
    ice_token: Option<String>,
    sep_token: Option<String>,
    origin: Origin,
    /// What a row becomes before its fields are filled in, where it is not taken as it is.
    preparation: Option<Preparation>,
}

/// Makes the row that a template fills in of one of the data set, or says what is wrong with it.
type Preparation = fn(&Sample) -> Result<Sample, String>;

/// The parameters of a template that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    template: Node,
    ice_token: Option<String>,
    sep_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoicesParams {
    template: Node,
    choices: Node,
    labels: Option<Node>,
    ice_token: Option<String>,
    sep_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageParams {
    messages: Node,
    #[serde(default = "yes")]
    format_variables: bool,
    #[serde(default = "default_ice_token")]
    ice_token: Option<String>,
}

impl PromptTemplate {
    /// Reads `dict(type=PromptTemplate, template=…, ice_token=…, sep_token=…)` without its `type`.
    pub fn from_node(node: &Node) -> Result<Self, PromptError> {
        Self::parsed(node, Body::of_fields)
    }

    /// Reads a `RawPromptTemplate`: chat messages as they are sent.
    pub fn messages(node: &Node) -> Result<Self, PromptError> {
        let MessageParams { messages, format_variables, ice_token } = from_node(node)?;
        let body = Body::Messages(MessageTemplate::from_node(&messages, format_variables)?);
        Ok(Self { body, ice_token, sep_token: None, origin: messages.origin, preparation: None })
    }

    /// Reads AISBench's `MultiTurnPromptTemplate`: a dialogue of several questions.
    pub fn multi_turn(node: &Node) -> Result<Self, PromptError> {
        Self::parsed(node, Body::of_multi_turn)
    }

    /// Reads AISBench's `MMPromptTemplate`: a dialogue with images, video and sound.
    pub fn multimodal(node: &Node) -> Result<Self, PromptError> {
        Self::parsed(node, Body::of_multimodal)
    }

    /// Reads `dict(type=ChoicesTemplate, template=…, choices=…, labels=…)`: candidates are the options of the row.
    pub fn choices(node: &Node) -> Result<Self, PromptError> {
        let ChoicesParams { template, choices, labels, ice_token, sep_token } = from_node(node)?;
        let body = Body::of_choices(&template, &choices, labels.as_ref())?;
        Self::checked(body, &template, ice_token, sep_token)
    }

    /// Reads an `OlympiadBenchTemplate`: the instruction that the row's problem takes.
    pub fn olympiad_bench(node: &Node) -> Result<Self, PromptError> {
        let NoParams {} = from_node(node)?;
        let round =
            serde_json::json!({"template": {"round": [{"role": "HUMAN", "prompt": "{prompt}"}]}});
        let template = Self::from_node(&Node::from_json(&round))?;
        Ok(Self {
            preparation: Some(olympiad_bench::with_instruction),
            origin: node.origin.clone(),
            ..template
        })
    }

    /// Reads an `OlympiadBenchRawTemplate`: the same as a chat message.
    pub fn olympiad_bench_messages(node: &Node) -> Result<Self, PromptError> {
        let NoParams {} = from_node(node)?;
        let messages = serde_json::json!({"messages": [{"role": "user", "content": "{problem}"}]});
        let template = Self::messages(&Node::from_json(&messages))?;
        Ok(Self {
            preparation: Some(olympiad_bench::as_problem),
            origin: node.origin.clone(),
            ..template
        })
    }

    /// Reads an `InverseIFEvalJudgePromptTemplate`: what a judge is told by the row itself.
    pub fn inverse_if_eval(node: &Node) -> Result<Self, PromptError> {
        let NoParams {} = from_node(node)?;
        let message = |role: &str, column: &str| serde_json::json!({"role": role, "content": format!("{{{column}}}")});
        let messages =
            [message("system", inverse_if_eval::SYSTEM), message("user", inverse_if_eval::ASKED)];
        let template =
            Self::messages(&Node::from_json(&serde_json::json!({ "messages": messages })))?;
        Ok(Self {
            preparation: Some(inverse_if_eval::with_texts),
            origin: node.origin.clone(),
            ..template
        })
    }

    /// The row that the fields are filled in from.
    fn prepared<'s>(&self, sample: &'s Sample) -> Result<Cow<'s, Sample>, PromptError> {
        let Some(preparation) = self.preparation else { return Ok(Cow::Borrowed(sample)) };
        let failed = |what| PromptError::Template { what, origin: self.origin.clone() };
        preparation(sample).map(Cow::Owned).map_err(failed)
    }

    fn parsed(
        node: &Node,
        body: impl FnOnce(&Node) -> Result<Body, PromptError>,
    ) -> Result<Self, PromptError> {
        let Params { template, ice_token, sep_token } = from_node(node)?;
        let body = body(&template)?;
        Self::checked(body, &template, ice_token, sep_token)
    }

    /// Refuses an `ice_token` that the template does not hold.
    fn checked(
        body: Body,
        template: &Node,
        ice_token: Option<String>,
        sep_token: Option<String>,
    ) -> Result<Self, PromptError> {
        if let Some(token) = &ice_token
            && let Some(text) = texts_that_need_token(template).find(|text| !text.contains(token))
        {
            return Err(PromptError::Template {
                what: format!("the ice_token {token:?} does not occur in the template {text:?}"),
                origin: template.origin.clone(),
            });
        }
        Ok(Self { body, ice_token, sep_token, origin: template.origin.clone(), preparation: None })
    }

    /// The placeholder of in-context examples.
    pub fn ice_token(&self) -> Option<&str> {
        self.ice_token.as_deref()
    }

    /// The separator between context and answer, if the template has one.
    pub fn sep_token(&self) -> Option<&str> {
        self.sep_token.as_deref()
    }

    /// Where the template is written.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether this is a dialogue that does not differ by label; such examples carry their own
    /// separators.
    pub fn is_dialogue(&self) -> bool {
        match &self.body {
            Body::One(form) => matches!(form, Form::Dialogue(_)),
            Body::Choices(choices) => matches!(choices.form, Form::Dialogue(_)),
            Body::PerLabel(_) | Body::MultimodalPerLabel(_) | Body::Messages(_) => false,
            Body::MultiTurn(_) | Body::Multimodal(_) => true,
        }
    }

    /// Whether its prompts have no place for in-context examples, as those of AISBench's dialogues.
    pub(super) fn ignores_examples(&self) -> bool {
        matches!(self.body, Body::MultiTurn(_) | Body::Multimodal(_) | Body::MultimodalPerLabel(_))
    }

    /// Whether a turn of it shows or plays something, so that a model has to be given messages.
    pub(crate) fn shows_media(&self) -> bool {
        self.body.shows_media()
    }

    /// Whether this gives chat messages.
    pub(super) fn is_messages(&self) -> bool {
        matches!(self.body, Body::Messages(_))
    }

    /// Labels in the order written. A dialogue without labels has the names of its sections, which is
    /// what OpenCompass makes of it; strings and messages have none.
    pub fn labels(&self) -> Option<Vec<Label>> {
        self.body.labels()
    }

    /// The labels of a row's own options; nothing if all rows have the same labels.
    pub(super) fn labels_of(&self, row: &Sample) -> Option<Result<Vec<Label>, PromptError>> {
        match &self.body {
            Body::Choices(choices) => Some(choices.labels(row)),
            _ => None,
        }
    }

    /// Whether every row has candidates of its own.
    pub(super) fn has_row_labels(&self) -> bool {
        matches!(self.body, Body::Choices(_))
    }

    /// Labels sorted by name: the order that a run has, because OpenCompass dumps a config with sorted
    /// keys before it runs it. It decides ties.
    #[must_use]
    pub fn with_sorted_labels(mut self) -> Self {
        match &mut self.body {
            Body::PerLabel(forms) => forms.sort_by_cached_key(|(label, _)| label.to_string()),
            Body::MultimodalPerLabel(dialogues) => {
                dialogues.sort_by_cached_key(|(label, _)| label.to_string());
            }
            _ => {}
        }
        self
    }

    /// Texts with their fields unfilled, for warnings about what is in them.
    pub fn texts(&self) -> Vec<&str> {
        self.body.texts()
    }

    /// The sample as an in-context example. `gold` picks the form when the template differs by label.
    /// Nothing is masked; `begin` and `end` are left out.
    pub(crate) fn example(
        &self,
        sample: &Sample,
        gold: &serde_json::Value,
    ) -> Result<Prompt, PromptError> {
        let sample = &*self.prepared(sample)?;
        if let Body::Messages(template) = &self.body {
            return Ok(Prompt::Messages(template.written(sample, &[], None)?));
        }
        let (form, row) = self.of_label(sample, gold, "in-context examples")?;
        let mut prompt = form.encoded(Section::Ice);
        if let Some(token) = &self.ice_token {
            prompt = prompt.replaced(token, "");
        }
        if let (Body::Choices(_), Some(token)) = (&self.body, &self.sep_token) {
            prompt = prompt.replaced(token, "");
        }
        with_media(prompt, &row)
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
        let sample = &*self.prepared(sample)?;
        let masked_sample = || match masked {
            Some((column, replacement)) => sample.with_hidden(column, replacement),
            None => sample.clone(),
        };
        let form = match &self.body {
            Body::One(form) => form,
            Body::PerLabel(forms) => &forms.first().ok_or(PromptError::NoTemplate)?.1,
            Body::Choices(choices) => &choices.form,
            Body::Messages(template) => return self.messages_of(template, sample, examples),
            Body::MultiTurn(dialogue) => {
                return multi_turn::written(dialogue, sample).map(Prompt::List);
            }
            Body::Multimodal(dialogue) => {
                return multimodal::written(dialogue, &masked_sample()).map(Prompt::List);
            }
            Body::MultimodalPerLabel(dialogues) => {
                let (_, dialogue) = dialogues.first().ok_or(PromptError::NoTemplate)?;
                return multimodal::written(dialogue, &masked_sample()).map(Prompt::List);
            }
        };
        let mut prompt = form.encoded(Section::Round);
        if let Some(token) = &self.ice_token {
            prompt = prompt.spliced(token, examples)?;
        }
        if let Some(token) = &self.sep_token {
            prompt = prompt.replaced(token, "");
        }
        let row = masked_sample();
        match &self.body {
            Body::Choices(choices) => with_media(prompt, &choices.open_row(&row)?),
            _ => Ok(prompt.filled(&row)),
        }
    }

    /// The prompt of one candidate, unmasked. `keep_separator` leaves the `sep_token` in.
    pub(crate) fn candidate(
        &self,
        sample: &Sample,
        examples: &Prompt,
        label: &Label,
        keep_separator: bool,
    ) -> Result<Prompt, PromptError> {
        let sample = &*self.prepared(sample)?;
        if let Body::Messages(template) = &self.body {
            return self.messages_of(template, sample, examples);
        }
        if let Some(dialogue) = self.body.labelled_dialogue(label) {
            return multimodal::written(dialogue, sample).map(Prompt::List);
        }
        let (form, row) = self.of_label(sample, label.json(), "the prompts of candidates")?;
        let mut prompt = form.encoded(Section::Round);
        if let Some(token) = self.sep_token.as_deref().filter(|_| !keep_separator) {
            prompt = prompt.replaced(token, "");
        }
        if let Some(token) = &self.ice_token {
            prompt = prompt.spliced(token, examples)?;
        }
        with_media(prompt, &row)
    }

    /// The form for a label, and the row that fills it; `what` is what it is wanted for.
    fn of_label<'a>(
        &self,
        sample: &'a Sample,
        label: &serde_json::Value,
        what: &'static str,
    ) -> Result<(&Form, Cow<'a, Sample>), PromptError> {
        match &self.body {
            Body::Choices(choices) => {
                Ok((&choices.form, Cow::Owned(choices.candidate_row(sample, label)?)))
            }
            body => Ok((body.form(label, &self.origin, what)?, Cow::Borrowed(sample))),
        }
    }

    fn messages_of(
        &self,
        template: &MessageTemplate,
        sample: &Sample,
        examples: &Prompt,
    ) -> Result<Prompt, PromptError> {
        let examples = message_template::examples(examples)?;
        template.written(sample, examples, self.ice_token()).map(Prompt::Messages)
    }
}

/// The prompt with its fields filled in, also those of images and texts beside them.
fn with_media(prompt: Prompt, row: &Sample) -> Result<Prompt, PromptError> {
    match prompt {
        Prompt::List(list) if list.is_multimodal() => {
            multimodal::filled_everywhere(list, row).map(Prompt::List)
        }
        prompt => Ok(prompt.filled(row)),
    }
}

/// String templates and string values of a dict must hold the token; lists are not looked into.
fn texts_that_need_token(template: &Node) -> impl Iterator<Item = &str> {
    let values = template.as_dict().into_iter().flatten().map(|(_, value)| value);
    std::iter::once(template).chain(values).filter_map(|node| match &node.value {
        Value::Str(text) => Some(text.as_str()),
        _ => None,
    })
}

fn yes() -> bool {
    true
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the field can be None, which serde must be able to say"
)]
fn default_ice_token() -> Option<String> {
    Some("</E>".to_owned())
}
