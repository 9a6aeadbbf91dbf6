//! The templates of a data set's `infer_cfg`: their texts, and what is known of them together.

use std::ops::Range;

use super::{
    piece::{Piece, Wording},
    text_parser::{AnswerPlace, Enumeration, TextParser},
};
use crate::config::{Node, Value};

/// Where templates stand in `infer_cfg`.
const FIELDS: [&str; 2] = ["ice_template", "prompt_template"];
/// Sections of a dialogue.
const SECTIONS: [&str; 3] = ["begin", "round", "end"];
/// Where a turn or a message has its text.
const TURN_TEXTS: [&str; 2] = ["prompt", "content"];

/// All texts of the templates in pieces, in the order in which they are written.
#[derive(Clone, Debug)]
pub(super) struct Templates {
    texts: Vec<Vec<Piece>>,
    /// How options are counted, if they are in one way everywhere.
    pub(super) enumeration: Option<Enumeration>,
    /// Whether there are options that are counted in different ways.
    pub(super) is_counted_differently: bool,
}

/// A text with the template that it belongs to.
struct Written {
    template: usize,
    /// Which label's form it is, and the number of the text in it.
    label: Option<(usize, usize)>,
    text: String,
}

impl Templates {
    /// Takes the templates of `infer_cfg` apart.
    pub(super) fn of(infer_cfg: &Node) -> Self {
        let mut written = Vec::new();
        let mut own = infer_cfg.clone();
        visit(&mut own, &mut |template, label, text| {
            written.push(Written { template, label, text: text.to_owned() });
            None
        });
        let token = |template: usize, name: &str| {
            let token = infer_cfg.get(FIELDS[template])?.get(name)?.as_str()?;
            Some(token).filter(|token| !token.is_empty())
        };
        let parser = |own: &'_ Written| -> (Option<&str>, Option<&str>) {
            (token(own.template, "ice_token"), token(own.template, "sep_token"))
        };
        let found: Vec<Enumeration> = written
            .iter()
            .filter_map(|own| {
                let (ice_token, sep_token) = parser(own);
                TextParser { text: &own.text, ice_token, sep_token, answer: None }.enumeration()
            })
            .collect();
        let is_same = found.iter().all(|own| Some(own) == found.first());
        let enumeration = found.first().copied().filter(|_| is_same);
        let mut places = answer_places(&written, &|own| parser(own));
        add_options(&written, &mut places, enumeration);
        let texts = written.iter().zip(&places).map(|(own, place)| {
            let (ice_token, sep_token) = parser(own);
            TextParser { text: &own.text, ice_token, sep_token, answer: place.as_ref() }.pieces()
        });
        Self { texts: texts.collect(), enumeration, is_counted_differently: !is_same }
    }

    /// All pieces of all texts.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.texts.iter().flatten()
    }

    /// The same `infer_cfg` with its templates in another wording.
    pub(super) fn reworded(&self, infer_cfg: &Node, wording: &Wording) -> Node {
        let mut own = infer_cfg.clone();
        let mut texts = self.texts.iter();
        visit(&mut own, &mut |_, _, _| {
            let pieces = texts.next()?;
            Some(pieces.iter().map(|piece| piece.reworded(wording)).collect())
        });
        own
    }

    /// The texts as they are written, those of one label where there are several.
    pub(super) fn shown(infer_cfg: &Node) -> Vec<String> {
        let mut texts = Vec::new();
        let mut own = infer_cfg.clone();
        visit(&mut own, &mut |template, label, text| {
            if label.is_none_or(|(label, _)| label == 0) {
                texts.push((template, text.to_owned()));
            }
            None
        });
        // The question's own template says most.
        let last = texts.iter().map(|(template, _)| *template).max();
        texts.retain(|(template, _)| Some(*template) == last);
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// Hears a text: its template, the label and the place in its form where there are labels, and the text.
type HearAll<'a> = dyn FnMut(usize, Option<(usize, usize)>, &str) -> Option<String> + 'a;

/// Where an answer is written, and which option's it is with or without brackets.
type AnswerOption = (Range<usize>, (usize, bool));

/// Hears every text of the templates, and puts in its place what is given back.
fn visit(infer_cfg: &mut Node, hear: &mut HearAll<'_>) {
    for (template, field) in FIELDS.into_iter().enumerate() {
        let Some(node) = infer_cfg.get_mut(field) else { continue };
        if let Some(messages) = node.get_mut("messages") {
            let mut place = 0;
            visit_items(messages, &mut place, &mut |_, text| hear(template, None, text));
        }
        let Some(body) = node.get_mut("template") else { continue };
        let is_dialogue = is_dialogue(body);
        let mut place = 0;
        match &mut body.value {
            Value::Dict(forms) if !is_dialogue => {
                for (label, (_, form)) in forms.iter_mut().enumerate() {
                    place = 0;
                    visit_form(form, &mut place, &mut |place, text| {
                        hear(template, Some((label, place)), text)
                    });
                }
            }
            _ => visit_form(body, &mut place, &mut |_, text| hear(template, None, text)),
        }
    }
}

type Hear<'a> = dyn FnMut(usize, &str) -> Option<String> + 'a;

fn is_dialogue(node: &Node) -> bool {
    node.as_dict().is_some_and(|entries| {
        entries.iter().all(|(key, _)| key.as_str().is_some_and(|key| SECTIONS.contains(&key)))
    })
}

fn visit_form(form: &mut Node, place: &mut usize, hear: &mut Hear<'_>) {
    match &mut form.value {
        Value::Str(_) => visit_text(form, place, hear),
        Value::Dict(sections) => {
            for (_, section) in sections {
                visit_items(section, place, hear);
            }
        }
        _ => (),
    }
}

fn visit_items(node: &mut Node, place: &mut usize, hear: &mut Hear<'_>) {
    match &mut node.value {
        Value::List(items) | Value::Tuple(items) => {
            for item in items {
                visit_items(item, place, hear);
            }
        }
        Value::Dict(_) => {
            for field in TURN_TEXTS {
                if let Some(text) = node.get_mut(field) {
                    visit_text(text, place, hear);
                }
            }
        }
        _ => visit_text(node, place, hear),
    }
}

fn visit_text(node: &mut Node, place: &mut usize, hear: &mut Hear<'_>) {
    if let Value::Str(text) = &mut node.value {
        if let Some(other) = hear(*place, text) {
            *text = other;
        }
        *place += 1;
    }
}

/// Where each text differs from those of other labels at the same place.
fn answer_places<'a>(
    written: &'a [Written],
    tokens: &dyn Fn(&'a Written) -> (Option<&'a str>, Option<&'a str>),
) -> Vec<Option<AnswerPlace>> {
    let of = |own: &Written| {
        let (_, place) = own.label?;
        let same: Vec<&str> = written
            .iter()
            .filter(|other| other.template == own.template)
            .filter(|other| other.label.is_some_and(|(_, other)| other == place))
            .map(|other| other.text.as_str())
            .collect();
        differing(&own.text, &same)
    };
    let place = |own: &'a Written| {
        let mut bytes = of(own)?;
        let (_, separator) = tokens(own);
        // The answer begins behind the mark that is there to say so.
        if let Some(at) = separator.and_then(|token| Some(own.text.find(token)? + token.len())) {
            bytes.start = bytes.start.max(at.min(bytes.end));
        }
        Some(AnswerPlace { bytes, option: None })
    };
    written.iter().map(place).collect()
}

/// The words of a text in which it differs from the others.
fn differing(own: &str, all: &[&str]) -> Option<Range<usize>> {
    if all.iter().all(|other| *other == own) {
        return None;
    }
    let common = |other: &&str, is_suffix: bool| -> usize {
        let same = |(a, b): &(char, char)| a == b;
        let length = |(letter, _): (char, char)| letter.len_utf8();
        if is_suffix {
            own.chars().rev().zip(other.chars().rev()).take_while(same).map(length).sum()
        } else {
            own.chars().zip(other.chars()).take_while(same).map(length).sum()
        }
    };
    let others = || all.iter().filter(|other| **other != own);
    let shortest = all.iter().map(|text| text.len()).min().unwrap_or(0);
    let mut start = others().map(|other| common(other, false)).min()?.min(shortest);
    let suffix = others().map(|other| common(other, true)).min()?.min(shortest - start);
    let mut end = own.len() - suffix;
    // Whole words and fields.
    let begins = |letter: char| letter.is_alphanumeric() || "_{([<".contains(letter);
    let ends = |letter: char| letter.is_alphanumeric() || "_})]>".contains(letter);
    while let Some(letter) = own[..start].chars().next_back().filter(|&letter| begins(letter)) {
        start -= letter.len_utf8();
    }
    while let Some(letter) = own[end..].chars().next().filter(|&letter| ends(letter)) {
        end += letter.len_utf8();
    }
    Some(start..end.max(start))
}

/// Finds which option each label's answer is; of a template all of them or none.
fn add_options(
    written: &[Written],
    places: &mut [Option<AnswerPlace>],
    enumeration: Option<Enumeration>,
) {
    let Some(enumeration) = enumeration else { return };
    let option = |text: &str| {
        (0..enumeration.options).find_map(|index| {
            let symbol = enumeration.numerals.symbol(index)?;
            let has_brackets = enumeration.brackets.around(&symbol) == text;
            (has_brackets || symbol == text).then_some((index, has_brackets))
        })
    };
    for template in 0..FIELDS.len() {
        let own: Vec<usize> = (0..written.len())
            .filter(|&at| written[at].template == template && places[at].is_some())
            .collect();
        let found: Option<Vec<AnswerOption>> = own
            .iter()
            .map(|&at| {
                let bytes = places[at].as_ref()?.bytes.clone();
                let text = &written[at].text[bytes.clone()];
                if let Some(found) = option(text) {
                    return Some((bytes, found));
                }
                // Brackets that are not those of the options stay where they are.
                let inner = text.trim_start_matches(['(', '[', '<']);
                let start = bytes.start + text.len() - inner.len();
                let inner = inner.trim_end_matches([')', ']', '>']);
                let (index, _) = option(inner)?;
                Some((start..start + inner.len(), (index, false)))
            })
            .collect();
        for (at, (bytes, option)) in own.into_iter().zip(found.into_iter().flatten()) {
            places[at] = Some(AnswerPlace { bytes, option: Some(option) });
        }
    }
}

#[cfg(test)]
mod tests;
