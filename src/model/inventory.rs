//! Whether a checkpoint stores what its decoder needs, and nothing else.
//!
//! A tensor that nothing asks for is a sign that the authors compute something the spec does not say,
//! so it is refused like one that is missing. No number is read.

use super::decoder::Decoder;
use super::error::ModelError;
use super::families::Description;
use super::fp8_scheme::Fp8Scheme;
use super::layer_split::ModelBytes;
use super::names::spellings;
use super::weights::{HeaderCheck, WeightFiles};

/// Builds the decoder from headers alone, and refuses tensors it has no use for. How many parameters
/// there are, and the memory that they will take, by layer.
pub(super) fn check(
    weights: &WeightFiles,
    description: &Description,
) -> Result<(usize, ModelBytes), ModelError> {
    let Description { spec, names } = description;
    let headers = HeaderCheck::new(weights);
    Decoder::load(&headers, spec, names)?;
    let sizes = (headers.parameters(), headers.model_bytes());
    // Old checkpoints store rotary frequencies, which follow from the config, and a tied head may
    // be stored a second time.
    let tied_head = format!("{}.weight", names.head);
    let layers = spec.layers.len();
    let layer_number = |name: &str| -> Option<usize> {
        let (number, _) = name.strip_prefix(names.layers)?.strip_prefix('.')?.split_once('.')?;
        number.parse().ok()
    };
    let ignored = |name: &str| {
        name.ends_with("rotary_emb.inv_freq")
            || spec.head.tied && spellings(&tied_head).any(|spelling| spelling == name)
            || layer_number(name)
                .is_some_and(|number| (layers..layers + spec.unread_layers).contains(&number))
            || weights.has_fp8() && Fp8Scheme::rounds_inputs(name)
            || names.ignored.iter().any(|part| name.contains(part))
    };
    // What an adapter changes has a say, or else the adapter is not understood.
    match headers.unused(|name| !weights.is_adapted(name) && ignored(name)) {
        None => Ok(sizes),
        Some((path, tensor)) => Err(ModelError::Unsupported {
            path,
            what: format!("tensor `{tensor}`, which the config does not account for,"),
        }),
    }
}
