//! A tokenizer and a network for vectors of inferencers that look at single tokens.
//!
//! A token is a word with the blank before it, or a blank; its id is made of its bytes. The network's logits at a place
//! are made of the sum of all ids up to there, of the place and of the token.

use std::ops::Range;

use surprisal::{
    engine::{Score, ScoreRequest},
    infer::Tokenize,
};

/// How many tokens there are; 0 pads.
const VOCABULARY: u64 = 4001;

/// The tokenizer.
pub(crate) struct Hashed;

impl Hashed {
    fn places(text: &str) -> Vec<Range<usize>> {
        let (bytes, mut places, mut start) = (text.as_bytes(), Vec::new(), 0);
        while start < bytes.len() {
            let word = start + usize::from(bytes[start] == b' ');
            let length = bytes[word..].iter().take_while(|byte| **byte != b' ').count();
            let end = if length == 0 { start + 1 } else { word + length };
            places.push(start..end);
            start = end;
        }
        places
    }

    fn id(piece: &str) -> u32 {
        let hash = piece
            .bytes()
            .fold(0, |hash: u64, byte| (hash * 31 + u64::from(byte)) % (VOCABULARY - 1));
        hash as u32 + 1
    }

    fn tokens(text: &str) -> Vec<(u32, Range<usize>)> {
        Self::places(text)
            .into_iter()
            .map(|place| (Self::id(&text[place.clone()]), place))
            .collect()
    }
}

impl Tokenize for Hashed {
    fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        Ok(Self::tokens(text).into_iter().map(|(id, _)| id).collect())
    }

    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
        let mut ids = self.encode(text)?;
        ids.truncate(max_tokens);
        Ok(ids)
    }

    fn encode_with_offsets(
        &self,
        text: &str,
        max_tokens: usize,
    ) -> Result<Vec<(u32, Range<usize>)>, String> {
        let mut tokens = Self::tokens(text);
        tokens.truncate(max_tokens);
        Ok(tokens)
    }

    fn encode_stretch(&self, stretch: &str, _begins: bool) -> Option<Vec<(u32, Range<usize>)>> {
        Some(Self::tokens(stretch))
    }
}

/// What the network says of the tokens that are asked for.
pub(crate) fn score(request: &ScoreRequest) -> Score {
    let said = |target: usize| {
        let sum: u64 = request.ids[..target].iter().map(|id| u64::from(*id)).sum();
        let place = target as u64 - 1;
        let logit = |token: u64| ((sum * 31 + place * 7 + token * 17) % VOCABULARY) as f64 / 500.0;
        let all: f64 = (0..VOCABULARY).map(|token| logit(token).exp()).sum();
        let own = logit(u64::from(request.ids[target]));
        // No two of its tokens are equally likely.
        ((all.ln() - own) as f32, (0..VOCABULARY).all(|token| logit(token) <= own))
    };
    let (nlls, likeliest) = (request.first_target..request.ids.len()).map(said).unzip();
    Score { nlls, likeliest }
}
