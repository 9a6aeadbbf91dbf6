//! How long a sequence a model reads whose rotary positions were stretched.
//!
//! Transformers (5.x, `modeling_rope_utils.py`) sets no limit: it rotates any position. What a config
//! promises is `max_position_embeddings`, which its documents tell authors to leave at the context before it
//! was stretched, and many do (Qwen2.5 with `YaRN`, Vicuna 16k), while others write the new one (`DeepSeek`,
//! gpt-oss). So the longer of the two counts:
//!
//! - `yarn` and `linear`: `original_max_position_embeddings`, or else `max_position_embeddings`, times
//!   `factor`. Where only some layers are stretched, as in Gemma 3, `max_position_embeddings` alone counts.
//! - `dynamic`: `max_position_embeddings`. Up to there nothing is stretched. Beyond it every frequency
//!   depends on the length of the whole sequence, so that no two lengths share anything; that is not
//!   computed, and is said where longer sequences are asked for.
//! - `llama3` and `longrope` hold the new context in `max_position_embeddings`.

use crate::model::spec::DecoderSpec;

/// No config makes a context longer than this.
const MOST_CONTEXT_TOKENS: f64 = (1_u64 << 30) as f64;

/// Lets the context of `spec` follow its rotary positions.
pub(super) fn stretch(spec: &mut DecoderSpec) {
    let stretched = spec
        .layers
        .iter()
        .filter_map(|layer| layer.attention.rotary.as_ref())
        .map(|rotary| rotary.scaling.stretched_context_tokens())
        .collect::<Option<Vec<f64>>>();
    let shortest = stretched.unwrap_or_default().into_iter().reduce(f64::min);
    if let Some(tokens) = shortest {
        spec.context_tokens = spec.context_tokens.max(tokens.min(MOST_CONTEXT_TOKENS) as usize);
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::super::describe;

    #[expect(clippy::needless_pass_by_value, reason = "literals are written in place")]
    fn context_tokens(model_type: &str, scaling: Value, max_position_embeddings: usize) -> usize {
        let config = json!({
            "model_type": model_type, "hidden_size": 32, "intermediate_size": 64, "vocab_size": 320,
            "num_hidden_layers": 6, "num_attention_heads": 4, "head_dim": 8, "num_key_value_heads": 4,
            "sliding_window": 64, "sliding_window_pattern": 6,
            "max_position_embeddings": max_position_embeddings, "rope_scaling": scaling,
        });
        describe(Path::new("config.json"), config).unwrap().spec.context_tokens
    }

    #[test]
    fn a_stretched_context_is_the_original_times_the_factor() {
        let yarn = |original: Option<usize>| json!({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": original});
        // As Qwen2.5's documents say, and as DeepSeek's configs are.
        assert_eq!(context_tokens("qwen2", yarn(Some(32_768)), 32_768), 131_072);
        assert_eq!(context_tokens("llama", yarn(Some(4096)), 16_384), 16_384);
        assert_eq!(context_tokens("llama", yarn(None), 2048), 8192);
        let linear = json!({"type": "linear", "factor": 4.0});
        assert_eq!(context_tokens("llama", linear, 4096), 16_384);
        let named =
            json!({"type": "linear", "factor": 4.0, "original_max_position_embeddings": 1024});
        assert_eq!(context_tokens("llama", named, 4096), 4096);
        let monstrous = json!({"type": "linear", "factor": 1e30});
        assert_eq!(context_tokens("llama", monstrous, 4096), 1 << 30);
    }

    #[test]
    fn what_stretches_otherwise_keeps_the_context_of_the_config() {
        let dynamic = json!({"type": "dynamic", "factor": 4.0});
        assert_eq!(context_tokens("llama", dynamic, 4096), 4096);
        let llama3 = json!({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 8192});
        assert_eq!(context_tokens("llama", llama3, 131_072), 131_072);
        // Only the layers that see everything are stretched.
        let linear = json!({"rope_type": "linear", "factor": 8.0});
        assert_eq!(context_tokens("gemma3_text", linear, 131_072), 131_072);
        assert_eq!(context_tokens("llama", Value::Null, 4096), 4096);
    }
}
