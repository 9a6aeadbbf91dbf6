//! The norms of queries and keys.

use candle_core::{Result, Tensor};

use super::error::ModelError;
use super::names::LayerNames;
use super::norm::Norm;
use super::spec::{AttentionSpec, QueryKeyNorm, QueryKeyNormSpan};
use super::weights::ParameterSource;

/// Norms of queries and keys whose parameters are loaded.
#[derive(Clone, Debug)]
pub(super) struct QueryKeyNorms {
    query: Vec<Norm>,
    key: Vec<Norm>,
    span: QueryKeyNormSpan,
    query_size: usize,
    key_size: usize,
    head_size: usize,
}

impl QueryKeyNorms {
    /// Takes the parameters below `prefix`.
    pub(super) fn load(
        source: &dyn ParameterSource,
        prefix: &str,
        names: &LayerNames,
        spec: &AttentionSpec,
        rule: QueryKeyNorm,
    ) -> std::result::Result<Self, ModelError> {
        let AttentionSpec { heads, key_value_heads, head_size, .. } = *spec;
        let load = |name: &str, heads: usize| {
            let name = format!("{prefix}.{name}");
            match rule.span {
                QueryKeyNormSpan::Head => one(Norm::load(source, &name, rule.norm, head_size)),
                QueryKeyNormSpan::Token => {
                    one(Norm::load(source, &name, rule.norm, heads * head_size))
                }
                QueryKeyNormSpan::EachHead => {
                    Norm::load_each(source, &name, rule.norm, heads, head_size)
                }
            }
        };
        Ok(Self {
            query: load(names.query_norm, heads)?,
            key: load(names.key_norm, key_value_heads)?,
            span: rule.span,
            query_size: heads * head_size,
            key_size: key_value_heads * head_size,
            head_size,
        })
    }

    /// Normalises queries and keys, which stand side by side in front of the values.
    pub(super) fn forward(&self, mut projected: Tensor) -> Result<Tensor> {
        let keys = self.query_size..self.query_size + self.key_size;
        for (norms, columns) in [(&self.query, 0..self.query_size), (&self.key, keys)] {
            // One norm sees all columns, several see their share of them.
            let share = columns.len() / norms.len().max(1);
            let span = match self.span {
                QueryKeyNormSpan::Token => share,
                QueryKeyNormSpan::Head | QueryKeyNormSpan::EachHead => self.head_size,
            };
            for (norm, first) in norms.iter().zip(columns.step_by(share.max(1))) {
                projected = norm.forward_columns(projected, first..first + share, span)?;
            }
        }
        Ok(projected)
    }
}

fn one(norm: std::result::Result<Norm, ModelError>) -> std::result::Result<Vec<Norm>, ModelError> {
    Ok(vec![norm?])
}
