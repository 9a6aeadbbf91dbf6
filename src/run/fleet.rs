//! Loading a model when the first question of it has no answer.

use candle_core::Device;

use super::{RunOptions, identity::KnownModel};
use crate::{
    engine::{Engine, Fleet},
    kept_run::RunError,
    model::DeviceName,
    prepare::{PrepareError, ReadyModel, model_failed},
    store::FileState,
};

/// The devices of a run, opened.
pub(super) type Devices = [(DeviceName, Device)];

/// Opens the devices that are asked for.
pub(super) fn open_devices(options: &RunOptions) -> Result<Vec<(DeviceName, Device)>, RunError> {
    let opened = options.devices.iter().map(|&name| match name.open() {
        Ok(device) => Ok((name, device)),
        Err(error) => Err(PrepareError::Device(Box::new(error)).into()),
    });
    opened.collect()
}

/// Loads a model onto every device.
pub(super) fn load(
    model: &ReadyModel<'_>,
    known: &KnownModel,
    options: &RunOptions,
    devices: &Devices,
) -> Result<Fleet, RunError> {
    let ReadyModel { plan, checkpoint, .. } = model;
    let dtype = options.dtype.unwrap_or(checkpoint.dtype());
    let engines = devices.iter().map(|(name, device)| {
        let loaded = checkpoint.load_for(device, dtype, options.activations);
        let mut weights = loaded.map_err(|source| model_failed(plan, source))?;
        weights.generation.eos_ids.extend(&plan.eos_token_ids);
        Ok(Engine::new(weights, options.engine(*name)))
    });
    let fleet = Fleet::new(engines.collect::<Result<_, PrepareError>>()?);
    // Answers would be kept under the weights that were hashed, not those that were read.
    known.files.iter().try_for_each(FileState::check)?;
    Ok(fleet)
}
