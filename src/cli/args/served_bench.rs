//! Arguments of `bench --served`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value as Json};

use super::value::positive;
use crate::bench::served::ArrivalKind;

/// Arguments of `bench` for a model behind a server.
#[derive(Debug, Args)]
#[command(next_help_heading = "A model behind a server")]
pub(in crate::cli) struct ServedBenchArguments {
    /// Measure the model behind this address, such as `http://127.0.0.1:8000/v1`, with the prompts of the configs or made-up ones.
    /// Times count from when a request was to be sent. TTFT: to the first text; E2EL: to the last word; TPOT: (E2EL - TTFT) /
    /// (tokens - those of the first piece), of each answer; ITL: before each token behind the first piece.
    #[arg(long, value_name = "URL", conflicts_with_all = [
        "models", "synthetic", "workload", "kernels", "scored", "repeat", "device", "dtype", "activations", "threads",
        "batch_tokens", "kv_bytes", "block_tokens", "keep", "compare", "baseline", "trace",
    ])]
    pub(in crate::cli) served: Option<String>,
    /// The model's name there; without one, the server's only model.
    #[arg(long, value_name = "NAME", requires = "served")]
    pub(in crate::cli) served_model: Option<String>,
    /// What is asked: chat, by /v1/chat/completions, or completions.
    #[arg(long, value_name = "NAME", default_value = "chat", requires = "served")]
    pub(in crate::cli) api: ServedApi,
    /// The variable of the environment that holds the server's key.
    #[arg(long, value_name = "NAME", requires = "served")]
    pub(in crate::cli) api_key_env: Option<String>,
    /// So many requests at once, with commas between; 1 if neither this nor --rate is given.
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = at_once, requires = "served")]
    pub(in crate::cli) concurrency: Vec<usize>,
    /// So many requests a second, with commas between, whether or not others are answered.
    #[arg(long, value_name = "R,R,…", value_delimiter = ',', value_parser = rate, requires = "served")]
    pub(in crate::cli) rate: Vec<f64>,
    /// When the requests of a rate come: poisson, as by chance, or constant.
    #[arg(long, value_name = "KIND", default_value = "poisson", requires = "served")]
    pub(in crate::cli) arrivals: ArrivalKind,
    /// Most requests of a rate that are under way at once; others wait, and that wait is part of their times.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = at_once, requires = "served")]
    pub(in crate::cli) most_at_once: usize,
    /// Requests of each load; without it 100, or 4 for each that is sent at once.
    #[arg(long, value_name = "N", value_parser = many, requires = "served")]
    pub(in crate::cli) requests: Option<usize>,
    /// Requests before each load that are in no figure.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = many_or_none, requires = "served")]
    pub(in crate::cli) warm_up: usize,
    /// Words of a made-up prompt, each about a token; what the server counts is told.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = many, requires = "served", conflicts_with = "configs")]
    pub(in crate::cli) prompt_tokens: usize,
    /// Most tokens of an answer to one. A model may end before, unless the server heeds `--extra-body '{"ignore_eos": true}'`.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = many, requires = "served", conflicts_with = "configs")]
    pub(in crate::cli) output_tokens: usize,
    /// Draws made-up prompts and arrivals; another one for each measurement if not given, because a server that keeps
    /// prefixes has read the same prompts already.
    #[arg(long, value_name = "N", requires = "served")]
    pub(in crate::cli) seed: Option<u64>,
    /// A JSON object whose fields are sent with every request: `temperature`, `ignore_eos`, ….
    #[arg(long, value_name = "JSON", value_parser = extra_body, requires = "served")]
    pub(in crate::cli) extra_body: Option<ExtraBody>,
    /// A checkpoint's folder whose tokenizer counts the tokens of answers and of their pieces where the server does not.
    #[arg(long, value_name = "DIR", requires = "served")]
    pub(in crate::cli) tokenizer: Option<PathBuf>,
    /// Most seconds of an answer; one that takes longer failed.
    #[arg(long, value_name = "S", default_value_t = 600, value_parser = positive, requires = "served")]
    pub(in crate::cli) timeout: usize,
    /// Write plots and tables into this file, a page that needs nothing else.
    #[arg(long, value_name = "FILE", requires = "served")]
    pub(in crate::cli) page: Option<PathBuf>,
}

/// Which endpoint is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum ServedApi {
    Chat,
    Completions,
}

impl std::str::FromStr for ServedApi {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "chat" => Ok(Self::Chat),
            "completions" => Ok(Self::Completions),
            _ => Err("expected chat or completions".to_owned()),
        }
    }
}

/// Fields that are sent with every request.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ExtraBody(pub(in crate::cli) Map<String, Json>);

/// Most requests at once: each has a thread and a connection.
const MOST_AT_ONCE: usize = 4096;

fn at_once(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if (1..=MOST_AT_ONCE).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MOST_AT_ONCE}")),
    }
}

/// Most requests of a load, and most tokens of a made-up prompt or its answer.
const MANY: usize = 1_000_000;

fn many(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(number) if (1..=MANY).contains(&number) => Ok(number),
        _ => Err(format!("expected a number from 1 to {MANY}")),
    }
}

fn many_or_none(text: &str) -> Result<usize, String> {
    if text.trim() == "0" { Ok(0) } else { many(text) }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(rate) if (0.001..=100_000.0).contains(&rate) => Ok(rate),
        _ => Err("expected requests a second, from 0.001 to 100000".to_owned()),
    }
}

fn extra_body(text: &str) -> Result<ExtraBody, String> {
    let Ok(Json::Object(fields)) = serde_json::from_str(text) else {
        return Err("expected a JSON object, such as '{\"ignore_eos\": true}'".to_owned());
    };
    for name in ["max_tokens", "max_completion_tokens", "max_new_tokens"] {
        if fields.contains_key(name) {
            return Err(format!("{name} is said by --output-tokens, or by the configs"));
        }
    }
    if fields.contains_key("n") {
        return Err("n is 1: each request has one answer".to_owned());
    }
    Ok(ExtraBody(fields))
}
