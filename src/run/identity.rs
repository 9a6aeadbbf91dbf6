//! What a run and its models are known by.

use sha2::{Digest, Sha256};

use super::{RunError, RunOptions};
use crate::{
    answer::{ModelIdentity, ModelKey},
    engine::NUMERICS,
    model::{DeviceName, LocalFiles},
    ops,
    plan::RunPlan,
    prepare::{ReadyModel, ReadyRun},
    store::{RunKey, Store},
};

/// Gathers facts into a key.
struct KeyMaker(Sha256);

impl KeyMaker {
    fn new() -> Self {
        let mut maker = Self(Sha256::new());
        maker.add(env!("CARGO_PKG_VERSION").as_bytes());
        maker.add(&NUMERICS.to_le_bytes());
        maker
    }

    fn add(&mut self, fact: &[u8]) {
        // The length in front keeps ["ab", "c"] and ["a", "bc"] apart.
        self.0.update((fact.len() as u64).to_le_bytes());
        self.0.update(fact);
    }

    fn key(self) -> RunKey {
        RunKey(self.0.finalize().into())
    }
}

/// The key of a command: its plan, its options, and every byte of its input files, found without reading
/// rows or building prompts. Nothing where the files cannot be told that easily, as for names on the hub.
pub(super) fn command(
    plan: &RunPlan,
    options: &RunOptions,
    store: &Store,
) -> Result<Option<RunKey>, RunError> {
    let mut files = Vec::new();
    for dataset in &plan.datasets {
        match dataset.location.files() {
            Some(found) => files.extend(found),
            None => return Ok(None),
        }
    }
    let mut tells_time = false;
    for model in &plan.models {
        let own = LocalFiles::of(&model.path);
        let adapter = model.adapter.as_deref().map(LocalFiles::of_adapter);
        for found in std::iter::once(own).chain(adapter) {
            let Some(found) = found else { return Ok(None) };
            tells_time |= found.may_mention(TIME_FUNCTION);
            files.extend_from_slice(found.paths());
        }
    }
    let mut maker = KeyMaker::new();
    maker.add(b"command");
    add_options(&mut maker, plan, options);
    for model in &plan.models {
        // A chat template of one's own was read when the plan was made.
        maker.add(format!("{:?}", model.chat).as_bytes());
        tells_time |= format!("{:?}", model.chat).contains(TIME_FUNCTION);
    }
    if tells_time {
        maker.add(options.now.to_string().as_bytes());
    }
    for file in files {
        maker.add(file.to_string_lossy().as_bytes());
        maker.add(&store.digest(&file)?);
    }
    Ok(Some(maker.key()))
}

/// The key of the work itself: whatever is asked of whom, and what is expected.
pub(super) fn work(
    plan: &RunPlan,
    options: &RunOptions,
    ready: &ReadyRun<'_>,
    models: &[ModelIdentity],
) -> RunKey {
    let mut maker = KeyMaker::new();
    maker.add(b"work");
    add_options(&mut maker, plan, options);
    for dataset in &ready.datasets {
        for (name, value) in dataset.rows.test.iter().flat_map(crate::dataset::Sample::iter) {
            maker.add(name.as_bytes());
            maker.add(value.to_string().as_bytes());
        }
    }
    for (model, identity) in ready.models.iter().zip(models) {
        maker.add(identity.key.as_bytes());
        for sample in model.units.iter().flat_map(|unit| &unit.samples) {
            for prompt in sample.all_prompts() {
                let ids: Vec<u8> = prompt.ids.iter().flat_map(|id| id.to_le_bytes()).collect();
                maker.add(&ids);
                maker.add(format!("{:?}{}", prompt.counted, prompt.context_tokens).as_bytes());
            }
        }
    }
    maker.key()
}

fn add_options(maker: &mut KeyMaker, plan: &RunPlan, options: &RunOptions) {
    maker.add(plan.dump().as_bytes());
    maker.add(format!("{:?}", options.limit).as_bytes());
    maker.add(device_kinds(&options.devices).as_bytes());
    maker.add(format!("{:?}", options.dtype).as_bytes());
}

/// What decides a model's numbers: its files, and how they are computed with.
pub(super) fn model(
    ready: &ReadyModel<'_>,
    options: &RunOptions,
    store: &Store,
) -> Result<ModelIdentity, RunError> {
    let checkpoint = &ready.checkpoint;
    let kinds = device_kinds(&options.devices);
    let is_cpu = options.devices.iter().all(|device| *device == DeviceName::Cpu);
    // The CPU computes in f32 whatever is asked for.
    let dtype = options.dtype.unwrap_or(checkpoint.dtype());
    let dtype = if is_cpu { "f32".to_owned() } else { format!("{dtype:?}") };
    let mut facts: Vec<Vec<u8>> =
        vec![NUMERICS.to_le_bytes().to_vec(), kinds.into_bytes(), dtype.into_bytes()];
    let mut files = checkpoint.files();
    files.sort();
    for file in files {
        facts.push(file.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
        facts.push(store.digest(&file)?.to_vec());
    }
    Ok(ModelIdentity {
        key: ModelKey::of(facts.iter().map(Vec::as_slice)),
        eos_token_ids: ready.plan.eos_token_ids.clone(),
    })
}

/// The kinds of devices, each once: how many there are changes no answer.
fn device_kinds(devices: &[DeviceName]) -> String {
    let mut kinds: Vec<String> = devices
        .iter()
        .map(|device| match device {
            DeviceName::Cpu => format!("cpu {}", ops::instruction_set()),
            DeviceName::Cuda(_) => "cuda".to_owned(),
            DeviceName::Metal => "metal".to_owned(),
        })
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds.join(",")
}

/// What a chat template calls to write a date.
const TIME_FUNCTION: &str = "strftime_now";
