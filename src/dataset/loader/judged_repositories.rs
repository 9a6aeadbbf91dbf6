//! Tasks whose answers a judge reads, and that come from the hub.

use serde_json::{Map, Value, json};

use super::{
    arguments::unknown,
    class::{ClassForm, Tables, own},
    file::malformed,
    repositories::{each_row, only_split},
    row::{Fields, Flaw, Made, Row, object, row, strip},
    sciences::twice,
};
use crate::{
    dataset::{DatasetError, Rows, Sample},
    python::{is_truthy, python_str},
};

/// Where `ATLAS` is, whatever its entry says.
const ATLAS_REPOSITORY: &str = "opencompass/ATLAS";

pub(super) const ATLAS: ClassForm = own(&["split?"], |arguments| {
    let split = arguments.text_or("split", "val")?;
    let found = arguments.repository_at(ATLAS_REPOSITORY, &[split])?;
    let rows = found.into_iter().find(|(own, _)| own == split).map(|(_, rows)| rows);
    let rows = rows.unwrap_or_default();
    let rows = each_row(arguments, &rows, |item| {
        let answer = item.get("refined_standard_answer").map(python_str).unwrap_or_default();
        Ok(vec![row([
            ("problem", python_str(item.at("question")?).into()),
            ("answer", answer.into()),
        ])])
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const CL_BENCH: ClassForm = own(&["path", "split?", "*"], |arguments| {
    let split = arguments.text_or("split", "train")?;
    let found = only_split(arguments, None, split)?;
    let enriched = |mut sample: Sample| {
        let metadata = sample.get("metadata").cloned().unwrap_or_default();
        let rubrics = numbered(sample.get("rubrics"));
        sample.set("rubrics_text", rubrics.into());
        for name in ["task_id", "context_category"] {
            let own = sample.get(name).filter(|value| is_truthy(value));
            let value = own.or_else(|| metadata.get(name)).cloned().unwrap_or_default();
            sample.set(name, value);
        }
        sample
    };
    // Records keep the order of their fields, which a table made anew would sort.
    Ok(Tables::Finished(Rows::Single(found.into_iter().map(enriched).collect())))
})
.unnamed();

/// What is to be checked, a numbered line each.
fn numbered(rubrics: Option<&Value>) -> String {
    const NONE: &str = "No specific rubrics provided.";
    let mut lines = Vec::new();
    for (number, rubric) in (1..).zip(rubrics.and_then(Value::as_array).into_iter().flatten()) {
        let text = match rubric {
            Value::Object(fields) => {
                fields.get("rubric_criteria").map(python_str).unwrap_or_default()
            }
            other => python_str(other),
        };
        let text = strip(&text);
        if !text.is_empty() {
            lines.push(format!("{number}. {text}"));
        }
    }
    if lines.is_empty() { NONE.to_owned() } else { lines.join("\n") }
}

pub(super) const ADVANCED_IF: ClassForm = own(&["path", "name?", "*"], |arguments| {
    let name = arguments.is_given("name").then(|| arguments.text("name")).transpose()?;
    let found = only_split(arguments, None, "train")?;
    let rows = each_row(arguments, &found, |item| {
        let benchmark = item.get("benchmark_name").cloned().unwrap_or_else(|| "".into());
        if name.is_some_and(|name| benchmark != name) {
            return Ok(Vec::new());
        }
        conversation(item, benchmark).map(|row| vec![row])
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

/// The text under a key of a record; empty where there is none.
fn said<'v>(record: &'v Value, name: &str) -> &'v str {
    record.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn conversation(item: &Value, benchmark: Value) -> Made<Row> {
    let unreadable = |error| Flaw(format!("`conversation_history` is not JSON: {error}"));
    let turns: Vec<Value> =
        serde_json::from_str(item.text("conversation_history")?).map_err(unreadable)?;
    let last = turns.iter().rposition(|turn| said(turn, "role") == "user");
    let (mut lines, mut number) = (Vec::new(), 1);
    for (place, turn) in turns.iter().enumerate() {
        if Some(place) == last {
            continue;
        }
        let role = said(turn, "role");
        let content = turn.get("content").map(python_str).unwrap_or_default();
        lines.push(format!("{role} [{number}]: {content}"));
        number += usize::from(role == "assistant");
    }
    let of = |turn: Option<&Value>| turn.and_then(|turn| turn.get("content")).cloned();
    let system = turns.first().filter(|turn| said(turn, "role") == "system");
    let rubrics = match item.get("prompt_metadata") {
        Some(Value::String(text)) => serde_json::from_str::<Value>(text)
            .ok()
            .and_then(|metadata| metadata.get("rubrics").cloned()),
        Some(Value::Object(metadata)) => metadata.get("rubrics").cloned(),
        _ => None,
    };
    let empty = || Value::from("");
    Ok(row([
        ("conversation_history", json!(turns)),
        ("full_conversation_text", lines.join("\n").into()),
        ("last_user_question", of(last.and_then(|last| turns.get(last))).unwrap_or_else(empty)),
        ("system_prompt", of(system).unwrap_or_else(empty)),
        ("rubrics_text", rubrics.unwrap_or_else(empty)),
        ("benchmark_name", benchmark),
    ]))
}

/// The files of the parts of `HealthBench`.
const HEALTH_BENCH_FILES: &[(&str, &str)] = &[
    ("", "2025-05-07-06-14-12_oss_eval.jsonl"),
    ("hard", "hard_2025-05-08-21-00-10.jsonl"),
    ("consensus", "consensus_2025-05-09-20-00-46.jsonl"),
];

pub(super) const HEALTH_BENCH: ClassForm = own(&["path", "subset", "*"], |arguments| {
    let subset = arguments.text("subset")?;
    let file = HEALTH_BENCH_FILES.iter().find(|(own, _)| *own == subset);
    let Some((_, file)) = file else {
        return arguments.asked(unknown("subset", subset, &["''", "hard", "consensus"]));
    };
    let found = arguments.files_of_repository("test", file)?;
    let with_answer = |(index, mut sample): (usize, Sample)| {
        let messages = sample.get("prompt").and_then(Value::as_array).cloned();
        let mut messages = messages.ok_or_else(|| {
            let place = format!("data set {}, row {}", arguments.abbr, index + 1);
            malformed(&place, Flaw("`prompt` is no list of messages".to_owned()))
        })?;
        messages.push(json!({"content": "", "role": "assistant"}));
        // A column that is made anew has sorted records, those of the file keep their order.
        messages.iter_mut().filter_map(Value::as_object_mut).for_each(Map::sort_keys);
        sample.set("prompt_trans", messages.into());
        Ok(sample)
    };
    let rows =
        found.into_iter().enumerate().map(with_answer).collect::<Result<_, DatasetError>>()?;
    // Records keep the order of their fields, which a table made anew would sort.
    Ok(Tables::Finished(Rows::Single(rows)))
})
.unnamed();

pub(super) const HLE_VERIFIED: ClassForm =
    own(&["path", "verified_classes?", "category?"], |arguments| {
        let found = only_split(arguments, None, "train")?;
        let wanted = ["verified_classes", "category"].map(|field| {
            let value = arguments.fields.get(field).filter(|value| is_truthy(value));
            (if field == "category" { "category" } else { "Verified_Classes" }, value)
        });
        let rows = each_row(arguments, &found, |item| {
            let unreadable = |error| Flaw(format!("`json` is not JSON: {error}"));
            let whole: Value = serde_json::from_str(item.text("json")?).map_err(unreadable)?;
            let mut is_kept = whole.at("image")? == "";
            for (column, value) in &wanted {
                if let Some(value) = value {
                    is_kept &= item.at(column)? == *value;
                }
            }
            if !is_kept {
                return Ok(Vec::new());
            }
            let mut made = Row::new();
            for (name, value) in object(item)? {
                let name = if name == "question" { "problem" } else { name };
                made.insert(name.to_owned(), value.clone());
            }
            Ok(vec![made])
        })?;
        Ok(twice(rows))
    })
    .unnamed();
