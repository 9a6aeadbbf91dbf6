//! Where the candidates of a sample begin to differ.

use serde::Serialize;

use super::{
    ViewedImage, ViewedPrompt,
    tokens::{self, ViewedToken},
};

/// The first place at which candidates are not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FirstDifference {
    /// Index of the first character that differs.
    pub char: usize,
    /// Index of the first token that differs; unknown without a tokenizer.
    pub token: Option<usize>,
    /// Index of the character at which that token begins. It is before `char` when the candidates'
    /// own text does not begin a token.
    pub token_start_char: Option<usize>,
}

/// A candidate as it is compared with others.
#[derive(Clone, Copy)]
pub(super) struct Compared<'p> {
    text: &'p str,
    /// If they are known.
    tokens: Option<&'p [ViewedToken]>,
    images: &'p [ViewedImage],
}

impl<'p> Compared<'p> {
    pub(super) fn of(prompt: &'p ViewedPrompt) -> Self {
        let ViewedPrompt { text, tokens, images, .. } = prompt;
        Self { text, tokens: tokens.as_deref(), images }
    }

    /// What tells its tokens from others: their ids, of images what was looked at.
    fn content(self) -> Vec<(u32, Option<&'p str>)> {
        let image = |token: &ViewedToken| self.images.get(token.image?);
        let own = |token| (token, image(token).map(|image| image.shown.sha256.as_str()));
        let tokens = self.tokens.unwrap_or_default().iter().map(own);
        tokens.map(|(token, image)| (token.id, image)).collect()
    }
}

/// The first difference of candidates; `None` for fewer than two, and for candidates that are all the same.
pub(super) fn first_difference(candidates: &[Compared<'_>]) -> Option<FirstDifference> {
    let (first, others) = candidates.split_first()?;
    let text = first.text;
    let shared_chars = others.iter().map(|other| shared(text.chars(), other.text.chars())).min()?;
    let is_same = others
        .iter()
        .all(|other| shared_chars == text.chars().count() && text.len() == other.text.len());
    if is_same {
        return None;
    }
    let shared_places = first.tokens.and_then(|_| {
        let own = first.content();
        let known = others.iter().filter(|other| other.tokens.is_some());
        known.map(|other| shared(own.iter(), other.content().iter())).min()
    });
    let start = shared_places.and_then(|count| {
        let starts = candidates.iter().filter_map(|own| own.tokens?.get(count));
        starts.map(|token| token.start_char).min()
    });
    let tokens_of = |places: usize| {
        let own = first.tokens.unwrap_or_default().iter().take(places);
        own.map(|token| tokens::count(token, first.images)).sum()
    };
    Some(FirstDifference {
        char: shared_chars,
        token: shared_places.map(tokens_of),
        token_start_char: start.map(|start| start.min(shared_chars)),
    })
}

fn shared<T: PartialEq>(left: impl Iterator<Item = T>, right: impl Iterator<Item = T>) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::media::{MediaAddress, MediumKind, ShownMedium};

    #[test]
    fn characters_and_tokens_are_counted_apart() {
        let token =
            |id, start_char, end_char| ViewedToken { id, start_char, end_char, image: None };
        let compared = |text, tokens| Compared { text, tokens, images: &[] };
        let yes = [token(7, 0, 2), token(8, 2, 4), token(1, 4, 6)];
        let no = [token(7, 0, 2), token(8, 2, 4), token(2, 4, 6)];
        let found =
            first_difference(&[compared("«a: y", Some(&yes)), compared("«a: n", Some(&no))]);
        assert_eq!(
            found,
            Some(FirstDifference { char: 4, token: Some(2), token_start_char: Some(4) })
        );
        let texts = |all: &[&'static str]| {
            let all: Vec<Compared<'_>> = all.iter().map(|text| compared(text, None)).collect();
            first_difference(&all)
        };
        let longer = texts(&["ab", "abc", "abd"]);
        assert_eq!(longer, Some(FirstDifference { char: 2, token: None, token_start_char: None }));
        assert_eq!(texts(&["ab", "ab"]), None);
        assert_eq!(texts(&["ab"]), None);
    }

    #[test]
    fn another_image_is_another_token_and_counts_as_many_as_it_takes() {
        let image = |sha256: &str, start_char, end_char| ViewedImage {
            name: "a.png".to_owned(),
            start_char,
            end_char,
            shown: ShownMedium {
                kind: MediumKind::Image,
                sha256: sha256.to_owned(),
                width: 4,
                height: 3,
                first_token: 1,
                tokens: 12,
                rows: 12,
            },
            address: MediaAddress::File("a.png".into()),
        };
        let token =
            |start_char, end_char, image| ViewedToken { id: 9, start_char, end_char, image };
        let tokens = [token(0, 1, None), token(1, 5, Some(0)), token(5, 9, Some(1))];
        let images = |second| [image("same", 1, 5), image(second, 5, 9)];
        let (one, other) = (images("one"), images("other"));
        let compared = |text, images| Compared { text, tokens: Some(&tokens), images };
        let found = first_difference(&[compared("uaaaabbb1", &one), compared("uaaaabbb2", &other)]);
        assert_eq!(
            found,
            Some(FirstDifference { char: 8, token: Some(13), token_start_char: Some(5) })
        );
    }
}
