//! Which samples of two sides are the same: known by what they say, never by their numbers alone.
//!
//! Rows are compared column by column where both sides have them, else prompts letter by letter, else by what few other
//! samples have (`likeness`). Numbers only tell apart samples that say the same.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value as Json;

use super::{
    likeness::likest,
    side::{Request, Side, SideSample},
};

/// Columns tell samples apart if so many of them have values of their own.
const LEAST_DISTINCT: f64 = 0.9;

/// What is told of a sample that has no counterpart is cut to so many characters.
const EXAMPLE_CHARS: usize = 80;

/// Which samples pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Pairing {
    /// Places of the same sample on both sides, in the order of the left one.
    #[serde(skip)]
    pub places: Vec<[usize; 2]>,
    /// Pairs.
    pub paired: usize,
    /// Pairs whose rows are the same.
    pub by_row: usize,
    /// Pairs whose prompts are the same.
    pub by_prompt: usize,
    /// Pairs whose prompts are more like each other than like any other.
    pub by_likeness: usize,
    /// Samples that only the left side has.
    pub only_left: usize,
    /// Samples that only the right side has.
    pub only_right: usize,
    /// The first of the former.
    pub example_left: Option<UnpairedSample>,
    /// The first of the latter.
    pub example_right: Option<UnpairedSample>,
}

/// A sample that only one side has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnpairedSample {
    /// Its number.
    pub number: usize,
    /// The end of its prompt, or its row.
    pub text: String,
}

impl Pairing {
    /// Of two sides.
    pub fn of(left: &Side, right: &Side) -> Self {
        let mut found = Finding {
            left: &left.samples,
            right: &right.samples,
            open: [&left.samples, &right.samples].map(|side| (0..side.len()).collect()),
            places: Vec::new(),
        };
        let names = telling_columns(&left.samples, &right.samples);
        if !names.is_empty() {
            found.by_key(|sample| row_key(sample, &names));
        }
        let by_row = found.places.len();
        found.by_key(prompt_key);
        let by_prompt = found.places.len() - by_row;
        found.by_likeness();
        let by_likeness = found.places.len() - by_row - by_prompt;
        let Finding { mut places, open: [open_left, open_right], .. } = found;
        places.sort_unstable();
        let example = |side: &Side, open: &BTreeSet<usize>| {
            open.first().and_then(|place| side.samples.get(*place)).map(UnpairedSample::of)
        };
        Self {
            paired: places.len(),
            places,
            by_row,
            by_prompt,
            by_likeness,
            only_left: open_left.len(),
            only_right: open_right.len(),
            example_left: example(left, &open_left),
            example_right: example(right, &open_right),
        }
    }
}

impl UnpairedSample {
    fn of(sample: &SideSample) -> Self {
        let text = match sample.requests.first() {
            Some(request) => request.text.clone(),
            None => sample.columns.values().map(Json::to_string).collect::<Vec<_>>().join(" "),
        };
        let more = text.chars().count().saturating_sub(EXAMPLE_CHARS);
        let text = text.chars().skip(more).collect();
        Self { number: sample.number, text }
    }
}

/// Pairs that are being looked for.
struct Finding<'a> {
    left: &'a [SideSample],
    right: &'a [SideSample],
    /// Samples of both sides that have no counterpart yet.
    open: [BTreeSet<usize>; 2],
    places: Vec<[usize; 2]>,
}

impl<'a> Finding<'a> {
    /// Pairs samples with the same key. Those that share theirs with others of their side are told apart by their
    /// prompts, then by their numbers; what is left says the same, so that any will do.
    fn by_key(&mut self, key: impl Fn(&SideSample) -> Option<String>) {
        let keyed = |samples: &[SideSample], open: &BTreeSet<usize>| {
            let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for place in open {
                let key = samples.get(*place).and_then(&key);
                if let Some(key) = key {
                    groups.entry(key).or_default().push(*place);
                }
            }
            groups
        };
        let left = keyed(self.left, &self.open[0]);
        let right = keyed(self.right, &self.open[1]);
        for (key, own) in left {
            let Some(other) = right.get(&key) else { continue };
            let (mut own, mut other) = (own, other.clone());
            if own.len() > 1 || other.len() > 1 {
                let both = |sample: &SideSample| Some((prompt_key(sample)?, sample.number));
                self.pair_equal(&mut own, &mut other, both);
                self.pair_equal(&mut own, &mut other, prompt_key);
                self.pair_equal(&mut own, &mut other, |sample| Some(sample.number));
            }
            for (own, other) in own.into_iter().zip(other) {
                self.add(own, other);
            }
        }
    }

    /// Pairs those of a group that are equal in one respect, each with the first that is free.
    fn pair_equal<K: PartialEq>(
        &mut self,
        own: &mut Vec<usize>,
        other: &mut Vec<usize>,
        respect: impl Fn(&SideSample) -> Option<K>,
    ) {
        own.retain(|place| {
            let wanted = self.left.get(*place).and_then(&respect);
            let found =
                other.iter().position(|place| self.right.get(*place).and_then(&respect) == wanted);
            let Some(at) = found.filter(|_| wanted.is_some()) else { return true };
            let counterpart = other.remove(at);
            self.add(*place, counterpart);
            false
        });
    }

    fn by_likeness(&mut self) {
        let requests = |samples: &'a [SideSample], open: &BTreeSet<usize>| {
            let request = |place: &usize| Some((*place, samples.get(*place)?.requests.first()?));
            open.iter().filter_map(request).unzip::<usize, &'a Request, Vec<_>, Vec<_>>()
        };
        let (left, left_requests) = requests(self.left, &self.open[0]);
        let (right, right_requests) = requests(self.right, &self.open[1]);
        for [own, other] in likest(&left_requests, &right_requests) {
            if let (Some(own), Some(other)) = (left.get(own), right.get(other)) {
                self.add(*own, *other);
            }
        }
    }

    fn add(&mut self, own: usize, other: usize) {
        self.open[0].remove(&own);
        self.open[1].remove(&other);
        self.places.push([own, other]);
    }
}

/// Columns that all samples have on both sides and that are not the same everywhere; none if they leave samples alike.
fn telling_columns(left: &[SideSample], right: &[SideSample]) -> Vec<String> {
    let (Some(first), Some(_)) = (left.first(), right.first()) else { return Vec::new() };
    let all = || left.iter().chain(right);
    let is_in_all = |name: &&String| all().all(|sample| sample.columns.contains_key(*name));
    let tells = |side: &[SideSample], name: &String| {
        side.iter().any(|sample| {
            sample.columns.get(name) != side.first().and_then(|first| first.columns.get(name))
        })
    };
    let is_telling = |name: &&String| {
        tells(left, name) || tells(right, name) || (left.len() == 1 && right.len() == 1)
    };
    let names: Vec<String> =
        first.columns.keys().filter(is_in_all).filter(is_telling).cloned().collect();
    // A column of letters, say the gold's, is no content.
    let tells_apart = |side: &[SideSample]| {
        let keys: BTreeSet<String> =
            side.iter().filter_map(|sample| row_key(sample, &names)).collect();
        keys.len() as f64 >= LEAST_DISTINCT * side.len() as f64
    };
    if tells_apart(left) && tells_apart(right) { names } else { Vec::new() }
}

fn row_key(sample: &SideSample, names: &[String]) -> Option<String> {
    let values: Option<Vec<String>> =
        names.iter().map(|name| sample.columns.get(name).map(Json::to_string)).collect();
    Some(values?.join("\u{1f}"))
}

fn prompt_key(sample: &SideSample) -> Option<String> {
    let texts: Vec<&str> = sample.requests.iter().map(|own| own.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\u{1f}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::diff::{side::SideFormat, side_settings::SideSettings};

    fn side(samples: &[(usize, &str, &str)]) -> Side {
        let sample = |(number, row, text): &(usize, &str, &str)| {
            let mut columns = BTreeMap::from([("domain".to_owned(), Json::Null)]);
            if !row.is_empty() {
                columns.insert("q".to_owned(), json!(row));
            }
            let request = Request { text: (*text).to_owned(), ..Request::default() };
            SideSample {
                number: *number,
                columns,
                requests: vec![request],
                ..SideSample::default()
            }
        };
        Side {
            name: String::new(),
            format: SideFormat::LmEval,
            settings: SideSettings::default(),
            samples: samples.iter().map(sample).collect(),
            figures: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn order_and_numbers_do_not_matter() {
        let left = side(&[(0, "a", "x"), (1, "b", "y"), (2, "c", "z")]);
        let right = side(&[(0, "c", "Z"), (7, "a", "X")]);
        let found = Pairing::of(&left, &right);
        assert_eq!(found.places, [[0, 1], [2, 0]]);
        assert_eq!((found.by_row, found.only_left, found.only_right), (2, 1, 0));
        assert_eq!(found.example_left.unwrap().number, 1);
    }

    #[test]
    fn a_letter_in_common_is_no_content() {
        let left = side(&[(0, "A", "x"), (1, "B", "y"), (2, "A", "z")]);
        let right = side(&[(0, "A", "v"), (1, "B", "z"), (2, "A", "y")]);
        let found = Pairing::of(&left, &right);
        assert_eq!((found.places, found.by_row, found.by_prompt), (vec![[1, 2], [2, 1]], 0, 2));
    }

    #[test]
    fn without_rows_prompts_tell_and_equal_ones_go_by_number() {
        let left = side(&[(0, "", "x"), (1, "", "y"), (2, "", "y")]);
        let right = side(&[(2, "", "y"), (1, "", "y"), (0, "", "w")]);
        let found = Pairing::of(&left, &right);
        assert_eq!(found.places, [[1, 1], [2, 0]]);
        assert_eq!((found.by_prompt, found.by_likeness), (2, 0));
        assert_eq!((found.only_left, found.only_right), (1, 1));
    }
}
