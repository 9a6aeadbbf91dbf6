//! The pieces of a text that a checkpoint's chat template wrote.
//!
//! Such a template is a program, which cannot be asked where a text comes from. But it writes what the
//! messages say in their order, so each content is looked up in the text after the one before it;
//! everything between is the template's own.

use super::{
    TracedPiece,
    origin_marks::{Mark, OriginMarks},
};
use crate::{
    model::media::Sight,
    prompt::{Content, Media, Message, Prompt, PromptItem, PromptList, PromptPlace, Section, Turn},
};

/// Marks every turn with its place, which messages do not keep.
pub(super) fn placed(prompt: Prompt, marks: &OriginMarks) -> Prompt {
    let list = match prompt {
        Prompt::List(list) => list,
        Prompt::Text(text) => {
            let round = PromptPlace { section: Some(Section::Round), example: None };
            return Prompt::Text(marks.wrap(Mark::Place(round), &text));
        }
        messages @ Prompt::Messages(_) => return messages,
    };
    let places: Vec<PromptPlace> = list.placed().map(|(place, _)| place).collect();
    let mut places = places.into_iter();
    let items = list.0.into_iter().map(|item| match item {
        PromptItem::Turn(turn) => {
            let place = places.next().unwrap_or_default();
            PromptItem::Turn(marked(turn, |text| marks.wrap(Mark::Place(place), text)))
        }
        PromptItem::Text(text) => {
            let place = places.next().unwrap_or_default();
            PromptItem::Text(marks.wrap(Mark::Place(place), &text))
        }
        marker => marker,
    });
    Prompt::List(PromptList(items.collect()))
}

/// A turn whose texts are marked: what is said, and what is said beside images.
pub(super) fn marked(turn: Turn, mark: impl Fn(&str) -> String) -> Turn {
    let prompt = turn.prompt.as_deref().map(&mark);
    let prompt_mm = turn.prompt_mm.map(|media| match media {
        Media::Parts(mut parts) => {
            for text in parts.iter_mut().filter_map(|part| part.get_mut("text")) {
                if let Some(own) = text.as_str() {
                    *text = mark(own).into();
                }
            }
            Media::Parts(parts)
        }
        forms @ Media::Forms(_) => forms,
    });
    Turn { prompt, prompt_mm, ..turn }
}

/// The pieces of `text`, made of the marked `messages`; `None` when a message is not in it.
pub(super) fn pieces(
    text: &str,
    messages: &[Message],
    marks: &OriginMarks,
) -> Option<Vec<TracedPiece>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for message in messages {
        let texts: Vec<&str> = match &message.content {
            Content::Text(content) => vec![content],
            Content::Parts(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).collect()
            }
            Content::Nothing => Vec::new(),
        };
        for content in texts {
            let runs = runs(content, marks, rest)?;
            let written: String = runs.iter().map(|(run, _)| run.as_str()).collect();
            let at = find_outside_images(rest, &written)?;
            let (before, from) = rest.split_at(at);
            let said = runs
                .iter()
                .map(|(run, marks)| {
                    TracedPiece::new(run, PromptPlace::default(), Some(&message.role), false, marks)
                })
                .collect::<Vec<_>>();
            push_markup(&mut pieces, before, said.first());
            for mut piece in said {
                // The line break between two turns that became one message.
                if let (None, Some(last)) = (piece.section, pieces.last()) {
                    (piece.section, piece.example) = (last.section, last.example);
                }
                pieces.push(piece);
            }
            rest = from.get(written.len()..)?;
        }
    }
    push_markup(&mut pieces, rest, None);
    Some(pieces)
}

/// Where a content stands: not in the name of an image, which may have its words, and rather where it is no part of a word.
fn find_outside_images(text: &str, content: &str) -> Option<usize> {
    let marks = Sight::marks(text);
    let is_outside = |at: &usize| {
        let end = at + content.len();
        marks.iter().all(|(mark, _)| *at >= mark.end || end <= mark.start)
    };
    let places = || text.match_indices(content).map(|(at, _)| at).filter(is_outside);
    let is_whole = |at: &usize| {
        let (before, from) = text.split_at(*at);
        let (own, after) = from.split_at(content.len());
        let joins = |one: Option<char>, other: Option<char>| {
            one.zip(other)
                .is_some_and(|(one, other)| one.is_alphanumeric() && other.is_alphanumeric())
        };
        !joins(before.chars().next_back(), own.chars().next())
            && !joins(own.chars().next_back(), after.chars().next())
    };
    places().find(is_whole).or_else(|| places().next())
}

/// A content's runs as they stand in `text`: whole, or trimmed as many chat templates do it.
fn runs(content: &str, marks: &OriginMarks, text: &str) -> Option<Vec<(String, Vec<Mark>)>> {
    let mut runs = Vec::new();
    marks.read(content, |run, marks| runs.push((run.to_owned(), marks.to_vec())));
    let written: String = runs.iter().map(|(run, _)| run.as_str()).collect();
    if text.contains(&written) {
        return Some(runs);
    }
    let trimmed = written.trim();
    if !text.contains(trimmed) {
        return None;
    }
    let mut skip = written.len() - written.trim_start().len();
    let mut left = trimmed.len();
    for (run, _) in &mut runs {
        let start = skip.min(run.len());
        let end = (start + left).min(run.len());
        skip -= start;
        left -= end - start;
        *run = run.get(start..end)?.to_owned();
    }
    Some(runs)
}

/// The chat template's own text before `next`, or at the end. Its first line, if it is not the last,
/// ends what was said before.
fn push_markup(pieces: &mut Vec<TracedPiece>, text: &str, next: Option<&TracedPiece>) {
    let before = pieces.last().cloned();
    let end = text.find('\n').map_or(0, |at| at + 1);
    let (ending, beginning) = match (&before, text.split_at(end)) {
        (Some(_), (ending, beginning)) if !beginning.trim().is_empty() => (ending, beginning),
        (Some(_), _) if next.is_none() => (text, ""),
        _ => ("", text),
    };
    let mut push = |text: &str, neighbour: Option<&TracedPiece>, role: Option<String>| {
        if text.is_empty() {
            return;
        }
        let mut markup = TracedPiece::new(text, PromptPlace::default(), role.as_deref(), true, &[]);
        if let Some(neighbour) = neighbour {
            (markup.section, markup.example) = (neighbour.section, neighbour.example);
        }
        pieces.push(markup);
    };
    let role_of = |piece: Option<&TracedPiece>| piece.and_then(|piece| piece.role.clone());
    push(ending, before.as_ref(), role_of(before.as_ref()));
    push(beginning, next.or(before.as_ref()), role_of(next));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::PieceKind;

    #[test]
    fn contents_are_found_in_order_even_when_they_are_trimmed() {
        let marks = OriginMarks::default();
        let asked = format!(" user {}\n", marks.wrap(Mark::Field("q".into()), "é? "));
        let messages = [Message::user(asked), Message::new("assistant", "user")];
        let text = "<user>user é?<assistant>user<user>";
        let pieces = pieces(text, &messages, &marks).unwrap();
        let shown: Vec<_> = pieces
            .iter()
            .filter(|piece| !piece.text.is_empty())
            .map(|piece| (piece.text.as_str(), piece.kind))
            .collect();
        let (template, markup) = (PieceKind::Template, PieceKind::Markup);
        assert_eq!(
            shown,
            [
                ("<user>", markup),
                ("user ", template),
                ("é?", PieceKind::Field),
                ("<assistant>", markup),
                ("user", template),
                ("<user>", markup)
            ]
        );
        assert_eq!(super::pieces("<user>", &messages, &marks), None);
        let answer = [Message::user("Which?"), Message::new("assistant", "A")];
        let said = super::pieces("USER: Which? ASSISTANT: A", &answer, &marks).unwrap();
        let said: Vec<&str> = said.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(said, ["USER: ", "Which?", " ASSISTANT: ", "A"]);
    }
}
