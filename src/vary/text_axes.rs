//! What may vary in the texts of a data set's templates, and what keeps the rest from it.
//!
//! A format must not change what is asked or how the answer is read. So whatever else reads the words of a template
//! is looked at first: texts that end a continuation, the post-processor, sentences that name options, and the column
//! that writes an answer into examples.

use super::{
    Element,
    axis::{Axis, NotVaried, Setting},
    grammar::{
        BRACKETS, Brackets, CASINGS, Casing, NUMERALS, Numerals, OPTION_JOINTS, SEPARATORS,
        SPACINGS, Separator, WORDS, Words, quoted,
    },
    piece::{Follow, Piece},
    templates::Templates,
    text_parser::{Enumeration, field_end},
};
use crate::dataset::Sample;

/// What reads the words of a template beside the model.
pub(super) struct Readers<'a> {
    /// Texts that end a continuation.
    pub(super) stops: Vec<String>,
    /// The texts in the post-processor's parameters.
    pub(super) postprocessor_texts: Vec<String>,
    /// What the post-processor makes of a reply, where replies are read at all.
    pub(super) reads: Option<&'a dyn Fn(&str) -> String>,
    /// The column of the gold answer.
    pub(super) output_column: Option<&'a str>,
}

/// The elements of texts: those that may vary, and why the others do not.
pub(super) fn text_axes(
    templates: &Templates,
    readers: &Readers<'_>,
) -> (Vec<Axis>, Vec<NotVaried>) {
    let mut found = Found { axes: Vec::new(), refused: Vec::new() };
    descriptors(templates, readers, &mut found);
    spacing(templates, &mut found);
    options(templates, readers, &mut found);
    (found.axes, found.refused)
}

struct Found {
    axes: Vec<Axis>,
    refused: Vec<NotVaried>,
}

impl Found {
    fn refuse(&mut self, elements: &[Element], reason: &str) {
        self.refused.extend(elements.iter().map(|&element| NotVaried::new(element, reason)));
    }
}

fn descriptors(templates: &Templates, readers: &Readers<'_>, found: &mut Found) {
    use Element::{Casing as CasingElement, Separator as SeparatorElement, Words as WordsElement};
    let all = [SeparatorElement, CasingElement, WordsElement];
    let words: Vec<(&str, Option<_>)> = templates
        .pieces()
        .filter_map(|piece| match piece {
            Piece::Descriptor { words, role } => Some((words.as_str(), *role)),
            _ => None,
        })
        .collect();
    if words.is_empty() {
        found.refuse(&all, "no descriptor, such as \"Question: \" before a field, was recognised");
        return;
    }
    for (texts, whose) in [
        (&readers.stops, "a text that ends a continuation"),
        (&readers.postprocessor_texts, "the post-processor"),
    ] {
        let named = |text: &&String| words.iter().any(|(words, _)| mentions(text, words));
        if let Some(text) = texts.iter().find(named) {
            found.refuse(&all, &format!("{whose} names a descriptor: {}", quoted(text)));
            return;
        }
    }
    let own = own_separator(templates);
    let label = own.map_or("several".to_owned(), |(mark, tail)| quoted(&format!("{mark}{tail}")));
    let settings = SEPARATORS.iter().map(|&one: &Separator| Setting::Separator(one));
    found.axes.push(Axis::new(SeparatorElement, label, settings));

    let casing = own_casing(templates);
    let label = casing.map_or("several", Casing::name);
    found.axes.push(Axis::new(CasingElement, label, CASINGS.iter().map(|&c| Setting::Casing(c))));

    let roles: Vec<_> = words.iter().filter_map(|(words, role)| Some((*words, (*role)?))).collect();
    if roles.is_empty() {
        found.refuse(&[WordsElement], "no descriptor is a question's, an answer's or the like");
        return;
    }
    let is_own = |own: &&Words| {
        roles.iter().all(|(words, role)| own.of(*role).to_lowercase() == words.to_lowercase())
    };
    // Beside options that are letters, `A` would be read as one of them.
    let is_clear = |own: &&Words| own.answer != "A" || templates.enumeration.is_none();
    let label = WORDS.iter().find(is_own).map_or_else(
        || {
            let mut own: Vec<&str> = Vec::new();
            for (words, _) in &roles {
                if !own.contains(words) {
                    own.push(words);
                }
            }
            own.join("/")
        },
        |own| own.name(),
    );
    let settings = WORDS.iter().filter(is_clear).map(|&own| Setting::Words(own));
    found.axes.push(Axis::new(WordsElement, label, settings));
}

/// The separator of all descriptors, if they have one.
fn own_separator(templates: &Templates) -> Option<(&str, &str)> {
    let mut marks = Vec::new();
    let mut tails = Vec::new();
    for piece in templates.pieces() {
        if let Piece::Separator { mark, tail, follow } = piece {
            marks.push(mark.as_str());
            if *follow == Follow::Text {
                tails.push(tail.as_str());
            }
        }
    }
    let first = (*marks.first()?, tails.first().copied().unwrap_or(" "));
    let is_same =
        marks.iter().all(|mark| *mark == first.0) && tails.iter().all(|tail| *tail == first.1);
    is_same.then_some(first)
}

/// The casing of all descriptors, if they have one.
pub(super) fn own_casing(templates: &Templates) -> Option<Casing> {
    let is = |casing: &&Casing| {
        templates.pieces().all(|piece| match piece {
            Piece::Descriptor { words, .. } => casing.written(words) == *words,
            _ => true,
        })
    };
    CASINGS.iter().find(is).copied()
}

fn spacing(templates: &Templates, found: &mut Found) {
    let joint = |piece: &Piece| match piece {
        Piece::Spacing(joint) => Some(joint.clone()),
        _ => None,
    };
    let own: Vec<String> = templates.pieces().filter_map(joint).collect();
    if own.is_empty() {
        found.refuse(&[Element::Spacing], "no text holds two fields or descriptors");
        return;
    }
    let settings = SPACINGS.iter().map(|&joint| Setting::Spacing(joint));
    found.axes.push(Axis::new(Element::Spacing, one_of(&own), settings));
}

/// What all of them are.
fn one_of(own: &[String]) -> String {
    match own.first() {
        Some(first) if own.iter().all(|one| one == first) => quoted(first),
        _ => "several".to_owned(),
    }
}

fn options(templates: &Templates, readers: &Readers<'_>, found: &mut Found) {
    use Element::{Brackets as BracketsElement, Numerals as NumeralsElement, Options};
    let Some(enumeration) = templates.enumeration else {
        let reason = if templates.is_counted_differently {
            "options are counted in several ways"
        } else {
            "the template has no enumerated options"
        };
        found.refuse(&[NumeralsElement, BracketsElement, Options], reason);
        return;
    };
    let joint = |piece: &Piece| match piece {
        Piece::OptionJoint(joint) => Some(joint.clone()),
        _ => None,
    };
    let joints: Vec<String> = templates.pieces().filter_map(joint).collect();
    let settings = OPTION_JOINTS.iter().map(|&joint| Setting::Options(joint));
    found.axes.push(Axis::new(Options, one_of(&joints), settings));

    let Enumeration { numerals, brackets, options } = enumeration;
    let symbols = |numerals: Numerals| (0..options).map(move |index| numerals.symbol(index));
    let own: Vec<String> = symbols(numerals).flatten().collect();
    let reads = |text: &str| readers.reads.map_or_else(String::new, |reads| reads(text));
    if let Some(why) = names_options(templates, &own, readers.output_column) {
        found.refuse(&[NumeralsElement], &why);
    } else {
        let is_readable = |other: &Numerals| {
            let pairs = symbols(*other).zip(&own);
            let mut pairs = pairs.map(|(symbol, own)| Some((symbol?, own)));
            pairs.all(|pair| pair.is_some_and(|(symbol, own)| reads(&symbol) == reads(own)))
        };
        let settings: Vec<Setting> =
            NUMERALS.iter().copied().filter(is_readable).map(Setting::Numerals).collect();
        readable(
            found,
            Axis::new(NumeralsElement, numerals.name(), settings),
            NUMERALS.len(),
            readers.reads.is_some(),
        );
    }
    let is_readable =
        |other: &Brackets| own.iter().all(|symbol| reads(&other.around(symbol)) == reads(symbol));
    let settings: Vec<Setting> =
        BRACKETS.iter().copied().filter(is_readable).map(Setting::Brackets).collect();
    readable(
        found,
        Axis::new(BracketsElement, brackets.around("A"), settings),
        BRACKETS.len(),
        readers.reads.is_some(),
    );
}

/// Keeps an axis of what replies may be written in, and says what was left out of it.
fn readable(found: &mut Found, axis: Axis, all: usize, is_read: bool) {
    let left_out = all - axis.values.len().min(all);
    let element = axis.element;
    if axis.values.len() < 2 {
        let reason = "a reply in any others would not be read as the same answer";
        found.refuse(&[element], reason);
        return;
    }
    if is_read && left_out > 0 {
        let reason = format!(
            "{left_out} of {all} are left out: a reply in them would not be read as the same answer"
        );
        found.refuse(&[element], &reason);
    }
    found.axes.push(axis);
}

/// Why options cannot be counted otherwise: something beside them goes by their numerals.
fn names_options(templates: &Templates, own: &[String], output: Option<&str>) -> Option<String> {
    let texts = || {
        templates.pieces().filter_map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            _ => None,
        })
    };
    if let Some(column) = output
        && texts().any(|text| text.contains(&format!("{{{column}}}")))
    {
        return Some(format!("{{{column}}} writes answers as the data have them"));
    }
    texts().find_map(|text| {
        let words = outside_fields(text);
        let named = own.iter().enumerate().find(|(index, symbol)| {
            let mut places = words.match_indices(symbol.as_str());
            places.any(|(at, _)| is_numeral(&words, at, symbol.len(), *index == 0))
        });
        named.map(|(_, symbol)| {
            format!("the text names option {symbol}: {}", quoted(&shortened(text)))
        })
    })
}

/// A text without what is filled in.
fn outside_fields(text: &str) -> String {
    let (mut kept, mut at) = (String::new(), 0);
    while let Some(letter) = text[at..].chars().next() {
        if let Some(end) = field_end(text, at) {
            kept.push('}');
            at = end;
        } else {
            kept.push(letter);
            at += letter.len_utf8();
        }
    }
    kept
}

/// How many rows have a letter in them that may name an option: a sentence such as "both B and C" would mean another
/// option, or none, if options were counted otherwise. Digits are not looked for, as they are mostly numbers.
pub(super) fn rows_with_letters(rows: &[Sample], enumeration: Enumeration) -> usize {
    let Enumeration { numerals, options, .. } = enumeration;
    if numerals == Numerals::Digits {
        return 0;
    }
    // The first letter is mostly an article.
    let symbols: Vec<String> = (1..options).filter_map(|index| numerals.symbol(index)).collect();
    let names = |text: &str| {
        symbols.iter().any(|symbol| {
            text != symbol
                && text
                    .match_indices(symbol.as_str())
                    .any(|(at, _)| is_numeral(text, at, symbol.len(), false))
        })
    };
    let has = |row: &&Sample| row.iter().filter_map(|(_, value)| value.as_str()).any(names);
    rows.iter().filter(has).count()
}

/// Whether a symbol stands alone, and is no article.
fn is_numeral(text: &str, at: usize, length: usize, may_be_word: bool) -> bool {
    let (before, behind) = (&text[..at], &text[at + length..]);
    let is_alone = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '\'')
        && !behind.starts_with(|letter: char| letter.is_alphanumeric() || letter == '\'');
    let is_word = may_be_word
        && behind.strip_prefix(' ').is_some_and(|next| next.starts_with(char::is_lowercase));
    is_alone && !is_word
}

/// Whether a text holds these words, in whatever casing, as words.
fn mentions(text: &str, words: &str) -> bool {
    let (text, words) = (text.to_lowercase(), words.to_lowercase());
    let mut places = text.match_indices(&words);
    places.any(|(at, found)| {
        let (before, behind) = (&text[..at], &text[at + found.len()..]);
        !before.ends_with(char::is_alphanumeric) && !behind.starts_with(char::is_alphanumeric)
    })
}

fn shortened(text: &str) -> String {
    const SHOWN_CHARS: usize = 60;
    let mut shown: String = text.trim().chars().take(SHOWN_CHARS).collect();
    if shown.len() < text.trim().len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
