//! Whole inferencers against vectors made by the original tools, with the vectors' stand-in model: a
//! continuation is `<length>` and the last twelve characters of the prompt, a perplexity is made of
//! the prompt's bytes, and tokens are words.
//!
//! Where an inferencer looks at single tokens, the original's own model classes score with a network that gives each
//! token a number made of all that stands before it; `scored_tokens` is the same one.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod scored_tokens;

use std::{fs, path::PathBuf, sync::OnceLock};

use scored_tokens::Hashed;
use serde_json::{Value as Json, json};
use surprisal::{
    answer::{Answer, Answered, Question},
    config::{Component, Node, from_node},
    dataset::{Reader, ReaderConfig, Rows},
    engine::{FinishReason, Generation, Score},
    infer::{self, PreparedPrompt, Record, Render, Task, Tokenize, Wanted},
    prompt::{
        self, ApiTemplate, Markup, Message, MetaTemplate, Mode, Prompt, PromptAssembly,
        PromptError, PromptTemplate,
    },
    report,
    retrieve::{self, Corpus, NoModels},
    score,
};

type Failure = Box<dyn std::error::Error>;

fn folder() -> PathBuf {
    std::env::var_os("SURPRISAL_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden"),
        PathBuf::from,
    )
}

#[test]
fn golden_inferencers() {
    println!("{}", compare("inferencers.json"));
}

#[test]
fn golden_inferencers_rounds() {
    println!("{}", compare("inferencers_rounds.json"));
}

#[test]
fn golden_inferencers_of_tokens() {
    println!("{}", compare("inferencers_of_tokens.json"));
}

/// How many rows of a file there are, all of which have to agree.
fn compare(file: &str) -> String {
    let text = fs::read_to_string(folder().join(file)).unwrap();
    let rows: Vec<Json> = serde_json::from_str(&text).unwrap();
    let (mut passed, mut failures) = (0, Vec::new());
    for row in &rows {
        let input = &row["input"];
        let expected = row.get("expected_repaired").unwrap_or(&row["expected"]);
        let outcome = match (expected.get("error"), predictions(input)) {
            (Some(_), Err(_)) => Ok(()),
            (Some(error), Ok(got)) => Err(format!("expected the error {error}, got {got}")),
            (None, Err(error)) => Err(format!("got the error {error}")),
            (None, Ok(got)) => {
                let values: Json = serde_json::from_str(&got).unwrap();
                let values = in_batches(values, &input["infer_cfg"]["inferencer"]);
                // Candidates have fields of ours.
                let is_whole = input["infer_cfg"]["inferencer"]["type"] != "PPLInferencer";
                match expected["raw_text"].as_str().filter(|text| is_whole && *text != got) {
                    Some(text) => Err(format!("its bytes are {got:?}, not {text:?}")),
                    None => contains(&values, &expected["predictions_json"], ""),
                }
            }
        };
        match outcome {
            Ok(()) => passed += 1,
            Err(why) => failures.push(format!("{}: {why}", row["id"])),
        }
    }
    assert!(failures.is_empty(), "{passed} passed, not\n{}", failures.join("\n"));
    assert!(passed > 0);
    format!("{file}: {passed} passed")
}

/// Windows as the original writes them: one loss for all that it asks at once.
fn in_batches(values: Json, inferencer: &Json) -> Json {
    let (Some(entries), Some(size)) = (values.as_object(), inferencer["batch_size"].as_u64())
    else {
        return values;
    };
    if inferencer["type"] != "SWCELossInferencer" {
        return values;
    }
    let entries: Vec<&Json> = entries.values().collect();
    let batches = entries.chunks(size as usize).enumerate().map(|(index, batch)| {
        let loss: f64 = batch.iter().filter_map(|window| window["loss"].as_f64()).sum();
        let chars = batch.first().map(|window| window["total_chr_num"].clone());
        (index.to_string(), json!({"loss": loss, "total_chr_num": chars}))
    });
    Json::Object(batches.collect())
}

/// Everything expected is there; numbers to the precision of the f32 that carries them.
fn contains(got: &Json, expected: &Json, place: &str) -> Result<(), String> {
    match (got, expected) {
        (_, Json::Object(expected)) => {
            for (key, value) in expected {
                let own = got.get(key).ok_or_else(|| format!("{place} has no {key:?}"))?;
                contains(own, value, &format!("{place}.{key}"))?;
            }
            Ok(())
        }
        (Json::Array(got), Json::Array(expected)) if got.len() == expected.len() => {
            let mut pairs = got.iter().zip(expected).enumerate();
            pairs.try_for_each(|(at, (own, value))| contains(own, value, &format!("{place}[{at}]")))
        }
        (Json::Number(got), Json::Number(expected)) => {
            let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
            let close = (got - expected).abs() <= 1e-6 * expected.abs().max(1.0);
            if close { Ok(()) } else { Err(format!("{place}: {got} is not {expected}")) }
        }
        _ if got == expected => Ok(()),
        _ => Err(format!("{place}: {got} is not {expected}")),
    }
}

/// The vectors' stand-in tokenizers.
enum Stand {
    Words,
    Characters,
    /// Runs of Latin letters and digits, and Chinese letters.
    Api,
}

impl Tokenize for Stand {
    fn encode(&self, text: &str) -> Result<Vec<u32>, String> {
        let tokens = match self {
            Self::Words => text.split_whitespace().count(),
            Self::Characters => text.chars().count(),
            Self::Api => {
                let runs = text.split(|letter: char| !letter.is_ascii_alphanumeric());
                let chinese =
                    text.chars().filter(|letter| ('\u{4e00}'..='\u{9fff}').contains(letter));
                runs.filter(|run| !run.is_empty()).count() + chinese.count()
            }
        };
        Ok(vec![0; tokens])
    }

    fn encode_within(&self, text: &str, max_tokens: usize) -> Result<Vec<u32>, String> {
        let mut ids = self.encode(text)?;
        ids.truncate(max_tokens);
        Ok(ids)
    }
}

/// How the stand-in API model reads messages: their texts, one after another.
struct Concatenated(ApiTemplate);

impl Render for Concatenated {
    fn render(&self, prompt: &Prompt, mode: Mode) -> Result<String, PromptError> {
        self.0.messages(prompt, mode).map(Prompt::Messages).map(|prompt| prompt.plain())
    }

    fn reported(&self, prompt: &Prompt, mode: Mode) -> Result<Option<Json>, PromptError> {
        if !matches!(prompt, Prompt::List(_)) {
            return Ok(None);
        }
        let named = |own: &Message| json!({"role": own.role, "prompt": own.content});
        Ok(Some(self.0.messages(prompt, mode)?.iter().map(named).collect()))
    }

    fn chat(&self, messages: &[Message]) -> Result<String, PromptError> {
        self.0.chat(messages).map(Prompt::Messages).map(|prompt| prompt.plain())
    }
}

fn markup(model: &Json) -> Result<Box<dyn Render>, Failure> {
    let meta = Node::from_json(&model["meta_template"]);
    Ok(match (model["kind"].as_str(), meta.is_none()) {
        (Some("api"), _) => Box::new(Concatenated(ApiTemplate::from_node(&meta)?)),
        (_, true) => Box::new(Markup::Lines),
        (_, false) => Box::new(Markup::Meta(Box::new(MetaTemplate::from_node(&meta)?))),
    })
}

fn template(config: &Json) -> Result<Option<PromptTemplate>, Failure> {
    if config.is_null() {
        return Ok(None);
    }
    let component = Component::parse(&Node::from_json(config))?;
    Ok(Some(prompt::build(&component)?))
}

fn predictions(input: &Json) -> Result<String, Failure> {
    let config = &input["infer_cfg"];
    let reader = Reader::new(from_node::<ReaderConfig>(&Node::from_json(&input["reader_cfg"]))?);
    let rows = json!({"train": input["train"], "test": input["test"]});
    let dataset = reader.load(Rows::from_json(&rows)?.labelled("dataset"))?;
    let retriever = retrieve::build(&Component::parse(&Node::from_json(&config["retriever"]))?)?;
    let mut inferencer = config["inferencer"].clone();
    if let Some(text) = input.get("normalizing_str") {
        // The original takes it as an argument of `inference`.
        inferencer["normalizing_str"] = text.clone();
    }
    if let Some(fields) = inferencer.as_object_mut() {
        // These are settled where a config is read.
        fields.retain(|field, _| !["batch_size", "max_seq_len", "save_every"].contains(&&**field));
    }
    let inferencer = infer::build(&Component::parse(&Node::from_json(&inferencer))?)?;
    let templates = (template(&config["ice_template"])?, template(&config["prompt_template"])?);
    let assembly = match templates {
        (None, None) if !inferencer.needs_template() => PromptAssembly::without_templates(),
        (ice_template, prompt_template) => PromptAssembly::new(
            ice_template,
            prompt_template,
            retriever.ice_separator(),
            retriever.ice_eos_token(),
        )?,
    };
    let examples =
        retriever.retrieve(&Corpus { dataset: &dataset, reader: &reader, models: &NoModels })?;
    let markup = markup(&input["model"])?;
    let is_hashed = input["model"]["kind"] == "hashed";
    let tokenizer: &dyn Tokenize = match input["model"]["token_len"].as_str() {
        _ if is_hashed => &Hashed,
        Some("chars") => &Stand::Characters,
        Some("api") => &Stand::Api,
        _ => &Stand::Words,
    };
    let limit = config["inferencer"]["max_seq_len"].as_u64();
    let task = Task {
        train: &dataset.train,
        test: &dataset.test,
        input_columns: reader.input_columns(),
        output_column: reader.output_column(),
        assembly: &assembly,
        examples: &examples,
        markup: &*markup,
        tokenizer,
        max_seq_len_tokens: limit.map_or(usize::MAX, |limit| limit as usize),
        stop_words: &[],
        wanted: Wanted::Nothing,
        found_labels: OnceLock::new(),
    };
    if inferencer.max_new_tokens() == 0 {
        inferencer.check(&task)?;
    }
    let mut records = Vec::new();
    for sample in 0..dataset.test.len() {
        let mut prepared = inferencer.prepare(&task, sample)?;
        let mut answers: Vec<Answer> = Vec::new();
        while let Some(prompt) = prepared.prompts.get(answers.len()) {
            let question = inferencer.question(prompt);
            answers.push(match &question {
                Question::Score(request) if is_hashed => {
                    Answer::Score(scored_tokens::score(request))
                }
                _ => answer(prompt, &question),
            });
            if prepared.prompts.len() == answers.len() {
                prepared.prompts.extend(inferencer.next(&task, &prepared, &answers)?);
            }
        }
        records.push(Record {
            id: sample,
            gold: task.gold(sample).cloned(),
            dropped_examples: prepared.dropped_examples,
            truncated_tokens: 0,
            images: Vec::new(),
            outcome: inferencer.outcome(&prepared).with_answers(
                answers
                    .into_iter()
                    .zip(&prepared.prompts)
                    .map(|(answer, prompt)| Answered { ids: prompt.ids.clone(), answer })
                    .collect(),
            ),
        });
    }
    let records: Vec<&Record> = records.iter().collect();
    Ok(report::predictions(&records, &*score::build(None)?.1))
}

fn answer(prompt: &PreparedPrompt, question: &Question) -> Answer {
    match question {
        Question::Score(_) => {
            let divisor = prompt.ids.len() - prompt.context_tokens;
            let value = perplexity(&prompt.text, prompt.context_tokens) * divisor as f64;
            let nlls = in_pieces(value).to_vec();
            Answer::Score(Score { likeliest: vec![false; nlls.len()], nlls })
        }
        Question::Generate(_) => Answer::Generation(Generation {
            ids: Vec::new(),
            text: continuation(&prompt.text),
            finish: FinishReason::Length,
        }),
        Question::Served(_) => unreachable!("these models are no servers"),
    }
}

fn continuation(prompt: &str) -> String {
    let characters: Vec<char> = prompt.chars().collect();
    let tail: String = characters[characters.len().saturating_sub(12)..].iter().collect();
    format!("<{}>{tail}", characters.len())
}

fn perplexity(prompt: &str, masked_tokens: usize) -> f64 {
    (prompt.bytes().map(usize::from).sum::<usize>() % 1000 + 10 * masked_tokens) as f64 / 100.0
}

/// An f64 as the sum of f32s: the last bit of the original's figures decides ties.
fn in_pieces(value: f64) -> [f32; 3] {
    let first = value as f32;
    let rest = value - f64::from(first);
    let second = rest as f32;
    [first, second, (rest - f64::from(second)) as f32]
}
