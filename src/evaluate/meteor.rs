//! `meteor`: words that a text shares with its reference, as they are, by their stem, or by a meaning.
//!
//! Alon Lavie and Abhaya Agarwal, "Meteor: An Automatic Metric for MT Evaluation with High Levels of
//! Correlation with Human Judgments" (2007), with the weights and the matching of NLTK. Meanings are those of
//! WordNet, which is not shipped: it is the user's own copy, where the config says or where NLTK has it. Without one
//! there would be another figure under this name, so there is none.

use std::{
    collections::{BTreeSet, HashMap},
    path::PathBuf,
};

use serde::Deserialize;
use serde_json::json;

use super::{
    EvaluateError, Evaluator, Metric, Row, Scores, Unit, by_row::Asked, porter_stem::stem,
};
use crate::{
    config::{Component, ConfigError},
    python::is_blank,
    wordnet::WordNet,
};

/// How much precision weighs against recall.
const PRECISION: f64 = 0.9;
/// How fast the penalty grows with the number of pieces.
const STEEPNESS: i32 = 3;
/// The penalty for words that all stand apart.
const MOST_PENALTY: f64 = 0.5;

/// The parameters: where WordNet is, if it is not where NLTK looks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parameters {
    wordnet: Option<PathBuf>,
}

/// The mean of the texts' scores, from 0 to 1.
pub(super) struct Meteor {
    words: Option<WordNet>,
}

impl Meteor {
    /// Reads `wordnet`, the folder of WordNet's files.
    pub(super) fn build(component: &Component) -> Result<Box<dyn Evaluator>, ConfigError> {
        let words = match component.read::<Parameters>()?.wordnet {
            Some(folder) => WordNet::open(&folder).map(Some),
            None => WordNet::find(),
        };
        let words = words.map_err(|error| {
            let hint = "wordnet has to be a folder of WordNet 3.0's files, or NLTK's wordnet.zip";
            ConfigError::at(&component.origin, error.to_string()).with_hint(hint)
        })?;
        Ok(Box::new(Self { words }))
    }
}

impl Evaluator for Meteor {
    fn lacks_wordnet(&self) -> bool {
        self.words.is_none()
    }

    fn evaluate(&self, rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
        let meanings = self.words.as_ref().ok_or(EvaluateError::NoWordNet)?;
        let (mut scores, mut details) = (Vec::with_capacity(rows.len()), Vec::new());
        for (index, row) in rows.iter().enumerate() {
            let asked = Asked::new(row, index, "meteor");
            let (prediction, reference) = (asked.prediction()?, asked.reference()?);
            let score = score(meanings, &words(prediction), &words(reference));
            scores.push(score);
            let fields = [("pred", json!(prediction)), ("answer", json!(reference))];
            let fields = fields.into_iter().chain([("score", json!(score))]);
            details.push(fields.map(|(name, value)| (name.to_owned(), value)).collect());
        }
        let metric = Metric::of_numbers("score", Unit::Number, scores);
        Ok(Scores::new(vec![metric], rows.len()).with_details(details))
    }
}

/// The words between blanks, in lower case.
fn words(text: &str) -> Vec<String> {
    text.split(is_blank).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// The score of words against those of the reference.
fn score(meanings: &WordNet, own: &[String], other: &[String]) -> f64 {
    let mut pairs = Pairs::new(own.len(), other.len());
    pairs.add(|place| [own[place].clone()].into(), |place| other[place].clone());
    pairs.add(|place| [stem(&own[place])].into(), |place| stem(&other[place]));
    // As in NLTK, stems are all that is left to compare meanings of.
    pairs.add(
        |place| {
            let word = stem(&own[place]);
            let mut words: BTreeSet<String> =
                meanings.synonyms(&word).into_iter().map(str::to_owned).collect();
            words.insert(word);
            words
        },
        |place| stem(&other[place]),
    );
    let matched: Vec<(usize, usize)> = pairs
        .own
        .iter()
        .enumerate()
        .filter_map(|(place, with)| with.map(|with| (place, with)))
        .collect();
    if matched.is_empty() {
        return 0.0;
    }
    let count = matched.len() as f64;
    let (precision, recall) = (count / own.len() as f64, count / other.len() as f64);
    let mean = (precision * recall) / (PRECISION * precision + (1.0 - PRECISION) * recall);
    let follows =
        |pair: &&[(usize, usize)]| matches!(pair, [(a, b), (c, d)] if a + 1 == *c && b + 1 == *d);
    let pieces = matched.len() - matched.windows(2).filter(follows).count();
    let penalty = MOST_PENALTY * (pieces as f64 / count).powi(STEEPNESS);
    (1.0 - penalty) * mean
}

/// Which word is matched with which.
struct Pairs {
    own: Vec<Option<usize>>,
    is_taken: Vec<bool>,
}

impl Pairs {
    fn new(own: usize, other: usize) -> Self {
        Self { own: vec![None; own], is_taken: vec![false; other] }
    }

    /// Matches the words that are left, from the last to the first, each with the last word of the reference
    /// that is left and is one of its spellings.
    fn add(
        &mut self,
        spellings: impl Fn(usize) -> BTreeSet<String>,
        spelling: impl Fn(usize) -> String,
    ) {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, _) in self.is_taken.iter().enumerate().filter(|(_, is_taken)| !**is_taken) {
            places.entry(spelling(place)).or_default().push(place);
        }
        for (place, with) in self.own.iter_mut().enumerate().rev() {
            if with.is_some() {
                continue;
            }
            let own = spellings(place);
            let last = |word: &String| places.get(word).and_then(|places| places.last().copied());
            let Some((found, word)) =
                own.iter().filter_map(|word| last(word).map(|found| (found, word))).max()
            else {
                continue;
            };
            if let Some(places) = places.get_mut(word) {
                places.pop();
            }
            *with = Some(found);
            if let Some(is_taken) = self.is_taken.get_mut(found) {
                *is_taken = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordnet::tests::small_language;

    #[test]
    fn scores_are_those_of_nltk() {
        let folder = small_language();
        let meanings = WordNet::open(folder.path()).unwrap();
        // Each row was run in nltk 3.10.4 on the same files.
        let rows = [
            ("the old ferry crosses the river", "an aged ferryboat traverses the river", 0.312_5),
            (
                "the old ferry crosses the river",
                "the old ferry crosses the river",
                0.997_685_185_185_185_2,
            ),
            ("kiln is red red", "the red oven is red", 0.644_132_653_061_224_5),
            ("walnut", "oven", 0.0),
            ("", "oven", 0.0),
            ("rivers crossing ferries", "ferryboat cross river", 0.333_333_333_333_333_3),
            ("Paris by ferry", "Lutetia by boat", 0.166_666_666_666_666_66),
        ];
        for (written, reference, expected) in rows {
            let found = score(&meanings, &words(written), &words(reference));
            assert!((found - expected).abs() < 1e-12, "{written}: {found}");
        }
    }
}
