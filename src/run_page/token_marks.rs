//! The marks of a text, cut into tokens.
//!
//! Texts share stretches of tokens as far as their tokens, surprisals and marks are the same, so each token has its
//! own marks as a number. Nearly every token lies under one mark; only of the others a list is kept.

use indexmap::IndexSet;

use crate::report::page::Mark;

/// From here on a number is a place among the lists; below, it is the style that a whole token has.
const FIRST_LIST: u32 = 1 << 31;

/// The marks of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct TokenMarks(u32);

/// Tokens that lie under several marks, and columns that are hidden at one.
#[derive(Debug, Default)]
pub(super) struct MarkLists {
    found: IndexSet<Vec<Mark>>,
}

impl MarkLists {
    /// The marks of tokens of so many bytes, the first of which stands `from` bytes into the text that `marks` cover.
    /// What comes after that text is not known.
    pub(super) fn of_tokens(
        &mut self,
        lengths: &[usize],
        marks: &[Mark],
        from: usize,
    ) -> Vec<TokenMarks> {
        let mut walk = Walk { rest: marks, left: marks.first().map_or(0, |mark| mark.bytes) };
        let mut own = Vec::new();
        walk.take(from, &mut own);
        let one = |(place, &bytes): (usize, &usize)| {
            own.clear();
            walk.hidden(&mut own);
            walk.take(bytes, &mut own);
            if place + 1 == lengths.len() {
                walk.hidden(&mut own);
            }
            self.numbered(&own, bytes)
        };
        lengths.iter().enumerate().map(one).collect()
    }

    fn numbered(&mut self, own: &[Mark], bytes: usize) -> TokenMarks {
        match own {
            [] => TokenMarks::default(),
            [one] if one.bytes == bytes && bytes > 0 => TokenMarks::of_style(one.style),
            several => {
                let place = self.found.insert_full(several.to_vec()).0;
                TokenMarks(FIRST_LIST | u32::try_from(place).unwrap_or_default())
            }
        }
    }

    fn list(&self, own: TokenMarks) -> Option<&[Mark]> {
        let place = own.0.checked_sub(FIRST_LIST)?;
        self.found.get_index(place as usize).map(Vec::as_slice)
    }

    /// The marks of a stretch of tokens, each with its bytes; none where nothing is known of any.
    pub(super) fn joined(&self, tokens: impl Iterator<Item = (TokenMarks, usize)>) -> Vec<Mark> {
        let mut joined: Vec<Mark> = Vec::new();
        let mut add = |mark: Mark| match joined.last_mut() {
            Some(last) if last.style == mark.style && last.bytes > 0 && mark.bytes > 0 => {
                last.bytes += mark.bytes;
            }
            _ => joined.push(mark),
        };
        for (own, bytes) in tokens {
            match self.list(own) {
                Some(marks) => marks.iter().for_each(|mark| add(*mark)),
                None if bytes > 0 => add(Mark { bytes, style: own.0 as usize }),
                None => {}
            }
        }
        if joined.iter().all(|mark| mark.style == 0) { Vec::new() } else { joined }
    }
}

impl TokenMarks {
    /// A token that lies under one mark; style 0 is what is not known.
    fn of_style(style: usize) -> Self {
        Self(u32::try_from(style).ok().filter(|own| *own < FIRST_LIST).unwrap_or_default())
    }
}

/// Marks that are walked through, byte after byte.
struct Walk<'m> {
    rest: &'m [Mark],
    /// Bytes of the first of them that are ahead.
    left: usize,
}

impl Walk<'_> {
    /// Takes columns that are hidden here.
    fn hidden(&mut self, found: &mut Vec<Mark>) {
        while let Some(mark) = self.rest.first().filter(|_| self.left == 0) {
            found.push(Mark { bytes: 0, ..*mark });
            self.next();
        }
    }

    /// Takes the next bytes.
    fn take(&mut self, mut bytes: usize, found: &mut Vec<Mark>) {
        while bytes > 0 {
            let Some(mark) = self.rest.first() else {
                found.push(Mark { bytes, style: 0 });
                return;
            };
            let own = bytes.min(self.left);
            found.push(Mark { bytes: own, style: mark.style });
            bytes -= own;
            self.left -= own;
            if self.left == 0 {
                self.next();
            }
        }
    }

    fn next(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.left = self.rest.first().map_or(0, |mark| mark.bytes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The style of every byte, and the columns hidden before it.
    fn spread(marks: &[Mark]) -> (Vec<usize>, Vec<(usize, usize)>) {
        let (mut styles, mut hidden) = (Vec::new(), Vec::new());
        for mark in marks {
            if mark.bytes == 0 {
                hidden.push((styles.len(), mark.style));
            }
            styles.extend(std::iter::repeat_n(mark.style, mark.bytes));
        }
        (styles, hidden)
    }

    proptest! {
        #[test]
        fn every_byte_keeps_its_mark_however_it_is_cut_into_tokens(
            marks in prop::collection::vec((0_usize..5, 1_usize..4), 0..8),
            cuts in prop::collection::vec(0_usize..6, 0..8),
            from in 0_usize..6,
        ) {
            let marks: Vec<Mark> = marks.iter().map(|&(bytes, style)| Mark { bytes, style }).collect();
            let (styles, hidden) = spread(&marks);
            // Tokens, some of them added, that spell all the text from `from` on.
            let from = from.min(styles.len());
            let mut lengths = Vec::new();
            let mut left = styles.len() - from;
            for cut in cuts {
                lengths.push(cut.min(left));
                left -= cut.min(left);
            }
            lengths.push(left);
            let mut lists = MarkLists::default();
            let own = lists.of_tokens(&lengths, &marks, from);
            let joined = lists.joined(own.into_iter().zip(lengths));
            let (found, found_hidden) = spread(&joined);
            prop_assert_eq!(&found, &styles[from..]);
            let expected: Vec<_> =
                hidden.into_iter().filter(|(at, _)| *at >= from).map(|(at, style)| (at - from, style)).collect();
            if found.is_empty() || from == 0 {
                prop_assert_eq!(found_hidden, expected);
            } else {
                // Those at the cut itself may have gone with what was cut.
                let inside = |all: Vec<(usize, usize)>| all.into_iter().filter(|(at, _)| *at > 0).collect::<Vec<_>>();
                prop_assert_eq!(inside(found_hidden), inside(expected));
            }
        }
    }

    #[test]
    fn what_follows_the_text_is_not_known_and_a_text_of_which_nothing_is_known_has_no_marks() {
        let mut lists = MarkLists::default();
        let marks = [Mark { bytes: 3, style: 2 }, Mark { bytes: 0, style: 5 }];
        let own = lists.of_tokens(&[2, 3], &marks, 0);
        let joined = lists.joined(own.into_iter().zip([2, 3]));
        let expected = [(3, 2), (0, 5), (2, 0)].map(|(bytes, style)| Mark { bytes, style });
        assert_eq!(joined, expected);
        let own = lists.of_tokens(&[2, 3], &[], 0);
        assert_eq!(lists.joined(own.into_iter().zip([2, 3])), []);
    }
}
