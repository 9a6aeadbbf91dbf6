//! How tokens are drawn, as `generation_kwargs` say it.

use serde::Deserialize;

use crate::engine::Sampling;

/// What transformers' `GenerationConfig` says of drawing; what is left out is as there.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drawing {
    /// Whether tokens are drawn at all.
    #[serde(default)]
    pub do_sample: bool,
    /// What the logits are divided by.
    pub temperature: Option<f64>,
    /// Only so many of the likeliest tokens.
    pub top_k: Option<usize>,
    /// Only the likeliest tokens that have this share together.
    pub top_p: Option<f64>,
    /// Only tokens that are at least this share of the likeliest one.
    pub min_p: Option<f64>,
    /// What random numbers begin with.
    pub seed: Option<u64>,
}

impl Drawing {
    /// How tokens are drawn, if they are, or what is wrong with it.
    pub fn sampling(&self) -> Result<Option<Sampling>, String> {
        let temperature = self.temperature.unwrap_or(1.0);
        if !(temperature.is_finite() && temperature >= 0.0) {
            return Err(format!("temperature is {temperature}; give a number from 0 on"));
        }
        for (name, share) in [("top_p", self.top_p), ("min_p", self.min_p)] {
            if let Some(share) = share.filter(|share| !(0.0..=1.0).contains(share)) {
                return Err(format!("{name} is {share}; give a number from 0 to 1"));
            }
        }
        Ok(self.do_sample.then(|| Sampling {
            temperature,
            top_k: Some(self.top_k.unwrap_or(50)),
            top_p: self.top_p,
            min_p: self.min_p,
            seed: self.seed.unwrap_or(0),
        }))
    }
}
