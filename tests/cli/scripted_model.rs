//! A checkpoint that says what a script says: where a key stands in a prompt, the line that belongs to it, and then nothing more.
//!
//! Keys and lines are single tokens, anything else is unknown. The one layer's attention takes the mean of all tokens so far,
//! so its output holds the key; the last matrix leads from the key to its line, and from a line to the end. A test of a
//! whole run can so decide each answer, without a seam in the program.

use std::{fs, path::Path};

use serde_json::json;

use super::scratch::Scratch;

/// Numbers in a row of a matrix; more than there are tokens.
const WIDTH: usize = 64;
const UNKNOWN: usize = 0;
const END: usize = 1;

/// Writes the checkpoint into a folder; `script` has each key with its line.
pub(crate) fn write(scratch: &Scratch, folder: &str, script: &[(&str, &str)]) {
    let texts: Vec<&str> = ["<unk>", "</s>"]
        .into_iter()
        .chain(script.iter().flat_map(|(key, line)| [*key, *line]))
        .collect();
    assert!(texts.len() <= WIDTH, "too many lines for the width");
    let added = texts.iter().enumerate().map(|(id, text)| {
        json!({
            "id": id, "content": text, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": id == END,
        })
    });
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "pre_tokenizer": null,
        "post_processor": null, "decoder": null, "added_tokens": added.collect::<Vec<_>>(),
        "model": {"type": "WordLevel", "vocab": {"<unk>": UNKNOWN, "</s>": END}, "unk_token": "<unk>"},
    });
    let config = json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu",
        "hidden_size": WIDTH, "intermediate_size": WIDTH, "num_hidden_layers": 1,
        "num_attention_heads": 2, "num_key_value_heads": 2, "vocab_size": texts.len(),
        "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
        "tie_word_embeddings": false, "torch_dtype": "float32", "eos_token_id": END,
    });
    scratch.write(&format!("{folder}/config.json"), &config.to_string());
    scratch.write(&format!("{folder}/tokenizer.json"), &tokenizer.to_string());
    scratch.write(
        &format!("{folder}/tokenizer_config.json"),
        &json!({"eos_token": "</s>", "unk_token": "<unk>", "tokenizer_class": "PreTrainedTokenizerFast"}).to_string(),
    );
    write_weights(&scratch.path().join(folder).join("model.safetensors"), texts.len());
}

fn write_weights(path: &Path, tokens: usize) {
    let matrix = |rows: usize, entries: &[(usize, usize, f32)]| {
        let mut values = vec![0.0_f32; rows * WIDTH];
        for &(row, column, value) in entries {
            values[row * WIDTH + column] = value;
        }
        (vec![rows, WIDTH], values)
    };
    let same: Vec<(usize, usize, f32)> = (0..WIDTH).map(|place| (place, place, 1.0)).collect();
    // Where a prompt has no key, the end is the likeliest.
    let mut leads = vec![(END, UNKNOWN, 0.001)];
    for key in (2..tokens).step_by(2) {
        leads.extend([(key + 1, key, 100.0), (END, key + 1, 10_000.0)]);
    }
    let ones = || (vec![WIDTH], vec![1.0_f32; WIDTH]);
    let layer = |name: &str| format!("model.layers.0.{name}.weight");
    let tensors = [
        ("model.embed_tokens.weight".to_owned(), matrix(tokens, &same[..tokens])),
        (layer("input_layernorm"), ones()),
        (layer("self_attn.q_proj"), matrix(WIDTH, &[])),
        (layer("self_attn.k_proj"), matrix(WIDTH, &[])),
        (layer("self_attn.v_proj"), matrix(WIDTH, &same)),
        (layer("self_attn.o_proj"), matrix(WIDTH, &same)),
        (layer("post_attention_layernorm"), ones()),
        (layer("mlp.gate_proj"), matrix(WIDTH, &[])),
        (layer("mlp.up_proj"), matrix(WIDTH, &[])),
        (layer("mlp.down_proj"), matrix(WIDTH, &[])),
        ("model.norm.weight".to_owned(), ones()),
        ("lm_head.weight".to_owned(), matrix(tokens, &leads)),
    ];
    let bytes: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .into_iter()
        .map(|(name, (shape, values))| {
            (name, shape, values.into_iter().flat_map(f32::to_le_bytes).collect())
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        let view =
            safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape.clone(), bytes);
        (name.as_str(), view.unwrap())
    });
    fs::write(path, safetensors::serialize(views, None).unwrap()).unwrap();
}
