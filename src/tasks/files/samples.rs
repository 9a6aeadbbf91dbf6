//! `samples_….jsonl`: each document behind each filter on a line, with what was asked, what was answered, and what that
//! is worth.

use indexmap::IndexMap;

use crate::tasks::{
    Answered, Arguments, ScoredTask, json::to_json, scored::ScoredSample, value::TaskValue,
};

/// The file of a task; `answered` is what it was scored from.
pub fn samples_file(answered: &Answered<'_>, task: &ScoredTask) -> String {
    let mut places: IndexMap<usize, Vec<usize>> = IndexMap::new();
    for (place, request) in answered.requests.iter().enumerate() {
        places.entry(request.document).or_default().push(place);
    }
    let mut file = String::new();
    for sample in &task.samples {
        let places = places.get(&sample.document).map(Vec::as_slice).unwrap_or_default();
        file.push_str(&to_json(&line(answered, sample, places), None));
        file.push('\n');
    }
    file
}

fn line(answered: &Answered<'_>, sample: &ScoredSample, places: &[usize]) -> TaskValue {
    let document = sample.changed.as_ref().or(answered.rows.documents.get(sample.document));
    let requests = places.iter().filter_map(|place| answered.requests.get(*place));
    let asked = requests
        .enumerate()
        .map(|(number, request)| (format!("gen_args_{number}"), arguments(&request.arguments)));
    let responses = places.iter().filter_map(|place| answered.responses.get(*place));
    let responses = responses
        .map(|responses| TaskValue::List(responses.iter().map(TaskValue::from).collect()))
        .map(|responses| as_texts(&responses));
    let metrics = sample.measured.keys().cloned().map(TaskValue::Text).collect();
    let hash = |hash: &str| TaskValue::from(hash);
    let mut line: IndexMap<String, TaskValue> = [
        ("doc_id", TaskValue::Whole(sample.document as i128)),
        ("doc", document.map_or(TaskValue::None, TaskValue::from)),
        ("target", TaskValue::Text(sample.target.python_str())),
        ("arguments", TaskValue::Mapping(asked.collect())),
        ("resps", TaskValue::List(responses.collect())),
        ("filtered_resps", TaskValue::List(sample.filtered.iter().map(as_texts).collect())),
        ("filter", TaskValue::Text(sample.filter.clone())),
        ("metrics", TaskValue::List(metrics)),
        ("doc_hash", hash(&sample.document_hash)),
        ("prompt_hash", hash(&sample.prompt_hash)),
        ("target_hash", hash(&sample.target_hash)),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    line.extend(sample.measured.clone());
    TaskValue::Mapping(line)
}

fn arguments(arguments: &Arguments) -> TaskValue {
    let all = match arguments {
        Arguments::Continuation { context, continuation } => {
            vec![TaskValue::from(&**context), TaskValue::from(&**continuation)]
        }
        Arguments::Document(text) => vec![TaskValue::from(&**text)],
        Arguments::Generation { context, settings } => {
            vec![TaskValue::from(&**context), TaskValue::from(settings)]
        }
    };
    let numbered = all.into_iter().enumerate();
    TaskValue::Mapping(numbered.map(|(number, one)| (format!("arg_{number}"), one)).collect())
}

/// Every value within lists as its text, as the original has it for the sake of readers that want one type.
fn as_texts(value: &TaskValue) -> TaskValue {
    match value {
        TaskValue::List(items) | TaskValue::Tuple(items) => {
            TaskValue::List(items.iter().map(as_texts).collect())
        }
        other => TaskValue::Text(other.python_str()),
    }
}
