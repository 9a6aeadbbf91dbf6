//! Queries, keys and values that are expanded from compressed rows (DeepSeek-AI 2024).
//!
//! The result is laid out as that of any other attention layer: queries, keys and values side by
//! side, head by head. In checkpoints a head ends with its rotated numbers; here it begins with
//! them, in queries and keys alike, which leaves every product as it is and lets rotation work on
//! the front of a head as everywhere else.

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::names::LatentNames;
use super::norm::Norm;
use super::projection::Projection;
use super::spec::{AttentionSpec, LatentSpec};
use super::timings::{Operation, no_product, timed};
use super::weights::ParameterSource;

/// Expanding maps whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct LatentInput {
    heads: usize,
    head_size: usize,
    spec: LatentSpec,
    query_down: Option<(Projection, Norm)>,
    query_up: Projection,
    key_value_down: Projection,
    key_value_norm: Norm,
    key_value_up: Projection,
}

impl LatentInput {
    /// Takes the parameters below `prefix`; `query` is the name of a query map without compression.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        (names, query): (&LatentNames, &str),
        attention: &AttentionSpec,
        spec: LatentSpec,
        hidden_size: usize,
    ) -> std::result::Result<Self, ModelError> {
        let AttentionSpec { heads, head_size, input_bias, .. } = *attention;
        let map = |name: &str, input_size: usize, output_size: usize, bias: bool| {
            Projection::load(source, &format!("{prefix}.{name}"), input_size, output_size, bias)
        };
        let norm = |name: &str, size: usize| {
            Norm::load(source, &format!("{prefix}.{name}"), spec.norm, size)
        };
        let (query_down, query_up) = match spec.query_rank {
            None => (None, map(query, hidden_size, heads * head_size, false)?),
            Some(rank) => (
                Some((
                    map(names.query_down, hidden_size, rank, input_bias)?,
                    norm(names.query_norm, rank)?,
                )),
                map(names.query_up, rank, heads * head_size, false)?,
            ),
        };
        let rank = spec.key_value_rank;
        let kept_size = rank + head_size - spec.unrotated_size;
        let expanded_size = heads * (spec.unrotated_size + spec.value_size);
        Ok(Self {
            heads,
            head_size,
            spec,
            query_down,
            query_up,
            key_value_down: map(names.key_value_down, hidden_size, kept_size, input_bias)?,
            key_value_norm: norm(names.key_value_norm, rank)?,
            key_value_up: map(names.key_value_up, rank, expanded_size, false)?,
        })
    }

    /// Queries, keys and values of every row, side by side, not rotated yet.
    pub(super) fn forward(&self, hidden: &Tensor) -> Result<Tensor> {
        let LatentSpec { key_value_rank, unrotated_size, .. } = self.spec;
        let rotated_size = self.head_size - unrotated_size;
        let rows = hidden.dim(0)?;
        let mapped = |map: &Projection, input: &Tensor| {
            timed(Operation::QueryKeyValue, || map.flops(rows), || map.forward(input, None))
        };
        let queries = match &self.query_down {
            None => mapped(&self.query_up, hidden)?,
            Some((down, norm)) => mapped(&self.query_up, &norm.forward(&mapped(down, hidden)?)?)?,
        };
        let compressed = mapped(&self.key_value_down, hidden)?;
        let shared = compressed.narrow(1, key_value_rank, rotated_size)?.contiguous()?;
        let compressed = compressed.narrow(1, 0, key_value_rank)?.contiguous()?;
        let compressed = self.key_value_norm.forward(&compressed)?;
        let expanded = mapped(&self.key_value_up, &compressed)?;
        timed(Operation::QueryKeyValue, no_product, || self.arrange(&queries, &shared, &expanded))
    }

    /// Head by head, with the rotated numbers first; `shared` are those of the keys of all heads.
    fn arrange(&self, queries: &Tensor, shared: &Tensor, expanded: &Tensor) -> Result<Tensor> {
        let LatentSpec { unrotated_size, value_size, .. } = self.spec;
        let (heads, rotated_size) = (self.heads, self.head_size - unrotated_size);
        let rows = queries.dim(0)?;
        let part =
            |heads: &Tensor, first: usize, size: usize| heads.narrow(2, first, size)?.contiguous();
        let queries = queries.reshape((rows, heads, self.head_size))?;
        let queries = Tensor::cat(
            &[part(&queries, unrotated_size, rotated_size)?, part(&queries, 0, unrotated_size)?],
            2,
        )?;
        let expanded = expanded.reshape((rows, heads, unrotated_size + value_size))?;
        let shared = shared.reshape((rows, 1, rotated_size))?;
        let shared = shared.broadcast_as((rows, heads, rotated_size))?.contiguous()?;
        let keys = Tensor::cat(&[shared, part(&expanded, 0, unrotated_size)?], 2)?;
        let values = part(&expanded, unrotated_size, value_size)?;
        Tensor::cat(&[queries.flatten_from(1)?, keys.flatten_from(1)?, values.flatten_from(1)?], 1)
    }
}
