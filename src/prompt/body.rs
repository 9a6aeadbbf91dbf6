//! What a template consists of, by its kind.

use super::{
    Label, Media, PromptError, PromptItem,
    choices::{self, Choices},
    form::{Dialogue, Form, is_section},
    message_template::{self, MessageTemplate},
    multi_turn, multimodal,
};
use crate::config::{Node, Origin, Value};

/// The written part of a template.
#[derive(Clone, Debug)]
pub(super) enum Body {
    /// `PromptTemplate`: one form for every sample.
    One(Form),
    /// `PromptTemplate`: a form for each label.
    PerLabel(Vec<(Label, Form)>),
    /// `ChoicesTemplate`: a form for whatever options a row has.
    Choices(Choices),
    /// `RawPromptTemplate`.
    Messages(MessageTemplate),
    /// `MultiTurnPromptTemplate`.
    MultiTurn(Dialogue),
    /// `MMPromptTemplate`.
    Multimodal(Dialogue),
    /// `MMPromptTemplate` with a dialogue for each label.
    MultimodalPerLabel(Vec<(Label, Dialogue)>),
}

impl Body {
    /// Reads the `template` of a `PromptTemplate`.
    pub(super) fn of_fields(template: &Node) -> Result<Self, PromptError> {
        let body = match &template.value {
            Value::Str(text) => Self::One(Form::Text(text.clone())),
            Value::Dict(entries) if entries.iter().all(|(key, _)| is_section(key)) => {
                Self::One(Form::Dialogue(Dialogue::from_entries(entries, &template.origin)?))
            }
            Value::Dict(entries) => {
                let forms = entries.iter().map(|(key, value)| Form::of_label(key, value));
                Self::PerLabel(forms.collect::<Result<_, _>>()?)
            }
            _ => {
                return Err(PromptError::Template {
                    origin: template.origin.clone(),
                    what: "template must be a string, a dict with begin/round/end, or a dict from label to one of these".into(),
                });
            }
        };
        body.without_media(&template.origin)
    }

    /// Reads a `ChoicesTemplate`.
    pub(super) fn of_choices(
        template: &Node,
        choices: &Node,
        labels: Option<&Node>,
    ) -> Result<Self, PromptError> {
        Ok(Self::Choices(Choices::new(template, choices, labels)?))
    }

    /// Reads the `template` of a `MultiTurnPromptTemplate`.
    pub(super) fn of_multi_turn(template: &Node) -> Result<Self, PromptError> {
        let dialogue = sections(template, multi_turn::KIND)?;
        multi_turn::check(&dialogue, &template.origin)?;
        Self::MultiTurn(dialogue).without_media(&template.origin)
    }

    /// Reads the `template` of an `MMPromptTemplate`: a dialogue, or one for each label, which AISBench's own cannot have.
    pub(super) fn of_multimodal(template: &Node) -> Result<Self, PromptError> {
        let labelled = template.as_dict().filter(|entries| {
            !entries.is_empty() && entries.iter().all(|(key, _)| !is_section(key))
        });
        let Some(entries) = labelled else {
            return Ok(Self::Multimodal(sections(template, multimodal::KIND)?));
        };
        let of_label = |(key, value): &(_, Node)| match Form::of_label(key, value)? {
            (label, Form::Dialogue(dialogue)) => Ok((label, dialogue)),
            (_, Form::Text(_)) => Err(PromptError::Template {
                origin: value.origin.clone(),
                what: format!(
                    "a label of a {} needs a dict with begin/round/end",
                    multimodal::KIND
                ),
            }),
        };
        let dialogues = entries.iter().map(of_label).collect::<Result<_, PromptError>>()?;
        Ok(Self::MultimodalPerLabel(dialogues))
    }

    /// The dialogue of a multimodal template for a label.
    pub(super) fn labelled_dialogue(&self, label: &Label) -> Option<&Dialogue> {
        match self {
            Self::MultimodalPerLabel(dialogues) => {
                dialogues.iter().find(|(own, _)| own == label).map(|(_, dialogue)| dialogue)
            }
            _ => None,
        }
    }

    /// Refuses `prompt_mm`, which only multimodal templates and those of options fill in.
    fn without_media(self, origin: &Origin) -> Result<Self, PromptError> {
        if self.shows_media() {
            return Err(PromptError::Template {
                origin: origin.clone(),
                what: format!("prompt_mm needs type={} or {}", multimodal::KIND, choices::KIND),
            });
        }
        Ok(self)
    }

    /// Whether a turn shows or plays something.
    pub(super) fn shows_media(&self) -> bool {
        self.dialogues().flat_map(Dialogue::items).any(|item| item.media().is_some())
    }

    /// The form for a label; `what` is what it is wanted for.
    pub(super) fn form(
        &self,
        label: &serde_json::Value,
        origin: &Origin,
        what: &'static str,
    ) -> Result<&Form, PromptError> {
        let unsupported =
            |kind| Err(PromptError::Unsupported { origin: origin.clone(), kind, what });
        match self {
            Self::One(form) => Ok(form),
            Self::PerLabel(forms) => forms
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
            Self::Choices(_) => unsupported(choices::KIND),
            Self::Messages(_) => unsupported(message_template::KIND),
            Self::MultiTurn(_) => unsupported(multi_turn::KIND),
            Self::Multimodal(_) | Self::MultimodalPerLabel(_) => unsupported(multimodal::KIND),
        }
    }

    /// Labels in the order written, or the names of a dialogue's sections.
    pub(super) fn labels(&self) -> Option<Vec<Label>> {
        match self {
            Self::PerLabel(forms) => Some(forms.iter().map(|(label, _)| label.clone()).collect()),
            Self::MultimodalPerLabel(dialogues) => {
                Some(dialogues.iter().map(|(label, _)| label.clone()).collect())
            }
            Self::Choices(_) => None,
            _ => self.dialogues().next().map(Dialogue::section_labels),
        }
    }

    /// Texts with their fields unfilled.
    pub(super) fn texts(&self) -> Vec<&str> {
        let plain = self.forms().filter_map(|form| match form {
            Form::Text(text) => Some(text.as_str()),
            Form::Dialogue(_) => None,
        });
        let spoken = self.dialogues().flat_map(Dialogue::items).filter_map(|item| match item {
            PromptItem::Text(text) => Some(text.as_str()),
            PromptItem::Turn(turn) => Some(turn.text()),
            PromptItem::Open(_) | PromptItem::Close(_) => None,
        });
        let beside_media = self.dialogues().flat_map(Dialogue::items);
        let beside_media = beside_media.filter_map(PromptItem::media).flat_map(Media::texts);
        let sent = match self {
            Self::Messages(template) => Some(template.texts()),
            _ => None,
        };
        let offered = match self {
            Self::Choices(choices) => Some(choices.texts()),
            _ => None,
        };
        let sent = sent.into_iter().flatten();
        let offered = offered.into_iter().flatten();
        plain.chain(spoken).chain(beside_media).chain(sent).chain(offered).collect()
    }

    fn forms(&self) -> impl Iterator<Item = &Form> {
        let (one, labelled) = match self {
            Self::One(form) => (Some(form), &[][..]),
            Self::Choices(choices) => (Some(&choices.form), &[][..]),
            Self::PerLabel(forms) => (None, forms.as_slice()),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(labelled.iter().map(|(_, form)| form))
    }

    fn dialogues(&self) -> impl Iterator<Item = &Dialogue> {
        let own = match self {
            Self::MultiTurn(dialogue) | Self::Multimodal(dialogue) => Some(dialogue),
            _ => None,
        };
        let of_forms = self.forms().filter_map(|form| match form {
            Form::Dialogue(dialogue) => Some(dialogue),
            Form::Text(_) => None,
        });
        let labelled = match self {
            Self::MultimodalPerLabel(dialogues) => dialogues.as_slice(),
            _ => &[],
        };
        let labelled = labelled.iter().map(|(_, dialogue)| dialogue);
        own.into_iter().chain(of_forms).chain(labelled)
    }
}

/// A template that must be a dialogue.
fn sections(template: &Node, kind: &str) -> Result<Dialogue, PromptError> {
    match template.as_dict() {
        Some(entries) if entries.iter().all(|(key, _)| is_section(key)) => {
            Dialogue::from_entries(entries, &template.origin)
        }
        _ => Err(PromptError::Template {
            origin: template.origin.clone(),
            what: format!("the template of a {kind} must be a dict with begin/round/end"),
        }),
    }
}
