//! A decoder in words: one line for each thing that can differ between decoders.

use serde::Serialize;

use crate::{
    model::spec::{
        Activation, AttentionSpec, DecoderSpec, FeedForwardSpec, LayerNorms, LayerSpec, NormSpec,
        QueryKeyNormOrder, QueryKeyNormSpan, RotaryPairing, RotaryScaling, RotarySpec, RouteScore,
    },
    report::grouped,
};

/// Most stretches of layers that are listed; of more, the first are and all are counted.
const LISTED_STRETCHES: usize = 4;

/// One thing about a decoder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ArchitectureLine {
    /// What it is about.
    pub subject: &'static str,
    /// What it is, with the layers where they differ.
    pub text: String,
}

/// The decoder in words; what it does not have is left out.
pub(super) fn architecture(spec: &DecoderSpec) -> Vec<ArchitectureLine> {
    let of_layers = |words: fn(&LayerSpec) -> String| by_layer(spec, words);
    let lines = [
        ("layers", layers(spec)),
        ("attention", of_layers(|layer| attention(&layer.attention))),
        ("reach", of_layers(reach)),
        ("positions", positions(spec)),
        ("feed-forward", of_layers(|layer| feed_forward(&layer.feed_forward))),
        ("norms", [of_layers(norms), outer_norms(spec)].join("; ")),
        ("factors", factors(spec)),
    ];
    lines
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(subject, text)| ArchitectureLine { subject, text })
        .collect()
}

/// What `words` says of the layers: once if it is the same for all, else with their numbers.
fn by_layer(spec: &DecoderSpec, words: fn(&LayerSpec) -> String) -> String {
    let mut said: Vec<(String, Vec<usize>)> = Vec::new();
    for (number, layer) in spec.layers.iter().enumerate() {
        let text = words(layer);
        match said.iter_mut().find(|(known, _)| *known == text) {
            Some((_, numbers)) => numbers.push(number),
            None => said.push((text, vec![number])),
        }
    }
    match said.as_slice() {
        [(text, _)] => text.clone(),
        several => several
            .iter()
            .map(|(text, numbers)| {
                let layers = if numbers.len() == 1 { "layer" } else { "layers" };
                format!("{text} ({layers} {})", stretches(numbers))
            })
            .collect::<Vec<_>>()
            .join("; "),
    }
}

/// Ascending numbers as stretches: `0–4, 6`.
fn stretches(numbers: &[usize]) -> String {
    let all: Vec<String> = numbers
        .chunk_by(|one, next| one + 1 == *next)
        .map(|stretch| match stretch {
            [first, .., last] => format!("{first}–{last}"),
            numbers => numbers.iter().map(ToString::to_string).collect(),
        })
        .collect();
    if all.len() <= LISTED_STRETCHES {
        return all.join(", ");
    }
    format!("{}, …: {} of them", all[..LISTED_STRETCHES].join(", "), numbers.len())
}

fn layers(spec: &DecoderSpec) -> String {
    let tied = if spec.head.tied { "the embedding is the head" } else { "a head of its own" };
    let bias = if spec.head.bias { " with a bias" } else { "" };
    format!(
        "{}, width {}, vocabulary {}, {tied}{bias}",
        spec.layers.len(),
        grouped(spec.hidden_size),
        grouped(spec.vocabulary_size),
    )
}

fn attention(spec: &AttentionSpec) -> String {
    let mut parts = vec![format!("{} heads of {}", spec.heads, spec.head_size)];
    match &spec.latent {
        Some(latent) => {
            let queries = latent
                .query_rank
                .map_or_else(String::new, |rank| format!(", queries from {}", grouped(rank)));
            parts.push(format!(
                "keys and values of {} expanded from {}{queries}",
                latent.value_size,
                grouped(latent.key_value_rank),
            ));
        }
        None => parts.push(format!("{} for keys and values", spec.key_value_heads)),
    }
    match (spec.input_bias, spec.output_bias) {
        (true, true) => parts.push("biases".to_owned()),
        (true, false) => parts.push("biases on queries, keys and values".to_owned()),
        (false, true) => parts.push("bias on the output".to_owned()),
        (false, false) => {}
    }
    if let Some(rule) = spec.query_key_norm {
        let span = match rule.span {
            QueryKeyNormSpan::Head => "every query and key head",
            QueryKeyNormSpan::EachHead => "every query and key head, with weights of its own,",
            QueryKeyNormSpan::Token => "whole queries and keys",
        };
        let order = match rule.order {
            QueryKeyNormOrder::BeforeRotary => "",
            QueryKeyNormOrder::AfterRotary => ", after the rotation",
        };
        parts.push(format!("{} norm on {span}{order}", norm_kind(rule.norm)));
    }
    if (spec.scale * (spec.head_size as f64).sqrt() - 1.0).abs() > 1e-9 {
        parts.push(format!("scores × {}", number(spec.scale)));
    }
    if let Some(growth) = spec.query_growth {
        let tokens = grouped(growth.original_context_tokens);
        parts.push(format!("queries that grow beyond {tokens} tokens"));
    }
    if let Some(limit) = spec.input_limit {
        parts.push(format!("projections cut to ±{}", number(limit)));
    }
    if let Some(cap) = spec.score_soft_cap {
        parts.push(format!("scores soft-capped at {}", number(cap)));
    }
    if spec.sinks {
        parts.push("sinks".to_owned());
    }
    parts.join(", ")
}

fn reach(layer: &LayerSpec) -> String {
    match layer.attention.window_tokens {
        None => "all tokens before".to_owned(),
        Some(window) => format!("a window of {} tokens", grouped(window)),
    }
}

fn positions(spec: &DecoderSpec) -> String {
    let learned =
        spec.learned_positions.map(|learned| format!("{} learned vectors", grouped(learned.count)));
    let added = learned.or(spec.sinusoidal_positions.map(|_| "sines and cosines".to_owned()));
    let in_layers = by_layer(spec, |layer| {
        let rotary =
            layer.attention.rotary.as_ref().map(|it| rotary(it, layer.attention.head_size));
        let slopes = layer.attention.alibi.map(|_| "ALiBi".to_owned());
        rotary.or(slopes).unwrap_or_else(|| "none".to_owned())
    });
    match added {
        Some(added) if in_layers == "none" => added,
        Some(added) => format!("{added}; {in_layers}"),
        None => in_layers,
    }
}

fn rotary(spec: &RotarySpec, head_size: usize) -> String {
    let part = match spec.rotated_size {
        all if all == head_size => String::new(),
        part => format!(" of {part} numbers a head"),
    };
    let pairs = match spec.pairing {
        RotaryPairing::Halves => "",
        RotaryPairing::Neighbours => ", neighbours in pairs",
    };
    let times = |factor: f64, name: &str, from: f64| {
        format!(", {name} × {} from {} tokens", number(factor), grouped(from as usize))
    };
    let scaling = match &spec.scaling {
        RotaryScaling::None => String::new(),
        RotaryScaling::Linear { factor, original_context_tokens } => {
            times(*factor, "linear", *original_context_tokens)
        }
        RotaryScaling::Dynamic => ", dynamic, which is computed within the context".to_owned(),
        RotaryScaling::Factors(_) => ", a factor for every pair".to_owned(),
        RotaryScaling::Llama3 { factor, original_context_tokens, .. } => {
            times(*factor, "llama3", *original_context_tokens)
        }
        RotaryScaling::Yarn { factor, original_context_tokens, .. } => {
            times(*factor, "YaRN", *original_context_tokens)
        }
        RotaryScaling::LongRope { original_context_tokens, .. } => {
            format!(", LongRoPE beyond {} tokens", grouped(*original_context_tokens))
        }
    };
    format!("rotary{part}, base {}{pairs}{scaling}", number(spec.theta))
}

fn feed_forward(spec: &FeedForwardSpec) -> String {
    let gated = if spec.gated { "gated " } else { "" };
    let bias = if spec.bias { ", biases" } else { "" };
    let name = activation(spec.activation);
    let Some(experts) = spec.experts else {
        return format!("{gated}{name} of {}{bias}", grouped(spec.size));
    };
    let score = match experts.route.score {
        RouteScore::Softmax => "softmax",
        RouteScore::Sigmoid => "sigmoid",
        RouteScore::SparseMixer { .. } => "SparseMixer",
    };
    let shared = experts.shared.map_or_else(String::new, |shared| {
        format!(", and one of {} for all", grouped(shared.size))
    });
    format!(
        "{} experts, {gated}{name} of {}{bias}, {} for a token by {score}{shared}",
        experts.count,
        grouped(spec.size),
        experts.route.chosen,
    )
}

fn activation(activation: Activation) -> &'static str {
    match activation {
        Activation::Silu => "SiLU",
        Activation::Gelu => "GELU",
        Activation::GeluTanh => "tanh GELU",
        Activation::QuickGelu => "quick GELU",
        Activation::Relu => "ReLU",
        Activation::ReluSquared => "squared ReLU",
        Activation::ClampedSwish { .. } => "clamped Swish",
        Activation::Xielu(_) => "xIELU",
    }
}

fn norms(layer: &LayerSpec) -> String {
    let LayerNorms { before_attention, after_attention, before_feed_forward, after_feed_forward } =
        layer.norms;
    let places = [
        (before_attention, "before attention"),
        (after_attention, "after attention"),
        (before_feed_forward, "before feed-forward"),
        (after_feed_forward, "after feed-forward"),
    ];
    let there = places.iter().filter_map(|(norm, place)| norm.map(|norm| (norm, *place)));
    let kind = there.clone().next().map_or_else(|| "none".to_owned(), |(first, _)| norm(first));
    let places: Vec<&str> = there.map(|(_, place)| place).collect();
    let parallel = if layer.parallel { ", branches side by side" } else { "" };
    let summed = if layer.norms_after_sum { ", of the sum" } else { "" };
    format!("{kind} {}{summed}{parallel}", places.join(", "))
}

fn outer_norms(spec: &DecoderSpec) -> String {
    let embedding = spec
        .embedding_norm
        .map_or_else(String::new, |on| format!("{} on the embedding; ", norm(on)));
    format!("{embedding}{} before the head", norm(spec.final_norm))
}

fn norm(spec: NormSpec) -> String {
    let (NormSpec::Rms { epsilon, .. } | NormSpec::Layer { epsilon, .. }) = spec else {
        return norm_kind(spec).to_owned();
    };
    let offset = match spec {
        NormSpec::Rms { weight_offset, .. } | NormSpec::Layer { weight_offset, .. }
            if weight_offset != 0.0 =>
        {
            format!(", weights + {}", number(weight_offset))
        }
        _ => String::new(),
    };
    format!("{} (ε {}{offset})", norm_kind(spec), number(epsilon))
}

fn norm_kind(spec: NormSpec) -> &'static str {
    match spec {
        NormSpec::Identity => "no norm",
        NormSpec::Rms { .. } => "RMS",
        NormSpec::Layer { weight: false, .. } => "layer norm without weights",
        NormSpec::Layer { bias: false, .. } => "layer norm without biases",
        NormSpec::Layer { .. } => "layer norm",
    }
}

fn factors(spec: &DecoderSpec) -> String {
    let branch = spec.layers.first().and_then(|layer| layer.residual_scale);
    let factors = [
        spec.embedding_scale.map(|scale| format!("embedding × {}", number(scale))),
        branch.map(|scale| format!("branches × {}", number(scale))),
        spec.head.scale.map(|scale| format!("logits × {}", number(scale))),
        spec.head.soft_cap.map(|cap| format!("logits soft-capped at {}", number(cap))),
    ];
    factors.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A number as short as it goes: whole ones with their thousands apart, small ones as powers.
fn number(number: f64) -> String {
    match number {
        whole if whole.fract() == 0.0 && (1.0..1e15).contains(&whole) => grouped(whole as usize),
        tiny if tiny.abs() < 1e-3 && tiny != 0.0 => format!("{tiny:e}"),
        other => format!("{other:.6}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use crate::model::families;

    fn lines(fixture: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/models");
        let path = folder.join(fixture).join("config.json");
        let config: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let lines = architecture(&families::describe(&path, config).unwrap().spec);
        let lines = lines.into_iter().map(|line| format!("{}: {}", line.subject, line.text));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_is_special_about_a_family_is_said() {
        for (fixture, says) in [
            ("llama-rope3", "llama3 × 8 from"),
            ("gemma2", "scores soft-capped at 50"),
            ("gemma2", "a window of"),
            ("gemma2", "weights + 1"),
            ("bloom", "positions: ALiBi"),
            ("bloom", "layer norm (ε 1e-5) on the embedding"),
            ("gpt2", "learned vectors"),
            ("gpt_oss", "sinks"),
            ("deepseek_v3", "expanded from"),
            ("deepseek_v3", "by sigmoid, and one of"),
            ("phi3-longrope", "LongRoPE beyond"),
            ("smollm3", "none (layer 3)"),
            ("olmo2", "norm on whole queries and keys"),
            ("granite", "factors: embedding × 12"),
            ("gptj", "branches side by side"),
            ("qwen2-tied", "the embedding is the head"),
            ("starcoder2", "feed-forward: tanh GELU of"),
        ] {
            let lines = lines(fixture);
            assert!(lines.contains(says), "{fixture}: {says:?} is not in\n{lines}");
        }
    }

    #[test]
    fn stretches_of_layers_are_short() {
        assert_eq!(stretches(&[0, 1, 2, 4, 6, 7]), "0–2, 4, 6–7");
        assert_eq!(stretches(&[0, 2, 4, 6, 8, 10]), "0, 2, 4, 6, …: 6 of them");
        assert_eq!(
            [500_000.0, 1e-6, 0.0883_883, 0.5].map(number),
            ["500,000", "1e-6", "0.088388", "0.5"]
        );
    }
}
