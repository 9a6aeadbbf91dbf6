//! The files of a part of speech: an index of words, their meanings, and forms that no rule gives.

use std::collections::HashMap;

use super::{Part, WordNetError, Words, source::Source};

impl Part {
    /// Its name in those of the files.
    fn suffix(self) -> &'static str {
        match self {
            Self::Noun => "noun",
            Self::Verb => "verb",
            Self::Adjective => "adj",
            Self::Adverb => "adv",
        }
    }
}

/// Reads the words of a part of speech.
pub(super) fn read(source: &mut Source, part: Part) -> Result<Words, WordNetError> {
    let suffix = part.suffix();
    Ok(Words {
        part,
        meanings: lines(source, &format!("index.{suffix}"), index_line)?,
        synonyms: lines(source, &format!("data.{suffix}"), data_line)?,
        exceptions: lines(source, &format!("{suffix}.exc"), exception_line)?,
    })
}

/// The entries of a file, whose lines with a blank at the start are its licence.
fn lines<K: std::hash::Hash + Eq, V>(
    source: &mut Source,
    name: &str,
    entry: fn(&str) -> Option<(K, V)>,
) -> Result<HashMap<K, V>, WordNetError> {
    let (path, text) = (source.path(name), source.text(name)?);
    let mut entries = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with(' ') || line.is_empty() {
            continue;
        }
        let malformed = || WordNetError::Malformed { path: path.clone(), line: index + 1 };
        let (key, value) = entry(line).ok_or_else(malformed)?;
        entries.insert(key, value);
    }
    Ok(entries)
}

/// `word part meanings pointers [pointer…] meanings ranked place…`
fn index_line(line: &str) -> Option<(String, Vec<u64>)> {
    let mut fields = line.split_ascii_whitespace();
    let word = fields.next()?.to_owned();
    let count: usize = fields.nth(1)?.parse().ok()?;
    let pointers: usize = fields.next()?.parse().ok()?;
    let places = fields.skip(pointers.saturating_add(2));
    let places: Vec<u64> = places.map(str::parse).collect::<Result<_, _>>().ok()?;
    (places.len() == count).then_some((word, places))
}

/// `place file part words [word number…] …`, the number of words in hexadecimal digits; a word may have a
/// mark in parentheses.
fn data_line(line: &str) -> Option<(u64, Vec<String>)> {
    let mut fields = line.split_ascii_whitespace();
    let place: u64 = fields.next()?.parse().ok()?;
    let count = usize::from_str_radix(fields.nth(2)?, 16).ok()?;
    let mut words = Vec::new();
    for _ in 0..count {
        let word = fields.next()?;
        fields.next()?;
        let plain = word.strip_suffix(')').and_then(|marked| marked.rsplit_once('('));
        words.push(plain.map_or(word, |(word, _)| word).to_owned());
    }
    Some((place, words))
}

/// `form base…`
fn exception_line(line: &str) -> Option<(String, Vec<String>)> {
    let mut fields = line.split_ascii_whitespace().map(str::to_owned);
    Some((fields.next()?, fields.collect()))
}
