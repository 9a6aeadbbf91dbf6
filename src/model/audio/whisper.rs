//! Whisper's encoder (Radford et al. 2022), which several families hear with.
//!
//! Two convolutions make a row of every two frames; then come learned positions and layers. A chunk of features is computed by itself.

use candle_core::{DType, Result, Tensor};

use super::AudioSettings;
use super::convolution::Convolution;
use crate::audio::ProcessedAudio;
use crate::model::error::ModelError;
use crate::model::families::{Config, named_activation};
use crate::model::norm::Norm;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::no_bias;
use crate::model::two_way_block::{Biases, BlockNames, BlockSpec, QueryKeyValue, TwoWayBlock};
use crate::model::weights::ParameterSource;
use crate::ops::activation::{Activation, activation};

/// Frames that become a row.
pub(super) const ROW_FRAMES: usize = 2;

/// What transformers has for all of them, and no config.
const NORM_EPSILON: f64 = 1e-5;

const NAMES: BlockNames = BlockNames {
    before_attention: "self_attn_layer_norm",
    query_key_value: QueryKeyValue::Separate([
        "self_attn.q_proj",
        "self_attn.k_proj",
        "self_attn.v_proj",
    ]),
    query_norm: "",
    key_norm: "",
    output: "self_attn.out_proj",
    attention_scale: "",
    before_inner: "final_layer_norm",
    gate: "",
    up: "fc1",
    down: "fc2",
    inner_scale: "",
};

/// The encoder, with its parameters.
#[derive(Debug)]
pub(super) struct Whisper {
    each: Convolution,
    every_other: Convolution,
    /// `(rows of a chunk, hidden size)`.
    positions: Tensor,
    blocks: Vec<TwoWayBlock>,
    norm: Norm,
    hidden_size: usize,
    inner_size: usize,
    bins: usize,
    dtype: DType,
}

impl Whisper {
    /// Takes the parameters below `prefix`, which ends with a dot.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        settings: AudioSettings<'_>,
    ) -> std::result::Result<Self, ModelError> {
        let config = settings.tower()?.renamed(&[
            ("d_model", "hidden_size"),
            ("encoder_layers", "num_hidden_layers"),
            ("encoder_attention_heads", "num_attention_heads"),
            ("encoder_ffn_dim", "intermediate_size"),
        ]);
        let hidden_size = config.count_or("hidden_size", 1280)?;
        let inner_size = config.count_or("intermediate_size", 5120)?;
        let bins = config.count_or("num_mel_bins", 128)?;
        if bins != settings.processor.bins() {
            let what = format!("{}, as the processor's `feature_size`", settings.processor.bins());
            return Err(config.expected("num_mel_bins", &what));
        }
        let rows = config.count_or("max_source_positions", 1500)?;
        if rows * ROW_FRAMES != settings.processor.frames() {
            let what = format!("half of the {} frames of a chunk", settings.processor.frames());
            return Err(config.expected("max_source_positions", &what));
        }
        let spec = block_spec(&config, hidden_size, inner_size)?;
        let layers = config.count_or("num_hidden_layers", 32)?;
        let place = |name: &str| format!("{prefix}{name}");
        let convolution = |name: &str, input_size, stride| {
            Convolution::load(source, &place(name), [input_size, hidden_size], stride)
        };
        Ok(Self {
            each: convolution("conv1", bins, 1)?,
            every_other: convolution("conv2", hidden_size, ROW_FRAMES)?,
            positions: source.parameter(&place("embed_positions.weight"), &[rows, hidden_size])?,
            blocks: (0..layers)
                .map(|layer| {
                    let below = place(&format!("layers.{layer}"));
                    TwoWayBlock::load(source, &below, &NAMES, &spec)
                })
                .collect::<std::result::Result<_, _>>()?,
            norm: Norm::load(source, &place("layer_norm"), spec.norm, hidden_size)?,
            hidden_size,
            inner_size,
            bins,
            dtype: source.dtype(),
        })
    }

    /// Width of the stream.
    pub(super) fn hidden_size(&self) -> usize {
        self.hidden_size
    }

    /// Width within the feed-forward network.
    pub(super) fn inner_size(&self) -> usize {
        self.inner_size
    }

    /// Rows of a chunk.
    pub(super) fn chunk_rows(&self) -> Result<usize> {
        self.positions.dim(0)
    }

    /// The first `rows` rows of a chunk behind the last layer, `(rows, hidden size)`, of which each sees all of them and no others. They are
    /// not normalised.
    pub(super) fn forward(
        &self,
        audio: &ProcessedAudio,
        chunk: usize,
        rows: usize,
    ) -> Result<Tensor> {
        let [_, bins, frames] = audio.shape;
        if [bins, frames] != [self.bins, self.chunk_rows()? * ROW_FRAMES] {
            candle_core::bail!("features of {bins} bins in {frames} frames are of another family")
        }
        let Some(features) = audio.values.chunks_exact(bins * frames).nth(chunk) else {
            candle_core::bail!("the audio has no chunk {chunk}")
        };
        let features = Tensor::from_slice(features, (bins, frames), self.positions.device())?;
        let features = features.to_dtype(self.dtype)?.t()?.contiguous()?;
        let stream = activation(self.each.forward(&features)?, Activation::Gelu)?;
        let stream = activation(self.every_other.forward(&stream)?, Activation::Gelu)?;
        let mut stream = (stream + &self.positions)?.narrow(0, 0, rows)?.contiguous()?;
        for block in &self.blocks {
            stream = block.forward(&stream, std::slice::from_ref(&(0..rows)), None, &no_bias)?;
        }
        Ok(stream)
    }

    /// The norm behind the layers.
    pub(super) fn normed(&self, stream: &Tensor) -> Result<Tensor> {
        self.norm.forward(stream)
    }
}

fn block_spec(
    config: &Config,
    hidden_size: usize,
    inner_size: usize,
) -> std::result::Result<BlockSpec, ModelError> {
    let heads = config.count_or("num_attention_heads", 20)?;
    if !hidden_size.is_multiple_of(heads) {
        return Err(config.expected("num_attention_heads", "a divisor of the hidden size"));
    }
    // Transformers reads this field and does not scale.
    if config.flag_or("scale_embedding", false)? {
        return Err(config.unsupported("scale_embedding"));
    }
    let activation = match config.text("activation_function")? {
        None => Activation::Gelu,
        Some(name) => {
            named_activation(name).ok_or_else(|| config.unsupported("activation_function"))?
        }
    };
    Ok(BlockSpec {
        biases: Biases { key: false, ..Biases::ALL },
        ..BlockSpec::plain(
            [hidden_size, heads, inner_size],
            NormSpec::layer(NORM_EPSILON),
            activation,
        )
    })
}
