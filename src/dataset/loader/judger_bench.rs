//! What judges are asked, asked of a model: which of two answers is the better, in the words of several benchmarks.
//!
//! The prompts are OpenCompass's own and read in the user's package.

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, unknown},
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::{items, malformed},
    judged::made,
    row::{Fields, Flaw, Made, formatted},
};
use crate::{config::ModuleTexts, dataset::DatasetError, python::python_str};

const PROMPTS: &str = "opencompass/datasets/subjective/judgerbench.py";

pub(super) const JUDGER_BENCH: ClassForm = own(&["path", "name", "*"], |arguments| {
    let name = arguments.text("name")?;
    let items = items(&arguments.file("{path}/{name}.json")?)?;
    let module = texts(arguments, PROMPTS)?;
    if !name.contains("judgerbench_A") {
        if !name.contains("judgerbench_B") {
            return unnamed(arguments, name);
        }
        return made(&items, |item| of_benchmark(item, &module)).map(Tables::Single);
    }
    let Some(language) = ["en", "cn"].into_iter().find(|own| name.contains(&format!("_{own}")))
    else {
        return unnamed(arguments, name);
    };
    let part = |part| text(&module, &format!("base_prompt_{part}_{language}"));
    let part = |own| part(own).map_err(|flaw| malformed(PROMPTS, flaw));
    let (before, behind) = (part("prefix")?, part("suffix")?);
    let rows = made(&items, |item| {
        let dialogue = dialogue(item, language)?;
        Ok(json!({
            "judge_prompt": format!("{before}{dialogue}{behind}"),
            "judge": {
                "category": item.at("category")?,
                "turn": item.at("turn")?,
                "winner": item.at("winner")?,
                "model_a": item.at("model_a")?,
                "model_b": item.at("model_b")?,
                "dataset_name": "judgerbench_A",
                "lan": language,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
})
.unnamed()
.with_texts(&[PROMPTS]);

fn unnamed(arguments: &Arguments<'_>, name: &str) -> Result<Tables, DatasetError> {
    let known = ["judgerbench_A_cn", "judgerbench_A_en", "judgerbench_B"];
    arguments.asked(unknown("name", name, &known))
}

/// A constant of the module.
fn text(module: &ModuleTexts, name: &str) -> Made<String> {
    let found = module.value(name).and_then(|value| value.as_str().map(str::to_owned));
    found.ok_or_else(|| Flaw(format!("there is no text {name}; opencompass 0.5.4 has it")))
}

/// Two conversations, turn by turn.
fn dialogue(item: &Value, language: &str) -> Made<String> {
    let [user, first, second] = match language {
        "en" => ["### User: ", "### Assistant A: ", "### Assistant B: "],
        _ => ["### 用户： ", "### 助手A： ", "### 助手B： "],
    };
    let mut dialogue = String::new();
    let turns = item.list("conversation_a")?.iter().zip(item.list("conversation_b")?);
    for (one, other) in turns {
        let said = match one.text("role")? {
            "user" => format!("{user}{}\n", one.text("content")?),
            "assistant" => {
                format!("{first}{}\n{second}{}\n", one.text("content")?, other.text("content")?)
            }
            other => return Flaw::new(format!("the role '{other}' is none of user, assistant")),
        };
        dialogue.push_str(&said);
    }
    Ok(dialogue)
}

/// What the judge of a benchmark is asked, and what a good judge has answered.
fn of_benchmark(item: &Value, module: &ModuleTexts) -> Made<Value> {
    let benchmark = item.text("dataset_name")?;
    let others = item.at("others")?;
    let written = |value: Option<&Value>| value.map_or_else(|| "None".to_owned(), python_str);
    let (question, reference) = (written(item.get("question")), written(others.get("ref")));
    let answer = python_str(item.at("prediction")?);
    let (names, history, query, checklist);
    let mut fields: Vec<(&str, &str)> =
        vec![("question", &question), ("prediction", &answer), ("ref", &reference)];
    match benchmark {
        "alignment_bench_v1_1" => names = ("alignbench_judge_prompt", None),
        "alpaca_eval" => names = ("alpacaeval_judge_prompt", None),
        "arenahard" => names = ("arenahard_judge_prompt", None),
        "fofo_test_prompts" => names = ("fofo_en_judge_prompt", Some("fofo_en_suffix")),
        "fofo_test_prompts_cn" => names = ("fofo_cn_judge_prompt", Some("fofo_cn_suffix")),
        "wildbench" => {
            names = ("wild_judge_prompt", Some("wildbench_suffix"));
            (history, query) = conversation(item.list("conversation")?)?;
            checklist = python_str(others.at("checklist")?);
            fields.extend([
                ("history", history.as_str()),
                ("user_query", query.as_str()),
                ("checklist", checklist.as_str()),
            ]);
        }
        other => return Flaw::new(format!("dataset_name='{other}' is no benchmark with a judge")),
    }
    let mut prompt = formatted(&text(module, names.0)?, &[], &fields)?;
    if let Some(behind) = names.1 {
        prompt.push_str(&text(module, behind)?);
    }
    Ok(json!({
        "judge_prompt": prompt,
        "judge": {
            "others": others,
            "meta_judge": item.at("gpt4o_pred")?,
            "dataset_name": benchmark,
        },
    }))
}

/// What was said before, and what is asked last.
fn conversation(turns: &[Value]) -> Made<(String, String)> {
    let Some((last, before)) = turns.split_last() else {
        return Flaw::new("`conversation` is empty");
    };
    let mut history = String::new();
    for turn in before {
        let who = match turn.text("role")? {
            "user" | "HUMAN" => "USER",
            "assistant" => "ASSISTANT",
            other => return Flaw::new(format!("the role '{other}' is none of user, assistant")),
        };
        let said = format!("{who}: {}\n\n", turn.text("content")?);
        history.push_str(&said);
    }
    Ok((history, last.text("content")?.to_owned()))
}
