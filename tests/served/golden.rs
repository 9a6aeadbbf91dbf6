//! The vectors of the original tools as requests on the wire: each row is a config that the built binary runs against a
//! server on this machine, and what the server is sent is what the original sends.
//!
//! The folder comes from `SURPRISAL_GOLDEN`.

use std::{collections::BTreeSet, fs, sync::Arc};

use serde_json::{Value as Json, json};
use surprisal::{
    answer::{Answer, Answered, served::ServerNeeds},
    config::{Component, Node, repr},
    infer::{Candidate, Choice, Outcome, ScoredForm},
    score,
};

use super::{
    answers, connected, score as asked,
    server::{Behaviour, FakeServer, Fault, Plan, VLLM},
};
use crate::{
    cli::scratch::{Scratch, stderr},
    encoded_prompt::tally,
};

/// What a row comes to.
struct Ran {
    code: Option<i32>,
    talk: String,
    /// The bodies of its own questions.
    bodies: Vec<Json>,
    predictions: Option<Json>,
}

/// A row as a config.
struct Row<'r> {
    input: &'r Json,
    model: Json,
    inferencer: Json,
    plan: Plan,
}

impl Row<'_> {
    fn run(self) -> Ran {
        let server = FakeServer::with_faults(VLLM, self.plan);
        let scratch = Scratch::new();
        let input = self.input;
        let lines = |rows: &Json| {
            let rows = rows.as_array().into_iter().flatten();
            rows.map(|row| format!("{row}\n")).collect::<Vec<_>>().concat()
        };
        scratch.write("data/test.jsonl", &lines(&input["test"]));
        let train = if input["train"].is_null() { &input["test"] } else { &input["train"] };
        scratch.write("data/train.jsonl", &lines(train));
        let mut infer = input["infer_cfg"].clone();
        infer["inferencer"] = self.inferencer;
        let mut reader = input["reader_cfg"].clone();
        reader["test_split"] = "test".into();
        reader["train_split"] = "train".into();
        if let Some(place) = input["idx"].as_u64() {
            reader["test_range"] = format!("[{place}:{}]", place + 1).into();
        }
        let dataset =
            json!({"abbr": "d", "path": "data", "reader_cfg": reader, "infer_cfg": infer});
        let mut model = self.model;
        for (field, value) in [
            ("abbr", json!("m")),
            ("path", json!("m")),
            ("openai_api_base", json!(server.address)),
            ("temperature", json!(0)),
            ("max_workers", json!(1)),
            ("meta_template", input["model"]["meta_template"].clone()),
        ] {
            if model[field].is_null() {
                model[field] = value;
            }
        }
        let text = |value: &Json| repr(&Node::from_json(value));
        scratch.write(
            "config.py",
            &format!("datasets = [{}]\nmodels = [{}]\n", text(&dataset), text(&model)),
        );
        let output = scratch.run(&["run", "config.py", "-w", "out"]);
        let is_probe = |body: &Json| {
            let text = body.to_string();
            text.contains("Count from one to ten.") || text.contains("one two three four five")
        };
        let bodies = server.bodies().into_iter().filter(|body| !is_probe(body)).collect();
        let file = || {
            let place = scratch.only_run("out").join("predictions/m/d.json");
            serde_json::from_str(&fs::read_to_string(place).ok()?).ok()
        };
        let predictions = (output.status.code() == Some(0)).then(file).flatten();
        Ran { code: output.status.code(), talk: stderr(&output), bodies, predictions }
    }
}

/// What a server is sent for an input of the vectors.
fn messages(input: &Json) -> Json {
    let name = |own: &Json| match own.as_str() {
        Some("HUMAN") => json!("user"),
        Some("BOT") => json!("assistant"),
        Some("SYSTEM") => json!("system"),
        _ => own.clone(),
    };
    let turns = input.get("promptlist").unwrap_or(input);
    match (turns.as_array(), input["str"].as_str(), input["list"].as_array()) {
        (_, Some(text), _) => json!([{"role": "user", "content": text}]),
        (_, _, Some(parts)) => {
            let parts: Vec<&Json> = parts.iter().map(|part| &part["dict"]).collect();
            json!([{"role": "user", "content": parts}])
        }
        (Some(turns), ..) => turns
            .iter()
            .map(|turn| json!({"role": name(&turn["role"]), "content": turn["prompt"]}))
            .collect(),
        _ => input.as_str().map_or(Json::Null, |text| json!([{"role": "user", "content": text}])),
    }
}

fn expected_of(row: &Json) -> &Json {
    row.get("expected_repaired").unwrap_or(&row["expected"])
}

/// Bodies by what is asked: a question that two samples have is asked once.
fn same(sent: &[Json], wanted: &[Json], field: &str) -> Result<(), String> {
    let sent: BTreeSet<String> =
        sent.iter().map(|own| json!([own[field], own["max_tokens"]]).to_string()).collect();
    let wanted: BTreeSet<String> = wanted.iter().map(Json::to_string).collect();
    if sent == wanted {
        return Ok(());
    }
    Err(format!("\n  expected {wanted:?}\n       got {sent:?}"))
}

fn none() -> Plan {
    Arc::new(|_: &Json, _: usize| None)
}

#[test]
fn api_rows_of_inferencers_on_the_wire() {
    let ran = std::cell::Cell::new(0);
    let tally = tally("inferencers.json", |row| {
        if row["input"]["model"]["kind"] != "api" {
            return Ok(());
        }
        ran.set(ran.get() + 1);
        inferencer(row)
    })
    .unwrap();
    println!("inferencers.json: {} rows on the wire, {} failed", ran.get(), tally.failures.len());
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
    assert!(ran.get() > 0);
}

fn inferencer(row: &Json) -> Result<(), String> {
    let input = &row["input"];
    let mut inferencer = input["infer_cfg"]["inferencer"].clone();
    let limit = inferencer["max_seq_len"].take();
    inferencer.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    let model = json!({"type": "OpenAI", "max_seq_len": limit});
    let ran = Row { input, model, inferencer, plan: none() }.run();
    let expected = expected_of(row);
    if expected.get("error").is_some() {
        return if ran.code == Some(2) { Ok(()) } else { Err(format!("it ran: {}", ran.talk)) };
    }
    if ran.code != Some(0) {
        return Err(ran.talk);
    }
    let calls = expected["generate_calls"].as_array().unwrap();
    let wanted: Vec<Json> = calls
        .iter()
        .flat_map(|call| {
            let most = call["max_out_len"].clone();
            let inputs = call["inputs"].as_array().unwrap().iter();
            inputs.map(move |own| json!([messages(own), most]))
        })
        .collect();
    same(&ran.bodies, &wanted, "messages")?;
    let predictions = ran.predictions.ok_or("there are no predictions")?;
    for (name, record) in expected["predictions_json"].as_object().unwrap() {
        for (field, value) in record.as_object().unwrap() {
            if predictions[name][field] != *value {
                let own = &predictions[name][field];
                return Err(format!("{name}.{field} is {own}, not {value}"));
            }
        }
    }
    Ok(())
}

#[test]
fn multi_turn_rows_on_the_wire() {
    let tally = tally("ais_multiturn.json", multi_turn).unwrap();
    println!("on the wire, {}", tally.line);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
}

fn multi_turn(row: &Json) -> Result<(), String> {
    let mut input = row["input"].clone();
    let expected = expected_of(row);
    let is_chat = input["parser"] == "api";
    let most = input["max_out_len"].take();
    if !most.is_null() {
        // A row says it, where the reader has the column.
        for own in input["test"].as_array_mut().unwrap() {
            own["max_out_len"] = most.clone();
        }
        input["reader_cfg"]["input_columns"].as_array_mut().unwrap().push(json!("max_out_len"));
    }
    let inferencer = json!({"type": "MultiTurnGenInferencer", "infer_mode": input["infer_mode"]});
    let model = json!({
        "type": if is_chat { "OpenAISDK" } else { "served_text" }, "max_out_len": 32,
        "meta_template": input["meta_template"],
    });
    let wire = |own: &Json| if is_chat { messages(own) } else { own["str"].clone() };
    let requests = expected["requests"].as_array().cloned().unwrap_or_default();
    let failing: Vec<Json> = input["fail_calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|call| requests.get(call.as_u64()? as usize - 1))
        .map(|own| wire(&own["input"]))
        .collect();
    let field = if is_chat { "messages" } else { "prompt" };
    let fails = !failing.is_empty();
    let plan: Plan = Arc::new(move |body: &Json, _: usize| {
        failing.contains(&body[field]).then_some(Fault::Status(400))
    });
    let ran = Row { input: &input, model, inferencer, plan }.run();
    if expected.get("error").is_some() {
        return if ran.code == Some(2) { Ok(()) } else { Err(format!("it ran: {}", ran.talk)) };
    }
    if ran.code != Some(i32::from(fails)) {
        return Err(ran.talk);
    }
    let lengths = expected["max_out_lens"].as_array().unwrap();
    let wanted: Vec<Json> = requests
        .iter()
        .zip(lengths)
        .map(|(own, most)| json!([wire(&own["input"]), most]))
        .collect();
    // Where golds stand between the questions, all are asked, whatever becomes of one.
    let sent: Vec<Json> = if fails {
        let known: Vec<&Json> = wanted.iter().map(|own| &own[0]).collect();
        ran.bodies.into_iter().filter(|own| known.contains(&&own[field])).collect()
    } else {
        ran.bodies
    };
    same(&sent, &wanted, field)
}

#[test]
fn multimodal_rows_on_the_wire() {
    let tally = tally("ais_multimodal.json", multimodal).unwrap();
    println!("on the wire, {}", tally.line);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
}

fn multimodal(row: &Json) -> Result<(), String> {
    let mut input = row["input"].clone();
    // Some rows name input columns that are not there, which a reader refuses.
    let known = input["test"][0].as_object().unwrap().clone();
    let columns: Vec<&String> = known.keys().filter(|own| *own != "answer").collect();
    input["reader_cfg"]["input_columns"] = json!(columns);
    let is_chat = input["parser"] == "api";
    let class = match (is_chat, input["meta_template"].is_null()) {
        (false, _) => "served_text",
        (true, true) => "OpenAI",
        (true, false) => "VLLMCustomAPIChat",
    };
    let model = json!({
        "type": class, "model": "m", "max_out_len": 32, "meta_template": input["meta_template"],
    });
    let inferencer = json!({"type": "GenInferencer"});
    let ran = Row { input: &input, model, inferencer, plan: none() }.run();
    let expected = expected_of(row);
    if expected.get("error").is_some() {
        let works = row["doc_conflict"] == true && row.get("expected_repaired").is_none();
        let wanted = if works { Some(0) } else { Some(2) };
        return if ran.code == wanted { Ok(()) } else { Err(ran.talk) };
    }
    if ran.code != Some(0) {
        return Err(ran.talk);
    }
    let own = &expected["final"];
    let wanted = if is_chat { messages(own) } else { own["str"].clone() };
    same(&ran.bodies, &[json!([wanted, 32])], if is_chat { "messages" } else { "prompt" })
}

#[test]
fn perplexities_of_ais_bench_from_a_server() {
    let tally = tally("ais_ppl.json", |row| {
        let wanted = row["input"]["prompt_logprobs"].clone();
        let plan: Plan = Arc::new(move |body: &Json, _: usize| {
            (body["prompt"] == "the row").then(|| Fault::Answer(json!({
                "choices": [{"index": 0, "text": "x", "finish_reason": "length",
                             "prompt_logprobs": wanted}],
                "usage": {"prompt_tokens": wanted.as_array().map_or(0, Vec::len), "completion_tokens": 1},
            })))
        });
        let server = FakeServer::with_faults(Behaviour { echoes: false, ..VLLM }, plan);
        let needs = ServerNeeds { surprisals: true, ..ServerNeeds::default() };
        let served = connected(&server, needs).map_err(|error| error.to_string())?;
        let answer = answers(&served, &[asked("the row")]).remove(0);
        if let Answer::Failed(error) = &answer {
            return Err(error.clone());
        }
        let candidate: Candidate = serde_json::from_value(json!({
            "label": null, "prompt": "the row", "answer_tokens": {"start": 0, "end": 0},
            "uncut_tokens": 0, "bytes": 7, "chars": 7, "answer_bytes": 0,
        }))
        .unwrap();
        let outcome = Outcome::Scored { form: ScoredForm::default(), candidate };
        let outcome = outcome.with_answers(vec![Answered { ids: [].into(), answer }]);
        let Outcome::Scored { candidate, .. } = outcome else {
            return Err(format!("{outcome:?}"));
        };
        let component = Component::parse(&Node::from_json(&json!("ais_ppl"))).unwrap();
        let (_, rule) = score::build(Some(&component)).unwrap();
        let value = rule.scores(Choice::single(&candidate)).unwrap()[0];
        let expected = row["expected"].as_f64().unwrap();
        if (value - expected).abs() < 1e-6 { Ok(()) } else { Err(format!("{value} is not {expected}")) }
    })
    .unwrap();
    println!("{}", tally.line);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
}
