//! Long documents with sentences hidden in them, as `NeedleBench` builds them.
//!
//! Lines of a file are shuffled with the number of the document as the seed and put together until there are enough
//! tokens; then the hidden sentences are laid between the tokens, not between the words.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    arguments::Arguments,
    file::{Encoding, Item, json_lines},
    gpt_tokens::GptTokens,
    row::{Fields, Flaw, Made},
};
use crate::{dataset::DatasetError, python::PythonRandom};

/// Where hidden sentences lie.
pub(super) enum Depths {
    /// The first at so many percent, each other one so many percent behind the one before.
    Spaced { first: f64, apart: f64 },
    /// Each at its own number of percent.
    Each(Vec<f64>),
}

/// What documents are made of.
pub(super) struct Haystack<'a> {
    arguments: &'a Arguments<'a>,
    tokens: GptTokens,
    folder: PathBuf,
    length_tokens: usize,
    documents_per_file: u64,
    depths: Depths,
}

impl<'a> Haystack<'a> {
    pub(super) fn new(arguments: &'a Arguments<'a>, depths: Depths) -> Result<Self, DatasetError> {
        let (length, buffer) =
            (arguments.whole("length", 0)?, arguments.whole("length_buffer", 0)?);
        let repeats = arguments.whole("num_repeats_per_file", 0)?;
        Ok(Self {
            arguments,
            tokens: GptTokens::of(arguments, "")?,
            folder: arguments.path("path")?,
            length_tokens: usize::try_from(length.saturating_sub(buffer)).unwrap_or(0),
            documents_per_file: u64::try_from(repeats).unwrap_or(0),
            depths,
        })
    }

    /// The file with what is hidden.
    pub(super) fn needle_file(&self) -> Result<PathBuf, DatasetError> {
        Ok(self.folder.join(self.arguments.text("needle_file_name")?))
    }

    /// What `make` makes of the number of each document of each file; it is given a function that hides sentences in
    /// that document.
    pub(super) fn documents<T>(
        &self,
        known: &[&str],
        mut make: impl FnMut(u64, &mut dyn FnMut(&[String]) -> Made<String>) -> Made<T>,
    ) -> Result<Vec<T>, DatasetError> {
        let listed = self.arguments.texts("file_list", &[])?;
        let mut made = Vec::new();
        for name in known.iter().filter(|name| listed.iter().any(|own| own == *name)) {
            let lines = json_lines(&self.folder.join(name), Encoding::Strict)?;
            let mut texts = Texts { lines: &lines, encoded: vec![None; lines.len()] };
            let mut order: Vec<usize> = (0..lines.len()).collect();
            for number in 0..self.documents_per_file {
                PythonRandom::from_seed(number).shuffle(&mut order);
                let mut hide = |needles: &[String]| self.document(&mut texts, &order, needles);
                made.push(self.arguments.asked(make(number, &mut hide))?);
            }
        }
        if made.is_empty() {
            let known = known.join(", ");
            let what = format!("no file of `file_list` is one that its class reads: {known}");
            return self.arguments.asked(Flaw::new(what));
        }
        Ok(made)
    }

    /// A document of lines in this order, with sentences hidden in it.
    fn document(&self, texts: &mut Texts<'_>, order: &[usize], needles: &[String]) -> Made<String> {
        let needles: Vec<Vec<u32>> =
            needles.iter().map(|needle| self.tokens.encode(needle)).collect::<Made<_>>()?;
        let hidden: usize = needles.iter().map(Vec::len).sum();
        let most = self.length_tokens.saturating_sub(hidden);
        let mut document: Vec<u32> = Vec::new();
        for line in order {
            document.extend(texts.line(*line, self.tokens)?);
            if document.len() >= most {
                break;
            }
        }
        document.truncate(most);
        self.tokens.decode(&self.depths.laid(document, &needles)?)
    }
}

/// The lines of a file, each encoded once.
struct Texts<'a> {
    lines: &'a [Item],
    encoded: Vec<Option<Vec<u32>>>,
}

impl Texts<'_> {
    fn line(&mut self, number: usize, tokens: GptTokens) -> Made<&[u32]> {
        let (Some(line), Some(encoded)) = (self.lines.get(number), self.encoded.get_mut(number))
        else {
            return Ok(&[]);
        };
        if encoded.is_none() {
            *encoded = Some(tokens.encode(line.value.text("text")?)?);
        }
        Ok(encoded.as_deref().unwrap_or_default())
    }
}

impl Depths {
    /// Every depth of a list of whole numbers.
    pub(super) fn listed(depths: &[Value]) -> Made<Self> {
        let depth = |depth: &Value| {
            depth.as_f64().ok_or_else(|| Flaw("`depths` is a list of numbers".to_owned()))
        };
        depths.iter().map(depth).collect::<Made<_>>().map(Self::Each)
    }

    /// The document with the needles in it.
    fn laid(&self, mut document: Vec<u32>, needles: &[Vec<u32>]) -> Made<Vec<u32>> {
        let places = self.places(document.len(), needles)?;
        for (place, needle) in places.into_iter().zip(needles) {
            let place = place.min(document.len());
            document.splice(place..place, needle.iter().copied());
        }
        Ok(document)
    }

    /// Where each needle begins once those before it are in their places.
    fn places(&self, length: usize, needles: &[Vec<u32>]) -> Made<Vec<usize>> {
        let percent = |share: f64| length as f64 * (share / 100.0);
        let mut hidden = 0;
        let mut places: Vec<usize> = Vec::new();
        match self {
            Self::Each(depths) if depths.len() < needles.len() => {
                return Flaw::new(format!(
                    "{} needles, but `depths` has {}",
                    needles.len(),
                    depths.len()
                ));
            }
            Self::Each(depths) => {
                for (depth, needle) in depths.iter().zip(needles) {
                    places.push(percent(*depth) as usize + hidden);
                    hidden += needle.len();
                }
            }
            Self::Spaced { first, apart } => {
                for (index, needle) in needles.iter().enumerate() {
                    let place = match index.checked_sub(1) {
                        None => percent(*first) as usize,
                        Some(before) => {
                            let behind = places[before] + needles[before].len();
                            (behind as f64 + percent(*apart)) as usize
                        }
                    };
                    places.push(place.min(length + hidden));
                    hidden += needle.len();
                }
                // The original moves each one behind those that are laid before it, which are counted already.
                let mut moved = 0;
                for (place, needle) in places.iter_mut().zip(needles) {
                    *place += moved;
                    moved += needle.len();
                }
            }
        }
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needles_lie_where_the_original_lays_them() {
        let document: Vec<u32> = (0..10).collect();
        let needles = [vec![100, 101], vec![200]];
        let each = Depths::Each(vec![0.0, 50.0]).laid(document.clone(), &needles);
        assert_eq!(each.unwrap_or_default(), [100, 101, 0, 1, 2, 3, 4, 200, 5, 6, 7, 8, 9]);
        // int(5 + 2 + 1) = 8, and two more for the needle that is there by then.
        let spaced = Depths::Spaced { first: 50.0, apart: 10.0 }.laid(document, &needles);
        assert_eq!(spaced.unwrap_or_default(), [0, 1, 2, 3, 4, 100, 101, 5, 6, 7, 200, 8, 9]);
        assert!(Depths::Each(vec![1.0]).laid(Vec::new(), &needles).is_err());
    }
}
