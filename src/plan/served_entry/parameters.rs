//! What a served model is sent beside each question: how continuations are drawn, and what else its server takes.

use serde_json::{Map, Value as Json};

use super::ServedEntry;
use crate::{
    answer::served::ServedSettings,
    config::{ConfigError, Node},
    engine::Sampling,
};

/// Fields of `generation_kwargs` that say how long a continuation may get.
const LENGTHS: [&str; 3] = ["max_tokens", "max_completion_tokens", "max_new_tokens"];

impl ServedEntry {
    /// What is sent with every question for a continuation, and the length that stands among it.
    pub(super) fn parameters(
        &self,
        node: &Node,
    ) -> Result<(Map<String, Json>, Option<usize>), ConfigError> {
        let mut parameters = Map::new();
        if let Some(temperature) = self.temperature {
            parameters.insert("temperature".to_owned(), temperature.into());
        }
        for (field, own) in [
            ("generation_kwargs", &self.generation_kwargs),
            ("extra_body", &self.extra_body),
            ("openai_extra_kwargs", &self.openai_extra_kwargs),
        ] {
            let Some(own) = own.as_ref().filter(|own| !own.is_none()) else { continue };
            let Json::Object(own) = own.to_json() else {
                let what = format!("expected a dict, found {}", own.describe());
                return Err(ConfigError::at(&own.origin, what).under(field));
            };
            if let (Some(first), Some(second)) =
                (parameters.get("temperature"), own.get("temperature"))
                && first.as_f64() != second.as_f64()
            {
                let what = format!("temperature is written twice, as {first} and as {second}");
                return Err(ConfigError::at(&node.origin, what)
                    .under(field)
                    .with_hint("leave one out"));
            }
            parameters.extend(own);
        }
        let mut most = None;
        for length in LENGTHS {
            if let Some(own) = parameters.remove(length) {
                most = own.as_u64().and_then(|own| usize::try_from(own).ok()).or(most);
                if length == "max_completion_tokens" {
                    // Reasoning models of OpenAI know no other name of it.
                    parameters.insert(length.to_owned(), Json::Null);
                }
            }
        }
        let is_reasoning = ["o1", "o3", "o4", "gpt-5"].iter().any(|own| self.path.starts_with(own));
        if is_reasoning {
            parameters.insert("max_completion_tokens".to_owned(), Json::Null);
        }
        for name in ["messages", "prompt", "model", "stream", "stream_options", "echo", "logprobs"]
        {
            if parameters.contains_key(name) {
                let what = format!("{name} is not a setting: the run says it");
                return Err(ConfigError::at(&node.origin, what).with_hint("leave it out"));
            }
        }
        if parameters.get("n").is_some_and(|own| own.as_u64().is_none_or(|own| own == 0)) {
            let what = "n is no number of answers from 1 on";
            return Err(ConfigError::at(&node.origin, what).under("generation_kwargs"));
        }
        Ok((parameters, most))
    }
}

/// How tokens are drawn, as far as it is written: whether repeated answers may differ depends on it.
pub(super) fn sampling(settings: &ServedSettings) -> Option<Sampling> {
    if settings.is_greedy() {
        return None;
    }
    let number = |name: &str| settings.parameters.get(name).and_then(Json::as_f64);
    Some(Sampling {
        temperature: number("temperature").unwrap_or(1.0),
        top_k: None,
        top_p: number("top_p"),
        min_p: number("min_p"),
        seed: settings.parameters.get("seed").and_then(Json::as_u64).unwrap_or(0),
    })
}
