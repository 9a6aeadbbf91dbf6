//! Agents, puzzles and repositories that are taken as they are: conversations, steps of a solution, sandboxes.

use serde_json::Value;

use super::{
    class::{ClassForm, Tables, own},
    drawn::drawn,
    file::{Encoding, document, json_lines},
    repositories::{after, each_row, only_split},
    row::{Fields, Flaw, Made, Row, object, row, strip},
    step::{Step, Step::Own},
};
use crate::python::{python_str, to_json};

/// Steps of a solution, each between marks of its number.
pub(super) const PROCESS_BENCH: ClassForm = own(&["path", "subset", "*"], |arguments| {
    let rows = only_split(arguments, None, arguments.text("subset")?)?;
    let rows = each_row(arguments, &rows, |value| {
        let steps = value.texts("steps")?;
        let steps = steps.iter().enumerate().map(|(number, step)| {
            format!("<paragraph_{number}>\n{step}\n</paragraph_{number}>\n\n")
        });
        let response = steps.collect::<String>();
        Ok(vec![row([
            ("problem", value.at("problem")?.clone()),
            ("tagged_response", strip(&response).into()),
            ("label", value.at("label")?.clone()),
        ])])
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const ZEBRA_LOGIC: ClassForm = own(&["path", "config?"], |arguments| {
    let config = arguments.text_or("config", "mc_mode")?;
    let rows = only_split(arguments, Some(config), "test")?;
    let steps: &[Step] = if config == "mc_mode" { &[Own(labelled)] } else { &[] };
    let rows = after(arguments, &rows, steps)?;
    Ok(Tables::Splits(vec![("train".into(), rows.clone()), ("test".into(), rows)]))
})
.unnamed();

/// Choices in a line with their letters, and the letter of the answer if it is one of them.
fn labelled(row: &mut Row) -> Made<()> {
    let choices = row.list("choices")?;
    if choices.len() > 10 {
        return Flaw::new(format!("{} choices, at most 10 have a letter", choices.len()));
    }
    let lettered = ('A'..).zip(choices);
    let shown =
        lettered.clone().map(|(letter, choice)| format!("({letter}) {}", python_str(choice)));
    let shown = shown.collect::<Vec<_>>().join(" ");
    let answer = row.at("answer")?;
    let gold = lettered.into_iter().find(|(_, choice)| *choice == answer);
    let gold = gold.map_or_else(|| answer.clone(), |(letter, _)| letter.to_string().into());
    row.insert("formatted_choices".to_owned(), shown.into());
    row.insert("answer_label".to_owned(), gold);
    Ok(())
}

pub(super) const TASK_ROWS: ClassForm = own(&["path", "name", "mini_set?"], |arguments| {
    let name = arguments.text("name")?;
    let mut splits = Vec::new();
    for (split, found) in arguments.repository(None, &["validation", "test"])? {
        let mut rows = after(arguments, &found, &[])?;
        rows.retain(|row| row.get("task").is_some_and(|task| task == name));
        if split == "test" && arguments.flag("mini_set", false) {
            rows = drawn(arguments, &rows, 1024, rows.len().min(500))?;
        }
        splits.push((split.into(), rows));
    }
    Ok(Tables::Splits(splits))
})
.unnamed();

pub(super) const SANDBOX: ClassForm = own(&["path", "sandbox", "local_mode?"], |arguments| {
    let file = arguments.path("path")?.join(format!("{}.jsonl", arguments.text("sandbox")?));
    let lines = json_lines(&file, Encoding::Strict)?;
    let make = |line: &Value| {
        let mut made = object(line)?.clone();
        let gold = to_json(made.at("ground_truth")?, true);
        made.insert("ground_truth".to_owned(), gold.into());
        Ok(made)
    };
    lines.iter().map(|line| line.make(make)).collect::<Result<_, _>>().map(Tables::Single)
});

/// Rows of experiments, a conversation each, given as a list or as JSON of one.
pub(super) const PI_LLM: ClassForm =
    own(&["path", "subset?", "experiment_filter?", "max_samples?", "*"], |arguments| {
        let subset = arguments.text_or("subset", "core")?;
        let found = only_split(arguments, Some(subset), "test")?;
        let mut rows = after(arguments, &found, &[])?;
        let experiment = |row: &Row| {
            row.get("experiment").and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        match arguments.text_or("experiment_filter", "")? {
            "exp_updates" => rows.retain(|row| {
                let name = experiment(row);
                name.contains("exp_updates") && !name.contains("randomoff")
            }),
            "exp_sequential" => {
                rows.retain(|row| experiment(row).contains("extra_exp_updates_randomoff"));
            }
            kind @ ("exp_keys" | "exp_valuelength") => {
                rows.retain(|row| experiment(row).contains(kind));
            }
            _ => {}
        }
        if let Ok(most @ 1..) = usize::try_from(arguments.whole("max_samples", 0)?) {
            rows.truncate(most);
        }
        for row in &mut rows {
            let Some(text) = row.get("prompt").and_then(Value::as_str) else { continue };
            let said = serde_json::json!([{"role": "user", "content": text}]);
            let prompt = serde_json::from_str(text).unwrap_or(said);
            row.insert("prompt".to_owned(), prompt);
        }
        Ok(Tables::Single(rows))
    })
    .unnamed();

pub(super) const WHOLE_TEST: ClassForm = own(&["path"], |arguments| {
    let rows = only_split(arguments, None, "test")?;
    after(arguments, &rows, &[]).map(Tables::Single)
})
.unnamed();

/// Conversations of an agent, each with the reply that is right at its end.
pub(super) const CALLS: ClassForm = own(&["path", "name"], |arguments| {
    let document = document(&arguments.file("{path}/{name}.json")?)?;
    let rows = document.make(|value| {
        let make = |item: &Value| {
            let asked = match item.at("origin_prompt")? {
                Value::String(text) => serde_json::from_str(text)
                    .map_err(|error| Flaw(format!("`origin_prompt` is not JSON: {error}")))?,
                other => other.clone(),
            };
            let Value::Array(mut prompt) = asked else {
                return Flaw::new("`origin_prompt` is no list of messages");
            };
            let gold = item.get("ground_truth").map_or_else(|| "None".to_owned(), python_str);
            prompt.push(serde_json::json!({"role": "assistant", "content": gold}));
            Ok(row([("prompt", prompt.into()), ("ground_truth", to_json(item, true).into())]))
        };
        object(value)?.values().map(make).collect::<Made<Vec<Row>>>()
    })?;
    Ok(Tables::Splits(vec![("test".into(), rows.clone()), ("train".into(), rows)]))
})
.unnamed();

/// Rows of a repository under the name of a config, with examples.
pub(super) const DEV_TEST: ClassForm = own(&["path", "name"], |arguments| {
    let found = arguments.repository(Some(arguments.text("name")?), &["dev", "test"])?;
    let mut splits = Vec::new();
    for split in ["dev", "test"] {
        let rows = found.iter().find(|(own, _)| own == split).map(|(_, rows)| rows);
        let rows =
            arguments.asked(rows.ok_or_else(|| Flaw(format!("there is no split `{split}`"))))?;
        splits.push((split.into(), after(arguments, rows, &[])?));
    }
    Ok(Tables::Splits(splits))
})
.unnamed();
