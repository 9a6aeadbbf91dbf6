//! Checkpoints in Hugging Face layout as GGUF files, in the way `write.py` and llama.cpp's converter
//! write them, but with any block format that candle can quantise to.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use candle_core::quantized::gguf_file::{self, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{DType, Device, Tensor, safetensors};
use serde_json::Value as Json;

/// What becomes a file.
pub(crate) struct Converted {
    pub(crate) metadata: BTreeMap<String, Value>,
    /// f32, by their names in the file.
    pub(crate) tensors: BTreeMap<String, Tensor>,
}

/// What each `model_type` is called in a file.
const ARCHITECTURES: &[(&str, &str)] = &[
    ("llama", "llama"),
    ("mistral", "llama"),
    ("mixtral", "llama"),
    ("qwen2", "qwen2"),
    ("qwen3", "qwen3"),
    ("qwen3_moe", "qwen3moe"),
    ("gemma", "gemma"),
    ("gemma2", "gemma2"),
    ("gemma3_text", "gemma3"),
    ("phi3", "phi3"),
];

/// What parts of a checkpoint's names become in a file. The first that fits counts.
const NAMES: &[(&str, &str)] = &[
    ("model.embed_tokens", "token_embd"),
    ("model.layers", "blk"),
    ("model.norm", "output_norm"),
    ("lm_head", "output"),
    ("self_attn.qkv_proj", "attn_qkv"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("self_attn.o_proj", "attn_output"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("block_sparse_moe.gate", "ffn_gate_inp"),
    ("mlp.gate_up_proj", "ffn_up"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
    ("mlp.gate", "ffn_gate_inp"),
    ("input_layernorm", "attn_norm"),
    ("pre_feedforward_layernorm", "ffn_norm"),
    ("post_feedforward_layernorm", "post_ffw_norm"),
];

/// Projections of experts.
const EXPERTS: &[(&str, &str)] = &[
    ("gate_proj", "ffn_gate_exps"),
    ("up_proj", "ffn_up_exps"),
    ("down_proj", "ffn_down_exps"),
    ("w1", "ffn_gate_exps"),
    ("w3", "ffn_up_exps"),
    ("w2", "ffn_down_exps"),
];

impl Converted {
    /// Reads a checkpoint; `None` for an architecture that is not written.
    pub(crate) fn read(folder: &Path) -> Option<Self> {
        let config: Json =
            serde_json::from_slice(&std::fs::read(folder.join("config.json")).unwrap()).unwrap();
        let model_type = config["model_type"].as_str().unwrap();
        let (_, architecture) = ARCHITECTURES.iter().find(|(known, _)| *known == model_type)?;
        let mut converted = Self { metadata: BTreeMap::new(), tensors: BTreeMap::new() };
        converted.describe(architecture, &config);
        converted.add_tokenizer(folder);
        let tensors = safetensors::load(folder.join("model.safetensors"), &Device::Cpu).unwrap();
        let tensors: BTreeMap<String, Tensor> = tensors.into_iter().collect();
        let mut experts: BTreeMap<String, BTreeMap<usize, Tensor>> = BTreeMap::new();
        for (name, tensor) in tensors {
            let tensor = tensor.to_dtype(DType::F32).unwrap();
            if name == "lm_head.weight" && config["tie_word_embeddings"] == true {
                continue;
            }
            if let Some((before, after)) = name.split_once(".experts.") {
                let (number, part) = after.split_once('.').unwrap();
                let part = part.strip_suffix(".weight").unwrap();
                let layer = before.split('.').nth(2).unwrap();
                let (_, stack) = EXPERTS.iter().find(|(known, _)| *known == part).unwrap();
                let stack = experts.entry(format!("blk.{layer}.{stack}.weight")).or_default();
                stack.insert(number.parse().unwrap(), tensor);
                continue;
            }
            let tensor = stored(tensor, &name, architecture, &config);
            converted.tensors.insert(renamed(&name, architecture), tensor);
        }
        for (name, stack) in experts {
            let stack: Vec<Tensor> = stack.into_values().collect();
            converted.tensors.insert(name, Tensor::stack(&stack, 0).unwrap());
        }
        Some(converted)
    }

    /// A Llama wide enough for every block format, drawn.
    pub(crate) fn wide(tokenizer: &Path) -> Self {
        let config = serde_json::json!({
            "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2,
            "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64,
            "rms_norm_eps": 1e-6, "max_position_embeddings": 256,
        });
        let mut converted = Self { metadata: BTreeMap::new(), tensors: BTreeMap::new() };
        converted.describe("llama", &config);
        converted.add_tokenizer(tokenizer);
        let mut state = 1u64;
        let mut draw = |shape: &[usize]| {
            let numbers: Vec<f32> = (0..shape.iter().product())
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * 0.15
                })
                .collect();
            Tensor::from_vec(numbers, shape, &Device::Cpu).unwrap()
        };
        let mut add = |name: String, tensor: Tensor| converted.tensors.insert(name, tensor);
        let ones = || Tensor::ones(256, DType::F32, &Device::Cpu).unwrap();
        for layer in 0..2 {
            for (name, shape) in [
                ("attn_q", [256, 256]),
                ("attn_k", [128, 256]),
                ("attn_v", [128, 256]),
                ("attn_output", [256, 256]),
                ("ffn_gate", [512, 256]),
                ("ffn_up", [512, 256]),
                ("ffn_down", [256, 512]),
            ] {
                add(format!("blk.{layer}.{name}.weight"), draw(&shape));
            }
            add(format!("blk.{layer}.attn_norm.weight"), ones());
            add(format!("blk.{layer}.ffn_norm.weight"), ones());
        }
        add("token_embd.weight".to_owned(), draw(&[320, 256]));
        add("output.weight".to_owned(), draw(&[320, 256]));
        add("output_norm.weight".to_owned(), ones());
        converted
    }

    /// Sets a value of the metadata.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.metadata.insert(key.to_owned(), value);
    }

    fn describe(&mut self, architecture: &str, config: &Json) {
        self.set("general.architecture", Value::String(architecture.to_owned()));
        let key = |key: &str| format!("{architecture}.{key}");
        let heads = &config["num_attention_heads"];
        let head_size = config["head_dim"]
            .as_u64()
            .unwrap_or_else(|| config["hidden_size"].as_u64().unwrap() / heads.as_u64().unwrap());
        let counts = [
            ("context_length", &config["max_position_embeddings"]),
            ("embedding_length", &config["hidden_size"]),
            ("block_count", &config["num_hidden_layers"]),
            ("feed_forward_length", &config["intermediate_size"]),
            ("attention.head_count", heads),
            ("attention.head_count_kv", &config["num_key_value_heads"]),
            ("expert_count", &config["num_local_experts"]),
            ("expert_used_count", &config["num_experts_per_tok"]),
            ("expert_feed_forward_length", &config["moe_intermediate_size"]),
            ("attention.sliding_window", &config["sliding_window"]),
            (
                "rope.scaling.original_context_length",
                if architecture == "phi3" {
                    &config["original_max_position_embeddings"]
                } else {
                    &Json::Null
                },
            ),
        ];
        for (name, count) in counts {
            if let Some(count) = count.as_u64() {
                self.set(&key(name), Value::U32(count as u32));
            }
        }
        for name in ["attention.key_length", "attention.value_length", "rope.dimension_count"] {
            self.set(&key(name), Value::U32(head_size as u32));
        }
        let mut number = |name: &str, number: &Json| {
            if let Some(number) = number.as_f64() {
                self.set(&key(name), Value::F32(number as f32));
            }
        };
        number("attention.layer_norm_rms_epsilon", &config["rms_norm_eps"]);
        number("attn_logit_softcapping", &config["attn_logit_softcapping"]);
        number("final_logit_softcapping", &config["final_logit_softcapping"]);
        if let Some(scalar) = config["query_pre_attn_scalar"].as_f64() {
            number("attention.scale", &scalar.powf(-0.5).into());
        }
        let rope = match (&config["rope_parameters"], &config["rope_scaling"]) {
            (Json::Object(rope), _) | (_, Json::Object(rope)) => Json::Object(rope.clone()),
            _ => Json::Null,
        };
        let rope = if rope["full_attention"].is_object() { &rope["full_attention"] } else { &rope };
        let base = rope["rope_theta"].as_f64().or(config["rope_theta"].as_f64());
        number("rope.freq_base", &base.unwrap_or(10_000.0).into());
        self.add_rope_factors(&key("rope.scaling.attn_factor"), rope, base, config, head_size);
    }

    fn add_rope_factors(
        &mut self,
        amplitude_key: &str,
        rope: &Json,
        base: Option<f64>,
        config: &Json,
        head_size: u64,
    ) {
        let mut add = |name: &str, numbers: Vec<f32>| {
            let length = numbers.len();
            let tensor = Tensor::from_vec(numbers, length, &Device::Cpu).unwrap();
            self.tensors.insert(name.to_owned(), tensor);
        };
        if rope["rope_type"] == "llama3" {
            let of = |field: &str| rope[field].as_f64().unwrap();
            let context = of("original_max_position_embeddings");
            let factors = (0..head_size / 2).map(|pair| {
                let wave = base.unwrap().powf(2.0 * pair as f64 / head_size as f64);
                let turns = context / (std::f64::consts::TAU * wave);
                let (low, high) = (of("low_freq_factor"), of("high_freq_factor"));
                let kept = ((turns - low) / (high - low)).clamp(0.0, 1.0);
                (1.0 / ((1.0 - kept) / of("factor") + kept)) as f32
            });
            add("rope_freqs.weight", factors.collect());
        }
        if rope["rope_type"] == "longrope" {
            for (field, name) in [
                ("long_factor", "rope_factors_long.weight"),
                ("short_factor", "rope_factors_short.weight"),
            ] {
                let factors = rope[field].as_array().unwrap().iter();
                add(name, factors.map(|factor| factor.as_f64().unwrap() as f32).collect());
            }
            let context = config["max_position_embeddings"].as_f64().unwrap();
            let original = config["original_max_position_embeddings"].as_f64().unwrap();
            let amplitude = (1.0 + (context / original).ln() / original.ln()).sqrt();
            self.set(amplitude_key, Value::F32(amplitude as f32));
        }
    }

    fn add_tokenizer(&mut self, folder: &Path) {
        let text = std::fs::read_to_string(folder.join("tokenizer.json")).unwrap();
        let json: Json = serde_json::from_str(&text).unwrap();
        let mut tokens: BTreeMap<u64, (&str, i32)> = BTreeMap::new();
        for (token, id) in json["model"]["vocab"].as_object().unwrap() {
            tokens.insert(id.as_u64().unwrap(), (token, 1));
        }
        for added in json["added_tokens"].as_array().unwrap() {
            tokens.insert(added["id"].as_u64().unwrap(), (added["content"].as_str().unwrap(), 3));
        }
        let merges = json["model"]["merges"].as_array().unwrap().iter().map(|merge| match merge {
            Json::Array(parts) => {
                format!("{} {}", parts[0].as_str().unwrap(), parts[1].as_str().unwrap())
            }
            merge => merge.as_str().unwrap().to_owned(),
        });
        let texts = |texts: &mut dyn Iterator<Item = String>| {
            Value::Array(texts.map(Value::String).collect())
        };
        self.set("tokenizer.ggml.model", Value::String("gpt2".to_owned()));
        self.set("tokenizer.ggml.pre", Value::String("gpt-2".to_owned()));
        self.set("tokenizer.ggml.merges", texts(&mut merges.into_iter()));
        let kinds = tokens.values().map(|(_, kind)| Value::I32(*kind)).collect();
        self.set("tokenizer.ggml.token_type", Value::Array(kinds));
        let mut tokens = tokens.values().map(|(token, _)| (*token).to_owned());
        self.set("tokenizer.ggml.tokens", texts(&mut tokens));
    }

    /// Writes a file in which each tensor has the type that `dtype` gives it by name.
    pub(crate) fn write(&self, path: &Path, dtype: impl Fn(&str, &Tensor) -> GgmlDType) {
        let tensors: Vec<(&str, QTensor)> = self
            .tensors
            .iter()
            .map(|(name, tensor)| {
                let blocks = QTensor::quantize(tensor, dtype(name, tensor)).unwrap();
                (name.as_str(), blocks)
            })
            .collect();
        let tensors: Vec<(&str, &QTensor)> =
            tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        let metadata: Vec<(&str, &Value)> =
            self.metadata.iter().map(|(key, value)| (key.as_str(), value)).collect();
        gguf_file::write(&mut File::create(path).unwrap(), &metadata, &tensors).unwrap();
    }

    /// The same with every tensor as it is after it was quantised.
    pub(crate) fn rounded(&self, dtype: impl Fn(&str, &Tensor) -> GgmlDType) -> Self {
        let tensors = self
            .tensors
            .iter()
            .map(|(name, tensor)| {
                let blocks = QTensor::quantize(tensor, dtype(name, tensor)).unwrap();
                (name.clone(), blocks.dequantize(&Device::Cpu).unwrap())
            })
            .collect();
        Self { metadata: self.metadata.clone(), tensors }
    }
}

/// A checkpoint's name of a tensor in a file.
fn renamed(name: &str, architecture: &str) -> String {
    let after_attention = match architecture {
        "gemma2" | "gemma3" => "post_attention_norm",
        _ => "ffn_norm",
    };
    let mut name = name.replace("post_attention_layernorm", after_attention);
    for (part, new) in NAMES {
        name = name.replace(part, new);
    }
    name
}

/// A tensor as it is stored: Llama's rows in pairs, Gemma's norms with what is added to them.
fn stored(tensor: Tensor, name: &str, architecture: &str, config: &Json) -> Tensor {
    if architecture.starts_with("gemma") && name.ends_with("norm.weight") {
        return (tensor + 1.0).unwrap();
    }
    let heads = match name {
        _ if architecture != "llama" => return tensor,
        _ if name.contains(".q_proj.") => &config["num_attention_heads"],
        _ if name.contains(".k_proj.") => &config["num_key_value_heads"],
        _ => return tensor,
    };
    let heads = heads.as_u64().unwrap() as usize;
    let shape = tensor.dims().to_vec();
    let (half, width) = (shape[0] / heads / 2, tensor.elem_count() / shape[0]);
    let halves = tensor.reshape((heads, 2, half, width)).unwrap();
    halves.transpose(1, 2).unwrap().contiguous().unwrap().reshape(shape).unwrap()
}
