//! The known name that a mistyped one most likely stands for.

/// Names less alike than this are not offered; 1 is equal. With it a swapped or missing letter in a
/// name of five letters or more is still recognised.
const LIKENESS: f64 = 0.8;

/// Longer names are compared with nothing: the time grows with the product of both lengths.
const NAME_BYTES: usize = 100;

/// The candidate most like `name`, the first of several, if any is alike enough. Case does not count.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > NAME_BYTES {
        return None;
    }
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= NAME_BYTES)
        .map(|candidate| (strsim::jaro_winkler(&name, &candidate.to_lowercase()), candidate))
        .filter(|(likeness, _)| *likeness >= LIKENESS)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_names_that_are_alike_are_offered() {
        let known = ["ice_num", "input_columns", "abbr"];
        assert_eq!(nearest("input_column", known), Some("input_columns"));
        assert_eq!(nearest("ICE_NUM", known), Some("ice_num"));
        assert_eq!(nearest("zzz", known), None);
    }
}
