//! Model families: from a checkpoint's `config.json` to a [`DecoderSpec`] and tensor names.
//!
//! A family is data. It never computes: mathematics a spec cannot say yet belongs into the decoder
//! or an operation first. To add one, write `families/<name>.rs` and one line in the registry
//! below.

mod activation;
mod arcee;
mod biogpt;
mod bloom;
mod codegen;
mod cohere;
mod cohere2;
mod config;
mod cwm;
mod deepseek;
mod defaults;
mod dots1;
mod ernie4_5;
mod ernie4_5_moe;
mod exaone4;
mod exaone_moe;
mod falcon;
mod flex_olmo;
mod gemma;
mod gemma3;
mod glm4;
mod glm4_moe;
mod glm4_moe_lite;
mod gpt2;
mod gpt_bigcode;
mod gpt_neo;
mod gpt_neox;
mod gpt_oss;
mod gptj;
mod granite;
mod granite_moe;
mod helium;
mod hunyuan;
mod hyperclovax;
mod jais2;
mod llama;
mod minimax_m2;
mod ministral;
mod mistral;
mod mixtral;
mod mixture;
mod mpt;
mod nemotron;
mod olmo;
mod olmo2;
mod olmo3;
mod olmoe;
mod opt;
mod persimmon;
mod phi;
mod phi3;
mod qwen2;
mod qwen2_moe;
mod qwen3;
mod qwen3_moe;
mod rotary;
mod seed_oss;
mod smollm3;
mod solar_open;
mod stablelm;
mod starcoder2;
mod windows;
mod youtu;

use std::path::Path;

pub use config::Config;
use serde_json::Value;

use super::error::ModelError;
use super::names::TensorNames;
use super::spec::DecoderSpec;

/// What a family's file knows about one checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// What is computed.
    pub spec: DecoderSpec,
    /// Where its parameters are.
    pub names: TensorNames,
}

/// Reads a checkpoint's config.
type Describe = fn(&Config) -> Result<Description, ModelError>;

/// Every supported `model_type`, sorted.
const FAMILIES: &[(&str, Describe)] = &[
    ("arcee", arcee::describe),
    ("biogpt", biogpt::describe),
    ("bloom", bloom::describe),
    ("codegen", codegen::describe),
    ("cohere", cohere::describe),
    ("cohere2", cohere2::describe),
    ("cwm", cwm::describe),
    ("deepseek_v2", deepseek::describe_2),
    ("deepseek_v3", deepseek::describe_3),
    ("dots1", dots1::describe),
    ("ernie4_5", ernie4_5::describe),
    ("ernie4_5_moe", ernie4_5_moe::describe),
    ("exaone4", exaone4::describe),
    ("exaone_moe", exaone_moe::describe),
    ("falcon", falcon::describe),
    ("flex_olmo", flex_olmo::describe),
    ("gemma", gemma::describe),
    ("gemma2", gemma::describe_2),
    ("gemma3", gemma3::describe_with_vision),
    ("gemma3_text", gemma3::describe),
    ("glm", glm4::describe_first),
    ("glm4", glm4::describe),
    ("glm4_moe", glm4_moe::describe),
    ("glm4_moe_lite", glm4_moe_lite::describe),
    ("gpt2", gpt2::describe),
    ("gpt_bigcode", gpt_bigcode::describe),
    ("gpt_neo", gpt_neo::describe),
    ("gpt_neox", gpt_neox::describe),
    ("gpt_oss", gpt_oss::describe),
    ("gptj", gptj::describe),
    ("granite", granite::describe),
    ("granitemoe", granite_moe::describe),
    ("granitemoeshared", granite_moe::describe_with_shared),
    ("helium", helium::describe),
    ("hunyuan_v1_dense", hunyuan::describe),
    ("hunyuan_v1_moe", hunyuan::describe_with_experts),
    ("hyperclovax", hyperclovax::describe),
    ("jais2", jais2::describe),
    ("llama", llama::describe),
    ("minimax_m2", minimax_m2::describe),
    ("ministral", ministral::describe),
    ("mistral", mistral::describe),
    ("mixtral", mixtral::describe),
    ("mpt", mpt::describe),
    ("nemotron", nemotron::describe),
    ("olmo", olmo::describe),
    ("olmo2", olmo2::describe),
    ("olmo3", olmo3::describe),
    ("olmoe", olmoe::describe),
    ("opt", opt::describe),
    ("persimmon", persimmon::describe),
    ("phi", phi::describe),
    ("phi3", phi3::describe),
    ("qwen2", qwen2::describe),
    ("qwen2_moe", qwen2_moe::describe),
    ("qwen3", qwen3::describe),
    ("qwen3_moe", qwen3_moe::describe),
    ("seed_oss", seed_oss::describe),
    ("smollm3", smollm3::describe),
    ("solar_open", solar_open::describe),
    ("stablelm", stablelm::describe),
    ("starcoder2", starcoder2::describe),
    ("vaultgemma", gemma::describe_vault),
    ("youtu", youtu::describe),
];

/// Describes the checkpoint whose `config.json`, at `path`, holds `value`.
///
/// Code that travels with a checkpoint (`auto_map`) is not looked at: transformers, too, computes a
/// family it knows by itself.
pub fn describe(path: &Path, value: Value) -> Result<Description, ModelError> {
    let config = Config::new(path, value)?;
    if config.get("quantization_config").is_some() {
        return Err(config.unsupported("quantization_config"));
    }
    let Some(model_type) = config.text("model_type")? else {
        return Err(config.expected("model_type", "the name of a model family"));
    };
    let Ok(index) = FAMILIES.binary_search_by_key(&model_type, |(name, _)| name) else {
        return Err(config.unsupported("model_type"));
    };
    FAMILIES[index].1(&config)
}

/// The `model_type`s that can be evaluated, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn llama() -> Value {
        json!({
            "model_type": "llama", "hidden_size": 32, "intermediate_size": 64, "vocab_size": 320,
            "num_hidden_layers": 2, "num_attention_heads": 4
        })
    }

    #[test]
    fn the_registry_is_sorted() {
        assert!(FAMILIES.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn what_a_spec_cannot_say_is_refused_by_name() {
        for (field, value, named) in [
            ("model_type", json!("mamba"), "`model_type` = \"mamba\""),
            ("hidden_act", json!("quick_gelu"), "`hidden_act` = \"quick_gelu\""),
            ("quantization_config", json!({"quant_method": "gptq"}), "`quantization_config`"),
            ("rope_scaling", json!({"type": "su", "factor": 2.0}), "`rope_scaling.type` = \"su\""),
        ] {
            let mut config = llama();
            config[field] = value;
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(matches!(error, ModelError::Unsupported { .. }), "{error}");
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn what_a_family_cannot_say_is_refused_by_name() {
        for (model_type, field, value, named) in [
            ("gpt2", "add_cross_attention", json!(true), "`add_cross_attention`"),
            ("mpt", "attn_config", json!({"alibi": false}), "`attn_config.alibi` = false"),
            ("mpt", "attn_config", json!({"qk_ln": true}), "`attn_config.qk_ln`"),
            ("falcon", "num_ln_in_parallel_attn", json!(2), "`num_ln_in_parallel_attn`"),
            ("gemma3_text", "attn_logit_softcapping", json!(50.0), "`attn_logit_softcapping`"),
            ("gemma3_text", "rope_parameters", json!({"rope_theta": 1e4}), "`rope_parameters`"),
            (
                "phi3",
                "rope_scaling",
                json!({"type": "su", "short_factor": [1, 1, 1, 1], "long_factor": [1, 1, 1]}),
                "`rope_scaling.long_factor`",
            ),
        ] {
            let mut config = llama();
            config["model_type"] = model_type.into();
            config[field] = value;
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(error.to_string().contains(named), "{error}");
        }
    }

    #[test]
    fn families_with_fields_of_their_own_take_the_usual_ones_too() {
        for (model_type, own) in [
            ("gpt2", json!({"n_embd": 32, "n_layer": 2, "n_head": 4, "n_inner": null})),
            ("bloom", json!({"n_embed": 32, "n_layer": 2, "n_head": 4})),
            ("mpt", json!({"d_model": 32, "n_layers": 2, "n_heads": 4})),
        ] {
            let read = |mut config: Value| {
                config["model_type"] = model_type.into();
                config["vocab_size"] = 320.into();
                describe(Path::new("config.json"), config).unwrap()
            };
            let mut usual = llama();
            usual["intermediate_size"] = Value::Null;
            assert_eq!(read(own), read(usual), "{model_type}");
        }
    }

    #[test]
    fn routes_to_experts_that_are_not_known_are_refused_by_name() {
        for (family, field, value) in [
            ("deepseek_v2", "scoring_func", json!("sigmoid")),
            ("deepseek_v2", "topk_method", json!("noaux_tc")),
            ("deepseek_v3", "scoring_func", json!("softmax")),
            ("deepseek_v3", "topk_method", json!("greedy")),
            ("deepseek_v3", "moe_layer_freq", json!(2)),
            ("deepseek_v3", "num_key_value_heads", json!(2)),
            ("gpt_oss", "hidden_act", json!("gelu")),
            ("mixtral", "num_experts_per_tok", json!(9)),
            ("deepseek_v3", "n_group", json!(7)),
            ("qwen2_moe", "mlp_only_layers", json!([-1])),
        ] {
            let mut config = llama();
            config["model_type"] = json!(family);
            config["num_experts_per_tok"] = json!(2);
            config[field] = value;
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(error.to_string().contains(&format!("`{field}`")), "{family}: {error}");
        }
    }

    #[test]
    fn impossible_sizes_are_errors() {
        for (field, value) in [
            ("num_attention_heads", json!(5)),
            ("num_key_value_heads", json!(3)),
            ("num_hidden_layers", json!(1_000_000_000)),
            ("hidden_size", json!("32")),
            ("rms_norm_eps", json!("tiny")),
            ("head_dim", json!(7)),
        ] {
            let mut config = llama();
            config[field] = value;
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(error.to_string().contains(field), "{error}");
        }
    }
}
