//! Kimi K2.5: `MoonViT`, patches of images of any size with learned positions besides the rotary ones, and a projector.
//!
//! The decoder's positions have one axis, so rows come without a grid.

use candle_core::Result;
use serde_json::json;

use super::patch_merger::{MergerNames, MergerSpec, PatchMerger};
use super::patch_rotation::AxisOrder;
use super::patch_sizes::{PatchSizes, hidden_activation, vision_config};
use super::patch_tower::{PatchTower, TowerPlan};
use super::position_table::{PositionTable, Resampling};
use super::qwen2_vl::EMBEDDING;
use super::{ImageRows, VisionFamily, VisionSettings, prefix};
use crate::image::ProcessedImage;
use crate::model::error::ModelError;
use crate::model::families::Config;
use crate::model::norm::Norm;
use crate::model::spec::NormSpec;
use crate::model::two_way_attention::{no_bias, spans_of};
use crate::model::two_way_block::{BlockNames, BlockSpec, QueryKeyValue};
use crate::model::weights::ParameterSource;
use crate::ops::activation::Activation;
use crate::ops::rotary::RotaryPairing;

/// What stands for an image in a prompt.
const IMAGE_TOKEN: &str = "<|media_pad|>";

/// The ε of the tower's norms.
const EPSILON: f64 = 1e-5;

const DEFAULTS: PatchSizes = PatchSizes {
    hidden_size: 1152,
    heads: 16,
    layers: 27,
    patch_side: 14,
    frames: 1,
    merged: 2,
    theta: 10_000.0,
};

/// What published configs call what those of transformers have other names for.
const PUBLISHED_FIELDS: &[(&str, &str)] = &[
    ("vt_hidden_size", "hidden_size"),
    ("vt_intermediate_size", "intermediate_size"),
    ("vt_num_attention_heads", "num_attention_heads"),
    ("vt_num_hidden_layers", "num_hidden_layers"),
    ("init_pos_emb_height", "pos_emb_height"),
    ("init_pos_emb_width", "pos_emb_width"),
];

/// What published configs can say otherwise, and what is computed.
const COMPUTED: &[(&str, &str)] = &[
    ("merge_type", "sd2_tpool"),
    ("mm_projector_type", "patchmerger"),
    ("pos_emb_type", "divided_fixed"),
    ("projector_hidden_act", "gelu"),
];

/// How files name what is in a checkpoint.
#[derive(Clone, Copy, Debug)]
struct Names {
    blocks: &'static str,
    block: BlockNames,
    /// Rows of queries and keys are stored so that the two numbers of a pair are neighbours, or half a head apart.
    pairing: RotaryPairing,
    positions: &'static str,
    last_norm: &'static str,
    projector: MergerNames,
}

/// Those of transformers.
const NAMES: Names = Names {
    blocks: "layers",
    block: BlockNames {
        before_attention: "norm1",
        query_key_value: QueryKeyValue::Separate(["attn.q_proj", "attn.k_proj", "attn.v_proj"]),
        query_norm: "",
        key_norm: "",
        output: "attn.proj",
        attention_scale: "",
        before_inner: "norm2",
        gate: "",
        up: "mlp.fc1",
        down: "mlp.fc2",
        inner_scale: "",
    },
    pairing: RotaryPairing::Halves,
    positions: "patch_embed.pos_emb.position_embeddings",
    last_norm: "final_layernorm",
    projector: MergerNames { norm: "pre_norm", first: "in_proj", second: "out_proj" },
};

/// Those of published files.
const PUBLISHED_NAMES: Names = Names {
    blocks: "encoder.blocks",
    block: BlockNames {
        before_attention: "norm0",
        query_key_value: QueryKeyValue::Fused("wqkv"),
        output: "wo",
        before_inner: "norm1",
        up: "mlp.fc0",
        down: "mlp.fc1",
        ..NAMES.block
    },
    pairing: RotaryPairing::Neighbours,
    positions: "patch_embed.pos_emb.weight",
    last_norm: "encoder.final_layernorm",
    projector: MergerNames { norm: "pre_norm", first: "proj.0", second: "proj.2" },
};

/// The tower and its projector.
#[derive(Debug)]
struct KimiK25 {
    tower: PatchTower,
    positions: PositionTable,
    last_norm: Norm,
    projector: PatchMerger,
}

/// Loads them.
pub(super) fn load(
    source: &dyn ParameterSource,
    settings: VisionSettings<'_>,
) -> std::result::Result<Box<dyn VisionFamily>, ModelError> {
    let config = vision_config(settings)?.renamed(PUBLISHED_FIELDS);
    for (field, text) in COMPUTED {
        config.only_text(field, text)?;
    }
    let config = config.with("spatial_merge_size", json!(merged(&config)?));
    let sizes = PatchSizes::read(&config.without(&["temporal_patch_size"]), DEFAULTS)?;
    let hidden_size = sizes.hidden_size;
    let tower_prefix =
        prefix(source, &["model.vision_tower.", "vision_tower."], "patch_embed.proj.weight");
    let projector_prefix =
        prefix(source, &["model.mm_projector.", "mm_projector."], "pre_norm.weight");
    let place = |name: &str| format!("{tower_prefix}{name}");
    let is_published = source.contains(&place(PUBLISHED_NAMES.positions));
    let names = if is_published { PUBLISHED_NAMES } else { NAMES };
    let norm = NormSpec::layer(EPSILON);
    let block = BlockSpec {
        pairing: names.pairing,
        ..BlockSpec::plain(
            [hidden_size, sizes.heads, config.count_or("intermediate_size", 4304)?],
            norm,
            hidden_activation(&config, Activation::GeluTanh)?,
        )
    };
    let plan = TowerPlan {
        sizes,
        axes: AxisOrder::ColumnRowByTurns,
        embedding: (EMBEDDING, &sizes.convolution_of_a_frame()),
        embedding_bias: true,
        blocks: names.blocks,
        block,
        block_names: names.block,
    };
    let side = config.count_or("pos_emb_height", 64)?;
    if config.count_or("pos_emb_width", 64)? != side {
        return Err(config.unsupported("pos_emb_width"));
    }
    let epsilon = config.number_or("projector_ln_eps", EPSILON)?;
    let projector = projector(settings.config, sizes, epsilon)?;
    Ok(Box::new(KimiK25 {
        tower: PatchTower::load(source, tower_prefix, &plan)?,
        positions: PositionTable::load(
            source,
            &place(names.positions),
            &[side, side, hidden_size],
            side,
            Resampling::CubicCentres,
        )?,
        last_norm: Norm::load(source, &place(names.last_norm), norm, hidden_size)?,
        projector: PatchMerger::load(source, projector_prefix, &names.projector, projector)?,
    }))
}

/// Patches along a side of a token.
fn merged(config: &Config) -> std::result::Result<usize, ModelError> {
    match config.places("merge_kernel_size")?.as_deref() {
        None => Ok(DEFAULTS.merged),
        Some([height, width]) if height == width && *height > 0 => Ok(*height),
        Some(_) => Err(config.unsupported("merge_kernel_size")),
    }
}

/// What the projector computes; `epsilon` is its norm's where the config beside the tower's does not say it.
fn projector(
    config: &Config,
    sizes: PatchSizes,
    epsilon: f64,
) -> std::result::Result<MergerSpec, ModelError> {
    let Some(text) = config.object("text_config")? else {
        return Err(config.expected("text_config", "the config of the language model"));
    };
    if config.count_or("projection_hidden_size", sizes.hidden_size)? != sizes.hidden_size {
        return Err(config.unsupported("projection_hidden_size"));
    }
    let epsilon = config.number_or("projection_layer_norm_eps", epsilon)?;
    Ok(MergerSpec {
        hidden_size: sizes.hidden_size,
        patches_of_token: sizes.patches_of_token(),
        output_size: text.count_or("hidden_size", 7168)?,
        norm: NormSpec::layer(epsilon),
        norms_tokens: false,
    })
}

impl VisionFamily for KimiK25 {
    fn placeholder(&self) -> &str {
        IMAGE_TOKEN
    }

    fn expansion(&self, image: &ProcessedImage) -> Result<String> {
        self.tower.tokens(image, IMAGE_TOKEN)
    }

    fn rows(&self, image: &ProcessedImage) -> Result<ImageRows> {
        let grid = self.tower.grid(image)?;
        let (embedded, angles) = self.tower.embedded(image, None)?;
        let mut stream = (&embedded + self.positions.of(grid)?.to_dtype(embedded.dtype())?)?;
        let image = spans_of([grid.patches()]);
        for block in &self.tower.blocks {
            stream = block.forward(&stream, &image, Some(&angles), &no_bias)?;
        }
        let rows = self.projector.forward(&self.last_norm.forward(&stream)?)?;
        Ok(ImageRows { rows, added: Vec::new(), grid: None })
    }
}
