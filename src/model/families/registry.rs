//! Which families there are.
//!
//! The line of a family holds everything that is said of it as a whole, so that what
//! `surprisal models` lists is what can be read.

use super::{Config, Description};
use crate::{
    model::error::ModelError,
    registry::{Registration, Registry},
};

/// Reads a checkpoint's config.
pub type Describe = fn(&Config) -> Result<Description, ModelError>;

/// Every supported family by its `model_type` in `config.json`; its other name is its class in
/// transformers, as `architectures` has it.
// A family is a line, however long.
#[rustfmt::skip]
pub const FAMILIES: Registry<Describe> = Registry {
    kind: "model family",
    registrations: &[
        Registration::new("apertus", &["ApertusForCausalLM"], "llama with norms on heads, a plain feed-forward of xIELU", super::apertus::describe),
        Registration::new("arcee", &["ArceeForCausalLM"], "llama with a plain feed-forward of squared ReLU", super::arcee::describe),
        Registration::new("aya_vision", &["AyaVisionForConditionalGeneration"], "a cohere2 without scaled logits that also sees", super::multimodal::describe_aya),
        Registration::new("biogpt", &["BioGptForCausalLM"], "scaled embedding, learned positions, layer norms, biases", super::biogpt::describe),
        Registration::new("bloom", &["BloomForCausalLM"], "ALiBi, norm on the embedding, biases", super::bloom::describe),
        Registration::new("codegen", &["CodeGenForCausalLM"], "GPT-J with fused projections", super::codegen::describe),
        Registration::new("cohere", &["CohereForCausalLM"], "parallel branches, layer norm, scaled logits", super::cohere::describe),
        Registration::new("cohere2", &["Cohere2ForCausalLM"], "cohere with windows, and layers without positions", super::cohere2::describe),
        Registration::new("cwm", &["CwmForCausalLM"], "llama with windows in three of four layers", super::cwm::describe),
        Registration::new("deepseek_v2", &["DeepseekV2ForCausalLM"], "latent attention, experts with shared ones", super::deepseek::describe_2),
        Registration::new("deepseek_v3", &["DeepseekV3ForCausalLM"], "latent attention, experts chosen by corrected sigmoids in groups", super::deepseek::describe_3),
        Registration::new("dots1", &["Dots1ForCausalLM"], "qwen3's attention, deepseek_v3's experts", super::dots1::describe),
        Registration::new("ernie4_5", &["Ernie4_5ForCausalLM"], "rotates neighbours", super::ernie4_5::describe),
        Registration::new("ernie4_5_moe", &["Ernie4_5_MoeForCausalLM"], "ernie4_5 with experts chosen with a correction", super::ernie4_5_moe::describe),
        Registration::new("exaone4", &["Exaone4ForCausalLM"], "norms after branches and on heads, windows, layers without positions", super::exaone4::describe),
        Registration::new("exaone_moe", &["ExaoneMoeForCausalLM"], "exaone4's attention, deepseek_v3's experts", super::exaone_moe::describe),
        Registration::new("falcon", &["FalconForCausalLM"], "fused projections, parallel branches, rotary or ALiBi", super::falcon::describe),
        Registration::new("flex_olmo", &["FlexOlmoForCausalLM"], "olmo2 with experts in every layer", super::flex_olmo::describe),
        Registration::new("gemma", &["GemmaForCausalLM"], "scaled embedding, norms offset by one, tanh GELU", super::gemma::describe),
        Registration::new("gemma2", &["Gemma2ForCausalLM"], "norms around branches, soft caps, every other layer a window", super::gemma::describe_2),
        Registration::new("gemma3", &["Gemma3ForConditionalGeneration"], "the language model of one that also sees; as gemma3_text", super::gemma3::describe_with_vision),
        Registration::new("gemma3_text", &["Gemma3ForCausalLM"], "norms around branches and on heads, windows with own positions", super::gemma3::describe),
        Registration::new("glm", &["GlmForCausalLM"], "half of each head rotated, neighbours together", super::glm4::describe_first),
        Registration::new("glm4", &["Glm4ForCausalLM"], "norms around branches, half of each head rotated", super::glm4::describe),
        Registration::new("glm4_moe", &["Glm4MoeForCausalLM"], "partly rotated heads, deepseek_v3's experts", super::glm4_moe::describe),
        Registration::new("glm4_moe_lite", &["Glm4MoeLiteForCausalLM"], "deepseek_v3 in other sizes", super::glm4_moe_lite::describe),
        Registration::new("glm4v", &["Glm4vForConditionalGeneration"], "the language model of one that also sees; a glm4", super::glm4v::describe),
        Registration::new("gpt2", &["GPT2LMHeadModel"], "learned positions, layer norms, plain feed-forward", super::gpt2::describe),
        Registration::new("gpt_bigcode", &["GPTBigCodeForCausalLM"], "learned positions, one key and value head", super::gpt_bigcode::describe),
        Registration::new("gpt_neo", &["GPTNeoForCausalLM"], "learned positions, scores without a factor, every other layer a window", super::gpt_neo::describe),
        Registration::new("gpt_neox", &["GPTNeoXForCausalLM"], "layer norms, partly rotated heads, parallel branches", super::gpt_neox::describe),
        Registration::new("gpt_oss", &["GptOssForCausalLM"], "experts with a clamped gate, attention sinks, windows", super::gpt_oss::describe),
        Registration::new("gptj", &["GPTJForCausalLM"], "parallel branches on one layer norm, rotates neighbours", super::gptj::describe),
        Registration::new("granite", &["GraniteForCausalLM"], "factors on embedding, scores, branches and logits", super::granite::describe),
        Registration::new("granitemoe", &["GraniteMoeForCausalLM"], "granite with experts", super::granite_moe::describe),
        Registration::new("granitemoeshared", &["GraniteMoeSharedForCausalLM"], "granitemoe with a shared expert", super::granite_moe::describe_with_shared),
        Registration::new("helium", &["HeliumForCausalLM"], "llama that rotates neighbours", super::helium::describe),
        Registration::new("hunyuan_v1_dense", &["HunYuanDenseV1ForCausalLM"], "norm on heads after the rotation", super::hunyuan::describe),
        Registration::new("hunyuan_v1_moe", &["HunYuanMoEV1ForCausalLM"], "hunyuan_v1_dense with experts", super::hunyuan::describe_with_experts),
        Registration::new("hyperclovax", &["HyperCLOVAXForCausalLM"], "granite with norms on branches, logits multiplied", super::hyperclovax::describe),
        Registration::new("idefics3", &["Idefics3ForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe),
        Registration::new("internlm3", &["InternLM3ForCausalLM"], "biases on query, key and value by separate switches", super::internlm3::describe),
        Registration::new("internvl", &["InternVLForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe_tied),
        Registration::new("jais2", &["Jais2ForCausalLM"], "layer norms, squared ReLU, biases everywhere", super::jais2::describe),
        Registration::new("kimi_k25", &["Kimi_K25ForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe_tied),
        Registration::new("llama", &["LlamaForCausalLM"], "grouped heads, RMS norms, gated feed-forward", super::llama::describe),
        Registration::new("llava", &["LlavaForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe),
        Registration::new("llava_next", &["LlavaNextForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe),
        Registration::new("llava_onevision", &["LlavaOnevisionForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe),
        Registration::new("minimax_m2", &["MiniMaxM2ForCausalLM"], "norms on whole queries and keys, experts chosen by corrected sigmoids", super::minimax_m2::describe),
        Registration::new("ministral", &["MinistralForCausalLM"], "mistral with windows layer by layer", super::ministral::describe),
        Registration::new("ministral3", &["Ministral3ForCausalLM"], "mistral with YaRN, queries that grow beyond the original context", super::ministral3::describe),
        Registration::new("mistral", &["MistralForCausalLM"], "window on every layer, if the config has one", super::mistral::describe),
        Registration::new("mistral3", &["Mistral3ForConditionalGeneration"], "the language model of one that also sees; mistral or ministral3", super::mistral3::describe),
        Registration::new("mixtral", &["MixtralForCausalLM"], "experts, two of eight for a token", super::mixtral::describe),
        Registration::new("mpt", &["MptForCausalLM"], "ALiBi, layer norms without bias", super::mpt::describe),
        Registration::new("nemotron", &["NemotronForCausalLM"], "layer norms offset by one, squared ReLU", super::nemotron::describe),
        Registration::new("olmo", &["OlmoForCausalLM"], "layer norms without weights, clipped projections", super::olmo::describe),
        Registration::new("olmo2", &["Olmo2ForCausalLM"], "norms after branches and on whole queries and keys", super::olmo2::describe),
        Registration::new("olmo3", &["Olmo3ForCausalLM"], "olmo2 with windows on three of four layers", super::olmo3::describe),
        Registration::new("olmoe", &["OlmoeForCausalLM"], "norms on whole queries and keys, experts", super::olmoe::describe),
        Registration::new("opt", &["OPTForCausalLM"], "learned positions, ReLU, norms before or after branches", super::opt::describe),
        Registration::new("paligemma", &["PaliGemmaForConditionalGeneration"], "a gemma that sees its prompt both ways, with an image in it", super::multimodal::describe_paligemma),
        Registration::new("persimmon", &["PersimmonForCausalLM"], "layer norms, norms on partly rotated heads, squared ReLU, biases", super::persimmon::describe),
        Registration::new("phi", &["PhiForCausalLM"], "parallel branches on one layer norm, biases", super::phi::describe),
        Registration::new("phi3", &["Phi3ForCausalLM"], "fused projections, window, LongRoPE", super::phi3::describe),
        Registration::new("phi4_multimodal", &["Phi4MultimodalForCausalLM"], "the language model of one that also sees; a phi3", super::phi3::describe_beside_vision),
        Registration::new("phimoe", &["PhimoeForCausalLM"], "layer norms, biases, experts weighed against those near them", super::phimoe::describe),
        Registration::new("qwen2", &["Qwen2ForCausalLM"], "biases on query, key and value", super::qwen2::describe),
        Registration::new("qwen2_5_vl", &["Qwen2_5_VLForConditionalGeneration"], "the language model of one that also sees; a qwen2", super::qwen2_vl::describe),
        Registration::new("qwen2_audio", &["Qwen2AudioForConditionalGeneration"], "a language model of any family that also hears", super::multimodal::describe),
        Registration::new("qwen2_moe", &["Qwen2MoeForCausalLM"], "experts with a weighted shared one", super::qwen2_moe::describe),
        Registration::new("qwen2_vl", &["Qwen2VLForConditionalGeneration"], "the language model of one that also sees; a qwen2", super::qwen2_vl::describe),
        Registration::new("qwen3", &["Qwen3ForCausalLM"], "norm on every query and key head", super::qwen3::describe),
        Registration::new("qwen3_moe", &["Qwen3MoeForCausalLM"], "qwen3 with experts", super::qwen3_moe::describe),
        Registration::new("qwen3_vl", &["Qwen3VLForConditionalGeneration"], "the language model of one that also sees; a qwen3", super::qwen3_vl::describe),
        Registration::new("seed_oss", &["SeedOssForCausalLM"], "biases of attention by separate switches", super::seed_oss::describe),
        Registration::new("smollm3", &["SmolLM3ForCausalLM"], "layers without positions", super::smollm3::describe),
        Registration::new("smolvlm", &["SmolVLMForConditionalGeneration"], "a language model of any family that also sees", super::multimodal::describe),
        Registration::new("solar_open", &["SolarOpenForCausalLM"], "llama with deepseek_v3's experts", super::solar_open::describe),
        Registration::new("stablelm", &["StableLmForCausalLM"], "layer norms, partly rotated heads", super::stablelm::describe),
        Registration::new("starcoder2", &["Starcoder2ForCausalLM"], "layer norms, plain feed-forward, biases, window", super::starcoder2::describe),
        Registration::new("vaultgemma", &["VaultGemmaForCausalLM"], "gemma2 without norms after branches", super::gemma::describe_vault),
        Registration::new("voxtral", &["VoxtralForConditionalGeneration"], "a language model of any family that also hears", super::multimodal::describe),
        Registration::new("xglm", &["XGLMForCausalLM"], "scaled embedding, positions as sines and cosines, layer norms, biases", super::xglm::describe),
        Registration::new("youtu", &["YoutuForCausalLM"], "deepseek_v3's attention, no experts", super::youtu::describe),
    ],
};

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_registry_names_the_class_of_every_fixture() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        let places = std::fs::read_dir(fixtures).unwrap().map(|entry| entry.unwrap().path());
        for folder in places.filter(|place| place.is_dir()) {
            let config = std::fs::read(folder.join("config.json")).unwrap();
            let config: Value = serde_json::from_slice(&config).unwrap();
            let family = FAMILIES.find(config["model_type"].as_str().unwrap()).unwrap();
            assert_eq!(config["architectures"], json!(family.aliases));
        }
    }
}
