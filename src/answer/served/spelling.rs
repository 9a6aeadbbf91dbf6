//! Where a server's tokens stand in the text that was sent: the proof that they are the tokens of that text.
//!
//! Servers write a token that is a part of a character as U+FFFD, as nothing, or as `bytes:\xe6…`, some write a blank as
//! `▁` or `Ġ`, and many put a special token in front. So tokens are laid along the text, and those that cannot be read
//! stand for what is between those that can. Where that fails, the offsets count that some servers tell beside them.

/// Bytes that a token of which a part cannot be read may stand for, for each of its characters.
const MOST_BYTES_PER_UNREAD: usize = 4;

/// Most bytes of a first token of which nothing is told.
const MOST_FIRST_BYTES: usize = 256;

/// What some servers write in front of a token's bytes.
const BYTES: &str = "bytes:";

/// The byte of `text` at which each token begins; special tokens in front begin at 0. `offsets` are what the server says
/// of it, in characters.
///
/// # Errors
/// The tokens do not spell the text.
pub(super) fn starts(
    tokens: &[String],
    text: &str,
    offsets: Option<&[usize]>,
) -> Result<Vec<usize>, String> {
    let plain: Vec<&str> = tokens.iter().map(String::as_str).collect();
    if let Some(starts) = laid(&plain, text) {
        return Ok(starts);
    }
    let blanks: Vec<String> =
        tokens.iter().map(|own| own.replace(['▁', 'Ġ'], " ").replace('Ċ', "\n")).collect();
    let blanks: Vec<&str> = blanks.iter().map(String::as_str).collect();
    if let Some(starts) = laid(&blanks, text) {
        return Ok(starts);
    }
    let by_offsets = offsets.and_then(|offsets| counted(offsets, tokens.len(), text));
    by_offsets.ok_or_else(|| "its tokens do not spell the text that was sent".to_owned())
}

/// The same where nothing is told of the first token, which may be a special one in front of the text or its beginning.
///
/// # Errors
/// The tokens do not spell the text.
pub(super) fn starts_behind_first(tokens: &[String], text: &str) -> Result<Vec<usize>, String> {
    let others = tokens.get(1..).unwrap_or_default();
    let blanks: Vec<String> =
        others.iter().map(|own| own.replace(['▁', 'Ġ'], " ").replace('Ċ', "\n")).collect();
    for others in [others, &blanks] {
        let plain: Vec<&str> = others.iter().map(String::as_str).collect();
        // From the end, where it can only be one way.
        let from = text.len().checked_sub(plain.iter().map(|own| own.len()).sum());
        let whole = from.filter(|from| *from <= MOST_FIRST_BYTES && text.is_char_boundary(*from));
        let exact = whole.and_then(|from| Some((from, laid_from(&plain, &text[from..])?)));
        let found = exact.or_else(|| {
            let begins =
                (0..=text.len().min(MOST_FIRST_BYTES)).filter(|at| text.is_char_boundary(*at));
            begins.into_iter().find_map(|from| Some((from, laid_from(&plain, &text[from..])?)))
        });
        if let Some((from, starts)) = found {
            return Ok(std::iter::once(0)
                .chain(starts.into_iter().map(|own| own + from))
                .collect());
        }
    }
    Err("its tokens do not spell the text that was sent".to_owned())
}

/// The tokens along the text, with up to one special token in front, and with or without a blank that tokenizers add.
fn laid(tokens: &[&str], text: &str) -> Option<Vec<usize>> {
    for special in 0..=tokens.len().min(1) {
        let rest = &tokens[special..];
        let found = laid_from(rest, text).or_else(|| {
            // A dummy blank of the tokenizer's, which the text does not have.
            let (first, others) = rest.split_first()?;
            let first = first.strip_prefix(' ')?;
            let rest: Vec<&str> = std::iter::once(first).chain(others.iter().copied()).collect();
            laid_from(&rest, text)
        });
        if let Some(found) = found {
            return Some(std::iter::repeat_n(0, special).chain(found).collect());
        }
    }
    None
}

fn laid_from(tokens: &[&str], text: &str) -> Option<Vec<usize>> {
    let mut starts = Vec::with_capacity(tokens.len());
    let mut at = 0;
    // What tokens that cannot be read may stand for between `at` and the next one that can.
    let (mut least_bytes, mut most_bytes) = (0, 0);
    for &token in tokens {
        if !is_read(token) {
            starts.push(at);
            least_bytes = least_bytes.max(usize::from(!token.is_empty()));
            most_bytes += MOST_BYTES_PER_UNREAD * token.chars().count().max(1);
            continue;
        }
        let rest = &text[at..];
        let found = (least_bytes..=most_bytes.min(rest.len()))
            .filter(|skipped| rest.is_char_boundary(*skipped))
            .find(|skipped| rest[*skipped..].starts_with(token))?;
        starts.push(at + found);
        at += found + token.len();
        (least_bytes, most_bytes) = (0, 0);
    }
    let left = text.len() - at;
    (least_bytes..=most_bytes).contains(&left).then_some(starts)
}

/// Whether a token is text as it stands.
fn is_read(token: &str) -> bool {
    !token.is_empty() && !token.contains('\u{fffd}') && !token.starts_with(BYTES)
}

/// The bytes of offsets in characters, if they go up from 0 and stay inside of the text.
fn counted(offsets: &[usize], tokens: usize, text: &str) -> Option<Vec<usize>> {
    if offsets.len() != tokens || offsets.first() != Some(&0) || !offsets.is_sorted() {
        return None;
    }
    let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    places.push(text.len());
    // As many tokens at one place as a character has bytes, and a special one, are tokens of that character.
    let is_spread =
        offsets.windows(MOST_BYTES_PER_UNREAD + 2).all(|some| some.first() < some.last());
    let starts: Option<Vec<usize>> =
        offsets.iter().map(|offset| places.get(*offset).copied()).collect();
    starts.filter(|starts| is_spread && starts.last().is_none_or(|last| *last < text.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tokens: &[&str], text: &str) -> Result<Vec<usize>, String> {
        let tokens: Vec<String> = tokens.iter().map(|&own| own.to_owned()).collect();
        starts(&tokens, text, None)
    }

    #[test]
    fn tokens_are_laid_along_the_text() {
        for (tokens, text, expected) in [
            (&["The", " cat"][..], "The cat", vec![0, 3]),
            (&["<s>", "The", " cat"], "The cat", vec![0, 0, 3]),
            (&["", "The", " cat"], "The cat", vec![0, 0, 3]),
            (&["▁The", "▁cat"], "The cat", vec![0, 3]),
            (&["<s>", "ĠThe", "Ċ"], "The\n", vec![0, 0, 3]),
            // Two tokens of one character.
            (&["a", "\u{fffd}", "\u{fffd}", "b"], "a東b", vec![0, 1, 1, 4]),
            (&["a", "", "東", "b"], "a東b", vec![0, 1, 1, 4]),
            (&["bytes:\\xe6\\x9d", "bytes:\\xb1", "b"], "東b", vec![0, 0, 3]),
            (&["a", "\u{fffd}", "\u{fffd}"], "a東", vec![0, 1, 1]),
            // A blank and a part of a character.
            (&["a", " \u{fffd}", "\u{fffd}", "b"], "a 東b", vec![0, 1, 1, 5]),
        ] {
            assert_eq!(of(tokens, text), Ok(expected), "{tokens:?}");
        }
    }

    #[test]
    fn a_first_token_of_which_nothing_is_told_is_what_is_left() {
        let of = |tokens: &[&str], text: &str| {
            let tokens: Vec<String> = tokens.iter().map(|&own| own.to_owned()).collect();
            starts_behind_first(&tokens, text)
        };
        assert_eq!(of(&["", "a", "a"], "aaa"), Ok(vec![0, 1, 2]));
        assert_eq!(of(&["", "The", " cat"], "The cat"), Ok(vec![0, 0, 3]));
        assert_eq!(of(&["", " cat", "\u{fffd}", "\u{fffd}"], "The cat東"), Ok(vec![0, 3, 7, 7]));
        assert!(of(&["", " dog"], "The cat").is_err());
        assert!(of(&["", " cat", " sat"], "The cat").is_err());
    }

    #[test]
    fn tokens_of_another_text_are_refused() {
        for (tokens, text) in [
            (&["The", " dog"][..], "The cat"),
            (&["The"], "The cat"),
            (&["The", " cat", " sat"], "The cat"),
            (&["a", "\u{fffd}", "b"], "a and more than one character b"),
            (&[], "The cat"),
            (&["<s>", "<s>", "The"], "The"),
        ] {
            assert!(of(tokens, text).is_err(), "{tokens:?}");
        }
    }

    #[test]
    fn offsets_count_where_spelling_cannot() {
        let tokens = ["æĿ", "±", "b"].map(str::to_owned);
        assert_eq!(starts(&tokens, "東b", Some(&[0, 0, 1])), Ok(vec![0, 0, 3]));
        for offsets in [&[0, 1][..], &[1, 1, 1], &[0, 1, 0], &[0, 1, 9]] {
            assert!(starts(&tokens, "東b", Some(offsets)).is_err(), "{offsets:?}");
        }
        let many: Vec<String> = (0..9).map(|_| "?".to_owned()).collect();
        assert!(starts(&many, "abcdefghi", Some(&[0; 9])).is_err());
    }
}
