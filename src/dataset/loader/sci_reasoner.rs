//! Tasks of scientific reasoning, a file for each kind: properties of materials, terms for proteins, likeness of
//! structures, pairs of molecules.

use fancy_regex::Regex;
use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    drawn::drawn_in_order,
    file::{Item, document, json_lines_with_gaps, listed},
    row::{Fields, Flaw, Made, Row, int, object, row, strip},
};
use crate::{
    dataset::DatasetError,
    python::{is_truthy, parse_float, python_str},
};

/// Files of properties of materials, by source.
const MATERIALS: &[(&str, &str)] =
    &[("jarvis_dft", "jarvis_dft_test.json"), ("oqmd", "oqmd_test.json")];

/// Files of the other tasks.
const TASKS: &[(&str, &str)] = &[
    ("dude_count", "dude_count.jsonl"),
    ("go_bp", "go_test_bp.json"),
    ("tmscore", "tmscore_test.json"),
];

/// What a task can be.
const KINDS: &[&str] = &["material", "dude_count", "go_bp", "tmscore"];

/// A number as it is written.
const NUMBER: &str = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?";

const FIELDS: &[&str] = &[
    "path",
    "name",
    "task_type",
    "source?",
    "property_name?",
    "mini_set?",
    "sample_size?",
    "seed?",
    "*",
];

pub(super) const SCI_REASONER: ClassForm = own(FIELDS, |arguments| {
    let (name, task) = (arguments.text("name")?, arguments.one_of("task_type", KINDS)?);
    let (field, known) = if task == "material" { ("source", MATERIALS) } else { ("name", TASKS) };
    let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
    let asked = arguments.one_of(field, &names)?;
    let file = known.iter().find(|(name, _)| *name == asked).map_or("", |(_, file)| file);
    let mut rows: Vec<Row> = Vec::new();
    for (index, item) in entries(arguments, file)?.iter().enumerate() {
        let number = if task == "material" { rows.len() } else { index };
        rows.extend(item.make(|entry| question(arguments, entry, name, task, number))?);
    }
    let is_part = arguments.is_given("sample_size") || arguments.flag("mini_set", false);
    if is_part {
        let most = usize::try_from(arguments.whole("sample_size", 150)?).unwrap_or(0);
        let seed = arguments.whole("seed", 1024)?.unsigned_abs();
        rows = drawn_in_order(arguments, &rows, seed, most.min(rows.len()))?;
    }
    Ok(Tables::Single(rows))
});

/// The objects of a file: on lines, in a list, or one alone.
fn entries(arguments: &Arguments<'_>, file: &str) -> Result<Vec<Item>, DatasetError> {
    let path = arguments.path("path")?.join(file);
    if file.strip_suffix(".jsonl").is_some() {
        return json_lines_with_gaps(&path);
    }
    let document = document(&path)?;
    if document.value.is_object() { Ok(vec![document]) } else { listed(document) }
}

/// A row of a task; nothing for a material without the property.
fn question(
    arguments: &Arguments<'_>,
    entry: &Value,
    name: &str,
    task: &str,
    number: usize,
) -> Made<Option<Row>> {
    let optional = |path: &str| entry.at(path).ok().cloned().unwrap_or_default();
    let output = || entry.get("output").cloned().unwrap_or_else(|| "".into());
    let (id, answer) = match task {
        "material" => {
            let property = arguments.fields.text("property_name")?;
            let Some(gold) = property_value(&output(), property)? else { return Ok(None) };
            let source = arguments.fields.at("source")?;
            let answer =
                json!({"value": gold, "property": property, "source": source, "task_type": task});
            (format!("{name}-{number}"), answer)
        }
        "go_bp" => {
            let own = optional("name");
            let id = if is_truthy(&own) { python_str(&own) } else { format!("{name}-{number}") };
            let chain = optional("chain");
            (id, json!({"value": output(), "task_type": task, "name": own, "chain": chain}))
        }
        "tmscore" => {
            let meta = entry.get("meta").cloned().unwrap_or_else(|| json!({}));
            let side = |key| meta.get(key).map_or_else(|| number.to_string(), python_str);
            let value = float(entry.at("output")?)?;
            let id = format!("{}-{}", side("sid1"), side("sid2"));
            (id, json!({"value": value, "task_type": task, "meta": object(&meta)?}))
        }
        _ => {
            let metadata = entry.get("metadata").cloned().unwrap_or_else(|| json!({}));
            let target = metadata.get("target").cloned();
            let id = target.as_ref().map_or_else(|| "target".to_owned(), python_str);
            let value = int(entry.at("label")?)?;
            let answer = json!({
                "value": value,
                "task_type": task,
                "target": target,
                "metadata": object(&metadata)?,
            });
            (format!("{id}-{number}"), answer)
        }
    };
    Ok(Some(row([
        ("id", id.into()),
        ("prompt", entry.at("input")?.clone()),
        ("answer", answer),
        ("subset", name.into()),
    ])))
}

/// Python's `float(value)`.
fn float(value: &Value) -> Made<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::String(text) => parse_float(text),
        _ => None,
    };
    number.ok_or_else(|| Flaw(format!("{} is no number", python_str(value))))
}

/// The value of a property in an answer: of JSON, of what looks like it, or the first number.
fn property_value(output: &Value, property: &str) -> Made<Option<f64>> {
    let Some(text) = output.as_str() else { return Ok(None) };
    let text = without(text, "(?is)<think>.*?</think>")?;
    let text = without(strip(&text), r"(?im)^```(?:json)?\s*|\s*```$")?;
    let text = strip(&text);
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    let own = parsed.as_ref().and_then(Value::as_object).and_then(|own| own.get(property));
    if let Some(number) = own.and_then(|own| float(own).ok()) {
        return Ok(Some(number));
    }
    let name = fancy_regex::escape(property);
    let quote = "[\"']?";
    let record = format!(r"(?is)\{{[^{{}}]*{quote}{name}{quote}\s*:\s*{quote}({NUMBER})");
    if let Some(found) = captured(text, &record)? {
        return Ok(parse_float(&found));
    }
    let number = captured(text, &format!("({NUMBER})"))?;
    Ok(number.and_then(|number| parse_float(&number)).filter(|number| number.is_finite()))
}

fn pattern(pattern: &str) -> Made<Regex> {
    Regex::new(pattern).map_err(|error| Flaw(error.to_string()))
}

fn without(text: &str, what: &str) -> Made<String> {
    Ok(pattern(what)?.replace_all(text, "").into_owned())
}

/// What the group of a pattern holds where it is found first.
fn captured(text: &str, what: &str) -> Made<Option<String>> {
    let found = pattern(what)?.captures(text).map_err(|error| Flaw(error.to_string()))?;
    Ok(found.and_then(|found| found.get(1)).map(|group| group.as_str().to_owned()))
}
