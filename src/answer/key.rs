//! What an answer is known by.
//!
//! A key is a hash of everything that decides an answer and of nothing else: not of a data set's name, a
//! metric or a gold. So an answer can never be stale, and whoever asks the same again is given it.

use std::fmt;

use sha2::{Digest, Sha256};

use super::{Question, ServedContinuation, ServedQuestion, ServedWanted};
use crate::{engine::Sampling, model::vision::ImageIds};

/// Everything that decides a model's numbers: the bytes of its files, the type and the kind of device it is
/// computed with, and the engine's own [`NUMERICS`](crate::engine::NUMERICS).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ModelKey([u8; 32]);

impl ModelKey {
    /// The key of these facts in this order.
    pub fn of<'a>(facts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for fact in facts {
            // The length in front keeps ["ab", "c"] and ["a", "bc"] apart.
            digest.update((fact.len() as u64).to_le_bytes());
            digest.update(fact);
        }
        Self(digest.finalize().into())
    }

    /// A key that was written down.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ModelKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A model as questions are put to it.
#[derive(Clone, Debug)]
pub struct ModelIdentity {
    /// What decides its numbers.
    pub key: ModelKey,
    /// Ids that end a continuation beside the checkpoint's own; surprisals do not depend on them.
    pub eos_token_ids: Vec<u32>,
    /// Whether it is behind a server, and so is given texts.
    pub is_served: bool,
    /// What its images are known by.
    pub images: ImageIds,
}

/// A question to a certain model: half of a SHA-256, which is enough that two never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionKey([u8; Self::BYTES]);

impl QuestionKey {
    /// Length of a key.
    pub const BYTES: usize = 16;

    /// A key that was written down.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }

    /// The key of the vector that an encoder gives for a text behind a prompt.
    pub fn of_vector(encoder: &ModelKey, prompt: &str, text: &str) -> Self {
        let facts = [encoder.as_bytes(), b"vector", prompt.as_bytes(), text.as_bytes()];
        Self::half(ModelKey::of(facts).0)
    }

    fn half(whole: [u8; 32]) -> Self {
        let mut half = [0; Self::BYTES];
        half.copy_from_slice(&whole[..Self::BYTES]);
        Self(half)
    }
}

impl Question {
    /// The key of this question to `model`.
    pub fn key(&self, model: &ModelIdentity) -> QuestionKey {
        let mut digest = Sha256::new();
        digest.update(model.key.as_bytes());
        match self {
            Self::Score(request) => {
                digest.update(b"score");
                // 0 means the same as 1: the first token is never scored.
                digest.update((request.first_target.max(1) as u64).to_le_bytes());
            }
            Self::Generate(request) => {
                digest.update(b"generate");
                digest.update((request.max_new_tokens as u64).to_le_bytes());
                digest.update((request.min_new_tokens as u64).to_le_bytes());
                digest.update((request.stop.len() as u64).to_le_bytes());
                for stop in &request.stop {
                    digest.update((stop.len() as u64).to_le_bytes());
                    digest.update(stop);
                }
                digest.update((model.eos_token_ids.len() as u64).to_le_bytes());
                for id in &model.eos_token_ids {
                    digest.update(id.to_le_bytes());
                }
                // Where none is shown, the key is what it was before any could be.
                if !request.shown.is_empty() {
                    digest.update(b"shown");
                    digest.update((request.shown.len() as u64).to_le_bytes());
                    for id in &request.shown {
                        digest.update(id.to_le_bytes());
                    }
                }
                digest.update(sampling_bytes(request.sampling.as_ref()));
            }
            Self::Served(question) => digest.update(served_bytes(question)),
        }
        digest.update(model.images.content(self.ids()));
        QuestionKey::half(digest.finalize().into())
    }
}

/// A served model's question, its text last.
fn served_bytes(question: &ServedQuestion) -> Vec<u8> {
    let mut bytes = Vec::new();
    match &question.wanted {
        ServedWanted::Surprisals => bytes.extend(b"served score"),
        ServedWanted::Continuation(own) => {
            let ServedContinuation { max_new_tokens, min_new_tokens, stop, draw } = own;
            bytes.extend(b"served text");
            for count in [*max_new_tokens, *min_new_tokens, stop.len()] {
                bytes.extend((count as u64).to_le_bytes());
            }
            for stop in stop {
                bytes.extend((stop.len() as u64).to_le_bytes());
                bytes.extend(stop.as_bytes());
            }
            bytes.extend(draw.to_le_bytes());
        }
    }
    bytes.extend(question.text.as_bytes());
    bytes
}

/// How tokens are drawn, each setting with a mark for whether it is there.
fn sampling_bytes(sampling: Option<&Sampling>) -> Vec<u8> {
    let Some(Sampling { temperature, top_k, top_p, min_p, seed }) = sampling else {
        return vec![0];
    };
    let mut bytes = vec![1];
    bytes.extend(temperature.to_bits().to_le_bytes());
    let optional = [
        top_k.map(|count| count as u64),
        top_p.map(f64::to_bits),
        min_p.map(f64::to_bits),
        Some(*seed),
    ];
    for setting in optional {
        bytes.push(setting.is_some().into());
        bytes.extend(setting.unwrap_or(0).to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{GenerateRequest, ScoreRequest};

    #[test]
    fn whatever_decides_an_answer_changes_its_key() {
        let model = |fact: &[u8], eos: &[u32]| ModelIdentity {
            key: ModelKey::of([fact]),
            eos_token_ids: eos.to_vec(),
            is_served: false,
            images: ImageIds::default(),
        };
        let score = |ids: &[u32], first_target| {
            Question::Score(ScoreRequest { ids: ids.into(), first_target })
        };
        let ask = |stop: &[&str], max_new_tokens, sampling| {
            Question::Generate(GenerateRequest {
                ids: [1, 2].into(),
                max_new_tokens,
                min_new_tokens: 0,
                stop: stop.iter().map(|&stop| stop.to_owned()).collect(),
                shown: Vec::new(),
                sampling,
            })
        };
        let drawn =
            |seed| Sampling { temperature: 1.0, top_k: None, top_p: None, min_p: None, seed };
        let served =
            |text: &str, wanted| Question::Served(ServedQuestion { text: text.into(), wanted });
        let goes_on = |stop: &[&str], draw| {
            ServedWanted::Continuation(ServedContinuation {
                max_new_tokens: 2,
                min_new_tokens: 0,
                stop: stop.iter().map(|&stop| stop.to_owned()).collect(),
                draw,
            })
        };
        let plain = model(b"a", &[]);
        assert_eq!(score(&[1, 2], 0).key(&plain), score(&[1, 2], 1).key(&model(b"a", &[7])));
        let different = [
            score(&[1, 2], 1).key(&plain),
            score(&[1, 2], 1).key(&model(b"b", &[])),
            score(&[1, 2], 2).key(&plain),
            score(&[1, 3], 1).key(&plain),
            ask(&[], 2, None).key(&plain),
            ask(&[], 2, None).key(&model(b"a", &[7])),
            ask(&[], 3, None).key(&plain),
            ask(&["ab", "c"], 2, None).key(&plain),
            ask(&["a", "bc"], 2, None).key(&plain),
            ask(&[], 2, Some(drawn(0))).key(&plain),
            ask(&[], 2, Some(drawn(1))).key(&plain),
            ask(&[], 2, Some(Sampling { top_k: Some(0), ..drawn(0) })).key(&plain),
            served("ab", ServedWanted::Surprisals).key(&plain),
            served("ab", ServedWanted::Surprisals).key(&model(b"b", &[])),
            served("abc", ServedWanted::Surprisals).key(&plain),
            served("ab", goes_on(&[], 0)).key(&plain),
            served("ab", goes_on(&[], 1)).key(&plain),
            served("ab", goes_on(&["ab", "c"], 0)).key(&plain),
            served("ab", goes_on(&["a", "bc"], 0)).key(&plain),
        ];
        for (index, key) in different.iter().enumerate() {
            assert!(!different[..index].contains(key), "{index}");
        }
    }
}
