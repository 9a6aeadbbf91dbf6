//! One text of a template, taken apart into pieces.
//!
//! Only what is certain is taken: a descriptor stands at the beginning of a line (or behind a field) and is followed by
//! a mark and a field, the candidate's answer, options or the end; options are two fields at least that are counted
//! in one way without a gap. All else stays text that no format touches.

use std::ops::Range;

use super::{
    grammar::{BRACKETS, Brackets, INLINE_JOINTS, MARKS, NUMERALS, Numerals, OPTION_JOINTS, Role},
    piece::{Follow, Piece},
};

/// A descriptor has so many words at most.
const MOST_WORDS: usize = 4;

/// A text and what is known of it from the template around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextParser<'a> {
    pub(super) text: &'a str,
    /// The placeholder of examples.
    pub(super) ice_token: Option<&'a str>,
    /// The mark between context and answer.
    pub(super) sep_token: Option<&'a str>,
    /// Where the text differs from that of other labels.
    pub(super) answer: Option<&'a AnswerPlace>,
}

/// Where the candidate's answer stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerPlace {
    pub(super) bytes: Range<usize>,
    /// The option whose numeral it is, and whether its brackets are around it.
    pub(super) option: Option<(usize, bool)>,
}

/// Options that are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Enumeration {
    pub(super) numerals: Numerals,
    pub(super) brackets: Brackets,
    pub(super) options: usize,
}

/// Pieces that were found together, and where they end.
type Found = (Vec<Piece>, usize);

impl TextParser<'_> {
    /// The pieces of the text.
    pub(super) fn pieces(&self) -> Vec<Piece> {
        let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
        while at < self.text.len() {
            if let Some(answer) = self.answer_at(at) {
                self.push_text(&mut pieces, from..at);
                at += answer.written().len();
                from = at;
                pieces.push(answer);
                continue;
            }
            let begun = self.item_start(at, from).and_then(|(joint, is_inline)| {
                let found = self.options(at).map(|(pieces, end, _)| (pieces, end));
                Some((joint, found.or_else(|| self.descriptor(at, is_inline))?))
            });
            if let Some((joint, (found, end))) = begun {
                self.push_text(&mut pieces, from..joint);
                if joint < at {
                    pieces.push(Piece::Spacing(self.text[joint..at].to_owned()));
                }
                pieces.extend(found);
                (at, from) = (end, end);
                continue;
            }
            at += self.text[at..].chars().next().map_or(1, char::len_utf8);
        }
        self.push_text(&mut pieces, from..self.text.len());
        pieces
    }

    /// The options of the text, if there are any that are counted; of several lists the first.
    pub(super) fn enumeration(&self) -> Option<Enumeration> {
        let starts = self.text.char_indices().map(|(at, _)| at);
        let mut found = starts.filter(|&at| self.item_start(at, 0).is_some());
        found.find_map(|at| self.options(at)).map(|(.., enumeration)| enumeration)
    }

    fn push_text(&self, pieces: &mut Vec<Piece>, bytes: Range<usize>) {
        if !bytes.is_empty() {
            pieces.push(Piece::Literal(self.text[bytes].to_owned()));
        }
    }

    fn answer_at(&self, at: usize) -> Option<Piece> {
        let place = self.answer.filter(|place| place.bytes.start == at)?;
        let (index, has_brackets) = place.option?;
        let written = self.text.get(place.bytes.clone())?.to_owned();
        Some(Piece::Answer { index, written, has_brackets })
    }

    fn ends_with_token(&self, before: &str) -> bool {
        let tokens = [self.ice_token, self.sep_token];
        tokens.into_iter().flatten().any(|token| !token.is_empty() && before.ends_with(token))
    }

    /// Where the joint begins that leads to this place, and whether it lies within a line; nothing unless something
    /// may begin here. Text before `from` is spoken for.
    fn item_start(&self, at: usize, from: usize) -> Option<(usize, bool)> {
        let before = &self.text[..at];
        if self.text[at..].starts_with(char::is_whitespace) {
            return None;
        }
        let start = before.trim_end().len();
        if start == 0 || self.ends_with_token(&before[..start]) {
            return Some((at, false));
        }
        if before[start..].contains('\n') {
            return Some((start.max(from), false));
        }
        let inline = INLINE_JOINTS
            .iter()
            .find(|joint| before.strip_suffix(**joint).is_some_and(|rest| rest.ends_with('}')))?;
        let joint = at - inline.len();
        (joint >= from).then_some((joint, true))
    }

    /// A descriptor and its separator.
    fn descriptor(&self, at: usize, is_inline: bool) -> Option<Found> {
        let (words_end, mark) = self.words_and_mark(at)?;
        // Within a line, a sentence may go on with a word and a colon.
        let may_be_sentence =
            self.text[at..].starts_with(char::is_lowercase) || !mark.contains([':', '：']);
        if is_inline && may_be_sentence {
            return None;
        }
        let tail_start = words_end + mark.len();
        let rest = &self.text[tail_start..];
        let end = self.text.len() - rest.trim_start().len();
        let starts = |token: Option<&str>| {
            token.is_some_and(|token| !token.is_empty() && self.text[end..].starts_with(token))
        };
        let is_answer = self.answer.is_some_and(|answer| answer.bytes.start == end);
        let follow = if end == self.text.len() || starts(self.ice_token) {
            Follow::Apart
        } else if is_answer || starts(self.sep_token) || field_end(self.text, end).is_some() {
            Follow::Text
        } else if self.options(end).is_some() {
            Follow::Apart
        } else {
            return None;
        };
        let words = &self.text[at..words_end];
        let descriptor = Piece::Descriptor { words: words.to_owned(), role: Role::of(words) };
        let (mark, tail) = (mark.to_owned(), self.text[tail_start..end].to_owned());
        Some((vec![descriptor, Piece::Separator { mark, tail, follow }], end))
    }

    /// Where the words end that begin here, and the mark that follows them.
    fn words_and_mark(&self, at: usize) -> Option<(usize, &'static str)> {
        let rest = &self.text[at..];
        if !rest.starts_with(char::is_alphabetic) {
            return None;
        }
        let (mut words, mut end) = (1, at);
        loop {
            let own = &self.text[end..];
            end += own.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(own.len());
            let behind = &self.text[end..];
            if let Some(mark) = MARKS.iter().find(|mark| behind.starts_with(**mark)) {
                return Some((end, mark));
            }
            let next = behind.strip_prefix(' ')?;
            if !next.starts_with(char::is_alphanumeric) || words == MOST_WORDS {
                return None;
            }
            words += 1;
            end += 1;
        }
    }

    /// Options from here on: most of them, counted in whatever way.
    fn options(&self, at: usize) -> Option<(Vec<Piece>, usize, Enumeration)> {
        let ways = NUMERALS.iter().flat_map(|n| BRACKETS.iter().map(move |b| (*n, *b)));
        let found = ways.filter_map(|(numerals, brackets)| self.counted(at, numerals, brackets));
        found.reduce(|best, own| if own.2.options > best.2.options { own } else { best })
    }

    /// Options that are counted in one way.
    fn counted(
        &self,
        at: usize,
        numerals: Numerals,
        brackets: Brackets,
    ) -> Option<(Vec<Piece>, usize, Enumeration)> {
        let (mut pieces, mut end, mut options) = (Vec::new(), at, 0);
        loop {
            let rest = &self.text[end..];
            let joint = if options == 0 { Some("") } else { option_joint(rest) };
            let next = joint.and_then(|joint| {
                let from = end + joint.len();
                let numeral = brackets.around(&numerals.symbol(options)?);
                let behind = self.text[from..].strip_prefix(&*numeral)?;
                let gap = behind.len() - behind.trim_start_matches([' ', '\t']).len();
                let field = from + numeral.len() + gap;
                Some((joint, numeral, from, field_end(self.text, field)?))
            });
            let Some((joint, numeral, from, field_end)) = next else { break };
            if options > 0 {
                pieces.push(Piece::OptionJoint(joint.to_owned()));
            }
            let text = self.text[from + numeral.len()..field_end].to_owned();
            pieces.push(Piece::Numeral { index: options, written: numeral });
            pieces.push(Piece::Literal(text));
            end = field_end;
            options += 1;
        }
        (options > 1).then_some((pieces, end, Enumeration { numerals, brackets, options }))
    }
}

/// What stands between two options.
fn option_joint(rest: &str) -> Option<&str> {
    let blank = rest.len() - rest.trim_start().len();
    if blank > 0 {
        return Some(&rest[..blank]);
    }
    let known = OPTION_JOINTS.iter().chain(INLINE_JOINTS);
    known.copied().find(|joint| rest.starts_with(joint))
}

/// Where a field ends that begins here.
pub(super) fn field_end(text: &str, at: usize) -> Option<usize> {
    let inner = text.get(at..)?.strip_prefix('{')?;
    let length = inner.find('}')?;
    let is_name = |letter: char| letter.is_alphanumeric() || "_.[]- ".contains(letter);
    (length > 0 && inner[..length].chars().all(is_name)).then_some(at + length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<Piece> {
        let (ice_token, sep_token) = (Some("</E>"), Some("</S>"));
        TextParser { text, ice_token, sep_token, answer: None }.pieces()
    }

    /// Pieces in brackets of their kind: descriptors <>, separators (), joints [], numerals #.
    fn shown(text: &str) -> String {
        let show = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Descriptor { words, .. } => format!("<{words}>"),
            Piece::Separator { .. } => format!("({})", piece.written()),
            Piece::Spacing(joint) => format!("[{joint}]"),
            Piece::OptionJoint(joint) => format!("[[{joint}]]"),
            Piece::Numeral { written, .. } => format!("#{written}"),
            Piece::Answer { written, .. } => format!("!{written}"),
        };
        pieces(text).iter().map(show).collect::<String>().replace('\n', "↵")
    }

    #[test]
    fn descriptors_and_options_are_found_where_they_are_certain() {
        for (text, expected) in [
            (
                "</E>Question: {q}\nA. {A}\nB. {B}\nAnswer: ",
                "</E><Question>(: ){q}[↵]#A. {A}[[↵]]#B. {B}[↵]<Answer>(: )",
            ),
            ("Q:{q}\n\nA:{a}", "<Q>(:){q}[↵↵]<A>(:){a}"),
            ("Premise - {p} Answer: {a}", "<Premise>( - ){p}[ ]<Answer>(: ){a}"),
            ("Options:\n(1) {x}; (2) {y}", "<Options>(:↵)#(1) {x}[[; ]]#(2) {y}"),
            ("问题：{q}\n答案：", "<问题>(：){q}[↵]<答案>(：)"),
            ("Answer: </S>{a}", "<Answer>(: )</S>{a}"),
            // Text, and not a descriptor: nothing that varies follows, or too many words.
            ("Note: be brief\n{q}", "Note: be brief↵{q}"),
            ("This is what it says here: {q}", "This is what it says here: {q}"),
            ("The answer to {q} is: {a}", "The answer to {q} is: {a}"),
            // One option is no list, and a gap ends one.
            ("A. {A}\nC. {C}", "A. {A}↵C. {C}"),
            ("{\"a\": {x}}", "{\"a\": {x}}"),
        ] {
            assert_eq!(shown(text), expected, "{text:?}");
            let back: String = pieces(text).iter().map(Piece::written).collect();
            assert_eq!(back, text);
        }
    }

    #[test]
    fn a_long_list_is_counted_to_its_end() {
        let text = "i. {a}\nii. {b}\niii. {c}";
        let parser = TextParser { text, ice_token: None, sep_token: None, answer: None };
        let found = parser.enumeration().unwrap();
        assert_eq!((found.numerals, found.options), (Numerals::Roman, 3));
    }
}
