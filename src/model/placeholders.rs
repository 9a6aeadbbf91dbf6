//! Places in a prompt that was rendered, and what stands there before it is tokenized.

use candle_core::Result;

/// `rendered` with the places of `placeholder` filled in order: what `expansion` gives for each of `count` things, which are called
/// `name` in a message.
///
/// # Errors
/// The prompt has not as many places, or there is no expansion.
pub(super) fn filled(
    rendered: &str,
    placeholder: &str,
    (count, name): (usize, &str),
    expansion: impl Fn(usize) -> Result<String>,
) -> Result<String> {
    let parts: Vec<&str> = rendered.split(placeholder).collect();
    if parts.len() != count + 1 {
        candle_core::bail!(
            "the prompt has {} places for {name} ({placeholder}), and {count} are given",
            parts.len() - 1
        )
    }
    let mut filled = String::new();
    for (place, part) in parts.into_iter().enumerate() {
        filled.push_str(part);
        if place < count {
            filled.push_str(&expansion(place)?);
        }
    }
    Ok(filled)
}

/// Texts with what stands between them, of which there is one less.
pub(super) fn joined(texts: &[&str], between: &[String]) -> String {
    let behind = between.iter().map(String::as_str).chain(std::iter::repeat(""));
    texts.iter().zip(behind).flat_map(|(text, behind)| [*text, behind]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_what_is_between_them_take_turns() {
        assert_eq!(joined(&["a", "", "c"], &["1".to_owned(), "2".to_owned()]), "a12c");
        assert_eq!(joined(&["a"], &[]), "a");
    }

    #[test]
    fn places_are_filled_in_order_and_must_be_as_many() {
        let numbered = |place: usize| Ok(format!("{place}{place}"));
        let fill = |rendered, count| filled(rendered, "<x>", (count, "sounds"), numbered);
        assert_eq!(fill("a<x>b<x>", 2).unwrap(), "a00b11");
        assert_eq!(fill("a", 0).unwrap(), "a");
        let problem = fill("a<x>", 2).unwrap_err().to_string();
        assert!(problem.contains("1 places for sounds (<x>), and 2 are given"), "{problem}");
    }
}
