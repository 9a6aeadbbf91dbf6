//! `adapter_config.json` of a low-rank adapter, understood.

use std::path::{Path, PathBuf};

use fancy_regex::Regex;
use serde_json::Value;

use super::{ADAPTER_CONFIG_FILE, ModelError};
use crate::model::families::Config;
use crate::model::json;

/// Fields that are read below, and those that only say how an adapter was trained or which tensors it
/// has, which the tensors say themselves. `fan_in_fan_out` is among them because PEFT itself corrects
/// it by the kind of layer.
const FIELDS: &[&str] = &[
    "alpha_pattern",
    "auto_mapping",
    "base_model_name_or_path",
    "bias",
    "corda_config",
    "ensure_weight_tying",
    "eva_config",
    "exclude_modules",
    "fan_in_fan_out",
    "inference_mode",
    "init_lora_weights",
    "layers_pattern",
    "layers_to_transform",
    "loftq_config",
    "lora_alpha",
    "lora_dropout",
    "lora_ga_config",
    "megatron_core",
    "modules_to_save",
    "peft_type",
    "peft_version",
    "qalora_group_size",
    "r",
    "rank_pattern",
    "revision",
    "runtime_config",
    "target_modules",
    "task_type",
    "use_dora",
    "use_rslora",
];

/// Ways to begin training that leave the base as it is. The others change its weights anew each time
/// an adapter is loaded, so what is stored means nothing without them.
const INNOCENT_STARTS: &[&str] = &["eva", "gaussian", "orthogonal"];

/// What an adapter says of itself.
#[derive(Debug)]
pub(super) struct LoraSettings {
    path: PathBuf,
    /// The checkpoint it was trained on: a folder or a name; empty where the config is silent.
    pub(super) base: Option<String>,
    /// Which of the base's revisions.
    pub(super) revision: Option<String>,
    rank: usize,
    alpha: f64,
    ranks: Vec<(Regex, f64)>,
    alphas: Vec<(Regex, f64)>,
    /// The scale falls with the root of the rank instead of with the rank (Kalajdzievski 2023).
    rank_stabilised: bool,
    /// Rows have a stored length besides (`DoRA`, Liu et al. 2024).
    pub(super) has_magnitudes: bool,
}

impl LoraSettings {
    /// Reads the config in `folder`, and refuses by name what is not a low-rank adapter.
    pub(super) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join(ADAPTER_CONFIG_FILE);
        let value = json::read(&path)?;
        let unread = value.as_object().and_then(|fields| {
            fields.iter().find(|(name, value)| !FIELDS.contains(&name.as_str()) && is_on(value))
        });
        let unread = unread.map(|(name, _)| name.clone());
        let config = Config::new(&path, value)?;
        if config.text("peft_type")? != Some("LORA") {
            return Err(config.unsupported("peft_type"));
        }
        if let Some(field) = unread {
            return Err(config.unsupported(&field));
        }
        match config.get("init_lora_weights") {
            None | Some(Value::Bool(_)) => {}
            Some(Value::String(start)) if INNOCENT_STARTS.contains(&start.as_str()) => {}
            Some(_) => return Err(config.unsupported("init_lora_weights")),
        }
        Ok(Self {
            path,
            base: config.text("base_model_name_or_path")?.map(str::to_owned),
            revision: config.text("revision")?.map(str::to_owned),
            rank: config.count_or("r", 8)?,
            alpha: config.number_or("lora_alpha", 8.0)?,
            ranks: patterns(&config, "rank_pattern")?,
            alphas: patterns(&config, "alpha_pattern")?,
            rank_stabilised: config.flag_or("use_rslora", false)?,
            has_magnitudes: config.flag_or("use_dora", false)?,
        })
    }

    /// The rank of the change to `module`.
    pub(super) fn rank(&self, module: &str) -> Result<usize, ModelError> {
        let own = self.matching(&self.ranks, module)?;
        Ok(own.map_or(self.rank, |rank| rank as usize))
    }

    /// The factor on the change to `module`: α / r, or α / √r.
    pub(super) fn scale(&self, module: &str) -> Result<f64, ModelError> {
        let alpha = self.matching(&self.alphas, module)?.unwrap_or(self.alpha);
        let rank = self.rank(module)? as f64;
        Ok(alpha / if self.rank_stabilised { rank.sqrt() } else { rank })
    }

    /// The number of the first pattern that fits.
    fn matching(&self, patterns: &[(Regex, f64)], module: &str) -> Result<Option<f64>, ModelError> {
        for (pattern, number) in patterns {
            let fits = pattern.is_match(module).map_err(|error| ModelError::Config {
                path: self.path.clone(),
                problem: format!("whether `{module}` fits {:?}: {error}", pattern.as_str()),
            })?;
            if fits {
                return Ok(Some(*number));
            }
        }
        Ok(None)
    }
}

/// Whether a field of an unknown meaning asks for something.
fn is_on(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    }
}

/// Numbers by the ends of modules' names, as PEFT matches them: `re.match("(.*\.)?(key)$", module)`.
fn patterns(config: &Config, field: &str) -> Result<Vec<(Regex, f64)>, ModelError> {
    let expected = || config.expected(field, "positive numbers by the names of modules");
    let Some(value) = config.get(field) else { return Ok(Vec::new()) };
    let numbers = value.as_object().ok_or_else(expected)?;
    numbers
        .iter()
        .map(|(key, number)| {
            let number = number.as_f64().filter(|number| *number > 0.0).ok_or_else(expected)?;
            let pattern = Regex::new(&format!(r"^(?:.*\.)?(?:{key})$")).map_err(|_| expected())?;
            Ok((pattern, number))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(config: &Value) -> Result<LoraSettings, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(ADAPTER_CONFIG_FILE), config.to_string()).unwrap();
        LoraSettings::read(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn scales_follow_patterns_and_ranks() {
        let config = json!({
            "peft_type": "LORA", "r": 16, "lora_alpha": 32,
            "rank_pattern": {"layers.1.self_attn.q_proj": 4, "k_proj|v_proj": 64},
            "alpha_pattern": {r"layers\.\d+\.self_attn\.k_proj": 8},
        });
        let mut settings = read(&config).unwrap();
        let scales = |settings: &LoraSettings| {
            ["0.self_attn.q_proj", "1.self_attn.q_proj", "1.self_attn.k_proj", "1.mlp.xk_proj"].map(
                |module| {
                    (1000.0 * settings.scale(&format!("model.layers.{module}")).unwrap()) as usize
                },
            )
        };
        assert_eq!(scales(&settings), [2000, 8000, 125, 2000]);
        settings.rank_stabilised = true;
        assert_eq!(scales(&settings), [8000, 16_000, 1000, 8000]);
        assert_eq!(settings.rank("model.layers.1.self_attn.v_proj").unwrap(), 64);
    }

    #[test]
    fn what_is_no_plain_low_rank_adapter_is_refused_by_name() {
        for (field, value) in [
            ("peft_type", json!("IA3")),
            ("layer_replication", json!([[0, 2]])),
            ("trainable_token_indices", json!([5])),
            ("target_parameters", json!(["mlp.experts.gate_up_proj"])),
            ("lora_bias", json!(true)),
            ("init_lora_weights", json!("pissa_niter_4")),
            ("rank_pattern", json!({"(": 4})),
            ("alpha_pattern", json!({"a": 0})),
            ("a_field_of_the_future", json!(1)),
            ("r", json!(-1)),
        ] {
            let mut config = json!({"peft_type": "LORA"});
            config[field] = value;
            let message = read(&config).unwrap_err();
            assert!(message.contains(&format!("`{field}`")), "{message}");
        }
        let idle = json!({
            "peft_type": "LORA", "layer_replication": null, "lora_bias": false, "arrow_config": {},
            "target_modules": ["q_proj"], "init_lora_weights": "gaussian", "lora_dropout": 0.1,
        });
        read(&idle).unwrap();
    }
}
