//! The attention branch of a layer.

use candle_core::{Result, Tensor};

use super::alibi;
use super::error::ModelError;
use super::latent::LatentInput;
use super::names::LayerNames;
use super::projection::Projection;
use super::query_key_norms::QueryKeyNorms;
use super::read_rows::ReadRows;
use super::rows::Rows;
use super::spec::{AttentionSpec, QueryKeyNormOrder};
use super::stored_matrix::StoredMatrix;
use super::timings::{Operation, no_product, timed};
use super::weights::ParameterSource;
use crate::ops::attention::{AttentionRule, attention};
use crate::ops::clamp::clamp;
use crate::ops::host;
use crate::ops::kv::KvLayer;
use crate::ops::linear::Residual;
use crate::ops::rotary::{Angles, rotary};
use crate::ops::scale::scale_columns;

/// Attention whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct AttentionLayer {
    spec: AttentionSpec,
    rule: AttentionRule,
    input: Input,
    output: Projection,
    norms: Option<(QueryKeyNormOrder, QueryKeyNorms)>,
}

/// Gives queries, keys and values side by side.
#[derive(Clone, Debug)]
enum Input {
    /// Three maps in one.
    Joined(Projection),
    /// From compressed rows.
    Latent(Box<LatentInput>),
}

impl AttentionLayer {
    /// Takes the parameters below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &LayerNames,
        spec: &AttentionSpec,
        hidden_size: usize,
    ) -> std::result::Result<Self, ModelError> {
        let query_size = spec.heads * spec.head_size;
        let value_size = spec.heads * spec.value_size();
        let key_size = spec.key_value_heads * spec.head_size;
        let separate = [(names.query, query_size), (names.key, key_size), (names.value, key_size)]
            .map(|(name, size)| (format!("{prefix}.{name}"), size));
        let input = match spec.latent {
            None => Input::Joined(match names.fused_input {
                None => Projection::load_joined(source, &separate, hidden_size, spec.input_bias)?,
                Some(fused) => {
                    let matrix = fused.matrix(prefix, spec, names.transposed);
                    Projection::load_stored(source, &matrix, hidden_size, spec.input_bias)?
                }
            }),
            Some(latent) => {
                let names = (&names.latent, names.query);
                let latent = LatentInput::load(source, prefix, names, spec, latent, hidden_size)?;
                Input::Latent(Box::new(latent))
            }
        };
        let sinks = if spec.sinks {
            let sinks = source.parameter(&format!("{prefix}.{}", names.sinks), &[spec.heads])?;
            Some(host::read(&sinks, <[f32]>::to_vec)?)
        } else {
            None
        };
        let norms = match spec.query_key_norm {
            None => None,
            Some(rule) => {
                Some((rule.order, QueryKeyNorms::load(source, prefix, names, spec, rule)?))
            }
        };
        let output = StoredMatrix::part(
            format!("{prefix}.{}", names.output),
            hidden_size,
            0..hidden_size,
            names.transposed,
        );
        Ok(Self {
            input,
            output: Projection::load_stored(source, &output, value_size, spec.output_bias)?,
            norms,
            rule: AttentionRule {
                scale: spec.scale,
                window_tokens: spec.window_tokens,
                score_soft_cap: spec.score_soft_cap,
                position_slopes: spec.alibi.map(|alibi| alibi::position_slopes(alibi, spec.heads)),
                sinks,
            },
            spec: spec.clone(),
        })
    }

    /// Attends the rows of a batch, whose keys and values `kv_layer` takes up first, and adds the result
    /// to `residual`. Where not all rows are read, the others attend to nothing, and `residual` is of those that are.
    ///
    /// `angles` are the cosines and sines of the rows' positions, if this layer sees positions.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        residual: Option<Residual<'_>>,
        (rows, read): (&Rows<'_>, Option<&ReadRows>),
        angles: Option<&Angles<'_>>,
        kv_layer: &mut KvLayer,
    ) -> Result<Tensor> {
        let Self { input, output, spec, .. } = self;
        let AttentionSpec { heads, input_limit, .. } = spec;
        let count = rows.ids.len();
        let projected = match input {
            Input::Joined(map) => timed(
                Operation::QueryKeyValue,
                || map.flops(count),
                || match input_limit {
                    Some(limit) => clamp(map.forward(hidden, None)?, *limit),
                    None => map.forward(hidden, None),
                },
            )?,
            Input::Latent(latent) => latent.forward(hidden)?,
        };
        let projected = self.place_and_keep(projected, angles, rows, kv_layer)?;
        let attended = timed(
            Operation::Attention,
            || match read {
                None => self.attention_flops(rows.positions),
                Some(read) => self.attention_flops(&read.positions(rows)),
            },
            || match read {
                None => attention(&projected, *heads, rows.segments, kv_layer, &self.rule),
                Some(read) => {
                    let projected = read.attending(&projected)?;
                    let attended =
                        attention(&projected, *heads, &read.segments, kv_layer, &self.rule)?;
                    read.read_of_attending(attended)
                }
            },
        )?;
        timed(
            Operation::AttentionOutput,
            || output.flops(read.map_or(count, ReadRows::len)),
            || output.forward(&attended, residual),
        )
    }

    /// Multiplications and additions of scores and of weighted values, for the keys that each row
    /// sees.
    fn attention_flops(&self, positions: &[u32]) -> f64 {
        let AttentionSpec { heads, head_size, window_tokens, .. } = self.spec;
        let numbers = heads * (head_size + self.spec.value_size());
        let seen = |&position: &u32| {
            let tokens = position as usize + 1;
            window_tokens.map_or(tokens, |window| window.min(tokens)) as f64
        };
        let seen_tokens: f64 = positions.iter().map(seen).sum();
        2.0 * numbers as f64 * seen_tokens
    }

    /// Normalises and rotates queries and keys, lets queries grow, and keeps keys and values.
    fn place_and_keep(
        &self,
        projected: Tensor,
        angles: Option<&Angles<'_>>,
        rows: &Rows<'_>,
        kv_layer: &mut KvLayer,
    ) -> Result<Tensor> {
        let AttentionSpec { heads, head_size, query_growth, rotary, .. } = &self.spec;
        let grows = query_growth.is_some_and(|growth| growth.reaches(rows.positions));
        let rotates_last =
            self.norms.as_ref().is_none_or(|(order, _)| *order == QueryKeyNormOrder::BeforeRotary);
        if let (Some(angles), Some(rotary)) = (angles, rotary)
            && rotates_last
            && !grows
            // Elsewhere these are two steps, timed by themselves.
            && projected.device().is_cuda()
        {
            let normed = match &self.norms {
                Some((_, norms)) => norms.forward(projected)?,
                None => projected,
            };
            return timed(Operation::Rotary, no_product, || {
                kv_layer.rotate_and_write(normed, *heads, (angles, rotary.pairing), rows.slots)
            });
        }
        let projected = self.grow(self.place(projected, angles)?, rows.positions)?;
        timed(Operation::KeepKeysValues, no_product, || {
            kv_layer.write(&projected, heads * head_size, rows.slots)
        })?;
        Ok(projected)
    }

    /// Lets queries grow with their positions.
    fn grow(&self, projected: Tensor, positions: &[u32]) -> Result<Tensor> {
        let AttentionSpec { heads, head_size, query_growth, .. } = self.spec;
        let Some(growth) = query_growth.filter(|growth| growth.reaches(positions)) else {
            return Ok(projected);
        };
        let factors: Vec<f32> = positions.iter().map(|&at| growth.factor(at)).collect();
        timed(Operation::Rotary, no_product, || {
            scale_columns(projected, heads * head_size, &factors)
        })
    }

    /// Normalises and rotates queries and keys, in the family's order.
    fn place(&self, projected: Tensor, angles: Option<&Angles<'_>>) -> Result<Tensor> {
        let AttentionSpec { heads, key_value_heads, head_size, .. } = self.spec;
        let rotate = |projected: Tensor| match (angles, &self.spec.rotary) {
            (Some(angles), Some(spec)) => {
                let heads = (heads + key_value_heads, head_size);
                timed(Operation::Rotary, no_product, || {
                    rotary(projected, heads, angles, spec.pairing)
                })
            }
            _ => Ok(projected),
        };
        let Some((order, norms)) = &self.norms else { return rotate(projected) };
        match order {
            QueryKeyNormOrder::BeforeRotary => rotate(norms.forward(projected)?),
            QueryKeyNormOrder::AfterRotary => norms.forward(rotate(projected)?),
        }
    }
}
