//! The attention branch of a layer.

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::latent::LatentInput;
use super::names::LayerNames;
use super::norm::Norm;
use super::projection::Projection;
use super::rows::Rows;
use super::spec::{AttentionSpec, QueryKeyNorm, QueryKeyNormOrder, QueryKeyNormSpan};
use super::weights::ParameterSource;
use crate::ops::attention::{AttentionRule, attention};
use crate::ops::host;
use crate::ops::kv::KvLayer;
use crate::ops::linear::Residual;
use crate::ops::rotary::rotary;

/// Attention whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct AttentionLayer {
    spec: AttentionSpec,
    rule: AttentionRule,
    input: Input,
    output: Projection,
    norms: Option<(QueryKeyNorm, Norm, Norm)>,
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
        let key_size = spec.key_value_heads * spec.head_size;
        let maps = [(names.query, query_size), (names.key, key_size), (names.value, key_size)]
            .map(|(name, size)| (format!("{prefix}.{name}"), size));
        let input = match spec.latent {
            None => {
                Input::Joined(Projection::load_joined(source, &maps, hidden_size, spec.input_bias)?)
            }
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
                let norm = |name: &str, token_size: usize| {
                    let size = match rule.span {
                        QueryKeyNormSpan::Head => spec.head_size,
                        QueryKeyNormSpan::Token => token_size,
                    };
                    Norm::load(source, &format!("{prefix}.{name}"), rule.norm, size)
                };
                Some((rule, norm(names.query_norm, query_size)?, norm(names.key_norm, key_size)?))
            }
        };
        Ok(Self {
            input,
            output: Projection::load(
                source,
                &format!("{prefix}.{}", names.output),
                spec.heads * spec.value_size(),
                hidden_size,
                spec.output_bias,
            )?,
            norms,
            rule: AttentionRule {
                scale: spec.scale,
                window_tokens: spec.window_tokens,
                score_soft_cap: spec.score_soft_cap,
                sinks,
                ..AttentionRule::default()
            },
            spec: spec.clone(),
        })
    }

    /// Attends the rows of a batch, whose keys and values `kept` takes up first, and adds the result
    /// to `residual`.
    ///
    /// `angles` are the cosines and sines of the rows' positions, if this layer sees positions.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        residual: Option<Residual<'_>>,
        rows: &Rows<'_>,
        angles: Option<&(Tensor, Tensor)>,
        kept: &mut KvLayer,
    ) -> Result<Tensor> {
        let heads = self.spec.heads;
        let projected = match &self.input {
            Input::Joined(map) => map.forward(hidden, None)?,
            Input::Latent(latent) => latent.forward(hidden)?,
        };
        let projected = self.place(projected, angles)?;
        kept.write(&projected, heads * self.spec.head_size, rows.slots)?;
        let attended = attention(&projected, heads, rows.segments, kept, &self.rule)?;
        self.output.forward(&attended, residual)
    }

    /// Normalises and rotates queries and keys, in the family's order.
    fn place(&self, projected: Tensor, angles: Option<&(Tensor, Tensor)>) -> Result<Tensor> {
        let AttentionSpec { heads, key_value_heads, head_size, .. } = self.spec;
        let rotate = |projected: Tensor| match (angles, &self.spec.rotary) {
            (Some((cosines, sines)), Some(spec)) => {
                let heads = (heads + key_value_heads, head_size);
                rotary(projected, heads, cosines, sines, spec.pairing)
            }
            _ => Ok(projected),
        };
        let Some((rule, query_norm, key_norm)) = &self.norms else { return rotate(projected) };
        let normalise = |projected: Tensor| {
            let queries = 0..heads * head_size;
            let keys = queries.end..queries.end + key_value_heads * head_size;
            let (query_span, key_span) = match rule.span {
                QueryKeyNormSpan::Head => (head_size, head_size),
                QueryKeyNormSpan::Token => (queries.len(), keys.len()),
            };
            let projected = query_norm.forward_columns(projected, queries, query_span)?;
            key_norm.forward_columns(projected, keys, key_span)
        };
        match rule.order {
            QueryKeyNormOrder::BeforeRotary => rotate(normalise(projected)?),
            QueryKeyNormOrder::AfterRotary => normalise(rotate(projected)?),
        }
    }
}
