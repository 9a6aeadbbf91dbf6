//! What each token of a text spells where it stands.
//!
//! A vocabulary says what a token spells, but not every tokenizer leaves a text as it is: a first word loses
//! the space its token has, letters are made small, and special tokens stand in some texts and around others.
//! So tokens are held against the text; where they part, [`aligned`] finds where they go on.

use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use super::alignment::aligned;
use crate::{
    model::media::{ShownMedium, Sight},
    report::page::{Piece, PieceKind, Pieces},
    store::KeptToken,
};

/// Spells the texts of a model.
pub(crate) struct Speller {
    tokens: Rc<BTreeMap<u32, KeptToken>>,
    /// The piece of a token that spells all that it can, by id and kind.
    known: HashMap<(u32, PieceKind), u32>,
    last: LastText,
}

/// The last text that its tokens spell from its start: the next one often begins alike.
#[derive(Default)]
struct LastText {
    bytes: Vec<u8>,
    ids: Vec<u32>,
    /// The piece of each token, and how much of the text is spelled behind it.
    places: Vec<(u32, usize)>,
}

impl LastText {
    /// Forgets what another text does not begin with.
    fn keep_shared(&mut self, ids: &[u32], text: &[u8]) {
        let same_ids = self.ids.iter().zip(ids).take_while(|(one, other)| one == other).count();
        let same_bytes =
            self.bytes.iter().zip(text).take_while(|(one, other)| one == other).count();
        let mut spelled = self.places[..same_ids].partition_point(|(_, end)| *end <= same_bytes);
        // What comes next decides about tokens that spelled nothing.
        let end = |count: usize| count.checked_sub(1).map_or(0, |at| self.places[at].1);
        while spelled > 0 && end(spelled) == end(spelled - 1) {
            spelled -= 1;
        }
        self.ids.truncate(spelled);
        self.places.truncate(spelled);
        self.bytes.truncate(self.places.last().map_or(0, |(_, end)| *end));
    }
}

/// A text as pieces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Spelled {
    /// The numbers of the pieces, one for each token.
    pub(super) pieces: Vec<u32>,
    /// Tokens of which it is not known what part of a stretch they spell.
    pub(super) unplaced: usize,
    /// At which byte of what was read the pieces begin; nothing where that is not known.
    pub(super) from: Option<usize>,
}

/// What was read, as far as it is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReadText<'s> {
    /// All of it, or what was left of it after a cut.
    Kept(&'s str),
    /// How many bytes it had.
    Bytes(usize),
    /// All of it, with the names of images, and these, if it is known what was looked at.
    Pictured(&'s str, &'s [ShownMedium]),
    /// What was generated: special tokens are no part of it.
    Generated,
}

impl ReadText<'_> {
    /// How many bytes it had, if that is known.
    pub(super) fn bytes(self) -> Option<usize> {
        match self {
            Self::Kept(text) | Self::Pictured(text, _) => Some(text.len()),
            Self::Bytes(bytes) => Some(bytes),
            Self::Generated => None,
        }
    }
}

/// A token in a text: what it is to it, and its bytes.
pub(super) type Place<'s> = (PieceKind, &'s [u8]);

impl Speller {
    /// Spells with the tokens of a model.
    pub(crate) fn new(tokens: Rc<BTreeMap<u32, KeptToken>>) -> Self {
        Self { tokens, known: HashMap::new(), last: LastText::default() }
    }

    /// Gets to know the tokens of a text.
    pub(crate) fn learn(&mut self, ids: &[u32], token: impl Fn(u32) -> KeptToken) {
        for &id in ids {
            if !self.tokens.contains_key(&id) {
                Rc::make_mut(&mut self.tokens).insert(id, token(id));
            }
        }
    }

    /// The pieces of a text; nothing if a token is not kept.
    pub(super) fn spell(
        &mut self,
        ids: &[u32],
        text: ReadText<'_>,
        pieces: &mut Pieces,
    ) -> Option<Spelled> {
        if let ReadText::Kept(text) = text
            && self.forward(ids, text.as_bytes(), pieces).is_some()
        {
            let own = self.last.places.iter().map(|(piece, _)| *piece);
            return Some(Spelled { pieces: own.collect(), unplaced: 0, from: Some(0) });
        }
        let tokens: Vec<&KeptToken> =
            ids.iter().map(|id| self.tokens.get(id)).collect::<Option<_>>()?;
        let spelled = |places: &[Place<'_>]| -> usize {
            let of_text = places.iter().filter(|(kind, _)| *kind == PieceKind::Text);
            of_text.map(|(_, bytes)| bytes.len()).sum()
        };
        let (places, unplaced, from) = match text {
            ReadText::Bytes(_) | ReadText::Pictured(..) => {
                let bytes = match text {
                    ReadText::Pictured(text, _) => Sight::unmarked(text).len(),
                    _ => text.bytes().unwrap_or_default(),
                };
                let places = by_length(&tokens, bytes);
                let from = (spelled(&places) == bytes).then_some(0);
                (places, 0, from)
            }
            ReadText::Generated => (tokens.iter().map(|own| generated(own)).collect(), 0, None),
            ReadText::Kept(text) => {
                if let Some(places) = backward(&tokens, text.as_bytes()) {
                    let from = text.len() - spelled(&places);
                    (places, 0, Some(from))
                } else {
                    let (places, unplaced) = aligned(&tokens, text.as_bytes());
                    (places, unplaced, Some(0))
                }
            }
        };
        let numbers = ids.iter().zip(&tokens).zip(places).map(|((&id, token), (kind, bytes))| {
            number(&mut self.known, pieces, (id, token), (kind, bytes))
        });
        Some(Spelled { pieces: numbers.collect(), unplaced, from })
    }

    /// The pieces of tokens that are no part of the text around them; nothing if one is not kept.
    pub(super) fn added(&mut self, ids: &[u32], pieces: &mut Pieces) -> Option<Vec<u32>> {
        let Self { tokens, known, .. } = self;
        let piece = |id: &u32| {
            let token = tokens.get(id)?;
            Some(number(known, pieces, (*id, token), (PieceKind::Added, token.bytes.as_slice())))
        };
        ids.iter().map(piece).collect()
    }

    /// Spells a text from its start, or a first part of it; what it shares with the last one is known.
    fn forward(&mut self, ids: &[u32], text: &[u8], pieces: &mut Pieces) -> Option<()> {
        self.last.keep_shared(ids, text);
        let mut at = self.last.bytes.len();
        let before = self.last.ids.last().and_then(|id| self.tokens.get(id));
        let mut begins = at == 0 || before.is_some_and(|token| token.is_special);
        for id in &ids[self.last.ids.len()..] {
            let token = self.tokens.get(id)?;
            let (kind, bytes) = fits(token, &text[at..], begins)?;
            if kind == PieceKind::Text {
                at += bytes.len();
            }
            // The word after a special token has lost its space, too.
            begins = token.is_special || at == 0;
            let piece = number(&mut self.known, pieces, (*id, token), (kind, bytes));
            self.last.ids.push(*id);
            self.last.places.push((piece, at));
            self.last.bytes.extend_from_slice(&text[self.last.bytes.len()..at]);
        }
        Some(())
    }
}

/// The number of the piece that a token is in a text.
fn number(
    known: &mut HashMap<(u32, PieceKind), u32>,
    pieces: &mut Pieces,
    (id, token): (u32, &KeptToken),
    (kind, bytes): Place<'_>,
) -> u32 {
    let mut new = || pieces.number(Piece { kind, id, bytes: bytes.to_vec() });
    if bytes == token.bytes { *known.entry((id, kind)).or_insert_with(new) } else { new() }
}

/// What a generated token is.
fn generated(token: &KeptToken) -> Place<'_> {
    let kind = if token.is_special { PieceKind::Added } else { PieceKind::Text };
    (kind, token.bytes.as_slice())
}

/// What a token is at the start of `rest`; nothing if it does not fit. `begins` says whether the text begins here.
pub(super) fn fits<'s>(token: &'s KeptToken, rest: &[u8], begins: bool) -> Option<Place<'s>> {
    if rest.starts_with(&token.bytes) && !(token.is_special && token.bytes.is_empty()) {
        return Some((PieceKind::Text, token.bytes.as_slice()));
    }
    if token.is_special {
        return Some((PieceKind::Added, token.bytes.as_slice()));
    }
    let word = token.bytes.strip_prefix(b" ").filter(|_| begins)?;
    rest.starts_with(word).then_some((PieceKind::Text, word))
}

/// Tokens that spell the text up to its end, and begin somewhere in it.
fn backward<'s>(tokens: &[&'s KeptToken], text: &[u8]) -> Option<Vec<Place<'s>>> {
    let mut end = text.len();
    let place = |token: &&'s KeptToken| {
        if text[..end].ends_with(&token.bytes) {
            end -= token.bytes.len();
            return Some((PieceKind::Text, token.bytes.as_slice()));
        }
        token.is_special.then_some((PieceKind::Added, token.bytes.as_slice()))
    };
    let mut places: Vec<Place<'s>> = tokens.iter().rev().map(place).collect::<Option<_>>()?;
    places.reverse();
    Some(places)
}

/// Tokens of a text that is not kept: what they can spell. Special tokens are part of it as far as its length
/// says so, and the first and the last are the first that are not.
fn by_length<'s>(tokens: &[&'s KeptToken], bytes: usize) -> Vec<Place<'s>> {
    let mut places: Vec<Place<'s>> =
        tokens.iter().map(|own| (PieceKind::Text, own.bytes.as_slice())).collect();
    let mut spelled: usize = tokens.iter().map(|own| own.bytes.len()).sum();
    let specials: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].is_special).collect();
    let from_outside = specials.first().into_iter().chain(specials.iter().skip(1).rev());
    for &at in from_outside {
        if spelled <= bytes {
            break;
        }
        spelled -= tokens[at].bytes.len();
        places[at].0 = PieceKind::Added;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spells with tokens that are numbered as they come; what each spells, in brackets if it was added.
    fn spelled(tokens: &[&[u8]], text: ReadText<'_>) -> (String, usize) {
        let kept: BTreeMap<u32, KeptToken> = (0..)
            .zip(tokens)
            .map(|(id, bytes)| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                (id, KeptToken { is_special: text.starts_with('<'), text, bytes: bytes.to_vec() })
            })
            .collect();
        let ids: Vec<u32> = (0..tokens.len() as u32).collect();
        let mut pieces = Pieces::default();
        let found = Speller::new(Rc::new(kept)).spell(&ids, text, &mut pieces).unwrap();
        let own = found.pieces.iter().map(|number| pieces.piece(*number).unwrap());
        let words: Vec<String> = own
            .map(|piece| {
                let text = piece.bytes.escape_ascii().to_string();
                if piece.kind == PieceKind::Added { format!("[{text}]") } else { text }
            })
            .collect();
        (words.join("|"), found.unplaced)
    }

    fn kept(tokens: &[&str], text: &str) -> (String, usize) {
        let tokens: Vec<&[u8]> = tokens.iter().map(|own| own.as_bytes()).collect();
        spelled(&tokens, ReadText::Kept(text))
    }

    #[test]
    fn special_tokens_stand_in_a_text_or_around_it() {
        assert_eq!(kept(&["<s>", "a", " b", "</s>"], "a b"), ("[<s>]|a| b|[</s>]".to_owned(), 0));
        assert_eq!(kept(&["<s>", "a", "<s>"], "<s>a"), ("<s>|a|[<s>]".to_owned(), 0));
    }

    #[test]
    fn texts_that_begin_alike_are_spelled_as_each_alone() {
        let words: [&[u8]; 6] = [b"<s>", b"a", b" b", b"n\xc3", b"\xa9", b"\xa8"];
        let tokens: BTreeMap<u32, KeptToken> = (0..)
            .zip(words)
            .map(|(id, bytes)| {
                let text = String::from_utf8_lossy(bytes).into_owned();
                (id, KeptToken { is_special: id == 0, text, bytes: bytes.to_vec() })
            })
            .collect();
        let tokens = Rc::new(tokens);
        let texts: [(&[u32], &str); 10] = [
            (&[0, 1, 2, 3, 4], "a bné"),
            (&[0, 1, 2, 3, 5], "a bnè"),
            (&[0, 1, 2, 3, 4], "<s>a bné"),
            (&[0, 2, 2], "b b"),
            (&[2, 2], "b b"),
            (&[2, 2], " b b"),
            (&[1, 2], "z b"),
            (&[0], "b"),
            (&[0], "<s>a"),
            (&[0, 1, 2, 3, 4], "a bné"),
        ];
        let mut pieces = Pieces::default();
        let mut speller = Speller::new(tokens.clone());
        for (ids, text) in texts {
            let found = speller.spell(ids, ReadText::Kept(text), &mut pieces);
            let alone = Speller::new(tokens.clone()).spell(ids, ReadText::Kept(text), &mut pieces);
            assert_eq!(found, alone, "{text}");
        }
    }

    #[test]
    fn parts_of_characters_are_parts_of_characters() {
        let tokens: [&[u8]; 3] = [b"n\xc3", b"\xa9", b"!"];
        assert_eq!(spelled(&tokens, ReadText::Kept("né!")), (r"n\xc3|\xa9|!".to_owned(), 0));
    }

    #[test]
    fn a_first_word_loses_its_space() {
        assert_eq!(
            kept(&["<s>", " Hello", " you"], "Hello you"),
            ("[<s>]|Hello| you".to_owned(), 0)
        );
        assert_eq!(kept(&[" Hello", " you"], " Hello you"), (" Hello| you".to_owned(), 0));
    }

    #[test]
    fn a_text_that_was_cut_is_spelled_from_where_it_was_cut() {
        assert_eq!(kept(&["<s>", " b", " c"], "a b c"), ("[<s>]| b| c".to_owned(), 0));
        assert_eq!(kept(&["<s>", "a", " b"], "a b c"), ("[<s>]|a| b".to_owned(), 0));
    }

    #[test]
    fn what_a_normalizer_changed_is_spelled_as_it_was_written() {
        assert_eq!(
            kept(&["who", " is", " élan", "?"], "Who IS ÉLAN?"),
            ("Who| IS| \\xc3\\x89LAN|?".to_owned(), 0)
        );
        // Not as many characters: whose they are is not known, and that is counted.
        assert_eq!(
            kept(&["a", "f", "i", "ber", " b"], "aﬁber b"),
            ("a|\\xef\\xac\\x81||ber| b".to_owned(), 2)
        );
        // One token has the stretch to itself.
        assert_eq!(kept(&["a", "fi", "ber"], "aﬁber"), ("a|\\xef\\xac\\x81|ber".to_owned(), 0));
    }

    #[test]
    fn whatever_the_tokens_are_they_join_to_the_text() {
        for text in ["", "completely other", "根根根根", "ab"] {
            for tokens in [&["a", "b"][..], &["<s>", "根", "x", "ÿ"], &["ab", "ab", "ab"], &["<s>"]]
            {
                let (found, _) = kept(tokens, text);
                let of_text: Vec<&str> =
                    found.split('|').filter(|own| !own.starts_with('[')).collect();
                let joined = of_text.concat();
                let whole = text.as_bytes().escape_ascii().to_string();
                assert!(whole.starts_with(&joined), "{tokens:?} in {text:?}: {found}");
            }
        }
    }

    #[test]
    fn of_a_text_that_is_not_kept_the_length_tells_which_special_tokens_stand_in_it() {
        let tokens: [&[u8]; 4] = [b"<s>", b"a", b"<u>", b"b"];
        assert_eq!(spelled(&tokens, ReadText::Bytes(5)).0, "[<s>]|a|<u>|b");
        assert_eq!(spelled(&tokens, ReadText::Bytes(8)).0, "<s>|a|<u>|b");
        assert_eq!(spelled(&tokens, ReadText::Bytes(2)).0, "[<s>]|a|[<u>]|b");
    }
}
