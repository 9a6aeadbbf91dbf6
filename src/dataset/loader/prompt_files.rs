//! Classes whose prompts stand in files of YAML in OpenCompass's package: rules of `KOR-Bench`, shots of `SuperGPQA`.

use serde_json::Value;

use super::{
    arguments::{Arguments, unknown},
    borrowed::module_file,
    class::{ClassForm, Tables, own},
    file::{Encoding, Item, items, json_lines, malformed, text},
    repositories::{each_row, only_split},
    row::{Fields, Flaw, Made, Row, formatted, object, row},
};
use crate::{
    dataset::{DatasetError, card},
    python::python_str,
};

/// The prompt under a key of a file of the package.
fn prompt(arguments: &Arguments<'_>, file: &str, key: &str) -> Result<String, DatasetError> {
    let text = text(&module_file(arguments, file)?, Encoding::Strict)?;
    let odd = |flaw| malformed(file, flaw);
    let value = card::parse(&text).map_err(|what| odd(Flaw(what)))?;
    value.text(&format!("{key}.0")).map(str::to_owned).map_err(odd)
}

const KOR_BENCH: &str = "opencompass/datasets/korbench/korbench_dataset_config/prompt/";

pub(super) const RULES: ClassForm = own(&["path", "prompt_mode", "category", "*"], |arguments| {
    let mode = arguments.one_of("prompt_mode", &["0_shot", "3_shot"])?;
    let category = arguments.text("category")?;
    let (rules, samples) =
        (found(arguments, category, "rule")?, found(arguments, category, "sample")?);
    let shots =
        if mode == "3_shot" { found(arguments, category, "three-shot")? } else { Vec::new() };
    let key = format!("{category}_prompt_format");
    let template = prompt(arguments, &format!("{KOR_BENCH}{mode}.yaml"), &key)?;
    let mut rows = Vec::new();
    for sample in &samples {
        rows.extend(sample.make(|sample| {
            let number = sample.at("rule_id")?;
            let is_it = |rule: &&Item| rule.value.get("idx") == Some(number);
            // The original passes over a sample without a rule.
            let Some(rule) = rules.iter().find(is_it) else { return Ok(None) };
            let mut values = vec![python_str(rule.value.at("rule_content")?)];
            for shot in &shots {
                if shot.value.at("rule_id")? == number {
                    values.push(python_str(shot.value.at("question")?));
                    values.push(python_str(shot.value.at("answer")?));
                }
            }
            values.push(python_str(sample.at("question")?));
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            Ok(Some(row([
                ("rule_content", rule.value.at("rule_content")?.clone()),
                ("question", sample.at("question")?.clone()),
                ("answer", sample.at("answer")?.clone()),
                ("prompt", formatted(&template, &values, &[])?.into()),
                ("rule_id", number.clone()),
                ("prompt_mode", mode.into()),
                ("category", category.into()),
            ])))
        })?);
    }
    Ok(Tables::Single(rows))
})
.with_texts(&[
    "opencompass/datasets/korbench/korbench_dataset_config/prompt/0_shot.yaml",
    "opencompass/datasets/korbench/korbench_dataset_config/prompt/3_shot.yaml",
]);

/// The items of a file of a category, which ends in `.json` or `.jsonl`.
fn found(arguments: &Arguments<'_>, category: &str, name: &str) -> Result<Vec<Item>, DatasetError> {
    let folder = arguments.path("path")?.join(category);
    let list = folder.join(format!("{name}.json"));
    if list.exists() {
        return items(&list);
    }
    json_lines(&folder.join(format!("{name}.jsonl")), Encoding::Strict)
}

const SUPER_GPQA: &str = "opencompass/datasets/supergpqa/supergpqa_dataset_config/prompt/";

pub(super) const LETTERED: ClassForm =
    own(&["path", "prompt_mode", "discipline?", "field?", "subfield?", "*"], |arguments| {
        let mode = arguments.text("prompt_mode")?;
        if !["zero-shot", "five-shot"].contains(&mode) {
            return arguments.asked(unknown("prompt_mode", mode, &["zero-shot", "five-shot"]));
        }
        let rows = only_split(arguments, None, "train")?;
        let template = prompt(arguments, &format!("{SUPER_GPQA}{mode}.yaml"), "prompt_format")?;
        let wanted = ["discipline", "field", "subfield"]
            .map(|name| (name, arguments.fields.get(name).filter(|value| !value.is_null())));
        let rows = each_row(arguments, &rows, |item| {
            for (name, value) in &wanted {
                if let Some(value) = value
                    && item.at(name)? != *value
                {
                    return Ok(Vec::new());
                }
            }
            asked(item, &template, mode).map(|row| vec![row])
        })?;
        Ok(Tables::Single(rows))
    })
    .unnamed()
    .with_texts(&[
        "opencompass/datasets/supergpqa/supergpqa_dataset_config/prompt/five-shot.yaml",
        "opencompass/datasets/supergpqa/supergpqa_dataset_config/prompt/zero-shot.yaml",
    ]);

/// A question with its options behind `A)`, `B)` and so on.
fn asked(item: &Value, template: &str, mode: &str) -> Made<Row> {
    let options = ('A'..).zip(item.list("options")?);
    let options = options.map(|(letter, option)| format!("{letter}) {}", python_str(option)));
    let options = options.collect::<Vec<_>>().join("\n");
    let question = format!("{}\n{options}", item.text("question")?);
    let mut made = object(item)?.clone();
    made.insert("infer_prompt".to_owned(), formatted(template, &[&question], &[])?.into());
    made.insert("prompt_mode".to_owned(), mode.into());
    Ok(made)
}
