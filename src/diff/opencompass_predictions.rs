//! OpenCompass's `predictions/<model>/<data set>.json`: one object per sample, keyed by its number.
//!
//! Candidates stand under `label: …` with `PPL`, the mean surprisal of a token, or with `Loglikelihood`. A run of this
//! program writes sums and counts of tokens beside them, which are read where they are there. Rows of a data set
//! are not in these files, so samples are known by their prompts.

use serde_json::{Map, Value as Json};

use super::{
    DiffError,
    message_text::message_text,
    side::{Answer, Figure, FigureScale, Likelihoods, Request, Side, SideFormat, SideSample},
    side_settings::SideSettings,
};
use crate::python::python_str;

/// How the key of a candidate begins.
const LABEL: &str = "label: ";

/// Reads a file of predictions, or its parts in order, and the figures of the results file where there is one.
pub fn opencompass_side(
    parts: &[String],
    results: Option<&str>,
    name: &str,
) -> Result<Side, DiffError> {
    let mut samples = Vec::new();
    for part in parts {
        let entries: Map<String, Json> = serde_json::from_str(part).map_err(|error| {
            let what = format!(
                "it is no predictions file of OpenCompass, one object keyed by the numbers of samples: {error}"
            );
            DiffError::format(name, what)
        })?;
        let before = samples.len();
        for (key, entry) in &entries {
            let place = format!("{name}, entry {key:?}");
            let number = key.parse::<usize>();
            let number = number.map_err(|_| {
                DiffError::format(&place, "its key is not the number of a sample".to_owned())
            })?;
            // Parts of a data set count their samples from zero each.
            samples.push(entry_sample(number + before, entry, &place)?);
        }
    }
    if samples.is_empty() {
        return Err(DiffError::format(name, "it has no samples"));
    }
    samples.sort_by_key(|sample| sample.number);
    Ok(Side {
        name: name.to_owned(),
        format: SideFormat::OpenCompass,
        settings: SideSettings::default(),
        samples,
        figures: results.map(figures).unwrap_or_default(),
        notes: Vec::new(),
    })
}

/// What an entry says of a sample.
pub(super) fn entry_sample(
    number: usize,
    entry: &Json,
    place: &str,
) -> Result<SideSample, DiffError> {
    let wrong = |what: &str| DiffError::format(place, what.to_owned());
    let fields = entry.as_object().ok_or_else(|| wrong("it is no object"))?;
    let mut sample = SideSample {
        number,
        gold: fields.get("gold").filter(|gold| !gold.is_null()).map(python_str),
        ..SideSample::default()
    };
    let labelled: Vec<(&str, &Json)> =
        fields.iter().filter_map(|(key, value)| Some((key.strip_prefix(LABEL)?, value))).collect();
    if !labelled.is_empty() {
        sample.requests = labelled.iter().map(|(label, own)| candidate(label, own)).collect();
        let prediction = fields.get("prediction").filter(|own| !own.is_null()).map(python_str);
        sample.answer = prediction.map(|prediction| {
            let place = labelled.iter().position(|(label, _)| *label == prediction);
            place.map_or(Answer::Text(prediction), Answer::Choice)
        });
    } else if let Some(choices) = fields.get("choices").and_then(Json::as_array) {
        sample.requests = shares(fields, choices);
        let place = fields.get("pred_label").and_then(Json::as_u64);
        sample.answer = place.map(|place| Answer::Choice(place as usize));
    } else if let Some(error) = fields.get("error") {
        sample.error = Some(python_str(error));
    } else if let Some(prediction) = fields.get("prediction") {
        sample.requests = generations(fields.get("origin_prompt"), prediction);
    } else if let Some(prompt) = fields.get("origin_prompt") {
        sample.requests = vec![scored(fields, prompt)];
    } else {
        return Err(wrong(
            "it has no prompt, and samples are told apart by their prompts; an entry has \"origin_prompt\" or candidates under \
             \"label: …\"",
        ));
    }
    Ok(sample)
}

fn candidate(label: &str, own: &Json) -> Request {
    let number = |key: &str| own.get(key).and_then(Json::as_f64);
    let text = own.get("prompt").or_else(|| own.get("testing input"));
    Request {
        label: label.to_owned(),
        text: text.map(message_text).unwrap_or_default(),
        likelihoods: Likelihoods {
            answer_nats: number("Loglikelihood"),
            text_nats: number("sum_nll_nats").map(|sum| -sum),
            per_token_nats: number("PPL").map(|mean| -mean),
            tokens: own.get("tokens").and_then(Json::as_u64).map(|count| count as usize),
            answer_tokens: None,
        },
        ..Request::default()
    }
}

/// The choices of one prompt, of which the shares of probability are known.
fn shares(fields: &Map<String, Json>, choices: &[Json]) -> Vec<Request> {
    let text = fields.get("prompt").map(message_text).unwrap_or_default();
    let shares = fields.get("prediction").and_then(Json::as_array);
    let request = |(place, choice): (usize, &Json)| {
        let share = shares.and_then(|shares| shares.get(place)).and_then(Json::as_f64);
        Request {
            label: python_str(choice),
            text: text.clone(),
            likelihoods: Likelihoods { answer_nats: share.map(f64::ln), ..Likelihoods::default() },
            ..Request::default()
        }
    };
    choices.iter().enumerate().map(request).collect()
}

/// A text that was continued, or the turns of a dialogue.
fn generations(prompt: Option<&Json>, prediction: &Json) -> Vec<Request> {
    let request = |label: usize, prompt: Option<&Json>, prediction: &Json| Request {
        label: label.to_string(),
        text: prompt.map(message_text).unwrap_or_default(),
        generated: Some(message_text(prediction)),
        ..Request::default()
    };
    let is_message = |own: &Json| own.get("role").is_some();
    if let (Some(Json::Array(prompts)), Json::Array(predictions)) = (prompt, prediction)
        && prompts.len() == predictions.len()
        && !prompts.iter().any(is_message)
    {
        let turns = prompts.iter().zip(predictions).enumerate();
        return turns.map(|(turn, (prompt, own))| request(turn, Some(prompt), own)).collect();
    }
    vec![request(0, prompt, prediction)]
}

/// A text on its own.
fn scored(fields: &Map<String, Json>, prompt: &Json) -> Request {
    let number = |key: &str| fields.get(key).and_then(Json::as_f64);
    // With a count of tokens beside it, it is a sum.
    let (sum, mean) = match fields.get("token_len") {
        Some(_) => (number("ppl"), None),
        None => (None, number("ppl")),
    };
    Request {
        label: "0".to_owned(),
        text: message_text(prompt),
        likelihoods: Likelihoods {
            answer_nats: number("log_likelihood"),
            text_nats: sum.map(|sum| -sum),
            per_token_nats: mean.map(|mean| -mean),
            ..Likelihoods::default()
        },
        ..Request::default()
    }
}

/// The numbers of a results file; nothing if it is none.
fn figures(text: &str) -> Vec<Figure> {
    let fields: Map<String, Json> = serde_json::from_str(text).unwrap_or_default();
    let figure = |(metric, value): (String, Json)| {
        Some(Figure { metric, value: value.as_f64()?, scale: FigureScale::AsWritten })
    };
    fields.into_iter().filter_map(figure).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(file: &Json) -> Side {
        opencompass_side(&[file.to_string()], None, "f").unwrap()
    }

    #[test]
    fn candidates_texts_and_turns_are_read() {
        let side = read(
            &json!({"1": {"origin_prompt": "q", "prediction": "a", "gold": "g"}, "0": {
            "in-context examples": "", "origin_prompt": "q A",
            "label: A": {"testing input": "q A", "prompt": "q A", "PPL": 2.5},
            "label: B": {"testing input": "q B", "prompt": "q B", "PPL": 1.5, "sum_nll_nats": 6.0, "tokens": 4},
            "prediction": "B", "gold": "A"}}),
        );
        let [ranked, generated] = side.samples.as_slice() else { panic!("{side:?}") };
        assert_eq!(ranked.answer, Some(Answer::Choice(1)));
        assert_eq!(ranked.requests[0].likelihoods.per_token_nats, Some(-2.5));
        assert_eq!(ranked.requests[1].likelihoods.text_nats, Some(-6.0));
        assert_eq!((generated.number, generated.generated()), (1, Some(vec!["a"])));
        let side = read(&json!({"0": {"origin_prompt": ["q", "r"], "prediction": ["a", "b"]}}));
        assert_eq!(side.samples[0].generated(), Some(vec!["a", "b"]));
        let side = read(
            &json!({"0": {"origin_prompt": [{"role": "HUMAN", "prompt": "q"}], "prediction": ["a"]}}),
        );
        assert_eq!(side.samples[0].requests[0].text, "HUMAN: q");
    }

    #[test]
    fn parts_go_on_where_the_last_ended() {
        let part =
            |prompt: &str| json!({"0": {"origin_prompt": prompt, "prediction": ""}}).to_string();
        let side =
            opencompass_side(&[part("a"), part("b")], Some("{\"accuracy\": 50.0}"), "f").unwrap();
        assert_eq!(side.samples.iter().map(|own| own.number).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(side.figures[0].value.to_bits(), 50.0_f64.to_bits());
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused() {
        for (file, expected) in [
            (json!({"0": {"loss": 1.0, "total_chr_num": 3}}), "entry \"0\": it has no prompt"),
            (json!({"a": {}}), "not the number of a sample"),
            (json!({}), "it has no samples"),
            (json!([]), "it is no predictions file"),
        ] {
            let error = opencompass_side(&[file.to_string()], None, "f").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
