//! Fields of a config that are not read: what is made of each, in one table.
//!
//! Configs are used as they are, so they hold fields for other programs. None of them is passed over in
//! silence: a field changes nothing anyway, or it is told that it changes nothing here, or it is refused
//! with what to do instead. A field that is neither read nor in the table is refused as unknown by whoever
//! reads the entry, because it may be a misspelt one.

use crate::config::{ConfigError, Node, nearest};

/// Where a field stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Dataset,
    ReaderConfig,
    EvalConfig,
    InferConfig,
    Inferencer,
    /// One that generates.
    GenInferencer,
    /// One that ranks candidates.
    PplInferencer,
    Model,
    /// One behind a server.
    ServedModel,
    ModelKwargs,
    TokenizerKwargs,
    GenerationKwargs,
    GenConfig,
}

/// What is made of a field.
#[derive(Clone, Copy)]
enum Verdict {
    /// It changes nothing in OpenCompass either.
    Same,
    /// It changes nothing here, which is told; why.
    Idle(&'static str),
    /// It changes nothing with such a value, and any other is refused; what to do.
    Only(fn(&Node) -> bool, &'static str),
    /// It would change results and cannot be honoured; what to do.
    Refused(&'static str),
}

use Verdict::{Idle, Only, Refused, Same};

const OF_THE_LIBRARY: &str = "files are fetched and read in our own way";
const PLACEMENT: &str = "--device and --threads say where a model runs";
const BATCHES: &str = "batches are packed by tokens";
const DRAWN_BY_THE_MODEL: &str = "a model's generation_kwargs say how its answers are drawn";
const LIKELIEST: &str = "it changes which token is taken; leave it out";
const OWN_TEMPLATE: &str = "give the template itself with chat_template";
const GREEDY: &str = "generation_kwargs=dict(do_sample=True, …) says how answers are drawn";
const LOADED_AS_STORED: &str =
    "weights are read as they are stored; --dtype says the type computed in";

const OWN_CLIENT: &str = "connections are made in our own way; leave it out";
const NEVER_CUT: &str = "prompts are never cut: the server refuses what is too long; leave it out";
const WHEN_SCORED: &str = "log-probabilities are asked for where texts are scored";

/// Every field that is known and not read, by place and name.
const UNREAD: &[(Place, &str, Verdict)] = &[
    (Place::Dataset, "cache_dir", Idle(OF_THE_LIBRARY)),
    (Place::Dataset, "download_mode", Idle(OF_THE_LIBRARY)),
    (Place::Dataset, "keep_in_memory", Idle(OF_THE_LIBRARY)),
    (Place::Dataset, "local_mode", Idle("a path is looked for here first, then on the hub")),
    (
        Place::Dataset,
        "mode",
        Only(is_single_score, "write 'singlescore', or 'm2n' with base_models and given_pred"),
    ),
    (Place::Dataset, "num_proc", Idle(OF_THE_LIBRARY)),
    (Place::Dataset, "streaming", Idle(OF_THE_LIBRARY)),
    (Place::Dataset, "trust_remote_code", Idle("the code of a data set is never run")),
    (Place::Dataset, "verification_mode", Idle(OF_THE_LIBRARY)),
    (
        Place::ReaderConfig,
        "input_template",
        Refused("similar rows are found by the input columns alone; leave it out"),
    ),
    // Nothing reads it.
    (Place::ReaderConfig, "output_template", Same),
    (Place::EvalConfig, "analyze_contamination", Idle("contamination is not analysed")),
    // Nothing reads the two.
    (Place::EvalConfig, "ds_column", Same),
    (Place::EvalConfig, "ds_split", Same),
    (Place::EvalConfig, "dump_details", Idle("results hold their details anyway")),
    (
        Place::EvalConfig,
        "model_postprocessor",
        // It is read nowhere in OpenCompass 0.5.4.
        Idle(
            "no second model takes the answer out, nor does one in OpenCompass; pred_postprocessor does",
        ),
    ),
    (Place::EvalConfig, "k", Idle("pass@k is asked by the evaluator's k, or by k of the data set")),
    (Place::EvalConfig, "num_gpus", Idle(PLACEMENT)),
    // The condition under which a role's part would be cut out is never true.
    (Place::EvalConfig, "pred_role", Same),
    (Place::EvalConfig, "sc_size", Idle("SCInferencer's sc_size says how many answers are drawn")),
    (Place::InferConfig, "max_out_len", Idle("the inferencer's max_out_len says it")),
    // Nothing reads it.
    (Place::GenInferencer, "infer_type", Same),
    (Place::GenInferencer, "labels", Idle("labels are for PPLInferencer")),
    (Place::PplInferencer, "max_out_len", Idle("nothing is generated")),
    (Place::Inferencer, "batch_size", Idle(BATCHES)),
    (Place::Inferencer, "do_sample", Idle(DRAWN_BY_THE_MODEL)),
    // The model's wins.
    (Place::Inferencer, "max_seq_len", Same),
    (Place::Inferencer, "save_every", Idle("answers are kept as they come")),
    (Place::Inferencer, "temperature", Idle(DRAWN_BY_THE_MODEL)),
    (Place::Model, "backend", Idle(PLACEMENT)),
    (Place::Model, "batch_padding", Idle("prompts are never padded")),
    (Place::Model, "batch_size", Idle(BATCHES)),
    (Place::Model, "concurrency", Idle(BATCHES)),
    (Place::Model, "drop_middle", Only(is_false, "prompts are cut at one end; leave it out")),
    (Place::Model, "engine_config", Idle("it sets up another program's engine")),
    (Place::Model, "extract_pred_after_decode", Idle("only new tokens are decoded")),
    (Place::Model, "hf_cache_dir", Idle("HF_HOME says where the cache is")),
    (Place::Model, "lora_path", Refused("write peft_path")),
    (Place::Model, "max_workers", Idle(BATCHES)),
    (Place::Model, "mode", Only(is_none_word, "prompts are cut at one end; leave it out")),
    (Place::Model, "pad_token_id", Idle("prompts are never padded")),
    (Place::Model, "peft_kwargs", Idle("an adapter is read as it is stored")),
    (Place::Model, "run_cfg", Idle(PLACEMENT)),
    (Place::Model, "summarizer_abbr", Idle("the summary calls a model by its abbr")),
    (Place::Model, "sync_rank", Idle(PLACEMENT)),
    (Place::Model, "tokenizer_only", Idle("a run loads the weights it needs")),
    (Place::Model, "use_fastchat_template", Only(is_false, OWN_TEMPLATE)),
    // It only says that it is behind a server.
    (Place::ServedModel, "attr", Same),
    (Place::ServedModel, "finish_reason_confirm", Idle("half an answer is asked for again anyway")),
    (Place::ServedModel, "http_client_cfg", Only(is_empty, OWN_CLIENT)),
    (Place::ServedModel, "image_format", Refused("images are sent as they are; leave it out")),
    (Place::ServedModel, "image_min_edge", Refused("images are sent as they are; leave it out")),
    (Place::ServedModel, "logprobs", Idle(WHEN_SCORED)),
    (Place::ServedModel, "mode", Only(is_none_word, NEVER_CUT)),
    (Place::ServedModel, "openai_proxy_url", Refused("put the proxy into HTTPS_PROXY")),
    (Place::ServedModel, "rpm_verbose", Same),
    (Place::ServedModel, "run_cfg", Idle("a server is asked")),
    (
        Place::ServedModel,
        "status_code_mappings",
        Only(is_empty, "a request that fails is a failed sample; leave it out"),
    ),
    (Place::ServedModel, "stream_chunk_size", Idle("pieces are taken as they come")),
    (Place::ServedModel, "summarizer_abbr", Idle("the summary calls a model by its abbr")),
    (Place::ServedModel, "think_tag", Idle("thinking is kept apart from answers")),
    (
        Place::ServedModel,
        "tokenizer_path",
        Idle("lengths are counted as OpenCompass does for any API"),
    ),
    (Place::ServedModel, "top_logprobs", Idle(WHEN_SCORED)),
    (Place::ServedModel, "trust_remote_code", Same),
    (Place::ServedModel, "use_timestamp", Idle("requests are sent as soon as they may")),
    (Place::ServedModel, "verbose", Same),
    (Place::ServedModel, "wrap_text_in_human_role", Same),
    (Place::ModelKwargs, "attn_implementation", Idle("attention is our own, and exact")),
    (Place::ModelKwargs, "device_map", Idle(PLACEMENT)),
    (Place::ModelKwargs, "dtype", Idle(LOADED_AS_STORED)),
    (Place::ModelKwargs, "gpu_memory_utilization", Idle(PLACEMENT)),
    (Place::ModelKwargs, "load_in_4bit", Only(is_false, LOADED_AS_STORED)),
    (Place::ModelKwargs, "load_in_8bit", Only(is_false, LOADED_AS_STORED)),
    (Place::ModelKwargs, "low_cpu_mem_usage", Idle(PLACEMENT)),
    (Place::ModelKwargs, "max_memory", Idle(PLACEMENT)),
    (Place::ModelKwargs, "quantization_config", Refused(LOADED_AS_STORED)),
    (Place::ModelKwargs, "revision", Refused("write path='org/name@revision'")),
    (Place::ModelKwargs, "rope_scaling", Refused("write it into the checkpoint's config.json")),
    (Place::ModelKwargs, "tensor_parallel_size", Idle(PLACEMENT)),
    (Place::ModelKwargs, "torch_dtype", Idle(LOADED_AS_STORED)),
    (Place::ModelKwargs, "trust_remote_code", Idle("the code of a checkpoint is never run")),
    (Place::ModelKwargs, "use_flash_attention_2", Idle("attention is our own, and exact")),
    (Place::TokenizerKwargs, "padding_side", Idle("prompts are never padded")),
    (Place::TokenizerKwargs, "trust_remote_code", Idle("the code of a checkpoint is never run")),
    (Place::TokenizerKwargs, "use_fast", Idle("there is one tokenizer, which is fast")),
    (Place::GenerationKwargs, "early_stopping", Idle("there are no beams")),
    (Place::GenerationKwargs, "encoder_repetition_penalty", Only(is_one, LIKELIEST)),
    (Place::GenerationKwargs, "frequency_penalty", Only(is_zero, LIKELIEST)),
    (Place::GenerationKwargs, "length_penalty", Idle("there are no beams")),
    (Place::GenerationKwargs, "max_length", Idle("max_out_len says it")),
    (Place::GenerationKwargs, "no_repeat_ngram_size", Only(is_zero, LIKELIEST)),
    (Place::GenerationKwargs, "num_beams", Only(is_one, LIKELIEST)),
    (Place::GenerationKwargs, "pad_token_id", Idle("prompts are never padded")),
    (Place::GenerationKwargs, "penalty_alpha", Only(is_zero, LIKELIEST)),
    (Place::GenerationKwargs, "presence_penalty", Only(is_zero, LIKELIEST)),
    (Place::GenerationKwargs, "repetition_penalty", Only(is_one, LIKELIEST)),
    (Place::GenerationKwargs, "typical_p", Only(is_one, LIKELIEST)),
    (Place::GenerationKwargs, "use_cache", Idle("keys and values are always kept")),
    (Place::GenConfig, "do_sample", Only(is_false, GREEDY)),
    (Place::GenConfig, "max_new_tokens", Idle("max_out_len says it")),
    (Place::GenConfig, "repetition_penalty", Only(is_one, LIKELIEST)),
    (Place::GenConfig, "temperature", Idle(GREEDY)),
    (Place::GenConfig, "top_k", Idle(GREEDY)),
    (Place::GenConfig, "top_p", Idle(GREEDY)),
];

fn is_single_score(node: &Node) -> bool {
    node.as_str() == Some("singlescore")
}

fn is_one(node: &Node) -> bool {
    let numbers = node.as_list().unwrap_or(std::slice::from_ref(node));
    numbers
        .iter()
        .all(|number| number.as_float().is_some_and(|number| number.total_cmp(&1.0).is_eq()))
}

fn is_zero(node: &Node) -> bool {
    node.as_float().is_some_and(|number| number.abs().total_cmp(&0.0).is_eq())
}

fn is_empty(node: &Node) -> bool {
    node.as_dict().is_some_and(<[_]>::is_empty)
}

fn is_false(node: &Node) -> bool {
    node.as_bool() == Some(false)
}

fn is_none_word(node: &Node) -> bool {
    node.as_str() == Some("none")
}

/// Takes the fields of the table out of an entry and gives a note about those that have no effect; an
/// error for one that cannot be passed over. What is left is for the entry's reader.
pub(super) fn settle(place: Place, entry: &mut Node) -> Result<Vec<String>, ConfigError> {
    let mut idle = Vec::new();
    for (_, name, verdict) in UNREAD.iter().filter(|(own, ..)| *own == place) {
        let Some(value) = entry.remove(name).filter(|value| !value.is_none()) else { continue };
        let refused = |how: &str| {
            let what = format!("{} cannot be honoured", value.describe());
            Err(ConfigError::at(&value.origin, what).under(*name).with_hint(how))
        };
        match verdict {
            Same => {}
            Idle(why) => idle.push(format!("{}{name} ({why})", place.prefix())),
            Only(changes_nothing, how) => {
                if !changes_nothing(&value) {
                    return refused(how);
                }
            }
            Refused(how) => return refused(how),
        }
    }
    Ok(Vec::from_iter((!idle.is_empty()).then(|| format!("without effect: {}", idle.join(", ")))))
}

/// Settles all fields of a dict of which nothing is read.
pub(super) fn settle_all(place: Place, entry: Option<&Node>) -> Result<Vec<String>, ConfigError> {
    let Some(mut entry) = entry.filter(|entry| !entry.is_none()).cloned() else {
        return Ok(Vec::new());
    };
    let mut notes = settle(place, &mut entry)?;
    for (name, value) in entry.as_dict().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        let known = UNREAD.iter().filter(|(own, ..)| *own == place).map(|(_, name, _)| *name);
        let near = nearest(name, known).map(|near| format!("did you mean '{near}'?"));
        if place == Place::ModelKwargs {
            // They go to the loaders of several other programs, and there are too many to know.
            let near = near.map_or_else(String::new, |near| format!(" ({near})"));
            notes.push(format!("{}{name} is not known and has no effect{near}", place.prefix()));
            continue;
        }
        let error = ConfigError::at(&value.origin, format!("unknown field '{name}'"));
        return Err(error.with_hint(near.unwrap_or_else(|| "leave it out".to_owned())));
    }
    Ok(notes)
}

impl Place {
    /// Where the fields of an inferencer of its own kind stand, by our name of it.
    pub(super) fn of_inferencer(name: &str) -> Option<Self> {
        match name {
            "gen" | "self_consistency" => Some(Self::GenInferencer),
            "ppl" => Some(Self::PplInferencer),
            _ => None,
        }
    }

    /// The name of the dict, in front of its fields.
    fn prefix(self) -> &'static str {
        match self {
            Self::Dataset | Self::Model | Self::ServedModel => "",
            Self::ReaderConfig => "reader_cfg.",
            Self::EvalConfig => "eval_cfg.",
            Self::InferConfig => "infer_cfg.",
            Self::Inferencer | Self::GenInferencer | Self::PplInferencer => "inferencer.",
            Self::ModelKwargs => "model_kwargs.",
            Self::TokenizerKwargs => "tokenizer_kwargs.",
            Self::GenerationKwargs => "generation_kwargs.",
            Self::GenConfig => "gen_config.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_is_passed_over_told_or_refused() {
        let mut entry = Node::from_json(&json!({
            "pred_role": "BOT", "num_gpus": 1, "dump_details": null, "own": 2,
        }));
        let notes = settle(Place::EvalConfig, &mut entry).unwrap();
        let expected = format!("without effect: eval_cfg.num_gpus ({PLACEMENT})");
        assert_eq!(notes, [expected]);
        assert_eq!(entry.to_json(), json!({"own": 2}));
        for (place, entry, expected) in [
            (Place::ReaderConfig, json!({"input_template": {}}), "by the input columns alone"),
            (
                Place::GenerationKwargs,
                json!({"num_beams": 8}),
                "num_beams: int 8 cannot be honoured",
            ),
        ] {
            let error = settle(place, &mut Node::from_json(&entry)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn what_nobody_knows_is_an_error_or_a_note() {
        let all = |place, entry| settle_all(place, Some(&Node::from_json(&entry)));
        let error = all(Place::GenConfig, json!({"do_sampel": false})).unwrap_err().to_string();
        assert!(error.contains("unknown field 'do_sampel' (did you mean 'do_sample'?)"), "{error}");
        let notes = all(Place::ModelKwargs, json!({"max_model_len": 9})).unwrap();
        assert_eq!(notes, ["model_kwargs.max_model_len is not known and has no effect"]);
        assert!(settle_all(Place::GenConfig, None).unwrap().is_empty());
    }

    #[test]
    fn every_field_is_there_once() {
        for (index, (place, name, _)) in UNREAD.iter().enumerate() {
            let earlier = &UNREAD[..index];
            assert!(!earlier.iter().any(|(own, other, _)| (own, other) == (place, name)), "{name}");
        }
    }
}
