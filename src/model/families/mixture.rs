//! How many experts there are, and how many a token goes to.

use super::config::Config;
use crate::model::error::ModelError;

/// The fields that families count their experts in. Configs of one family use more than one.
const COUNT_FIELDS: [&str; 3] = ["num_local_experts", "num_experts", "n_routed_experts"];

/// Experts of a layer, and those that a token goes to.
pub(super) fn sizes(
    config: &Config,
    default_count: usize,
    default_chosen: usize,
) -> Result<(usize, usize), ModelError> {
    let field = COUNT_FIELDS.into_iter().find(|field| config.get(field).is_some());
    let count = field.map_or(Ok(default_count), |field| config.count(field))?;
    let chosen = config.count_or("num_experts_per_tok", default_chosen)?;
    if chosen > count {
        return Err(config.expected("num_experts_per_tok", "at most the number of experts"));
    }
    Ok((count, chosen))
}
