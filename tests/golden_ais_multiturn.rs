//! AISBench's multi-turn dialogues against vectors made by the original tool: the requests that a
//! stand-in model gets, and what it is shown of its own answers.
//!
//! The folder comes from `SURPRISAL_GOLDEN`. The released code cannot run the mode `last`; such a row
//! carries `expected_repaired`, which is what is compared.

use serde_json::{Value as Json, json};
use surprisal::{
    config::{Node, from_node},
    dataset::{Reader, ReaderConfig, Rows},
    prompt::{DialogueMode, Mode, MultiTurn, PromptAssembly},
};

use crate::encoded_prompt::{Failure, Parser, compared, encoded, tally, template};

#[test]
fn golden_ais_multiturn() {
    let tally = tally("ais_multiturn.json", check).unwrap();
    println!("{}", tally.line);
    assert!(tally.failures.is_empty(), "{}", tally.failures.join("\n"));
}

fn check(row: &Json) -> Result<(), String> {
    let expected = row.get("expected_repaired").unwrap_or(&row["expected"]);
    compared(expected, dialogue(&row["input"]))
}

fn dialogue(input: &Json) -> Result<Json, Failure> {
    let reader = Reader::new(from_node::<ReaderConfig>(&Node::from_json(&input["reader_cfg"]))?);
    let rows = json!({"train": input["test"], "test": input["test"]});
    let samples = reader.load(Rows::from_json(&rows)?.labelled("dataset"))?.test;
    let index = usize::try_from(input["idx"].as_u64().ok_or("no idx")?)?;
    let sample = &samples[index];
    let template = template(&input["infer_cfg"]["prompt_template"])?;
    let assembly = PromptAssembly::new(None, template, "\n", "\n")?;
    let examples = assembly.examples(&[], reader.output_column())?;
    let prompt = assembly.generation(sample, &examples, reader.output_column(), "")?;
    let parser = Parser::new(input)?;
    let mode: DialogueMode = serde_json::from_value(input["infer_mode"].clone())?;
    let max_out_len = match &input["max_out_len"] {
        Json::Null => 32,
        Json::Array(list) => {
            let list: Vec<usize> = serde_json::from_value(list.clone().into())?;
            mode.max_out_len(&list).ok_or("an empty list")?
        }
        number => serde_json::from_value(number.clone())?,
    };
    let failing: Vec<usize> =
        serde_json::from_value(input.get("fail_calls").cloned().unwrap_or_else(|| json!([])))?;
    let gold = reader.output_column().and_then(|column| sample.get(column));
    let template_prompt = encoded(&prompt);
    let (mut requests, mut max_out_lens) = (Vec::new(), Vec::new());
    let mut turns = MultiTurn::new(prompt, mode)?;
    while let Some(request) = turns.request() {
        let request = parser.parsed(&request, Mode::Gen)?;
        let turn = requests.len();
        let fails = failing.contains(&(turn + 1));
        let reply = if fails { String::new() } else { stand_in(&request) };
        turns.answered(&reply);
        max_out_lens.push(max_out_len);
        requests.push(json!({
            "index": index, "input": request, "content": reply, "turn_id": turn, "gold": gold,
        }));
        if fails {
            break;
        }
    }
    Ok(json!({
        "template_prompt": template_prompt, "requests": requests, "max_out_lens": max_out_lens,
    }))
}

/// Says how long what it read was, and its last twelve characters.
fn stand_in(request: &Json) -> String {
    let text = match &request["promptlist"] {
        Json::Array(turns) => turns.iter().filter_map(|turn| turn["prompt"].as_str()).collect(),
        _ => request["str"].as_str().unwrap_or_default().to_owned(),
    };
    let characters: Vec<char> = text.chars().collect();
    let tail: String = characters[characters.len().saturating_sub(12)..].iter().collect();
    format!("<{}>{tail}", characters.len())
}
