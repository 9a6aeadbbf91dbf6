//! A server's answer about a given text, and whether it is one.
//!
//! Most servers that are asked for the log-probabilities of a given text answer something else: of the text that they
//! generate, of fewer tokens, of none. A score out of that is near chance and looks like any other. So every answer is
//! held against what was asked: it repeats the text, its tokens spell it, each has one log-probability, and all of them
//! are finite and not above 0.

use serde_json::{Map, Value as Json};

use super::{Scoring, spelling};
use crate::answer::{ServedScore, ServedTokens};

/// Log-probabilities above 0 by no more than this are 0: what is rounded on the way may come out above.
const ROUNDING_NATS: f64 = 1e-4;

/// What vLLM writes in the place of -inf.
const LEAST_NATS: f64 = -9000.0;

/// Tokens as a server tells them.
struct Told {
    texts: Vec<String>,
    log_probabilities: Vec<Option<f64>>,
    /// Of the likeliest token at each place, where it is told.
    greatest: Vec<Option<f64>>,
    /// Where each begins, in characters.
    offsets: Option<Vec<usize>>,
}

/// Reads an answer about `text`.
///
/// # Errors
/// It is no answer about it; why.
pub(super) fn read(answer: &Json, text: &str, scoring: Scoring) -> Result<ServedScore, String> {
    let mut told = match scoring {
        Scoring::Echo { new_tokens } => echoed(answer, text, new_tokens)?,
        Scoring::PromptLogprobs | Scoring::ChatPromptLogprobs => prompt_logprobs(answer)?,
        Scoring::Details => details(answer)?,
    };
    checked_count(answer, told.texts.len())?;
    let starts = match scoring {
        // The server writes the text, so nobody here can hold its tokens against it.
        Scoring::ChatPromptLogprobs => Vec::new(),
        _ if told.texts.iter().all(String::is_empty) => Vec::new(),
        Scoring::PromptLogprobs if told.log_probabilities.first() == Some(&None) => {
            let starts = spelling::starts_behind_first(&told.texts, text)?;
            let first = starts.get(1).and_then(|end| text.get(..*end)).unwrap_or_default();
            if let Some(own) = told.texts.first_mut() {
                first.clone_into(own);
            }
            starts
        }
        _ => spelling::starts(&told.texts, text, told.offsets.as_deref())?,
    };
    let (nlls, likeliest) = surprisals(&told)?;
    Ok(ServedScore { tokens: ServedTokens { texts: told.texts, starts }, nlls, likeliest })
}

/// The only choice of an answer.
fn choice(answer: &Json) -> Result<&Json, String> {
    match answer.get("choices").and_then(Json::as_array).map(Vec::as_slice) {
        Some([only]) => Ok(only),
        Some(several) => Err(format!("it has {} choices instead of one", several.len())),
        None => Err("it has no choices".to_owned()),
    }
}

/// `echo` with `logprobs`.
fn echoed(answer: &Json, text: &str, new_tokens: usize) -> Result<Told, String> {
    let choice = choice(answer)?;
    let said = choice.get("text").and_then(Json::as_str).unwrap_or_default();
    let Some(generated) = said.strip_prefix(text) else {
        return Err("echo is ignored: it does not repeat the text that was sent".to_owned());
    };
    if new_tokens == 0 && !generated.is_empty() {
        return Err("max_tokens=0 is ignored: it goes on behind the text".to_owned());
    }
    let Some(logprobs) = choice.get("logprobs").filter(|own| !own.is_null()) else {
        return Err("logprobs is ignored: it has no log-probabilities".to_owned());
    };
    let list = |name: &str| logprobs.get(name).and_then(Json::as_array);
    let (Some(tokens), Some(values)) = (list("tokens"), list("token_logprobs")) else {
        return Err("its logprobs have no tokens and token_logprobs".to_owned());
    };
    if tokens.len() != values.len() {
        let (tokens, values) = (tokens.len(), values.len());
        return Err(format!("it has {tokens} tokens and {values} log-probabilities"));
    }
    let count = tokens.len();
    let texts: Option<Vec<String>> =
        tokens.iter().map(|own| own.as_str().map(str::to_owned)).collect();
    let mut told = Told {
        texts: texts.ok_or("a token of it is no text")?,
        log_probabilities: values.iter().enumerate().map(number).collect::<Result<_, _>>()?,
        greatest: of_top(list("top_logprobs"), count),
        offsets: list("text_offset").and_then(|own| {
            let offset = |own: &Json| own.as_u64().and_then(|own| usize::try_from(own).ok());
            own.iter().map(offset).collect()
        }),
    };
    // What is generated behind the text is one token more, unless its end came at once.
    let prompt_tokens = answer.pointer("/usage/prompt_tokens").and_then(Json::as_u64);
    let prompt_tokens = prompt_tokens.and_then(|own| usize::try_from(own).ok());
    let more = match prompt_tokens {
        Some(prompt_tokens) => count.saturating_sub(prompt_tokens),
        // Some tokens spell nothing, such as the one that ends a text.
        None if new_tokens > 0 && generated.is_empty() => {
            return Err("it does not tell how many of its tokens are generated ones".to_owned());
        }
        None => usize::from(!generated.is_empty()),
    };
    if more > new_tokens {
        return Err(format!(
            "it has {more} tokens more than the text, and {new_tokens} were asked for"
        ));
    }
    let kept = count - more;
    told.texts.truncate(kept);
    told.log_probabilities.truncate(kept);
    told.greatest.truncate(kept);
    if let Some(offsets) = &mut told.offsets {
        offsets.truncate(kept);
    }
    Ok(told)
}

/// The greatest log-probability at each place.
fn of_top(lists: Option<&Vec<Json>>, count: usize) -> Vec<Option<f64>> {
    let greatest = |own: &Json| {
        let values = own.as_object()?.values().filter_map(Json::as_f64);
        values.fold(None, |most: Option<f64>, own| Some(most.map_or(own, |most| most.max(own))))
    };
    match lists.filter(|lists| lists.len() == count) {
        Some(lists) => lists.iter().map(greatest).collect(),
        None => vec![None; count],
    }
}

/// vLLM's `prompt_logprobs`: for each token of the prompt a dict from ids, the token's own first.
fn prompt_logprobs(answer: &Json) -> Result<Told, String> {
    let of_choice = || choice(answer).ok()?.get("prompt_logprobs");
    let found = answer.get("prompt_logprobs").filter(|own| !own.is_null()).or_else(of_choice);
    let Some(places) = found.and_then(Json::as_array) else {
        return Err("prompt_logprobs is ignored: it has no log-probabilities".to_owned());
    };
    let mut told = Told {
        texts: Vec::with_capacity(places.len()),
        log_probabilities: Vec::with_capacity(places.len()),
        greatest: Vec::with_capacity(places.len()),
        offsets: None,
    };
    for (index, place) in places.iter().enumerate() {
        let own = place.as_object().and_then(|tokens| tokens.values().next());
        let Some(own) = own else {
            if index > 0 || !place.is_null() {
                return Err(format!("token {index} of it has no log-probability"));
            }
            told.texts.push(String::new());
            told.log_probabilities.push(None);
            told.greatest.push(None);
            continue;
        };
        let field = |name: &str| own.get(name);
        let text = field("decoded_token").and_then(Json::as_str).unwrap_or_default();
        let value = number((index, field("logprob").unwrap_or(&Json::Null)))?;
        told.texts.push(text.to_owned());
        told.log_probabilities.push(value);
        // A rank of 1 is that of the likeliest.
        let is_first = field("rank").and_then(Json::as_u64).map(|rank| rank == 1);
        told.greatest.push(is_first.and_then(|is| if is { value } else { Some(f64::INFINITY) }));
    }
    Ok(told)
}

/// text-generation-inference's `decoder_input_details`.
fn details(answer: &Json) -> Result<Told, String> {
    let answer = answer.as_array().and_then(|own| own.first()).unwrap_or(answer);
    let Some(prefill) = answer.pointer("/details/prefill").and_then(Json::as_array) else {
        return Err("decoder_input_details is ignored: it has no details.prefill".to_owned());
    };
    let empty = Map::new();
    let mut told = Told {
        texts: Vec::new(),
        log_probabilities: Vec::new(),
        greatest: vec![None; prefill.len()],
        offsets: None,
    };
    for (index, token) in prefill.iter().enumerate() {
        let token = token.as_object().unwrap_or(&empty);
        let Some(text) = token.get("text").and_then(Json::as_str) else {
            return Err(format!("token {index} of it has no text"));
        };
        told.texts.push(text.to_owned());
        told.log_probabilities.push(number((index, token.get("logprob").unwrap_or(&Json::Null)))?);
    }
    Ok(told)
}

/// A log-probability; only the first token may have none.
fn number((index, value): (usize, &Json)) -> Result<Option<f64>, String> {
    match value.as_f64() {
        Some(own) if own.is_finite() && own <= ROUNDING_NATS && own > LEAST_NATS => Ok(Some(own)),
        Some(own) => Err(format!("token {index} of it has the log-probability {own}")),
        None if index == 0 && value.is_null() => Ok(None),
        None => Err(format!("token {index} of it has no log-probability")),
    }
}

/// Whether there are as many tokens as the server counts.
fn checked_count(answer: &Json, tokens: usize) -> Result<(), String> {
    match answer.pointer("/usage/prompt_tokens").and_then(Json::as_u64) {
        Some(counted) if counted != tokens as u64 => {
            Err(format!("it counts {counted} tokens of the text and tells {tokens}"))
        }
        _ if tokens == 0 => Err("it tells no token of the text".to_owned()),
        _ => Ok(()),
    }
}

fn surprisals(told: &Told) -> Result<(Vec<f32>, Vec<bool>), String> {
    let values: Vec<f64> = told.log_probabilities.iter().flatten().copied().collect();
    // A text of a few tokens may be certain; one of many whose every token is certain was not scored.
    if values.len() > 2 && values.iter().all(|own| own.abs() <= 0.0) {
        return Err("every log-probability of it is 0".to_owned());
    }
    let scored = told.log_probabilities.iter().zip(&told.greatest);
    let likeliest: Option<Vec<bool>> = scored
        .filter_map(|(own, greatest)| own.map(|own| greatest.map(|greatest| own >= greatest)))
        .collect();
    let nlls = values.iter().map(|own| (-own).max(0.0) as f32).collect();
    Ok((nlls, likeliest.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = "The cat sat";

    fn echo() -> Json {
        json!({
            "choices": [{"text": TEXT, "logprobs": {
                "tokens": ["The", " cat", " sat"], "token_logprobs": [null, -1.5, -0.25],
                "top_logprobs": [null, {" dog": -0.5, " cat": -1.5}, {" sat": -0.25}],
                "text_offset": [0, 3, 7],
            }}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 0},
        })
    }

    #[test]
    fn an_answer_is_read() {
        let score = read(&echo(), TEXT, Scoring::Echo { new_tokens: 0 }).unwrap();
        assert_eq!((score.nlls, score.likeliest), (vec![1.5, 0.25], vec![false, true]));
        assert_eq!(score.tokens.starts, [0, 3, 7]);
        let mut longer = echo();
        longer["choices"][0]["text"] = json!("The cat sat on");
        for (field, value) in
            [("tokens", json!(" on")), ("token_logprobs", json!(-9.0)), ("text_offset", json!(11))]
        {
            longer["choices"][0]["logprobs"][field].as_array_mut().unwrap().push(value);
        }
        let score = read(&longer, TEXT, Scoring::Echo { new_tokens: 1 }).unwrap();
        assert_eq!((score.nlls.as_slice(), score.tokens.len()), (&[1.5, 0.25][..], 3));
    }

    #[test]
    fn what_is_no_answer_says_why() {
        let changed = |change: fn(&mut Json)| {
            let mut answer = echo();
            change(&mut answer);
            read(&answer, TEXT, Scoring::Echo { new_tokens: 0 }).unwrap_err()
        };
        for (error, expected) in [
            (changed(|own| own["choices"][0]["text"] = json!(" on the mat")), "echo is ignored"),
            (changed(|own| own["choices"][0]["text"] = json!("The cat sat on")), "max_tokens=0"),
            (changed(|own| own["choices"][0]["logprobs"] = Json::Null), "logprobs is ignored"),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["token_logprobs"] = json!([null, -1.5]);
                }),
                "3 tokens and 2 log-probabilities",
            ),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["token_logprobs"] = json!([null, -1.5, null]);
                }),
                "token 2 of it has no log-probability",
            ),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["token_logprobs"] = json!([null, 1.5, -1]);
                }),
                "log-probability 1.5",
            ),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["token_logprobs"] = json!([null, -1.5, -9999.0]);
                }),
                "-9999",
            ),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["tokens"] = json!(["The", " dog", " sat"]);
                    own["choices"][0]["logprobs"]["text_offset"] = Json::Null;
                }),
                "do not spell",
            ),
            (changed(|own| own["usage"]["prompt_tokens"] = json!(4)), "counts 4 tokens"),
            (
                changed(|own| {
                    own["choices"][0]["logprobs"]["token_logprobs"] = json!([0, 0, 0]);
                }),
                "every log-probability",
            ),
            (changed(|own| own["choices"] = json!([1, 2])), "2 choices"),
        ] {
            assert!(error.contains(expected), "{error} has no {expected}");
        }
    }
}
