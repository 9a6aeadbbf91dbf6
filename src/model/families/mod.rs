//! Model families: from a checkpoint's `config.json` to a [`DecoderSpec`] and tensor names.
//!
//! A family is data. It never computes: mathematics a spec cannot say yet belongs into the decoder
//! or an operation first. To add one, write `families/<name>.rs`, declare it below, and give it a line in
//! `registry.rs`.

mod activation;
mod apertus;
mod arcee;
mod biogpt;
mod bloom;
mod codegen;
mod cohere;
mod cohere2;
mod config;
mod context;
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
mod glm4v;
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
mod internlm3;
mod jais2;
mod llama;
mod minimax_m2;
mod ministral;
mod ministral3;
mod mistral;
mod mistral3;
mod mixtral;
mod mixture;
mod mpt;
mod multimodal;
mod nemotron;
mod olmo;
mod olmo2;
mod olmo3;
mod olmoe;
mod opt;
mod packing;
mod persimmon;
mod phi;
mod phi3;
mod phimoe;
mod qwen2;
mod qwen2_moe;
mod qwen2_vl;
mod qwen3;
mod qwen3_moe;
mod qwen3_vl;
mod registry;
mod rotary;
mod seed_oss;
mod smollm3;
mod solar_open;
mod stablelm;
mod starcoder2;
mod windows;
mod xglm;
mod youtu;

use std::path::Path;

pub(super) use activation::named as named_activation;
pub use config::Config;
pub use registry::{Describe, FAMILIES};
use serde_json::Value;

use super::error::ModelError;
use super::fp8_scheme::Fp8Scheme;
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

/// Describes the checkpoint whose `config.json`, at `path`, holds `value`.
///
/// Code that travels with a checkpoint (`auto_map`) is not looked at: transformers, too, computes a
/// family it knows by itself.
pub fn describe(path: &Path, value: Value) -> Result<Description, ModelError> {
    let config = Config::new(path, value)?;
    packing::read(&config)?;
    let Some(model_type) = config.text("model_type")? else {
        return Err(config.expected("model_type", "the name of a model family"));
    };
    // A class in transformers is another name of a family, but not in this field.
    let found = FAMILIES.find(model_type).filter(|family| family.name == model_type);
    let Some(family) = found else { return Err(config.unsupported("model_type")) };
    let mut description = (family.value)(&config)?;
    context::stretch(&mut description.spec);
    Ok(description)
}

/// How FP8 weights are stored in the checkpoint whose `config.json`, at `path`, holds `value`.
pub(super) fn fp8_scheme(path: &Path, value: &Value) -> Result<Option<Fp8Scheme>, ModelError> {
    packing::read(&Config::new(path, value.clone())?)
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
    fn what_a_spec_cannot_say_is_refused_by_name() {
        for (field, value, named) in [
            ("model_type", json!("mamba"), "`model_type` = \"mamba\""),
            ("hidden_act", json!("mish"), "`hidden_act` = \"mish\""),
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
    fn the_context_is_as_long_as_the_stretched_rotary_positions_reach() {
        for (scaling, expected) in [
            (json!(null), 4096),
            (json!({"type": "linear", "factor": 4.0}), 16_384),
            (json!({"type": "yarn", "factor": 4.0}), 16_384),
            (
                json!({"rope_type": "yarn", "factor": 8, "original_max_position_embeddings": 1024}),
                8192,
            ),
            // What is stated is already the longer context.
            (
                json!({"rope_type": "yarn", "factor": 2, "original_max_position_embeddings": 1024}),
                4096,
            ),
            (json!({"type": "yarn", "original_max_position_embeddings": 1024}), 4096),
            (json!({"type": "dynamic", "factor": 4.0}), 4096),
        ] {
            let mut config = llama();
            config["max_position_embeddings"] = json!(4096);
            config["rope_scaling"] = scaling.clone();
            let description = describe(Path::new("config.json"), config).unwrap();
            assert_eq!(description.spec.context_tokens, expected, "{scaling}");
        }
    }

    #[test]
    fn what_a_family_cannot_say_is_refused_by_name() {
        for (model_type, field, value, named) in [
            ("gpt2", "add_cross_attention", json!(true), "`add_cross_attention`"),
            ("mpt", "attn_config", json!({"alibi": false}), "`attn_config.alibi` = false"),
            ("mpt", "attn_config", json!({"qk_ln": true}), "`attn_config.qk_ln`"),
            ("falcon", "num_ln_in_parallel_attn", json!(2), "`num_ln_in_parallel_attn`"),
            ("phimoe", "num_experts_per_tok", json!(3), "`num_experts_per_tok` = 3"),
            (
                "phimoe",
                "rope_scaling",
                json!({"type": "yarn", "factor": 2.0}),
                "`rope_scaling.type`",
            ),
            (
                "mistral3",
                "text_config",
                json!({"model_type": "mixtral"}),
                "`text_config.model_type`",
            ),
            ("qwen3_vl", "text_config", json!(null), "`text_config`"),
            (
                "ministral3",
                "rope_parameters",
                json!({"rope_type": "default"}),
                "`rope_parameters.llama_4_scaling_beta`",
            ),
            ("xglm", "add_cross_attention", json!(true), "`add_cross_attention`"),
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
            config["num_key_value_heads"] = Value::Null;
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
    fn what_a_config_leaves_out_is_what_transformers_fills_in() {
        let read = |config: Value| describe(Path::new("config.json"), config).unwrap().spec;
        let mistral = read(json!({"model_type": "mistral"}));
        let attention = &mistral.layers[31].attention;
        assert_eq!((mistral.hidden_size, mistral.layers.len()), (4096, 32));
        assert_eq!((attention.key_value_heads, attention.window_tokens), (8, Some(4096)));

        // Null is not the same as nothing.
        let heads = |config: Value| read(config).layers[0].attention.clone();
        let nulls =
            json!({"model_type": "ernie4_5", "num_key_value_heads": null, "head_dim": null});
        let (nothing, nulls) = (heads(json!({"model_type": "ernie4_5"})), heads(nulls));
        assert_eq!((nothing.key_value_heads, nothing.head_size), (2, 128));
        assert_eq!((nulls.key_value_heads, nulls.head_size), (16, 64));
        let caps = read(json!({"model_type": "gemma2"}));
        assert_eq!(caps.head.soft_cap, Some(30.0));
        assert_eq!(caps.layers[0].attention.score_soft_cap, Some(50.0));
        let caps = read(json!({"model_type": "gemma2", "final_logit_softcapping": null}));
        assert_eq!(caps.head.soft_cap, None);

        for (family, window) in [("gemma2", 4096), ("gpt_oss", 128), ("qwen2", 4096)] {
            let spec = read(json!({
                "model_type": family, "num_hidden_layers": 2, "use_sliding_window": true,
                "layer_types": ["full_attention", "sliding_attention"],
            }));
            let windows = spec.layers.iter().map(|layer| layer.attention.window_tokens);
            assert_eq!(windows.collect::<Vec<_>>(), [None, Some(window)], "{family}");
        }
    }

    #[test]
    fn a_family_without_grouped_heads_has_none_whatever_its_config_says() {
        for family in ["gpt2", "gpt_neox", "gptj", "gpt_neo", "opt", "bloom", "mpt", "persimmon"] {
            let config = json!({"model_type": family, "num_key_value_heads": 2, "head_dim": 3});
            let spec = describe(Path::new("config.json"), config).unwrap().spec;
            let attention = &spec.layers[0].attention;
            assert_eq!(attention.key_value_heads, attention.heads, "{family}");
            assert_eq!(attention.head_size * attention.heads, spec.hidden_size, "{family}");
        }
    }

    #[test]
    fn a_window_that_is_switched_off_and_listed_is_refused() {
        for family in ["qwen2", "qwen2_moe", "qwen3", "smollm3"] {
            let mut config = llama();
            config["model_type"] = family.into();
            config["num_key_value_heads"] = 4.into();
            config["layer_types"] = json!(["sliding_attention", "full_attention"]);
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(error.to_string().contains("`layer_types`"), "{family}: {error}");
        }
    }

    #[test]
    fn kinds_of_layers_that_do_not_fit_are_errors() {
        for (family, field, value) in [
            ("gpt_neo", "attention_types", json!([[["global"], 1]])),
            ("gpt_neo", "attention_types", json!([[["global"], 9_000_000_000_000_u64]])),
            ("gpt_neo", "attention_types", json!([[[], 9_000_000_000_000_u64]])),
            ("gpt_neo", "attention_types", json!([[["dilated"], 2]])),
            ("glm4_moe_lite", "mlp_layer_types", json!(["dense"])),
            ("glm4_moe_lite", "mlp_layer_types", json!(["dense", "wide"])),
            ("hunyuan_v1_moe", "moe_topk", json!([1, 2])),
            ("codegen", "n_head", json!(6)),
            ("olmoe", "clip_qkv", json!(1.0)),
            ("ernie4_5_moe", "moe_norm_min", json!(0.5)),
        ] {
            let mut config = llama();
            config["model_type"] = json!(family);
            config["num_key_value_heads"] = Value::Null;
            config["hidden_size"] = json!(48);
            config["rotary_dim"] = json!(4);
            config[field] = value;
            let error = describe(Path::new("config.json"), config).unwrap_err();
            assert!(error.to_string().contains(&format!("`{field}`")), "{family}: {error}");
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
            config["num_key_value_heads"] = Value::Null;
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
