//! Checkpoints whose weights were packed into few bits, which `config.json` tells.
//!
//! 8-bit floats in E4M3 are read, as transformers (`fp8`, `fbgemm_fp8`) and compressed-tensors store them. What else a
//! config says of packing is refused with the way to weights that are read.

use serde_json::Value;

use super::config::Config;
use crate::model::error::ModelError;
use crate::model::fp8_scheme::{Fp8Layout, Fp8Scheme};

/// The object that says how weights are packed.
const FIELD: &str = "quantization_config";

/// How FP8 weights are stored, if some are; a refusal of any other packing.
pub(super) fn read(config: &Config) -> Result<Option<Fp8Scheme>, ModelError> {
    let Some(packing) = config.object(FIELD)? else { return Ok(None) };
    let scheme = match packing.text("quant_method")?.unwrap_or_default() {
        "fp8" => fine_grained(&packing)?,
        "fbgemm_fp8" => Fp8Scheme { scale_suffix: "_scale", layout: Fp8Layout::Output },
        "compressed-tensors" if packing.text("format")? == Some("float-quantized") => {
            compressed_tensors(&packing)?
        }
        method => return Err(refusal(config, &packing, method)),
    };
    Ok(Some(scheme))
}

/// transformers' `FineGrainedFP8Config`, and `DeepSeek`'s own of the same name.
fn fine_grained(packing: &Config) -> Result<Fp8Scheme, ModelError> {
    packing.only_text("fmt", "e4m3")?;
    packing.only_text("expert_dtype", "fp8")?;
    let layout = match packing.get("weight_block_size") {
        None => Fp8Layout::Matrix,
        Some(_) => match packing.places("weight_block_size")?.as_deref() {
            Some(&[outputs, inputs]) if outputs > 0 && inputs > 0 => {
                Fp8Layout::Block([outputs, inputs])
            }
            _ => return Err(packing.expected("weight_block_size", "two numbers above zero")),
        },
    };
    Ok(Fp8Scheme { scale_suffix: "_scale_inv", layout })
}

/// `QuantizationConfig` of compressed-tensors, in the format `float-quantized`.
fn compressed_tensors(packing: &Config) -> Result<Fp8Scheme, ModelError> {
    packing.only_text("quantization_status", "compressed")?;
    // Rotated weights need rotated inputs; kept keys and values that are rounded, their scales.
    for field in ["transform_config", "sparsity_config", "kv_cache_scheme"] {
        let is_plain = packing.object(field)?.is_none_or(|object| {
            object.is_empty() || object.get("format").is_some_and(|format| format == "dense")
        });
        if !is_plain {
            return Err(packing.unsupported(field));
        }
    }
    let groups = packing.object("config_groups")?.filter(|groups| !groups.is_empty());
    let Some(groups) = groups else {
        return Err(packing.expected("config_groups", "groups of layers"));
    };
    let mut layouts = Vec::new();
    for name in groups.names() {
        let group = groups.object(name)?;
        let Some(weights) =
            group.as_ref().map(|group| group.object("weights")).transpose()?.flatten()
        else {
            return Err(groups.expected(name, "an object with `weights`"));
        };
        weights.only_text("type", "float")?;
        if weights.count("num_bits")? != 8 {
            return Err(weights.unsupported("num_bits"));
        }
        if !weights.flag_or("symmetric", true)? {
            return Err(weights.unsupported("symmetric"));
        }
        layouts.push(match (weights.text("strategy")?, weights.places("block_structure")?) {
            (Some("tensor"), _) => Fp8Layout::Matrix,
            (Some("channel"), _) => Fp8Layout::Output,
            (Some("block"), Some(block)) if block.len() == 2 && !block.contains(&0) => {
                Fp8Layout::Block([block[0], block[1]])
            }
            _ => return Err(weights.unsupported("strategy")),
        });
    }
    if layouts.iter().any(|layout| *layout != layouts[0]) {
        return Err(packing.unsupported("config_groups"));
    }
    Ok(Fp8Scheme { scale_suffix: "_scale", layout: layouts[0] })
}

/// Of weights that are not read, with the way to some that are.
fn refusal(config: &Config, packing: &Config, method: &str) -> ModelError {
    let bits = |name: &str| packing.get(name).is_some_and(|on| on == &Value::Bool(true));
    let (packed, advice) = match method {
        "bitsandbytes" if bits("load_in_8bit") => ("8 bits by bitsandbytes", UNPACK),
        "bitsandbytes" => ("4 bits by bitsandbytes", UNPACK),
        "mxfp4" => ("4-bit floats (MXFP4)", UNPACK_OR_FETCH),
        "compressed-tensors" => ("few bits by compressed-tensors", UNPACK_OR_FETCH),
        "gptq" => ("few bits by GPTQ", FETCH),
        "awq" => ("few bits by AWQ", FETCH),
        _ => ("few bits", FETCH),
    };
    config.foreign(
        &format!("has weights packed into {packed} (`{FIELD}.quant_method` = {method:?}), which are not read"),
        advice,
    )
}

const FETCH: &str = "use the checkpoint it was made from, which its model card names";
const UNPACK: &str = "use the checkpoint it was made from, or unpack it once with transformers: \
    `model.dequantize()`, then `model.save_pretrained(folder)`";
const UNPACK_OR_FETCH: &str = "use the bf16 checkpoint of the same model, or unpack it once: load it \
    with transformers and `dequantize=True` in its quantization config, then `save_pretrained(folder)`";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn of(packing: &Value) -> Result<Option<Fp8Scheme>, String> {
        let value = json!({"quantization_config": packing});
        let config = Config::new(Path::new("config.json"), value).unwrap();
        read(&config).map_err(|error| error.to_string())
    }

    #[test]
    fn packed_weights_are_refused_by_method_with_a_way_out() {
        for (method, says) in [
            ("gptq", "GPTQ"),
            ("awq", "AWQ"),
            ("bitsandbytes", "dequantize()"),
            ("compressed-tensors", "compressed-tensors"),
            ("mxfp4", "MXFP4"),
            ("of_tomorrow", "of_tomorrow"),
        ] {
            let message = of(&json!({"quant_method": method})).unwrap_err();
            assert!(message.contains("`quantization_config.quant_method`"), "{message}");
            assert!(message.contains(says) && message.contains("; use the "), "{message}");
        }
        assert_eq!(of(&Value::Null), Ok(None));
    }

    #[test]
    fn eight_bit_floats_are_told_with_what_their_scales_belong_to() {
        let group = |weights: Value| {
            json!({"quant_method": "compressed-tensors", "format": "float-quantized",
                "quantization_status": "compressed", "kv_cache_scheme": null, "sparsity_config": {},
                "config_groups": {"group_0": {"targets": ["Linear"], "weights": weights}}})
        };
        let float = |strategy: &str| {
            json!({"num_bits": 8, "type": "float", "symmetric": true, "strategy": strategy,
                "block_structure": [64, 128]})
        };
        for (packing, scale_suffix, layout) in [
            (
                json!({"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 64]}),
                "_scale_inv",
                Fp8Layout::Block([128, 64]),
            ),
            (
                json!({"quant_method": "fp8", "activation_scheme": "static"}),
                "_scale_inv",
                Fp8Layout::Matrix,
            ),
            (json!({"quant_method": "fbgemm_fp8"}), "_scale", Fp8Layout::Output),
            (group(float("tensor")), "_scale", Fp8Layout::Matrix),
            (group(float("channel")), "_scale", Fp8Layout::Output),
            (group(float("block")), "_scale", Fp8Layout::Block([64, 128])),
        ] {
            assert_eq!(of(&packing), Ok(Some(Fp8Scheme { scale_suffix, layout })), "{packing}");
        }
        let with = |field: &str, value: Value| {
            let mut packing = group(float("tensor"));
            packing[field] = value;
            packing
        };
        for (packing, says) in [
            (json!({"quant_method": "fp8", "fmt": "e5m2"}), "`quantization_config.fmt` = \"e5m2\""),
            (json!({"quant_method": "fp8", "weight_block_size": [128]}), "two numbers above zero"),
            (with("kv_cache_scheme", json!({"num_bits": 8})), "kv_cache_scheme"),
            (with("transform_config", json!({"config_groups": {}})), "transform_config"),
            (with("quantization_status", json!("frozen")), "quantization_status"),
            (with("config_groups", json!({})), "config_groups"),
            (group(json!({"num_bits": 4, "type": "float", "strategy": "tensor"})), "num_bits"),
            (group(json!({"num_bits": 8, "type": "int", "strategy": "tensor"})), "weights.type"),
            (group(float("group")), "strategy"),
        ] {
            let message = of(&packing).unwrap_err();
            assert!(message.contains(says), "{packing}: {message}");
        }
    }
}
