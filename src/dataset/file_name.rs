//! What the path of a data file tells: its split, and which part of it, as the `datasets` library reads
//! it.

use super::source::FORMATS;

/// Words in names that tell a split, by the split they tell.
const KEYWORDS: &[(&str, &[&str])] = &[
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "dev", "val"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// The split that a word means.
pub(super) fn meant_split(word: &str) -> Option<&'static str> {
    KEYWORDS.iter().find(|(_, words)| words.contains(&word)).map(|(name, _)| *name)
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a file without the endings that tell its format.
pub(super) fn stem(path: &str) -> &str {
    let name = file_name(path).trim_end_matches(".gz");
    let ending =
        FORMATS.iter().find_map(|(ending, _)| name.strip_suffix(ending)?.strip_suffix('.'));
    ending.unwrap_or(name)
}

/// Split, number and count of `test-00000-of-00002-0123abcd.parquet`.
pub(super) fn shard(path: &str) -> Option<(&str, usize, usize)> {
    let (front, rest) = stem(path).rsplit_once("-of-")?;
    let (split, number) = front.rsplit_once('-')?;
    let count = rest.split('-').next()?;
    let digits = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(number) && digits(count)).then_some(())?;
    Some((split, number.parse().ok()?, count.parse().ok()?))
}

/// The split that the name of a file tells by a word in it, or else one of its folders.
pub(super) fn told_split(path: &str) -> Option<&'static str> {
    let stem = shard(path).map_or_else(|| stem(path), |(split, ..)| split);
    let folders = path.rsplit_once('/').map(|(folders, _)| folders);
    [Some(stem), folders].into_iter().flatten().find_map(|part| {
        part.split(|letter: char| " ._-/0123456789".contains(letter)).find_map(meant_split)
    })
}
