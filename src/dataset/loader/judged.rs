//! Tasks whose answers a judge reads: open questions, conversations, pairs of answers.

use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    class::{ClassForm, Tables, own},
    file::{Encoding, Item, items, json_lines, text},
    repositories::{each_row, only_split},
    row::{Fields, Flaw, Made, Row, object, row},
};
use crate::{
    dataset::DatasetError,
    python::{is_truthy, python_str},
};

const NAMED: &[&str] = &["path", "name", "*"];

/// The rows that are made of items.
pub(super) fn made(
    items: &[Item],
    make: impl Fn(&Value) -> Made<Value>,
) -> Result<Vec<Row>, DatasetError> {
    items.iter().map(|item| item.make(|value| object(&make(value)?).cloned())).collect()
}

/// An open question.
pub(super) fn question(problem: &Value) -> Made<Value> {
    Ok(json!({
        "question": problem.at("question")?,
        "capability": problem.at("capability")?,
        "others": problem.at("others")?,
        "judge": {"capability": problem.at("capability")?, "question": problem.at("question")?},
    }))
}

fn questions(arguments: &Arguments<'_>) -> Result<Vec<Row>, DatasetError> {
    made(&items(&arguments.file("{path}/{name}.json")?)?, question)
}

pub(super) const QUESTIONS: ClassForm =
    own(NAMED, |arguments| questions(arguments).map(Tables::Single)).unnamed();

/// What a reference is where there is none.
const NO_REFERENCE: &str = "满足用户需求，言之有理即可";

pub(super) const COMPASS_ARENA: ClassForm = own(NAMED, |arguments| {
    let mut rows = questions(arguments)?;
    for row in &mut rows {
        let reference = row.at("others.reference").ok().filter(|found| !found.is_null()).cloned();
        row.insert("ref".to_owned(), reference.unwrap_or_else(|| NO_REFERENCE.into()));
    }
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const ARENA_HARD: ClassForm = own(NAMED, |arguments| {
    let lines = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let rows = made(&lines, |problem| {
        let (asked, kind) = (problem.at("turns.0.content")?, problem.at("cluster")?);
        Ok(json!({
            "question": asked,
            "capability": kind,
            "judge": {
                "capability": kind,
                "question": asked,
                "question_id": problem.at("question_id")?,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const FOFO: ClassForm = own(NAMED, |arguments| {
    let language = if arguments.text("name")?.contains("cn") { "cn" } else { "en" };
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |problem| {
        let asked = problem.at("instruction")?;
        Ok(json!({"question": asked, "judge": {
            "lan": language,
            "id": problem.at("id")?,
            "domain": problem.at("domain")?,
            "sub_domain": problem.at("sub_domain")?,
            "format": problem.at("format")?,
            "format_type": problem.at("format_type")?,
            "question": asked,
        }}))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const FOLLOW_BENCH: ClassForm = own(&["path", "name", "cate", "*"], |arguments| {
    arguments.one_of("cate", &["llm"])?;
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |item| {
        Ok(json!({
            "instruction": item.at("instruction")?,
            "judge_prompt": item.at("judge_prompt")?,
            "judge": item,
        }))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const HELLO_BENCH: ClassForm = own(&["path", "category_name", "*"], |arguments| {
    let category = arguments.text("category_name")?;
    let lines = json_lines(&arguments.file("{path}/{category_name}.jsonl")?, Encoding::Strict)?;
    let rows = made(&lines, |line| {
        let mut made = object(line)?.clone();
        let judgement = row([
            ("category", category.into()),
            ("subcategory", line.at("category")?.clone()),
            ("num_checklist", line.at("num_checklist")?.clone()),
        ]);
        made.insert("judgement".to_owned(), judgement.into());
        Ok(made.into())
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const CHECKLIST: ClassForm = own(NAMED, |arguments| {
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |problem| {
        let asked = problem.at("instruction")?;
        let mut lines = String::new();
        if let Some(points) = problem.get("checklist").filter(|points| is_truthy(points)) {
            let points =
                points.as_array().ok_or_else(|| Flaw("`checklist` is no list".to_owned()))?;
            lines.extend(points.iter().map(|point| format!("- {}\n", python_str(point))));
        }
        Ok(json!({"question": asked, "checklist": lines, "judge": {
            "category": problem.get("category"),
            "lan": problem.get("lan"),
            "id": problem.get("id"),
            "question": asked,
        }}))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

pub(super) const FLAMES: ClassForm = own(NAMED, |arguments| {
    let dimensions = text(&arguments.file("{path}/{name}_config.txt")?, Encoding::Strict)?;
    let rows = made(&items(&arguments.file("{path}/{name}.json")?)?, |item| {
        let mut made = object(item)?.clone();
        let asked = format!("{dimensions}{}\n回答: ", python_str(item.at("prompt")?));
        let judge = row([
            ("dimension", item.at("dimension")?.clone()),
            ("subcomponent", item.at("subcomponent")?.clone()),
        ]);
        made.insert("instruction".to_owned(), asked.into());
        made.insert("judge".to_owned(), judge.into());
        Ok(made.into())
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

/// Two answers, of which one is known to be the better.
pub(super) const ANSWER_PAIRS: ClassForm = own(NAMED, |arguments| {
    let rows = made(&items(&arguments.file("{path}/{name}")?)?, |item| {
        let mut answers = [item.at("chosen")?, item.at("rejected")?];
        let mut models = [item.at("chosen_model")?, item.at("rejected_model")?];
        let winner = item.at("winner")?;
        if winner == "B" {
            answers.reverse();
            models.reverse();
        }
        Ok(json!({
            "question": item.at("prompt")?,
            "answerA": answers[0],
            "answerB": answers[1],
            "judge": {
                "prompt": item.at("prompt")?,
                "Answer_A": answers[0],
                "Answer_B": answers[1],
                "subset": item.at("subset")?,
                "winner": winner,
                "model_a": models[0],
                "model_b": models[1],
                "dataset_name": "rewardbench",
                "lan": "en",
            },
        }))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed();

/// The best answer of several beside each other one.
pub(super) const BEST_ANSWERS: ClassForm = own(NAMED, |arguments| {
    let mut rows = Vec::new();
    for item in items(&arguments.file("{path}/{name}")?)? {
        rows.extend(item.make(best_beside_others)?);
    }
    Ok(Tables::Single(rows))
})
.unnamed();

fn best_beside_others(item: &Value) -> Made<Vec<Row>> {
    let subset = item.text("subset")?;
    let (best, others, uid) = match subset {
        "pair" => (item.at("chosen.answer")?, vec![item.at("reject.answer")?], "pair_uid"),
        "bon" => {
            let others = item.list("loser_list")?.iter().map(|loser| loser.at("answer"));
            (item.at("bon_best.answer")?, others.collect::<Made<Vec<_>>>()?, "bon_uid")
        }
        other => return Flaw::new(format!("subset='{other}' is none of pair, bon")),
    };
    let mut asked = String::new();
    for turn in item.list("conversation_input")? {
        let who = if turn.at("role")? == "user" { "User" } else { "Assistant" };
        let said = format!("\n\n ### {who}:{}", turn.text("content")?);
        asked.push_str(&said);
    }
    asked.push_str("\n\n ### Assistant:");
    let pair = |other: &Value| {
        let judge = row([
            ("question", asked.as_str().into()),
            ("Answer_A", best.clone()),
            ("Answer_B", other.clone()),
            ("winner", "A".into()),
            (uid, item.at(uid)?.clone()),
            ("subset", subset.into()),
            ("goal", item.at("goal")?.clone()),
        ]);
        Ok(row([
            ("question", asked.as_str().into()),
            ("answerA", best.clone()),
            ("answerB", other.clone()),
            ("judge", judge.into()),
        ]))
    };
    others.into_iter().map(pair).collect()
}

pub(super) const INVERSE_IF_EVAL: ClassForm = own(
    &["path", "name?", "split?", "language?", "instruction_type?", "max_samples?", "*"],
    |arguments| {
        let name = arguments.is_given("name").then(|| arguments.text("name")).transpose()?;
        let split = arguments.text_or("split", "train")?;
        let found = only_split(arguments, name, split)?;
        let kinds = match arguments.fields.get("instruction_type") {
            None | Some(Value::Null) => None,
            Some(Value::Array(kinds)) => Some(kinds.clone()),
            Some(kind) => Some(vec![kind.clone()]),
        };
        let language = arguments.fields.get("language").filter(|language| !language.is_null());
        let columns = [
            "instruction_types",
            "prompt",
            "response_reference",
            "language",
            "judge_prompt_template",
            "judge_system_prompt",
        ];
        let mut rows = each_row(arguments, &found, |item| {
            let kind = item.get("instruction_types").cloned().unwrap_or_default();
            let is_wanted = language.is_none_or(|language| item.get("language") == Some(language))
                && kinds.as_ref().is_none_or(|kinds| kinds.contains(&kind));
            if !is_wanted {
                return Ok(Vec::new());
            }
            let cell = |name: &&str| {
                let value = item.get(*name).cloned().unwrap_or_else(|| "".into());
                ((*name).to_owned(), value)
            };
            Ok(vec![columns.iter().map(cell).collect()])
        })?;
        if arguments.is_given("max_samples") {
            // At least one row is read before they are counted.
            let most = usize::try_from(arguments.whole("max_samples", 0)?).unwrap_or(0);
            rows.truncate(most.max(1));
        }
        Ok(Tables::Single(rows))
    },
)
.unnamed();
