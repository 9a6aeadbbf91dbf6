//! `ELBench`: general questions, multiple choice, safety and education, each a folder of its own below one root.

use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::{Item, json_lines_with_gaps},
    judged::made,
    row::Fields,
};
use crate::{
    dataset::DatasetError,
    python::{is_truthy, python_str, to_json},
};

const FIELDS: &[&str] = &["path", "name", "*"];

/// Where the files of `ELBench` lie.
const EL_BENCH: &str = "opencompass/ELBench";

fn el_bench(arguments: &Arguments<'_>) -> Result<Vec<Item>, DatasetError> {
    let root = arguments.place(EL_BENCH)?;
    let file = format!("{}.jsonl", arguments.text("name")?);
    json_lines_with_gaps(&root.join(arguments.text("path")?).join(file))
}

pub(super) const EL_BENCH_GENERAL: ClassForm = own(FIELDS, |arguments| {
    let rows = made(&el_bench(arguments)?, |problem| {
        let said = problem.get("input").filter(|said| is_truthy(said));
        let asked = match said {
            // Python writes an empty list.
            None => "[]".into(),
            Some(Value::Array(said)) => said
                .first()
                .and_then(|first| first.get("content"))
                .cloned()
                .unwrap_or_else(|| "".into()),
            Some(other) => python_str(other).into(),
        };
        let target = problem.get("target").map_or_else(String::new, python_str);
        Ok(json!({"question": asked, "target": target}))
    })?;
    Ok(Tables::Single(rows))
});

pub(super) const EL_BENCH_LETTERS: ClassForm = own(FIELDS, |arguments| {
    let rows = made(&el_bench(arguments)?, |problem| {
        let answer = problem.get("answer").map_or_else(String::new, python_str).to_uppercase();
        let gold: String = ('A'..='J').filter(|letter| answer.contains(*letter)).collect();
        Ok(json!({"question": problem.at("question")?, "answer": gold}))
    })?;
    Ok(Tables::Single(rows))
});

pub(super) const EL_BENCH_SAFETY: ClassForm = own(FIELDS, |arguments| {
    let task = arguments.text("name")?;
    let rows = made(&el_bench(arguments)?, |problem| {
        let asked = problem.at("question")?;
        let label = problem.get("label").filter(|label| is_truthy(label));
        let none = Value::from("");
        let label = label.or_else(|| problem.get("category")).unwrap_or(&none);
        Ok(json!({"question": asked, "judge": {
            "task": task,
            "label": label,
            "subcategory": problem.get("subcategory").unwrap_or(&none),
            "question": asked,
        }}))
    })?;
    Ok(Tables::Single(rows))
});

pub(super) const EL_BENCH_EDUCATION: ClassForm = own(FIELDS, |arguments| {
    let rows = made(&el_bench(arguments)?, |problem| {
        let none = Value::from("");
        let asked = problem.get("question").filter(|asked| is_truthy(asked));
        let asked = asked.or_else(|| problem.get("Question")).unwrap_or(&none);
        let known = ["Score", "Scoring Details", "Personalized Feedback"];
        let reference =
            known.iter().filter_map(|name| Some(((*name).to_owned(), problem.get(*name)?.clone())));
        let reference = Value::Object(reference.collect());
        Ok(json!({"question": asked, "judge": {
            "task": "highlevel_edu",
            "subject": problem.get("Subject").unwrap_or(&none),
            "reference": to_json(&reference, false),
            "question": asked,
        }}))
    })?;
    Ok(Tables::Single(rows))
});
