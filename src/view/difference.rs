//! Where the candidates of a sample begin to differ.

use serde::Serialize;

use super::tokens::ViewedToken;

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

/// The first difference of candidates, each a text and, if known, its tokens; `None` for fewer than
/// two, and for candidates that are all the same.
pub(super) fn first_difference(
    candidates: &[(&str, Option<&[ViewedToken]>)],
) -> Option<FirstDifference> {
    let ((text, tokens), others) = candidates.split_first()?;
    let shared_chars = others.iter().map(|(other, _)| shared(text.chars(), other.chars())).min()?;
    let is_same = others
        .iter()
        .all(|(other, _)| shared_chars == text.chars().count() && text.len() == other.len());
    if is_same {
        return None;
    }
    let shared_tokens = tokens.and_then(|tokens| {
        let ids = |tokens: &[ViewedToken]| tokens.iter().map(|token| token.id).collect::<Vec<_>>();
        let own = ids(tokens);
        others.iter().filter_map(|(_, other)| Some(shared(own.iter(), ids((*other)?).iter()))).min()
    });
    let start = shared_tokens.and_then(|count| {
        let starts =
            candidates.iter().filter_map(|(_, tokens)| tokens.and_then(|own| own.get(count)));
        starts.map(|token| token.start_char).min()
    });
    Some(FirstDifference {
        char: shared_chars,
        token: shared_tokens,
        token_start_char: start.map(|start| start.min(shared_chars)),
    })
}

fn shared<T: PartialEq>(left: impl Iterator<Item = T>, right: impl Iterator<Item = T>) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_tokens_are_counted_apart() {
        let token = |id, start_char, end_char| ViewedToken { id, start_char, end_char };
        let yes = [token(7, 0, 2), token(8, 2, 4), token(1, 4, 6)];
        let no = [token(7, 0, 2), token(8, 2, 4), token(2, 4, 6)];
        let texts = ["«a: y", "«a: n"];
        let found = first_difference(&[(texts[0], Some(&yes)), (texts[1], Some(&no))]);
        assert_eq!(
            found,
            Some(FirstDifference { char: 4, token: Some(2), token_start_char: Some(4) })
        );
        let longer = first_difference(&[("ab", None), ("abc", None), ("abd", None)]);
        assert_eq!(longer, Some(FirstDifference { char: 2, token: None, token_start_char: None }));
        assert_eq!(first_difference(&[("ab", None), ("ab", None)]), None);
        assert_eq!(first_difference(&[("ab", None)]), None);
    }
}
