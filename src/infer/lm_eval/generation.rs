//! How a task has text generated: its `generation_kwargs`, as lm-eval's `hf` model takes them.

use serde_json::{Map, Value as Json};

use super::pair::{beginning, encode_text};
use crate::{
    answer::Question,
    engine::{GenerateRequest, Sampling},
    infer::{
        Continued, Drawing, Outcome, PreparedPrompt, Task, continuation::own_draws, fit::Fitted,
    },
    python::python_str,
};

/// Tokens that are generated where the task does not say how many.
const DEFAULT_TOKENS: usize = 256;

/// The names that most tokens go by; the first of them counts.
const MOST_TOKENS: [&str; 4] =
    ["max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens"];

/// All other names.
const KNOWN: [&str; 7] =
    ["until", "temperature", "do_sample", "top_k", "top_p", "min_p", "num_beams"];

/// How text is generated.
pub(super) struct Settings {
    /// Most tokens.
    pub(super) max_new_tokens: usize,
    /// What is to be said about it.
    pub(super) notes: Vec<String>,
    until: Vec<String>,
    sampling: Option<Sampling>,
}

impl Settings {
    /// Understands `generation_kwargs`; what cannot be done is an error in words.
    pub(super) fn new(written: &Map<String, Json>) -> Result<Self, String> {
        let wrong = |key: &str, expected: &str| {
            let found = written.get(key).map(python_str).unwrap_or_default();
            format!("generation_kwargs: {key} is {found}, but {expected} is expected")
        };
        let given = |key: &str| written.get(key).filter(|value| !value.is_null());
        let number = |key: &'static str| match given(key) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| wrong(key, "a number")),
        };
        let count = |key: &'static str| match given(key) {
            None => Ok(None),
            Some(value) => {
                let whole = value.as_u64().and_then(|count| usize::try_from(count).ok());
                whole.map(Some).ok_or_else(|| wrong(key, "a whole number"))
            }
        };
        let mut max_new_tokens = None;
        let mut notes = Vec::new();
        for key in MOST_TOKENS {
            let tokens = count(key)?;
            if max_new_tokens.is_some() && tokens.is_some() {
                notes.push(format!(
                    "generation_kwargs say most tokens twice; {key} is not read, as in lm-eval"
                ));
            }
            max_new_tokens = max_new_tokens.or(tokens);
        }
        let until = match given("until") {
            None => Vec::new(),
            Some(Json::String(one)) => vec![one.clone()],
            Some(Json::Array(items)) => {
                let text = |item: &Json| item.as_str().map(str::to_owned);
                let texts: Option<Vec<String>> = items.iter().map(text).collect();
                texts.ok_or_else(|| wrong("until", "a list of texts"))?
            }
            Some(_) => return Err(wrong("until", "a text or a list of texts")),
        };
        let temperature = number("temperature")?;
        let do_sample = match given("do_sample") {
            None => temperature.is_some_and(|own| own > 0.0),
            Some(Json::Bool(flag)) => *flag,
            // A word is true in Python whatever it says.
            Some(_) => return Err(wrong("do_sample", "true or false")),
        };
        let drawing = Drawing {
            do_sample,
            temperature: temperature.filter(|_| do_sample),
            top_k: count("top_k")?,
            top_p: number("top_p")?,
            min_p: number("min_p")?,
            seed: None,
        };
        if do_sample && drawing.temperature.is_some_and(|own| own <= 0.0) {
            return Err("generation_kwargs: do_sample is true and temperature 0, which draws nothing; lm-eval fails there, too"
                .to_owned());
        }
        let sampling = drawing.sampling().map_err(|what| format!("generation_kwargs: {what}"))?;
        if let Some(beams) = count("num_beams")?.filter(|beams| *beams != 1) {
            return Err(format!(
                "generation_kwargs: num_beams is {beams}, and beams are not searched"
            ));
        }
        let unknown =
            written.keys().find(|key| ![&KNOWN[..], &MOST_TOKENS].concat().contains(&key.as_str()));
        if let Some(unknown) = unknown {
            return Err(format!("generation_kwargs: {unknown} is not known"));
        }
        let max_new_tokens = max_new_tokens.unwrap_or(DEFAULT_TOKENS);
        Ok(Self { max_new_tokens, notes, until, sampling })
    }

    /// Whether the likeliest tokens are taken.
    pub(super) fn is_greedy(&self) -> bool {
        self.sampling.is_none_or(|own| own.is_greedy())
    }

    /// A prompt, cut from the left to leave room for what follows it. What a model thinks is part of its answer.
    pub(super) fn prompt(&self, task: &Task<'_>, context: &str) -> Result<PreparedPrompt, String> {
        let mut ids = encode_text(task.tokenizer, context)?;
        if ids.is_empty() {
            ids.push(beginning(task.tokenizer)?);
        }
        let truncated_tokens = ids.len().saturating_sub(task.room_tokens(self.max_new_tokens));
        ids.drain(..truncated_tokens);
        let fitted = Fitted { text: context.to_owned(), ids, truncated_tokens };
        let stop = self.until.iter().cloned().chain(task.tokenizer.eos_text());
        Ok(PreparedPrompt {
            max_new_tokens: self.max_new_tokens,
            stop: stop.filter(|text| !text.is_empty()).collect(),
            sampling: self.sampling,
            ..PreparedPrompt::of(fitted)
        })
    }
}

/// What the engine is asked about a prompt that is continued.
pub(super) fn question(prompt: &PreparedPrompt) -> Question {
    Question::Generate(GenerateRequest {
        ids: prompt.ids.clone(),
        max_new_tokens: prompt.max_new_tokens,
        min_new_tokens: 0,
        stop: prompt.stop.clone(),
        shown: prompt.shown.to_vec(),
        sampling: prompt.sampling.map(|sampling| own_draws(sampling, &prompt.ids, prompt.draw)),
    })
}

/// What is kept of the prompts of a document.
pub(super) fn outcome(prompts: &[PreparedPrompt], repeats: usize) -> Outcome {
    let prompt = prompts.first().map(|own| own.origin_prompt.to_string()).unwrap_or_default();
    if repeats > 1 {
        return Outcome::Sampled {
            prompt,
            messages: None,
            thinking: None,
            answers: prompts.len(),
            continuations: Vec::new(),
        };
    }
    let continuation = Continued::default();
    Outcome::Generated { prompt, messages: None, thinking: None, continuation }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(written: &Json) -> Result<Settings, String> {
        Settings::new(written.as_object().unwrap())
    }

    #[test]
    fn what_lm_eval_reads_is_read_and_nothing_is_passed_over() {
        let own = settings(&json!({"until": "\n", "max_gen_toks": 7, "max_tokens": 9})).unwrap();
        assert_eq!((own.max_new_tokens, own.until.len(), own.notes.len()), (7, 1, 1));
        assert!(own.sampling.is_none());
        let own = settings(&json!({"until": ["a"], "temperature": 0.7, "top_p": 0.9})).unwrap();
        assert!((own.sampling.unwrap().temperature - 0.7).abs() < 1e-12);
        assert!(
            settings(&json!({"do_sample": false, "temperature": 0.7})).unwrap().sampling.is_none()
        );
        for (written, expected) in [
            (json!({"num_beams": 4}), "beams are not searched"),
            (json!({"length_penalty": 1}), "length_penalty is not known"),
            (json!({"do_sample": "yes"}), "do_sample is yes"),
            (json!({"do_sample": true, "temperature": 0.0}), "draws nothing"),
            (json!({"until": [1]}), "a list of texts"),
            (json!({"max_gen_toks": -1}), "a whole number"),
        ] {
            let error = settings(&written).err().unwrap();
            assert!(error.contains(expected), "{written}: {error}");
        }
    }
}
