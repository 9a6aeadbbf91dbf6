//! Checkpoints whose weights were packed into few bits, which `config.json` tells.

use serde_json::Value;

use super::config::Config;
use crate::model::error::ModelError;

/// The object that says how weights are packed.
const FIELD: &str = "quantization_config";

/// Refuses packed weights, with the way to weights that are read.
pub(super) fn refuse(config: &Config) -> Result<(), ModelError> {
    let Some(packing) = config.get(FIELD) else { return Ok(()) };
    let method = packing.get("quant_method").and_then(Value::as_str).unwrap_or_default();
    let bits = |name: &str| packing.get(name).is_some_and(|on| on == &Value::Bool(true));
    let (packed, advice) = match method {
        "bitsandbytes" if bits("load_in_8bit") => ("8 bits by bitsandbytes", UNPACK),
        "bitsandbytes" => ("4 bits by bitsandbytes", UNPACK),
        "fp8" => ("8-bit floats", UNPACK_OR_FETCH),
        "mxfp4" => ("4-bit floats (MXFP4)", UNPACK_OR_FETCH),
        "compressed-tensors" => ("few bits by compressed-tensors", UNPACK_OR_FETCH),
        "gptq" => ("few bits by GPTQ", FETCH),
        "awq" => ("few bits by AWQ", FETCH),
        _ => ("few bits", FETCH),
    };
    Err(config.foreign(
        &format!("has weights packed into {packed} (`{FIELD}.quant_method` = {method:?}), which are not read"),
        advice,
    ))
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

    #[test]
    fn packed_weights_are_refused_by_method_with_a_way_out() {
        for (method, says) in [
            ("gptq", "GPTQ"),
            ("awq", "AWQ"),
            ("bitsandbytes", "dequantize()"),
            ("compressed-tensors", "compressed-tensors"),
            ("fp8", "8-bit floats"),
            ("mxfp4", "MXFP4"),
            ("of_tomorrow", "of_tomorrow"),
        ] {
            let value = json!({"quantization_config": {"quant_method": method}});
            let config = Config::new(Path::new("config.json"), value).unwrap();
            let message = refuse(&config).unwrap_err().to_string();
            assert!(message.contains("`quantization_config.quant_method`"), "{message}");
            assert!(message.contains(says) && message.contains("; use the "), "{message}");
        }
        let none = Config::new(Path::new("config.json"), json!({FIELD: null})).unwrap();
        refuse(&none).unwrap();
    }
}
