//! AISBench's multimodal dialogues: text, images, video and sound in one turn.
//!
//! A sample keeps its pieces in one column, each behind a tag that says what it is:
//! `<AIS_TEXT_START>What is this?<AIS_CONTENT_TAG><AIS_IMAGE_START>cat.jpg<AIS_CONTENT_TAG>`. Every
//! piece becomes a copy of the entry that the turn's `prompt_mm` has for its kind, in the order of the
//! sample. Whether a piece is a path, a URL or base64 is the template's business; nothing is opened.
//!
//! AISBench's code reads the column `content` and fills in nothing else; its documents show the column
//! `question` and let every field be filled in. Both work here, `content` first.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value as Json;

use super::{PromptError, PromptItem, PromptList, Section, Turn, fill::fill, form::Dialogue};
use crate::{
    config::nearest,
    dataset::{Sample, has_text},
};

/// AISBench's name of this template.
pub(super) const KIND: &str = "MMPromptTemplate";

/// Ends a piece.
const PIECE_END: &str = "<AIS_CONTENT_TAG>";

/// The content of a turn in a multimodal dialogue (`prompt_mm`): texts, images, videos, sounds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Json")]
pub enum Media {
    /// As a template has it: for each kind of piece a dict with a `type`, and a field of that name
    /// (`text`, `image_url`, …) whose text, or the `url` in it, holds the piece's place.
    Forms(BTreeMap<MediaKind, Json>),
    /// As a prompt has it: the pieces in order, each a dict with a `type`.
    Parts(Vec<Json>),
}

impl TryFrom<Json> for Media {
    type Error = String;

    fn try_from(value: Json) -> Result<Self, String> {
        match value {
            Json::Array(parts) => Ok(Self::Parts(parts)),
            Json::Object(fields) => {
                let form = |(name, form): (String, Json)| {
                    let kind = MediaKind::ALL.into_iter().find(|kind| kind.name() == name);
                    kind.map(|kind| (kind, form)).ok_or_else(|| no_kind(&name))
                };
                fields.into_iter().map(form).collect::<Result<_, _>>().map(Self::Forms)
            }
            other => Err(format!(
                "prompt_mm is {other}; it is a dict with a place for each kind of piece: text, image, video, audio"
            )),
        }
    }
}

/// What is wrong with an entry of `prompt_mm`.
fn no_kind(name: &str) -> String {
    let hint = nearest(name, MediaKind::ALL.into_iter().map(MediaKind::name))
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!(
        "prompt_mm has `{name}`; it has one place for each kind of piece (text, image, video, audio), into which all pieces of the kind go{hint}"
    )
}

impl Media {
    /// Whether one of its texts or addresses has `said` in it.
    pub(super) fn says(&self, said: &str) -> bool {
        let is_said = |part: &Json| has_text(part, &|text| text.contains(said));
        match self {
            Self::Forms(forms) => forms.values().any(is_said),
            Self::Parts(parts) => parts.iter().any(is_said),
        }
    }

    /// The texts of it, not where its pictures, films and sounds are.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Forms(forms) => {
                forms.get(&MediaKind::Text).into_iter().filter_map(text_of).collect()
            }
            Self::Parts(parts) => parts.iter().filter_map(text_of).collect(),
        }
    }
}

fn text_of(part: &Json) -> Option<&str> {
    part.get(MediaKind::Text.key())?.as_str()
}

/// A column with pieces whose places and texts are empty; any other text is empty.
pub(crate) fn emptied_pieces(text: &str) -> String {
    let tags = text
        .split(PIECE_END)
        .filter_map(MediaKind::of_piece)
        .map(|kind| kind.tag().to_owned() + PIECE_END);
    tags.collect()
}

/// A column of pieces with `mark` on what its texts say; `None` where it has no text behind a tag.
pub(crate) fn marked_pieces(text: &str, mark: impl Fn(&str) -> String) -> Option<String> {
    let tag = MediaKind::Text.tag();
    text.contains(tag).then(|| {
        let piece = |piece: &str| match piece.strip_prefix(tag) {
            Some(said) => tag.to_owned() + &mark(said),
            None => piece.to_owned(),
        };
        text.split(PIECE_END).map(piece).collect::<Vec<_>>().join(PIECE_END)
    })
}

/// A piece of text.
pub(crate) fn text_piece(text: &str) -> String {
    format!("{}{text}{PIECE_END}", MediaKind::Text.tag())
}

/// The first tag of a piece that a text has.
pub(crate) fn piece_tag(text: &str) -> Option<&'static str> {
    // Every tag begins so; most texts have none.
    text.contains("<AIS_").then_some(())?;
    let tags = MediaKind::ALL.map(MediaKind::tag);
    tags.into_iter().chain([PIECE_END]).find(|tag| text.contains(tag))
}

/// The pieces of a sample, each the field that it fills in and what it says.
pub(crate) fn pieces(sample: &Sample) -> Vec<(&'static str, String)> {
    let Ok(source) = Source::of(sample) else { return Vec::new() };
    let piece = |piece: &str| {
        let kind = MediaKind::of_piece(piece)?;
        Some((kind.column(), piece.replace(kind.tag(), "")))
    };
    source.pieces.split(PIECE_END).filter_map(piece).collect()
}

/// What the column of a sample's pieces says beside its pieces: no prompt has it.
pub(crate) fn untagged(sample: &Sample) -> Vec<&str> {
    let Ok(source) = Source::of(sample) else { return Vec::new() };
    let rest = source.pieces.split(PIECE_END);
    let rest = rest.filter(|piece| MediaKind::of_piece(piece).is_none());
    rest.filter(|piece| !piece.trim().is_empty()).collect()
}

/// The kind of one part of a turn's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MediaKind {
    /// Text; its place is `{question}`.
    Text,
    /// A picture; its place is `{image}`.
    Image,
    /// A film; its place is `{video}`.
    Video,
    /// Sound; its place is `{audio}`.
    Audio,
}

impl MediaKind {
    const ALL: [Self; 4] = [Self::Text, Self::Image, Self::Video, Self::Audio];

    /// That of a piece, by the tag at its very start.
    fn of_piece(piece: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| piece.starts_with(kind.tag()))
    }

    /// What a template calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }

    /// What a piece of it starts with.
    fn tag(self) -> &'static str {
        match self {
            Self::Text => "<AIS_TEXT_START>",
            Self::Image => "<AIS_IMAGE_START>",
            Self::Video => "<AIS_VIDEO_START>",
            Self::Audio => "<AIS_AUDIO_START>",
        }
    }

    /// The field that a piece of it fills in.
    fn column(self) -> &'static str {
        match self {
            Self::Text => "question",
            Self::Image => "image",
            Self::Video => "video",
            Self::Audio => "audio",
        }
    }

    /// The key under which its dict holds the place.
    fn key(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image_url",
            Self::Video => "video_url",
            Self::Audio => "audio_url",
        }
    }

    /// The entry that shows it, as a template may have it.
    pub(super) fn entry(self) -> String {
        let (key, column) = (self.key(), self.column());
        let address = if self == Self::Text { "" } else { "file://" };
        format!("dict(type='{key}', {key}='{address}{{{column}}}')")
    }
}

/// Where the pieces of a sample are, and what else is filled in.
struct Source<'a> {
    pieces: &'a str,
    /// The row whose fields are filled in beside the pieces.
    row: Sample,
    /// Whether turns without pieces are filled in too.
    fills_turns: bool,
}

/// The dialogue of a sample, whose output column is already masked.
pub(super) fn written(dialogue: &Dialogue, sample: &Sample) -> Result<PromptList, PromptError> {
    filled(dialogue.encoded(Section::Round), sample, Source::of(sample))
}

/// A dialogue in which every field is filled in, whatever column the pieces are in.
pub(super) fn filled_everywhere(
    list: PromptList,
    sample: &Sample,
) -> Result<PromptList, PromptError> {
    let source = Source::of(sample);
    let source = source.map(|source| Source { row: sample.clone(), fills_turns: true, ..source });
    filled(list, sample, source)
}

fn filled(
    list: PromptList,
    sample: &Sample,
    source: Result<Source<'_>, PromptError>,
) -> Result<PromptList, PromptError> {
    let source = match source {
        Err(error) if list.is_multimodal() => return Err(error),
        source => source.ok(),
    };
    let filled = |item: PromptItem| match (item, &source) {
        (PromptItem::Text(text), _) => Ok(PromptItem::Text(fill(&text, sample))),
        (PromptItem::Turn(turn), Some(source)) => source.turn(turn).map(PromptItem::Turn),
        (item, _) => Ok(item),
    };
    list.0.into_iter().map(filled).collect::<Result<_, _>>().map(PromptList)
}

impl<'a> Source<'a> {
    fn of(sample: &'a Sample) -> Result<Self, PromptError> {
        let nothing = || Sample::new(Vec::new());
        let (column, row, fills_turns) = match sample.get("content") {
            None if sample.get("question").is_some() => ("question", sample.clone(), true),
            _ => ("content", nothing(), false),
        };
        match sample.get(column) {
            Some(Json::String(pieces)) => Ok(Self { pieces, row, fills_turns }),
            other => Err(PromptError::Column {
                kind: KIND,
                column: column.to_owned(),
                expected: "text with a tag before every piece, such as <AIS_IMAGE_START>",
                found: other.map_or_else(|| "no such column".to_owned(), ToString::to_string),
            }),
        }
    }

    fn turn(&self, mut turn: Turn) -> Result<Turn, PromptError> {
        match &turn.prompt_mm {
            Some(Media::Forms(forms)) => turn.prompt_mm = Some(Media::Parts(self.parts(forms)?)),
            None if self.fills_turns => {
                turn.prompt = turn.prompt.map(|text| fill(&text, &self.row));
            }
            Some(Media::Parts(_)) | None => {}
        }
        Ok(turn)
    }

    /// The pieces in order. What has no tag at its very start is left out.
    fn parts(&self, forms: &BTreeMap<MediaKind, Json>) -> Result<Vec<Json>, PromptError> {
        let mut parts = Vec::new();
        for piece in self.pieces.split(PIECE_END) {
            let Some(kind) = MediaKind::of_piece(piece) else { continue };
            let no_place = || PromptError::NoMediaPlace { kind };
            let mut part = forms.get(&kind).ok_or_else(no_place)?.clone();
            let field = part.get_mut(kind.key()).ok_or_else(no_place)?;
            let place = match field {
                Json::Object(_) => field.get_mut("url").ok_or_else(no_place)?,
                field => field,
            };
            let text = place.as_str().ok_or_else(no_place)?;
            let mut row = self.row.clone();
            row.set(kind.column(), piece.replace(kind.tag(), "").into());
            *place = fill(text, &row).into();
            parts.push(part);
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        config::Node,
        prompt::{Label, Prompt, PromptTemplate},
    };

    #[test]
    fn pieces_in_the_documented_column_fill_every_field() {
        let template = json!({"template": {"round": [{"role": "HUMAN", "prompt_mm": {
            "text": {"type": "text", "text": "{anything}\nQuestion: {question}{answer}"},
            "image": {"type": "image_url", "image_url": {"url": "file://{image}"}}}}]}});
        let template = PromptTemplate::multimodal(&Node::from_json(&template)).unwrap();
        let tagged = "<AIS_TEXT_START>What is this?<AIS_CONTENT_TAG><AIS_IMAGE_START>i.jpg";
        let sample = Sample::new(vec![
            ("anything".into(), json!("blabla")),
            ("question".into(), json!(tagged)),
            ("answer".into(), json!("a cat")),
        ]);
        let none = Prompt::Text(String::new());
        let Prompt::List(list) = template.generation(&sample, &none, Some(("answer", ""))).unwrap()
        else {
            panic!("a dialogue");
        };
        let parts = vec![
            json!({"type": "text", "text": "blabla\nQuestion: What is this?"}),
            json!({"type": "image_url", "image_url": {"url": "file://i.jpg"}}),
        ];
        let said = |item: &PromptItem| match item {
            PromptItem::Turn(turn) => turn.prompt_mm.clone(),
            _ => None,
        };
        assert_eq!(list.0.iter().find_map(said), Some(Media::Parts(parts)));
    }

    #[test]
    fn options_of_a_row_stand_beside_its_images() {
        let template = json!({"template": {"round": [
                {"role": "HUMAN", "prompt_mm": {
                    "text": {"type": "text", "text": "{hint}{question}\n{choice.list}"},
                    "image": {"type": "image_url", "image_url": {"url": "{image}"}}}},
                {"role": "BOT", "prompt": "</S>{choice.label}"}]},
            "choices": "{choices}", "labels": ["A", "B", "C"], "sep_token": "</S>"});
        let template = PromptTemplate::choices(&Node::from_json(&template)).unwrap();
        let tagged = "<AIS_IMAGE_START>i.jpg<AIS_CONTENT_TAG><AIS_TEXT_START>What {hint}?";
        let sample = Sample::new(vec![
            ("hint".into(), json!("Look.\n")),
            ("image".into(), json!("unseen.jpg")),
            ("question".into(), json!(tagged)),
            ("choices".into(), json!(["cat", "dog"])),
        ]);
        let none = Prompt::Text(String::new());
        let turns = |prompt: Prompt| -> Vec<Turn> {
            let Prompt::List(list) = prompt else { panic!("a dialogue") };
            let turn = |item| match item {
                PromptItem::Turn(turn) => Some(turn),
                _ => None,
            };
            list.0.into_iter().filter_map(turn).collect()
        };
        let parts = |text: &str| {
            Some(Media::Parts(vec![
                json!({"type": "image_url", "image_url": {"url": "i.jpg"}}),
                json!({"type": "text", "text": text}),
            ]))
        };
        // What a column filled in before is not searched for it again.
        let shown = "Look.\nWhat {hint}?\nA. cat\nB. dog";
        let label = Label::new(json!("B"));
        let asked = turns(template.candidate(&sample, &none, &label, false).unwrap());
        assert_eq!(asked[0].prompt_mm, parts(shown));
        assert_eq!(asked[1].prompt.as_deref(), Some("B"));
        let open = turns(template.generation(&sample, &none, None).unwrap());
        assert_eq!(open[0].prompt_mm, parts(shown));
        assert_eq!(asked.len(), 2);
    }
}
