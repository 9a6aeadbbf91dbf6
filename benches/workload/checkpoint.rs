//! A checkpoint with a tokenizer of real size and hardly any weights.

use std::{collections::HashMap, fs, path::Path};

use safetensors::{Dtype, tensor::TensorView};
use serde_json::json;
use tokenizers::{
    AddedToken, Tokenizer,
    models::bpe::{BPE, BpeTrainerBuilder},
    pre_tokenizers::{
        PreTokenizerWrapper, byte_level::ByteLevel, sequence::Sequence, split::Split,
    },
    tokenizer::SplitDelimiterBehavior,
};

use super::english::{Draw, Prose};

/// Tokens of the vocabulary, special ones included.
const VOCABULARY: usize = 32_768;

/// Llama 3's words.
const WORDS: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Writes the checkpoint to `folder`, if it is not there.
pub(crate) fn write(folder: &Path, prose: &Prose) {
    if folder.join("tokenizer.json").exists() {
        return;
    }
    fs::create_dir_all(folder).expect("the target folder can be written");
    let pocket = json!({
        "architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": VOCABULARY,
        "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1,
        "num_key_value_heads": 1, "max_position_embeddings": 4096, "rms_norm_eps": 1e-6,
        "tie_word_embeddings": true, "hidden_act": "silu", "rope_theta": 10000.0,
    });
    fs::write(folder.join("config.json"), pocket.to_string()).expect("the folder can be written");
    let square: &[&str] = &[
        "mlp.down_proj",
        "mlp.gate_proj",
        "mlp.up_proj",
        "self_attn.k_proj",
        "self_attn.o_proj",
        "self_attn.q_proj",
        "self_attn.v_proj",
    ];
    let norms: &[&str] = &["input_layernorm", "post_attention_layernorm"];
    let in_layer = |name: &&str| format!("model.layers.0.{name}.weight");
    let mut shapes = vec![
        ("model.embed_tokens.weight".to_owned(), vec![VOCABULARY, 8]),
        ("model.norm.weight".to_owned(), vec![8]),
    ];
    shapes.extend(square.iter().map(|name| (in_layer(name), vec![8, 8])));
    shapes.extend(norms.iter().map(|name| (in_layer(name), vec![8])));
    let zeros = vec![0_u8; VOCABULARY * 8 * 4];
    let tensors: HashMap<String, TensorView<'_>> = shapes
        .into_iter()
        .map(|(name, shape)| {
            let bytes = shape.iter().product::<usize>() * 4;
            let view = TensorView::new(Dtype::F32, shape, &zeros[..bytes])
                .expect("the length is the shape's");
            (name, view)
        })
        .collect();
    safetensors::serialize_to_file(tensors, None, &folder.join("model.safetensors"))
        .expect("the folder can be written");
    trained(prose).save(folder.join("tokenizer.json"), false).expect("the folder can be written");
}

/// A byte-level BPE that has learned its merges from prose.
fn trained(prose: &Prose) -> Tokenizer {
    let mut tokenizer = Tokenizer::new(BPE::default());
    let split = Split::new(
        tokenizers::pre_tokenizers::split::SplitPattern::Regex(WORDS.to_owned()),
        SplitDelimiterBehavior::Isolated,
        false,
    )
    .expect("the pattern is well-formed");
    let bytes = ByteLevel::new(false, true, false);
    tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![
        PreTokenizerWrapper::Split(split),
        PreTokenizerWrapper::ByteLevel(bytes),
    ])));
    tokenizer.with_decoder(Some(bytes));
    let mut trainer: tokenizers::models::TrainerWrapper = BpeTrainerBuilder::new()
        .vocab_size(VOCABULARY)
        .show_progress(false)
        .special_tokens(vec![AddedToken::from("<|end_of_text|>", true)])
        .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
        .build()
        .into();
    let mut draw = Draw::new(2);
    let lines: Vec<String> = (0..40_000).map(|_| prose.words(&mut draw, 50)).collect();
    tokenizer.train(&mut trainer, lines.into_iter()).expect("prose can be learned from");
    tokenizer
}
