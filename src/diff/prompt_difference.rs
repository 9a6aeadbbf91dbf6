//! Where prompts part: how many do, and the first that does, with the character and the token.

use serde::Serialize;

use super::pair::{Pair, RequestPair};

/// Characters that are shown before the place where two prompts part.
const CHARS_BEFORE: usize = 30;

/// Characters that are shown from there.
const CHARS_AFTER: usize = 30;

/// How many prompts differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PromptDifferences {
    /// Prompts that both sides have: one for each candidate, or for each text that is continued.
    pub compared: usize,
    /// Those that are not the same, letter for letter.
    pub differing: usize,
    /// Prompts that only one side has, of samples that both have.
    pub unaligned: usize,
    /// The first that differs, in the order of the left side.
    pub first: Option<PromptDifference>,
    /// Prompts whose ids both sides tell.
    pub ids_compared: usize,
    /// Those whose ids are not the same.
    pub ids_differing: usize,
    /// The first whose ids differ.
    pub first_ids: Option<TokenDifference>,
    /// Prompts of which both sides tell the images.
    pub images_compared: usize,
    /// Those whose images are not the same, byte for byte.
    pub images_differing: usize,
}

/// Where two prompts part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptDifference {
    /// The sample's number on both sides.
    pub samples: [usize; 2],
    /// The candidate's label on the left side.
    pub candidate: String,
    /// Characters before the first that differs.
    pub character: usize,
    /// The text around it on both sides.
    pub around: [String; 2],
    /// Where in each of the two that character is, in characters.
    pub at: usize,
}

/// Where the ids of two prompts part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TokenDifference {
    /// The sample's number on both sides.
    pub samples: [usize; 2],
    /// The candidate's label on the left side.
    pub candidate: String,
    /// Tokens before the first that differs.
    pub token: usize,
    /// The ids there; none where a side has ended.
    pub ids: [Option<u32>; 2],
    /// How many tokens both sides have.
    pub tokens: [usize; 2],
    /// Whether the right side does not tell its ids, so that these are what the left side's tokenizer makes of its text.
    pub is_tokenized_here: bool,
}

impl PromptDifferences {
    /// Of all pairs.
    pub(super) fn of(pairs: &[Pair<'_>]) -> Self {
        let mut found = Self::default();
        for pair in pairs {
            found.unaligned += pair.unaligned;
            for request in &pair.requests {
                found.compared += 1;
                if !request.has_same_text() {
                    found.differing += 1;
                    found.first.get_or_insert_with(|| PromptDifference::of(pair, request));
                }
                found.images_compared += usize::from(request.tell_images());
                found.images_differing += usize::from(request.has_other_images());
                if let (Some(own), Some(other)) = (&request.left.ids, &request.right.ids) {
                    found.ids_compared += 1;
                    if own != other {
                        found.ids_differing += 1;
                        found.first_ids.get_or_insert_with(|| {
                            TokenDifference::of(pair, request, [own, other], false)
                        });
                    }
                }
            }
        }
        found
    }
}

impl PromptDifference {
    fn of(pair: &Pair<'_>, request: &RequestPair<'_>) -> Self {
        let texts = [request.left.text.as_str(), request.right.text.as_str()];
        let character = common_length(texts[0].chars(), texts[1].chars());
        let start = character.saturating_sub(CHARS_BEFORE);
        let at = character - start;
        let around = texts.map(|text| text.chars().skip(start).take(at + CHARS_AFTER).collect());
        let samples = [pair.left.number, pair.right.number];
        Self { samples, candidate: request.left.label.clone(), character, around, at }
    }
}

impl TokenDifference {
    /// Of the ids of a pair of prompts.
    pub(super) fn of(
        pair: &Pair<'_>,
        request: &RequestPair<'_>,
        ids: [&[u32]; 2],
        is_tokenized_here: bool,
    ) -> Self {
        let token = common_length(ids[0].iter(), ids[1].iter());
        Self {
            samples: [pair.left.number, pair.right.number],
            candidate: request.left.label.clone(),
            token,
            ids: ids.map(|own| own.get(token).copied()),
            tokens: ids.map(<[u32]>::len),
            is_tokenized_here,
        }
    }
}

/// How many items two sequences have in common at their beginning.
pub(super) fn common_length<T: PartialEq>(
    left: impl Iterator<Item = T>,
    right: impl Iterator<Item = T>,
) -> usize {
    left.zip(right).take_while(|(own, other)| own == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::side::{Request, SideSample};

    #[test]
    fn the_character_is_shown_among_its_neighbours() {
        let sample = |text: &str, ids: &[u32]| {
            let ids = Some(ids.into());
            let request =
                Request { label: "A".to_owned(), text: text.to_owned(), ids, ..Request::default() };
            SideSample { number: 4, requests: vec![request], ..SideSample::default() }
        };
        let long = "é".repeat(40);
        let (left, right) =
            (sample(&format!("{long} x"), &[1, 2, 3]), sample(&format!("{long}x"), &[1, 2]));
        let found = PromptDifferences::of(&[Pair::of(&left, &right)]);
        let first = found.first.unwrap();
        assert_eq!((first.character, first.at, first.samples), (40, CHARS_BEFORE, [4, 4]));
        assert!(first.around[0].ends_with("é x") && first.around[1].ends_with("éx"), "{first:?}");
        let ids = found.first_ids.unwrap();
        assert_eq!((ids.token, ids.ids, ids.tokens), (2, [Some(3), None], [3, 2]));
    }
}
