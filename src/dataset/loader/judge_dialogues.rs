//! Dialogues that a judge is asked about with prompts of `OpenCompass`'s modules.

use serde_json::{Value, json};

use super::{
    arguments::Arguments,
    borrowed::texts,
    class::{ClassForm, Tables, own},
    file::{Encoding, items, json_lines, malformed},
    judge_prompts::{constant, inner},
    judged::made,
    row::{Fields, Flaw, Made, Row, formatted, object},
};
use crate::{config::ModuleTexts, dataset::DatasetError, python::python_str};

const MT: &str = "opencompass/datasets/subjective/mtbench.py";

/// The capabilities whose judge sees right answers.
const WITH_REFERENCE: &[&str] = &["math", "reasoning", "coding", "arena-hard-200"];

pub(super) const MT_BENCH: ClassForm =
    own(&["path", "name", "judge_type?", "multi_turn?", "*"], |arguments| {
        let kind = if arguments.is_given("judge_type") {
            arguments.one_of("judge_type", &["single", "pair"])?
        } else {
            "single"
        };
        let is_long = arguments.flag("multi_turn", true);
        let texts = texts(arguments, MT)?;
        let version = if kind == "pair" { "v2" } else { "v1" };
        let turns = if is_long { "_multi_turn" } else { "" };
        let prompt = |name: &str| prompts(&texts, name);
        let plain = prompt(&format!("{kind}_{version}{turns}"))?;
        let with_reference = prompt(&format!("{kind}_math_v1{turns}"))?;
        let mut rows = Vec::new();
        for item in items(&arguments.file("{path}/{name}.json")?)? {
            rows.extend(item.make(|problem| {
                if problem.get("dialogue").is_none() {
                    return Ok(None);
                }
                let has_reference = problem
                    .at("capability")?
                    .as_str()
                    .is_some_and(|name| WITH_REFERENCE.contains(&name));
                let prompts = if has_reference { &with_reference } else { &plain };
                marked_dialogue(problem, prompts, has_reference, is_long).map(Some)
            })?);
        }
        Ok(Tables::Single(rows))
    })
    .unnamed()
    .with_texts(&[MT]);

/// The system prompt and the template of a dict of the module.
fn prompts(texts: &ModuleTexts, name: &str) -> Result<[String; 2], DatasetError> {
    let value = texts.value(name).unwrap_or_default();
    let part = |part: &str| {
        value.text(part).map(str::to_owned).map_err(|Flaw(what)| {
            malformed(MT, Flaw(format!("in {name} {what}; opencompass 0.5.4 has it")))
        })
    };
    Ok([part("system_prompt")?, part("prompt_template")?])
}

fn marked_dialogue(
    problem: &Value,
    [system, template]: &[String; 2],
    has_reference: bool,
    is_long: bool,
) -> Made<Row> {
    let dialogue = problem.list("dialogue")?;
    let text = |path: &str| problem.at(path).map(python_str);
    let mut filled = vec![("question_1", text("dialogue.0.content")?)];
    filled.push(("question", text("dialogue.0.content")?));
    if is_long {
        filled.push(("question_2", text("dialogue.2.content")?));
    }
    if has_reference {
        filled.push(("ref_answer_1", text("others.reference.0")?));
        if is_long {
            filled.push(("ref_answer_2", text("others.reference.1")?));
        }
    }
    for gap in ["prediction_r1", "prediction_r2", "prediction1_r1", "prediction1_r2"] {
        filled.push((gap, format!("{{{gap}}}")));
    }
    let fields: Vec<(&str, &str)> =
        filled.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let prompt = formatted(template, &[], &fields)?;
    let mut others = object(problem.at("others")?)?.clone();
    others.insert("round".to_owned(), json!(dialogue.len() / 2));
    let mut asked = Vec::new();
    for turn in dialogue {
        if turn.at("role")? == "user" {
            asked.push(turn.text("content")?);
        }
    }
    others.insert("question".to_owned(), json!(asked.join(" ")));
    let capability = problem.at("capability")?;
    let made = json!({
        "dialogue": dialogue,
        "capability": capability,
        "system_prompt": system,
        "prompt_template": prompt,
        "others": others,
        "judge": {"capability": capability, "others": others},
    });
    object(&made).cloned()
}

const MT_101: &str = "opencompass/datasets/subjective/mtbench101.py";

/// The tasks whose first turn is given.
const GIVEN_FIRST: &[&str] = &["FR", "CR", "AR", "SA", "SC", "CM"];

/// The tasks whose judge sees the dialogue as it should be.
const WITH_SOLUTION: &[&str] = &["MR", "GR"];

pub(super) const MT_BENCH_101: ClassForm =
    own(&["path", "name", "*"], |arguments| turns_of_dialogues(arguments, true))
        .unnamed()
        .with_texts(&[MT_101]);

/// The same without the reply that is asked for.
pub(super) const MT_BENCH_101_ASKED: ClassForm =
    own(&["path", "name", "*"], |arguments| turns_of_dialogues(arguments, false))
        .unnamed()
        .with_texts(&[MT_101]);

fn turns_of_dialogues(arguments: &Arguments<'_>, with_reply: bool) -> Result<Tables, DatasetError> {
    let texts = texts(arguments, MT_101)?;
    let text = |name| constant(&texts, MT_101, name);
    let (judge, format) = (text("judge")?, text("score_format")?);
    let tasks = texts.value("unique_prompt").unwrap_or_default();
    let template = |place| inner(&texts, MT_101, "prompt_template", place);
    let (with_solution, plain) = (template(0)?, template(1)?);
    let lines = json_lines(&arguments.file("{path}/{name}.jsonl")?, Encoding::Strict)?;
    let mut rows = Vec::new();
    for line in &lines {
        rows.extend(line.make(|dialogue| {
            let task = dialogue.text("task")?;
            let system = format!("{judge}{}{format}", tasks.text(task)?);
            let is_given_first = GIVEN_FIRST.contains(&task);
            let has_solution = WITH_SOLUTION.contains(&task);
            let template = if has_solution { &with_solution } else { &plain };
            let number = dialogue.at("id")?;
            let (mut rows, mut said, mut history) = (Vec::new(), Vec::new(), String::new());
            for (index, turn) in dialogue.list("history")?.iter().enumerate() {
                let (human, reply) = (turn.text("user")?, turn.text("bot")?);
                said.push(json!({"role": "user", "content": human}));
                if !reply.is_empty() {
                    said.push(json!({"role": "assistant", "content": reply}));
                }
                history.extend(["\n\n Human: ", human, "\n\nAssistant: "]);
                if !(is_given_first && index == 0) {
                    let solution = python_str(&Value::Array(said.clone()));
                    let fields = [
                        ("history", &*history),
                        ("prediction", "{prediction}"),
                        ("ref_answer", &*solution),
                    ];
                    let turn = (index + 1).to_string();
                    let mut shown = said.clone();
                    if !with_reply && !reply.is_empty() {
                        shown.pop();
                    }
                    let judge = json!({"task": task, "multi_id": number, "turn_id": turn});
                    rows.push(json!({
                        "dialogue": shown,
                        "task": task,
                        "multi_id": number,
                        "turn_id": turn,
                        "system_prompt": system,
                        "prompt_template": formatted(template, &[], &fields)?,
                        "judge": judge,
                    }));
                }
                history.push_str(reply);
            }
            rows.iter().map(|row| object(row).cloned()).collect::<Made<Vec<Row>>>()
        })?);
    }
    Ok(Tables::Single(rows))
}

const WILD: &str = "opencompass/datasets/subjective/wildbench.py";

pub(super) const WILD_BENCH: ClassForm =
    own(&["path", "K?", "eval_mode?", "*"], |arguments| conversations(arguments, false))
        .unnamed()
        .with_texts(&[WILD]);

/// The same as messages, without a reply to be written.
pub(super) const WILD_BENCH_MESSAGES: ClassForm =
    own(&["path", "K?", "eval_mode?", "*"], |arguments| conversations(arguments, true))
        .unnamed()
        .with_texts(&[WILD]);

fn conversations(arguments: &Arguments<'_>, as_messages: bool) -> Result<Tables, DatasetError> {
    let mode = if arguments.is_given("eval_mode") {
        arguments.one_of("eval_mode", &["single", "pair"])?
    } else {
        "pair"
    };
    let texts = texts(arguments, WILD)?;
    let name = if mode == "single" { "score_prompt" } else { "pair_prompt" };
    let template = constant(&texts, WILD, name)?;
    let lines = json_lines(&arguments.path("path")?, Encoding::Strict)?;
    let rows = made(&lines, |item| {
        let turns = item.list("turn")?;
        let Some((last, before)) = turns.split_last() else {
            return Flaw::new("its conversation has no turn");
        };
        let mut history = String::new();
        for turn in before {
            match turn.text("role")? {
                "user" => history.extend(["USER: ", turn.text("content")?, "\n\n"]),
                "assistant" => history.extend(["ASSISTANT: ", turn.text("content")?, "\n\n"]),
                _ => {}
            }
        }
        let mut dialogue = Vec::with_capacity(turns.len() + 1);
        for turn in turns {
            let role = match turn.text("role")? {
                role if as_messages => role,
                "user" => "HUMAN",
                "assistant" => "assistant",
                other => {
                    return Flaw::new(format!("the role `{other}` is none of user, assistant"));
                }
            };
            dialogue.push(json!({"role": role, "content": turn.at("content")?}));
        }
        if !as_messages {
            dialogue.push(json!({"role": "assistant", "content": ""}));
        }
        let mut checklist = String::new();
        for point in item.list("checklist")? {
            checklist.extend(["- ", &python_str(point), "\n"]);
        }
        let prompt = template
            .replace("{history}", &history)
            .replace("{user_query}", last.text("content")?)
            .replace("{checklist}", &checklist);
        Ok(json!({
            "dialogue": dialogue,
            "history": history,
            "prompt": prompt,
            "judge": {
                "other": null,
                "primary_tag": item.at("primary_tag")?,
                "secondary_tag": item.at("secondary_tag")?,
                "question_id": item.at("session_id")?,
            },
        }))
    })?;
    Ok(Tables::Single(rows))
}
