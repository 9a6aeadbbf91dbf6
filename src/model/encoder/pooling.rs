//! From a vector for each token to one for the text.

use std::path::Path;

use serde_json::Value;

use super::modules::fields;
use crate::model::{error::ModelError, json};

/// The smallest divisor of a mean.
const LEAST_DIVISOR: f64 = 1e-9;

/// What a token has that is left out when the largest numbers are taken.
const LEFT_OUT: f32 = -1e9;

/// A way of pooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The first token's vector.
    First,
    /// The largest number of each place.
    Max,
    /// The mean.
    Mean,
    /// The sum by the root of the number of tokens.
    MeanOfRoot,
    /// A mean in which the n-th token counts n times.
    Weighted,
    /// The last token's vector.
    Last,
}

/// Every way in the order in which several are put side by side, with its switch in a `config.json` and its name
/// where one field names it.
const MODES: &[(&str, &str, Mode)] = &[
    ("pooling_mode_cls_token", "cls", Mode::First),
    ("pooling_mode_max_tokens", "max", Mode::Max),
    ("pooling_mode_mean_tokens", "mean", Mode::Mean),
    ("pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", Mode::MeanOfRoot),
    ("pooling_mode_weightedmean_tokens", "weightedmean", Mode::Weighted),
    ("pooling_mode_lasttoken", "lasttoken", Mode::Last),
];

/// Fields that say nothing beside the ways.
const SIZES: [&str; 2] = ["word_embedding_dimension", "embedding_dimension"];

/// How the tokens of a text become one vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pooling {
    modes: Vec<Mode>,
    /// Whether the tokens of a prompt count.
    pub(super) include_prompt: bool,
}

/// What the transformer gave for a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct PooledText<'a> {
    /// A row of `size` numbers for each token.
    pub(super) rows: &'a [f32],
    pub(super) size: usize,
    /// Tokens at the beginning that do not count.
    pub(super) skipped_tokens: usize,
}

impl Pooling {
    /// The mean.
    pub(super) fn mean() -> Self {
        Self { modes: vec![Mode::Mean], include_prompt: true }
    }

    /// Reads the `config.json` of a pooling module.
    pub(super) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("config.json");
        let wrong = |problem: String| ModelError::Config { path: path.clone(), problem };
        let mut found = fields(&path, json::read(&path)?)?;
        let include_prompt = match found.remove("include_prompt") {
            None | Some(Value::Null) => true,
            Some(Value::Bool(flag)) => flag,
            Some(other) => return Err(wrong(format!("include_prompt is {other}, not a boolean"))),
        };
        let mut wanted: Vec<String> = Vec::new();
        match found.remove("pooling_mode") {
            None | Some(Value::Null) => {}
            Some(Value::String(mode)) => wanted.push(mode),
            Some(Value::Array(modes)) => {
                wanted.extend(modes.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            Some(other) => return Err(wrong(format!("pooling_mode is {other}, not a name"))),
        }
        for (switch, name, _) in MODES {
            match found.remove(*switch) {
                None | Some(Value::Null | Value::Bool(false)) => {}
                Some(Value::Bool(true)) => wanted.push((*name).to_owned()),
                Some(other) => return Err(wrong(format!("{switch} is {other}, not a boolean"))),
            }
        }
        for size in SIZES {
            found.remove(size);
        }
        if let Some((field, value)) = found.into_iter().next() {
            let what = format!("{field} = {value}");
            return Err(ModelError::Unsupported { path, what });
        }
        let known = |name: &String| MODES.iter().any(|(_, known, _)| known == name);
        if let Some(unknown) = wanted.iter().find(|name| !known(name)) {
            let what = format!("pooling_mode {unknown:?}");
            return Err(ModelError::Unsupported { path, what });
        }
        let modes: Vec<Mode> = MODES
            .iter()
            .filter(|(_, name, _)| wanted.iter().any(|wanted| wanted == name))
            .map(|(.., mode)| *mode)
            .collect();
        if modes.is_empty() {
            return Err(wrong("no way of pooling is chosen".to_owned()));
        }
        Ok(Self { modes, include_prompt })
    }

    /// How many vectors are put side by side.
    pub(super) fn parts(&self) -> usize {
        self.modes.len()
    }

    /// The vector of a text.
    pub(super) fn pool(&self, text: &PooledText<'_>) -> Vec<f32> {
        self.modes.iter().flat_map(|mode| text.pooled(*mode)).collect()
    }
}

impl PooledText<'_> {
    /// The rows that count, each with its number from 1.
    fn counted(&self) -> impl DoubleEndedIterator<Item = (usize, &[f32])> + Clone {
        let rows = self.rows.chunks_exact(self.size).enumerate();
        rows.skip(self.skipped_tokens).map(|(place, row)| (place + 1, row))
    }

    fn pooled(&self, mode: Mode) -> Vec<f32> {
        let count = self.counted().count() as f64;
        match mode {
            Mode::First => self.rows.iter().take(self.size).copied().collect(),
            Mode::Last => {
                let last = self.counted().next_back();
                last.map_or_else(|| vec![0.0; self.size], |(_, row)| row.to_vec())
            }
            Mode::Max => {
                let mut largest = vec![LEFT_OUT; self.size];
                for (_, row) in self.counted() {
                    for (most, number) in largest.iter_mut().zip(row) {
                        *most = most.max(*number);
                    }
                }
                largest
            }
            Mode::Mean => self.sum(|_| 1.0, count),
            Mode::MeanOfRoot => self.sum(|_| 1.0, count.max(LEAST_DIVISOR).sqrt()),
            Mode::Weighted => {
                let weights = self.counted().map(|(number, _)| number as f64).sum();
                self.sum(|number| number as f64, weights)
            }
        }
    }

    /// The weighted sum of the rows by a divisor.
    fn sum(&self, weight: impl Fn(usize) -> f64, divisor: f64) -> Vec<f32> {
        let mut sums = vec![0.0; self.size];
        for (number, row) in self.counted() {
            let weight = weight(number);
            for (sum, value) in sums.iter_mut().zip(row) {
                *sum += weight * f64::from(*value);
            }
        }
        sums.into_iter().map(|sum| (sum / divisor.max(LEAST_DIVISOR)) as f32).collect()
    }
}
