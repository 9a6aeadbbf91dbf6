//! lm-eval's `samples_<task>_<date>.jsonl`, as `--log_samples` writes it.
//!
//! A line is a document under a filter: `doc`, `doc_id`, `target`, `arguments` as `{"gen_args_0": {"arg_0": …}}`, and
//! `resps` and `filtered_resps` whose numbers are written as texts. Several filters give several lines a document; one of
//! them is read. A metric's figure is the mean of its column, which for `perplexity` is taken to the power of e;
//! metrics whose column holds no numbers have a formula of their own and are left out.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::{
    DiffError,
    side::{Answer, Figure, FigureScale, Likelihoods, Request, Side, SideFormat, SideSample},
    side_settings::SideSettings,
};
use crate::python::{python_str, to_json};

/// The filter of tasks that have none.
const NO_FILTER: &str = "none";

/// Metrics that are e to the power of the mean surprisal.
const EXPONENTIAL: &[&str] = &["perplexity"];

/// A metric that asks every candidate a second time, without its context.
const ASKED_TWICE: &str = "acc_mutual_info";

/// Columns that belong to the format, whatever metrics are called.
const TARGET: &str = "target";

/// Reads a file of samples. Of several filters the first is read, or `filter`.
pub fn lm_eval_side(text: &str, name: &str, filter: Option<&str>) -> Result<Side, DiffError> {
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let place = format!("{name}, line {}", index + 1);
        lines.push((parsed(line, &place)?, place));
    }
    let filter_of = |line: &Map<String, Json>| {
        line.get("filter").and_then(Json::as_str).unwrap_or(NO_FILTER).to_owned()
    };
    let mut filters: Vec<String> = Vec::new();
    for (line, _) in &lines {
        let own = filter_of(line);
        if !filters.contains(&own) {
            filters.push(own);
        }
    }
    let Some(first) = filters.first() else {
        return Err(DiffError::format(name, "it has no samples"));
    };
    let wanted = match filter {
        None => first.clone(),
        Some(wanted) if filters.iter().any(|own| own == wanted) => wanted.to_owned(),
        Some(wanted) => {
            let known = filters.join(", ");
            return Err(DiffError::format(
                name,
                format!("no sample has the filter {wanted:?}; its filters: {known}"),
            ));
        }
    };
    let mut notes = Vec::new();
    if filters.len() > 1 && filter.is_none() {
        notes.push(format!(
            "{name} has the filters {}; answers are those of {wanted} (--filter names another)",
            filters.join(", ")
        ));
    }
    let (mut samples, mut values) = (Vec::new(), Values::default());
    let mut is_asked_twice = false;
    for (line, place) in lines.iter().filter(|(line, _)| filter_of(line) == wanted) {
        let metrics = metrics(line);
        let twice = metrics.iter().any(|metric| metric == ASKED_TWICE);
        is_asked_twice |= twice;
        samples.push(sample(line, place, twice)?);
        for metric in metrics {
            values.add(&metric, line.get(&metric));
        }
    }
    if is_asked_twice {
        notes.push(format!("{name}: what {ASKED_TWICE} asks without the context is not compared"));
    }
    Ok(Side {
        name: name.to_owned(),
        format: SideFormat::LmEval,
        settings: SideSettings::default(),
        samples,
        figures: values.figures(&wanted),
        notes,
    })
}

/// A line as JSON. Python writes NaN and Infinity as such, which JSON does not know: they become null.
fn parsed(line: &str, place: &str) -> Result<Map<String, Json>, DiffError> {
    let read = |text: &str| serde_json::from_str::<Map<String, Json>>(text);
    read(line).or_else(|error| {
        read(&without_python_numbers(line)).map_err(|_| {
            DiffError::format(
                place,
                format!("it is no sample of lm-eval: {error}; a line is one JSON object"),
            )
        })
    })
}

/// The text with null for NaN, Infinity and -Infinity outside of strings.
fn without_python_numbers(line: &str) -> String {
    let (mut out, mut rest, mut is_string) = (String::with_capacity(line.len()), line, false);
    while let Some(character) = rest.chars().next() {
        let named = ["NaN", "Infinity", "-Infinity"].into_iter().find(|own| rest.starts_with(own));
        if let (false, Some(own)) = (is_string, named) {
            out += "null";
            rest = rest.get(own.len()..).unwrap_or_default();
            continue;
        }
        let mut taken = character.len_utf8();
        if is_string && character == '\\' {
            taken += rest.chars().nth(1).map_or(0, char::len_utf8);
        } else if character == '"' {
            is_string = !is_string;
        }
        let (piece, after) = rest.split_at(taken);
        out += piece;
        rest = after;
    }
    out
}

fn metrics(line: &Map<String, Json>) -> Vec<String> {
    let names = line.get("metrics").and_then(Json::as_array).into_iter().flatten();
    names.filter_map(Json::as_str).filter(|name| *name != TARGET).map(str::to_owned).collect()
}

fn sample(
    line: &Map<String, Json>,
    place: &str,
    is_asked_twice: bool,
) -> Result<SideSample, DiffError> {
    let wrong = |what: &str| DiffError::format(place, what.to_owned());
    let number = line.get("doc_id").and_then(Json::as_u64);
    let number = number.ok_or_else(|| {
        wrong("it is no sample of lm-eval: it has no number under \"doc_id\" (run lm-eval with --log_samples)")
    })?;
    let arguments = line.get("arguments").and_then(Json::as_object);
    let arguments = arguments.ok_or_else(|| wrong("it has no object \"arguments\""))?;
    let responses = line.get("resps").and_then(Json::as_array);
    let responses = responses.ok_or_else(|| wrong("it has no list \"resps\""))?;
    if arguments.len() != responses.len() {
        return Err(wrong(&format!(
            "it has {} arguments and {} responses",
            arguments.len(),
            responses.len()
        )));
    }
    let mut requests = Vec::with_capacity(responses.len());
    for (index, response) in responses.iter().enumerate() {
        let own = arguments.get(&format!("gen_args_{index}"));
        let own = own.ok_or_else(|| wrong(&format!("\"arguments\" has no gen_args_{index}")))?;
        requests.push(request(index, own, response, place)?);
    }
    if is_asked_twice {
        requests.truncate(requests.len() / 2);
    }
    let columns = line.get("doc").and_then(Json::as_object);
    Ok(SideSample {
        number: number as usize,
        columns: columns
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        gold: line.get(TARGET).map(python_str),
        answer: answer(&requests, line.get("filtered_resps")),
        requests,
        error: None,
        cut_tokens: 0,
    })
}

fn request(
    index: usize,
    arguments: &Json,
    response: &Json,
    place: &str,
) -> Result<Request, DiffError> {
    let label = index.to_string();
    let wrong = |what: String| DiffError::format(place, what);
    let context = arguments.get("arg_0").and_then(Json::as_str);
    let context = context.ok_or_else(|| wrong(format!("gen_args_{index} has no text arg_0")))?;
    let answers = response.as_array().map(Vec::as_slice).unwrap_or_default();
    let first = answers.first();
    let first = first.ok_or_else(|| wrong(format!("request {index} has no response")))?;
    match (arguments.get("arg_1"), first) {
        // How likely a continuation is, and whether it is the likeliest.
        (Some(Json::String(continuation)), Json::Array(pair)) => {
            let nats = pair.first().and_then(number);
            let nats =
                nats.ok_or_else(|| wrong(format!("response {index} has no number: {first}")))?;
            Ok(Request {
                label,
                text: format!("{context}{continuation}"),
                answer_bytes: Some(continuation.len()),
                likelihoods: Likelihoods { answer_nats: Some(nats), ..Likelihoods::default() },
                ..Request::default()
            })
        }
        // How likely a whole document is.
        (None, _) => {
            let nats = number(first);
            let nats =
                nats.ok_or_else(|| wrong(format!("response {index} has no number: {first}")))?;
            Ok(Request {
                label,
                text: context.to_owned(),
                likelihoods: Likelihoods { text_nats: Some(nats), ..Likelihoods::default() },
                ..Request::default()
            })
        }
        _ => {
            let generated = match answers {
                [one] => text(one),
                several => to_json(&several.iter().map(text).map(Json::from).collect(), false),
            };
            let (text, generated) = (context.to_owned(), Some(generated));
            Ok(Request { label, text, generated, ..Request::default() })
        }
    }
}

/// A number that is one, or that is written as a text.
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::String(text) => text.trim().parse().ok(),
        value => value.as_f64(),
    }
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| to_json(value, false), str::to_owned)
}

/// The likeliest of several candidates, or what the filter made of what was generated.
fn answer(requests: &[Request], filtered: Option<&Json>) -> Option<Answer> {
    if requests.iter().any(|own| own.generated.is_some()) {
        let filtered = filtered.and_then(Json::as_array)?;
        return match filtered.as_slice() {
            [] => None,
            [one] => Some(Answer::Text(text(one))),
            several => Some(Answer::Text(to_json(&several.iter().cloned().collect(), false))),
        };
    }
    if requests.len() < 2 {
        return None;
    }
    let mut best: Option<(usize, f64)> = None;
    for (place, own) in requests.iter().enumerate() {
        let nats = own.likelihoods.answer_nats?;
        // NumPy's argmax: the first of equal ones.
        if best.is_none_or(|(_, most)| nats > most) {
            best = Some((place, nats));
        }
    }
    best.map(|(place, _)| Answer::Choice(place))
}

/// The columns of metrics.
#[derive(Default)]
struct Values {
    names: Vec<String>,
    columns: BTreeMap<String, Option<Vec<f64>>>,
}

impl Values {
    /// A metric of a sample; a column in which one is no number has no figure.
    fn add(&mut self, metric: &str, value: Option<&Json>) {
        let value = match value {
            Some(Json::Bool(flag)) => Some(f64::from(u8::from(*flag))),
            Some(value) => value.as_f64(),
            None => None,
        };
        if !self.columns.contains_key(metric) {
            self.names.push(metric.to_owned());
        }
        let column = self.columns.entry(metric.to_owned()).or_insert_with(|| Some(Vec::new()));
        match (column.as_mut(), value) {
            (Some(column), Some(value)) => column.push(value),
            _ => *column = None,
        }
    }

    fn figures(&self, filter: &str) -> Vec<Figure> {
        let figure = |metric: &String| {
            let column = self.columns.get(metric)?.as_ref()?;
            let mean = column.iter().sum::<f64>() / column.len() as f64;
            let is_exponential = EXPONENTIAL.contains(&metric.as_str());
            let value = if is_exponential { (-mean).exp() } else { mean };
            let metric = match filter {
                NO_FILTER => metric.clone(),
                filter => format!("{metric},{filter}"),
            };
            Some(Figure { metric, value, scale: FigureScale::OfOne })
        };
        self.names.iter().filter_map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn candidates_and_texts_are_read() {
        let ranked = json!({"doc_id": 3, "doc": {"q": "x"}, "target": "1", "filter": "none", "metrics": ["acc"], "acc": 1.0,
            "arguments": {"gen_args_0": {"arg_0": "Q:", "arg_1": " a"}, "gen_args_1": {"arg_0": "Q:", "arg_1": " bc"}},
            "resps": [[["-2.5", "False"]], [["-0.5", "True"]]], "filtered_resps": [["-2.5", "False"], ["-0.5", "True"]]});
        let side = lm_eval_side(&format!("{ranked}\n"), "f", None).unwrap();
        let sample = &side.samples[0];
        assert_eq!((sample.number, sample.answer.clone()), (3, Some(Answer::Choice(1))));
        assert_eq!(sample.requests[1].text, "Q: bc");
        assert_eq!(sample.requests[1].answer(), Some(" bc"));
        assert_eq!(sample.requests[0].likelihoods.answer_nats, Some(-2.5));
        assert_eq!(
            side.figures,
            [Figure { metric: "acc".to_owned(), value: 1.0, scale: FigureScale::OfOne }]
        );
    }

    #[test]
    fn one_filter_is_read_and_told() {
        let line = |filter: &str, answer: &str| {
            json!({"doc_id": 0, "doc": {}, "target": "7", "filter": filter, "metrics": ["exact_match"], "exact_match": 0,
                "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": []}}}, "resps": [["so 7"]],
                "filtered_resps": [answer]})
            .to_string()
        };
        let text = format!("{}\n{}\n", line("strict", "[invalid]"), line("flexible", "7"));
        let side = lm_eval_side(&text, "f", None).unwrap();
        assert_eq!(side.samples.len(), 1);
        assert_eq!(side.samples[0].answer, Some(Answer::Text("[invalid]".to_owned())));
        assert!(side.notes[0].contains("strict, flexible"), "{:?}", side.notes);
        let side = lm_eval_side(&text, "f", Some("flexible")).unwrap();
        assert_eq!(side.samples[0].answer, Some(Answer::Text("7".to_owned())));
        assert_eq!(side.figures[0].metric, "exact_match,flexible");
        assert_eq!(side.samples[0].generated(), Some(vec!["so 7"]));
        let error = lm_eval_side(&text, "f", Some("other")).unwrap_err().to_string();
        assert!(error.contains("strict, flexible"), "{error}");
    }

    #[test]
    fn what_is_no_sample_is_refused_by_its_line() {
        for (text, expected) in [
            ("", "f: it has no samples"),
            ("{\"doc_id\": 0}", "f, line 1: it has no object"),
            ("\n[1]", "f, line 2: it is no sample"),
            ("{\"doc_id\": 0, \"arguments\": {}, \"resps\": [[]]}", "0 arguments and 1 responses"),
        ] {
            let error = lm_eval_side(text, "f", None).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn numbers_that_json_does_not_know_are_no_error() {
        let line = r#"{"doc_id": 0, "doc": {"t": "NaN \" Infinity"}, "arguments": {"gen_args_0": {"arg_0": "a"}}, "resps": [["-inf"]], "m": NaN}"#;
        let side = lm_eval_side(line, "f", None).unwrap();
        let sample = &side.samples[0];
        assert_eq!(sample.columns["t"], "NaN \" Infinity");
        assert_eq!(sample.requests[0].likelihoods.text_nats, Some(f64::NEG_INFINITY));
    }
}
