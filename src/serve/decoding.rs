//! How answers are written: the fields that completions and chats have in common.

use serde_json::{Value, json};

use super::{
    fields::{Fields, wrong},
    limits::{MOST_STOP_BYTES, MOST_STOPS},
    problem::Problem,
};
use crate::engine::Sampling;

/// What a body says of that.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decoding {
    /// Answers to each prompt.
    pub(super) n: usize,
    /// As OpenAI's API has it, 1 where nothing is said.
    pub(super) temperature: f64,
    pub(super) top_p: f64,
    pub(super) top_k: Option<usize>,
    pub(super) min_p: Option<f64>,
    pub(super) min_tokens: usize,
    pub(super) seed: Option<u64>,
    pub(super) stop: Vec<String>,
    pub(super) streams: bool,
    /// Whether a stream ends with a chunk that counts tokens.
    pub(super) counts_at_the_end: bool,
}

impl Decoding {
    /// Takes its fields; those that would change the answer and are not supported are refused.
    pub(super) fn take(fields: &mut Fields) -> Result<Self, Problem> {
        let n = fields.count("n", 1..=usize::MAX)?.unwrap_or(1);
        fields.refuse("best_of", &[json!(n)])?;
        for (name, neutral) in [
            ("frequency_penalty", json!(0)),
            ("presence_penalty", json!(0)),
            ("repetition_penalty", json!(1)),
            ("length_penalty", json!(1)),
            ("logit_bias", json!({})),
            ("ignore_eos", json!(false)),
            ("skip_special_tokens", json!(true)),
            ("use_beam_search", json!(false)),
            ("stop_token_ids", json!([])),
        ] {
            fields.refuse(name, &[neutral])?;
        }
        let streams = fields.switch("stream")?.unwrap_or(false);
        let top_k = match fields.integer("top_k")? {
            None | Some(-1 | 0) => None,
            Some(number) => match usize::try_from(number) {
                Ok(number) => Some(number),
                Err(_) => return Err(wrong("top_k", "a whole number from -1", &json!(number))),
            },
        };
        Ok(Self {
            n,
            temperature: fields.number("temperature", 0.0..=2.0)?.unwrap_or(1.0),
            top_p: fields.number("top_p", 0.0..=1.0)?.unwrap_or(1.0),
            top_k,
            min_p: fields.number("min_p", 0.0..=1.0)?,
            min_tokens: fields.count("min_tokens", 0..=usize::MAX)?.unwrap_or(0),
            seed: fields.integer("seed")?.map(i64::cast_unsigned),
            stop: stop(fields)?,
            streams,
            counts_at_the_end: stream_options(fields, streams)?,
        })
    }

    /// How the answer of this `index` to a prompt is drawn, where `seed` is what it is without one: the answers to a prompt
    /// have seeds that follow each other.
    pub(super) fn sampling(&self, index: usize, seed: u64) -> Option<Sampling> {
        (self.temperature > 0.0).then(|| Sampling {
            temperature: self.temperature,
            top_k: self.top_k,
            top_p: (self.top_p < 1.0).then_some(self.top_p),
            min_p: self.min_p,
            seed: self.seed.unwrap_or(seed).wrapping_add(index as u64),
        })
    }
}

fn stop(fields: &mut Fields) -> Result<Vec<String>, Problem> {
    let expected = format!("a text or a list of at most {MOST_STOPS} texts");
    let stop = match fields.take("stop") {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(texts)) if texts.len() <= MOST_STOPS => {
            let text = |text| match text {
                Value::String(text) => Ok(text),
                other => Err(wrong("stop", &expected, &other)),
            };
            texts.into_iter().map(text).collect::<Result<Vec<_>, _>>()?
        }
        Some(other) => return Err(wrong("stop", &expected, &other)),
    };
    if stop.iter().any(|text| text.is_empty() || text.len() > MOST_STOP_BYTES) {
        let message = format!("a text in `stop` should have 1 to {MOST_STOP_BYTES} bytes");
        return Err(Problem::field("stop", message));
    }
    Ok(stop)
}

/// Whether tokens are counted at the end of a stream.
fn stream_options(fields: &mut Fields, streams: bool) -> Result<bool, Problem> {
    let name = "stream_options";
    let Some(value) = fields.take(name) else { return Ok(false) };
    let Value::Object(mut options) = value else {
        return Err(wrong(name, "an object", &value));
    };
    if !streams {
        return Err(Problem::field(name, "`stream_options` is for `stream: true`"));
    }
    let counts = match options.remove("include_usage") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(counts)) => counts,
        Some(other) => return Err(wrong("stream_options.include_usage", "true or false", &other)),
    };
    match options.keys().next() {
        Some(other) => Err(Problem::field(name, format!("`stream_options.{other}` is not known"))),
        None => Ok(counts),
    }
}
