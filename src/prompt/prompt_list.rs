//! A prompt before the model's own markup: text, turns between section markers, or messages.

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Media, Message, PromptError, Turn, fill::fill};
use crate::dataset::Sample;

/// Part of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// Before the dialogue: instructions, and where examples usually go.
    Begin,
    /// The dialogue itself.
    Round,
    /// After the dialogue.
    End,
    /// One in-context example.
    Ice,
}

impl Section {
    /// As templates write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Round => "round",
            Self::End => "end",
            Self::Ice => "ice",
        }
    }
}

/// One item of a [`PromptList`].
#[derive(Clone, Debug, PartialEq)]
pub enum PromptItem {
    /// Text that belongs to no role.
    Text(String),
    /// A turn.
    Turn(Turn),
    /// A section opens.
    Open(Section),
    /// A section closes.
    Close(Section),
}

impl PromptItem {
    /// What a turn shows or plays, with the texts beside it.
    pub(super) fn media(&self) -> Option<&Media> {
        match self {
            Self::Turn(turn) => turn.prompt_mm.as_ref(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for PromptItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemVisitor;
        impl<'de> de::Visitor<'de> for ItemVisitor {
            type Value = PromptItem;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a dict with role and prompt")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<PromptItem, E> {
                Ok(PromptItem::Text(text.to_owned()))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<PromptItem, A::Error> {
                Turn::deserialize(de::value::MapAccessDeserializer::new(map)).map(PromptItem::Turn)
            }
        }
        deserializer.deserialize_any(ItemVisitor)
    }
}

/// Turns, texts and markers in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptList(pub Vec<PromptItem>);

/// What a template makes of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Prompt {
    /// Plain text: no meta template applies.
    Text(String),
    /// A dialogue.
    List(PromptList),
    /// Messages that are finished: no meta template changes their roles or their order.
    Messages(Vec<Message>),
}

impl Prompt {
    /// The texts joined without separators, markers left out. For people; models get the result of
    /// [`Markup::render`](super::Markup::render).
    pub fn plain(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(list) => list.texts().collect(),
            Self::Messages(messages) => {
                messages.iter().filter_map(|message| message.content.text()).collect()
            }
        }
    }

    /// Whether it has a turn of images, videos, sounds and texts, or of as many as none.
    pub(crate) fn shows_media(&self) -> bool {
        matches!(self, Self::List(list) if list.is_multimodal())
    }

    /// Whether a text of it, or what a turn shows or plays, has `said` in it.
    pub(crate) fn shows(&self, said: &str) -> bool {
        let is_shown = |media: &Media| media.says(said);
        let in_media = match self {
            Self::List(PromptList(items)) => {
                items.iter().filter_map(PromptItem::media).any(is_shown)
            }
            Self::Text(_) | Self::Messages(_) => false,
        };
        in_media || self.plain().contains(said)
    }

    /// What is said in its order, a line each, without images, videos and sounds.
    pub(crate) fn said(&self) -> String {
        let Self::List(PromptList(items)) = self else { return self.plain_beside_media() };
        let texts = items.iter().flat_map(|item| match item {
            PromptItem::Text(text) => vec![text.as_str()],
            PromptItem::Turn(turn) => {
                let beside = turn.prompt_mm.iter().flat_map(Media::texts);
                std::iter::once(turn.text()).chain(beside).collect()
            }
            PromptItem::Open(_) | PromptItem::Close(_) => Vec::new(),
        });
        texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
    }

    /// As [`Self::plain`], and behind it the texts that stand beside images, videos and sounds.
    pub(crate) fn plain_beside_media(&self) -> String {
        let beside: String = match self {
            Self::Text(_) => String::new(),
            Self::List(PromptList(items)) => {
                items.iter().filter_map(PromptItem::media).flat_map(Media::texts).collect()
            }
            Self::Messages(messages) => {
                messages.iter().flat_map(|message| message.content.texts_of_parts()).collect()
            }
        };
        self.plain() + &beside
    }

    /// Fields replaced from a row.
    pub(crate) fn filled(&self, sample: &Sample) -> Self {
        match self {
            Self::Text(text) => Self::Text(fill(text, sample)),
            Self::List(list) => Self::List(list.filled(sample)),
            Self::Messages(messages) => Self::Messages(messages.clone()),
        }
    }

    /// Every `token` replaced by text.
    pub(crate) fn replaced(&self, token: &str, text: &str) -> Self {
        match self {
            Self::Text(own) => Self::Text(own.replace(token, text)),
            Self::List(list) => Self::List(list.map_texts(|own| own.replace(token, text))),
            Self::Messages(messages) => Self::Messages(messages.clone()),
        }
    }

    /// Every `token` replaced by another prompt. Turns can only replace a token that stands in a text
    /// item of a list; empty pieces around it vanish.
    pub(crate) fn spliced(&self, token: &str, examples: &Self) -> Result<Self, PromptError> {
        let turns = match examples {
            Self::Text(text) => return Ok(self.replaced(token, text)),
            Self::List(list) => list,
            Self::Messages(messages) if messages.is_empty() => return Ok(self.replaced(token, "")),
            Self::Messages(_) => return Err(PromptError::MessagesIntoTemplate),
        };
        let refused = |text: &str| PromptError::DialogueIntoText {
            token: token.to_owned(),
            text: text.to_owned(),
        };
        let list = match self {
            Self::Text(text) => return Err(refused(text)),
            Self::List(list) => list,
            Self::Messages(_) => return Err(PromptError::IntoMessages),
        };
        let mut items = Vec::with_capacity(list.0.len() + turns.0.len());
        for item in &list.0 {
            match item {
                PromptItem::Text(text) => {
                    for (index, piece) in text.split(token).enumerate() {
                        if index > 0 {
                            items.extend_from_slice(&turns.0);
                        }
                        if !piece.is_empty() {
                            items.push(PromptItem::Text(piece.to_owned()));
                        }
                    }
                }
                PromptItem::Turn(turn) if turn.text().contains(token) => {
                    return Err(refused(turn.text()));
                }
                other => items.push(other.clone()),
            }
        }
        Ok(Self::List(PromptList(items)))
    }
}

impl PromptList {
    /// Turns that are a dialogue and nothing else.
    pub(super) fn round(turns: Vec<Turn>) -> Self {
        let mut items = vec![PromptItem::Open(Section::Round)];
        items.extend(turns.into_iter().map(PromptItem::Turn));
        items.push(PromptItem::Close(Section::Round));
        Self(items)
    }

    /// Whether anything is shown or played in it.
    pub(super) fn is_multimodal(&self) -> bool {
        self.shown_media().is_some()
    }

    /// The role of the first turn with images, video or sound.
    pub(super) fn shown_media(&self) -> Option<String> {
        self.0.iter().find_map(|item| match item {
            PromptItem::Turn(turn) if turn.prompt_mm.is_some() => {
                Some(turn.role.clone().unwrap_or_default())
            }
            _ => None,
        })
    }

    /// The texts of strings and turns, in order.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|item| match item {
            PromptItem::Text(text) => Some(text.as_str()),
            PromptItem::Turn(turn) => Some(turn.text()),
            PromptItem::Open(_) | PromptItem::Close(_) => None,
        })
    }

    /// Fields replaced from a row.
    pub(super) fn filled(&self, sample: &Sample) -> Self {
        self.map_texts(|text| fill(text, sample))
    }

    fn map_texts(&self, map: impl Fn(&str) -> String) -> Self {
        let mapped = self.0.iter().map(|item| match item {
            PromptItem::Text(text) => PromptItem::Text(map(text)),
            PromptItem::Turn(turn) => {
                PromptItem::Turn(Turn { prompt: turn.prompt.as_deref().map(&map), ..turn.clone() })
            }
            marker => marker.clone(),
        });
        Self(mapped.collect())
    }
}
