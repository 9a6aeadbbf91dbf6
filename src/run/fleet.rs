//! Loading a model when the first question of it has no answer.

use std::sync::Arc;

use candle_core::Device;

use super::{RunOptions, identity::KnownModel, image_rows::ImageRowFiles};
use crate::{
    answer::Answerer,
    engine::{Engine, Fleet},
    kept_run::RunError,
    model::{Checkpoint, DeviceName, LayerSplit, ModelError, free_memory_bytes},
    prepare::{PrepareError, ReadyModel, model_failed},
    report::{self, memory},
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

/// A model of a run: loaded with its first question, or asked at its server.
pub(super) struct AnsweringModel<'r> {
    pub(super) model: &'r ReadyModel<'r>,
    pub(super) known: &'r KnownModel,
    pub(super) options: &'r RunOptions,
    pub(super) devices: &'r Devices,
    fleet: Option<Fleet>,
    /// Rows of images that are kept between runs, if that is asked for.
    image_rows: Option<Arc<ImageRowFiles>>,
}

impl<'r> AnsweringModel<'r> {
    /// A model that is asked nothing yet.
    pub(super) fn new(
        model: &'r ReadyModel<'r>,
        known: &'r KnownModel,
        options: &'r RunOptions,
        devices: &'r Devices,
    ) -> Self {
        let image_rows = options.keeps_image_rows.then(|| {
            let (folder, model) = (options.work_dir.clone(), known.identity.key);
            Arc::new(ImageRowFiles::new(folder, model))
        });
        Self { model, known, options, devices, fleet: None, image_rows }
    }

    /// Whoever answers.
    pub(super) fn answerer(&mut self) -> Result<Box<dyn Answerer>, RunError> {
        if let Some(served) = &self.known.served {
            return Ok(Box::new(served.clone()));
        }
        if let Some(fleet) = &self.fleet {
            return Ok(Box::new(fleet.clone()));
        }
        let mut loaded = load(self.model, self.known, self.options, self.devices)?;
        if let Some(files) = &self.image_rows {
            loaded = loaded.with_row_keeper(files);
        }
        Ok(Box::new(self.fleet.insert(loaded).clone()))
    }

    /// What it has done, for people; nothing where nothing was asked.
    pub(super) fn line(&self) -> Option<String> {
        let abbr = &self.model.plan.abbr;
        if let Some(served) = &self.known.served {
            let asked = served.statistics().batches > 0;
            return asked.then(|| format!("model {abbr}: {}", served.line()));
        }
        self.fleet.as_ref().map(|fleet| {
            let line = report::statistics_line(abbr, &fleet.statistics());
            match self.image_rows.as_ref().and_then(|files| files.line()) {
                None => line,
                Some(rows) => format!("{line}; {rows}"),
            }
        })
    }
}

/// Loads a model onto every device, or where it does not fit one of them its layers onto all together.
fn load(
    model: &ReadyModel<'_>,
    known: &KnownModel,
    options: &RunOptions,
    devices: &Devices,
) -> Result<Fleet, RunError> {
    let plan = model.plan;
    let checkpoint = model.source.needed(plan)?;
    let dtype = options.dtype.unwrap_or(checkpoint.dtype());
    if let Some((split, gpus)) = split(checkpoint, devices)? {
        let loaded = checkpoint.load_split(&gpus, &split, dtype, options.activations);
        let mut weights = loaded.map_err(|source| model_failed(plan, source))?;
        weights.generation.eos_ids.extend(&plan.eos_token_ids);
        known.files.iter().try_for_each(FileState::check)?;
        let engine = Engine::new(weights, options.engine(devices[0].0));
        return Ok(Fleet::new(vec![engine]));
    }
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

/// How the layers of a model are spread over devices, where there are several and it does not fit each of them. `None`
/// where each can hold all of it, or none tells how much memory is free.
///
/// # Errors
/// It does not fit all of them together.
fn split(
    checkpoint: &Checkpoint,
    devices: &Devices,
) -> Result<Option<(LayerSplit, Vec<Device>)>, RunError> {
    let gpus: Vec<Device> = devices.iter().map(|(_, device)| device.clone()).collect();
    let free: Option<Vec<usize>> = gpus.iter().map(free_memory_bytes).collect();
    let bytes = checkpoint.bytes();
    let Some(free) = free.filter(|free| free.len() > 1) else { return Ok(None) };
    if free.iter().all(|&free| bytes.fits(free)) {
        return Ok(None);
    }
    if let Some(split) = LayerSplit::of(bytes, &free) {
        return Ok(Some((split, gpus)));
    }
    let problem = format!(
        "the weights of {} take {} and fit neither one of the devices nor all together, which have {} free",
        checkpoint.path().display(),
        memory(bytes.sum()),
        memory(free.iter().sum())
    );
    Err(PrepareError::Device(Box::new(ModelError::Device(problem))).into())
}
