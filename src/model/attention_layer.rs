//! The attention branch of a layer.

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::names::LayerNames;
use super::norm::Norm;
use super::projection::Projection;
use super::rows::Rows;
use super::spec::{AttentionSpec, QueryKeyNorm, QueryKeyNormOrder, QueryKeyNormSpan};
use super::weights::ParameterSource;
use crate::ops::attention::{AttentionRule, attention};
use crate::ops::kv::KvLayer;
use crate::ops::rotary::rotary;

/// Attention whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct AttentionLayer {
    spec: AttentionSpec,
    rule: AttentionRule,
    query: Projection,
    key: Projection,
    value: Projection,
    output: Projection,
    norms: Option<(QueryKeyNorm, Norm, Norm)>,
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
        let input = |name: &str, size: usize| {
            let name = format!("{prefix}.{name}");
            Projection::load(source, &name, hidden_size, size, spec.input_bias)
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
            query: input(names.query, query_size)?,
            key: input(names.key, key_size)?,
            value: input(names.value, key_size)?,
            output: Projection::load(
                source,
                &format!("{prefix}.{}", names.output),
                query_size,
                hidden_size,
                spec.output_bias,
            )?,
            norms,
            rule: AttentionRule {
                scale: spec.scale,
                window_tokens: spec.window_tokens,
                score_soft_cap: spec.score_soft_cap,
                ..AttentionRule::default()
            },
            spec: spec.clone(),
        })
    }

    /// Attends the rows of a batch, whose keys and values `kept` takes up first.
    ///
    /// `angles` are the cosines and sines of the rows' positions, if this layer sees positions.
    pub(super) fn forward(
        &self,
        hidden: &Tensor,
        rows: &Rows<'_>,
        angles: Option<&(Tensor, Tensor)>,
        kept: &mut KvLayer,
    ) -> Result<Tensor> {
        let queries = self.split(&self.query.forward(hidden)?, self.spec.heads)?;
        let keys = self.split(&self.key.forward(hidden)?, self.spec.key_value_heads)?;
        let values = self.value.forward(hidden)?;
        let norms = self.norms.as_ref();
        let queries = self.place(queries, norms.map(|(rule, norm, _)| (rule, norm)), angles)?;
        let keys = self.place(keys, norms.map(|(rule, _, norm)| (rule, norm)), angles)?;
        let (queries, keys) = (queries.flatten_from(1)?, keys.flatten_from(1)?);
        let projected = Tensor::cat(&[&queries, &keys, &values], 1)?;
        kept.write(&projected, queries.dim(1)?, rows.slots)?;
        self.output.forward(&attention(
            &projected,
            self.spec.heads,
            rows.segments,
            kept,
            &self.rule,
        )?)
    }

    /// `(rows, heads × head size)` as `(rows, heads, head size)`.
    fn split(&self, numbers: &Tensor, heads: usize) -> Result<Tensor> {
        numbers.reshape((numbers.dim(0)?, heads, self.spec.head_size))
    }

    /// Normalises and rotates queries or keys, in the family's order.
    fn place(
        &self,
        heads: Tensor,
        norm: Option<(&QueryKeyNorm, &Norm)>,
        angles: Option<&(Tensor, Tensor)>,
    ) -> Result<Tensor> {
        let rotate = |heads: Tensor| match (angles, &self.spec.rotary) {
            (Some((cosines, sines)), Some(spec)) => rotary(&heads, cosines, sines, spec.pairing),
            _ => Ok(heads),
        };
        match norm {
            None => rotate(heads),
            Some((rule, norm)) => {
                let normalise = |heads: Tensor| match rule.span {
                    QueryKeyNormSpan::Head => norm.forward(&heads),
                    QueryKeyNormSpan::Token => {
                        norm.forward(&heads.flatten_from(1)?)?.reshape(heads.shape())
                    }
                };
                match rule.order {
                    QueryKeyNormOrder::BeforeRotary => rotate(normalise(heads)?),
                    QueryKeyNormOrder::AfterRotary => normalise(rotate(heads)?),
                }
            }
        }
    }
}
