//! What a run and its models are known by.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{RunOptions, inputs::Inputs};
use crate::{
    answer::{
        ModelIdentity, ModelKey,
        served::{MediaFiles, Served},
    },
    engine::NUMERICS,
    kept_run::{RunError, ServedAsking},
    model::{DeviceName, vision::ImageIds},
    ops,
    plan::{ModelPlan, RunPlan},
    prepare::{ReadyModel, ReadyRun, model_failed},
    store::{FileState, RunKey, Store, StoreError},
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

    fn add_count(&mut self, count: usize) {
        self.add(&(count as u64).to_le_bytes());
    }

    fn key(self) -> RunKey {
        RunKey(self.0.finalize().into())
    }
}

/// The key of a command: its plan, its options, and every byte of its input files, found without reading
/// rows or building prompts.
pub(super) fn command(
    plan: &RunPlan,
    options: &RunOptions,
    inputs: &Inputs,
    store: &Store,
) -> Result<RunKey, RunError> {
    let mut maker = KeyMaker::new();
    maker.add(b"command");
    add_options(&mut maker, plan, options);
    add_devices(&mut maker, options, &device_kinds(&options.devices));
    for model in plan.models.iter().chain(plan.judges()) {
        maker.add(format!("{:?}", model.chat).as_bytes());
    }
    if inputs.tells_time {
        maker.add(options.now.to_string().as_bytes());
    }
    for file in inputs.paths() {
        maker.add(file.to_string_lossy().as_bytes());
        maker.add(&store.digest(file)?);
    }
    Ok(maker.key())
}

/// The key of the work itself: whatever is asked of whom, and what is expected. `kinds` are the kinds of devices that answer.
pub(super) fn work(
    plan: &RunPlan,
    options: &RunOptions,
    kinds: &str,
    ready: &ReadyRun<'_>,
    models: &[KnownModel],
    judges: &[KnownModel],
) -> RunKey {
    let mut maker = KeyMaker::new();
    maker.add(b"work");
    add_options(&mut maker, plan, options);
    add_devices(&mut maker, options, kinds);
    add_rows(&mut maker, ready);
    for (model, known) in ready.models.iter().zip(models) {
        maker.add(known.identity.key.as_bytes());
        add_prompts(&mut maker, model);
    }
    for judge in judges {
        maker.add(judge.identity.key.as_bytes());
    }
    add_passages(&mut maker, ready);
    for encoder in &ready.encoders {
        maker.add(encoder.as_bytes());
    }
    maker.key()
}

/// What shards of one run have in common, each part by itself, so that the one that differs can be named.
pub(super) struct RunParts {
    /// The resolved config and the options.
    pub(super) config: RunKey,
    /// All rows, and the passages that are searched.
    pub(super) rows: RunKey,
    /// All that is asked.
    pub(super) questions: RunKey,
}

impl RunParts {
    /// The parts of a run that is ready.
    pub(super) fn of(plan: &RunPlan, options: &RunOptions, ready: &ReadyRun<'_>) -> Self {
        let [mut config, mut rows, mut questions] =
            [KeyMaker::new(), KeyMaker::new(), KeyMaker::new()];
        add_options(&mut config, plan, options);
        add_types(&mut config, options);
        for model in &plan.models {
            config.add(format!("{:?}", model.chat).as_bytes());
        }
        add_rows(&mut rows, ready);
        add_passages(&mut rows, ready);
        for model in &ready.models {
            add_prompts(&mut questions, model);
        }
        Self { config: config.key(), rows: rows.key(), questions: questions.key() }
    }
}

fn add_rows(maker: &mut KeyMaker, ready: &ReadyRun<'_>) {
    // Counts are borders: what moves from one data set to the next is other work.
    for dataset in &ready.datasets {
        maker.add_count(dataset.rows.test.len());
        for sample in &dataset.rows.test {
            maker.add_count(sample.iter().count());
            for (name, value) in sample.iter() {
                maker.add(name.as_bytes());
                maker.add(value.to_string().as_bytes());
            }
        }
    }
}

/// Whether a prompt names an image of a model here. Which files these are is known from the prompts alone, so such a run has no
/// [`command`] of its own.
pub(super) fn names_images(ready: &ReadyRun<'_>) -> bool {
    ready.models.iter().any(|model| !images(model).is_empty())
}

/// What the images of a model are known by.
pub(super) fn images(model: &ReadyModel<'_>) -> ImageIds {
    model.source.checkpoint().map_or_else(ImageIds::default, |own| own.sight().ids().clone())
}

fn add_prompts(maker: &mut KeyMaker, model: &ReadyModel<'_>) {
    let images = images(model);
    maker.add_count(model.units.len());
    for unit in &model.units {
        maker.add_count(unit.samples.len());
        for sample in &unit.samples {
            maker.add_count(sample.all_prompts().count());
            for prompt in sample.all_prompts() {
                maker.add(&images.content(&prompt.ids));
                if prompt.ids.is_empty() {
                    // The tokenizer is behind a server.
                    maker.add(prompt.text.as_bytes());
                }
                maker.add(format!("{:?} {}", prompt.counted, prompt.context_tokens).as_bytes());
            }
        }
    }
}

fn add_passages(maker: &mut KeyMaker, ready: &ReadyRun<'_>) {
    ready.searches.for_each_passage(|id, text| {
        maker.add(id.as_bytes());
        maker.add(text.as_bytes());
    });
}

fn add_options(maker: &mut KeyMaker, plan: &RunPlan, options: &RunOptions) {
    maker.add(plan.dump().as_bytes());
    if plan.judge.is_typed() {
        maker.add(b"typed judge");
    }
    maker.add(format!("{:?}", options.limit).as_bytes());
    for dataset in plan.datasets.iter().filter(|dataset| dataset.draw.is_some()) {
        maker.add(format!("{} {:?}", dataset.abbr, dataset.draw).as_bytes());
    }
}

/// What computes, and in what.
fn add_devices(maker: &mut KeyMaker, options: &RunOptions, kinds: &str) {
    maker.add(kinds.as_bytes());
    add_types(maker, options);
}

fn add_types(maker: &mut KeyMaker, options: &RunOptions) {
    maker.add(format!("{:?}", options.dtype).as_bytes());
    if let Some(name) = options.activations.named() {
        maker.add(name.as_bytes());
    }
    if options.allows_code {
        maker.add(b"code");
    }
    if options.with_posix {
        maker.add(b"posix");
    }
}

/// A model whose files were hashed.
pub(super) struct KnownModel {
    pub(super) identity: ModelIdentity,
    /// The type it is computed in: `f32`, `bf16` or `f16`.
    pub(super) dtype: String,
    /// The files as they were before that.
    pub(super) files: Vec<FileState>,
    /// Its server, if it is behind one.
    pub(super) served: Option<Arc<Served>>,
}

impl KnownModel {
    /// What decides a model's numbers: its files, and how they are computed with.
    pub(super) fn of(
        ready: &ReadyModel<'_>,
        options: &RunOptions,
        store: &Store,
    ) -> Result<Self, RunError> {
        let checkpoint = ready.source.needed(ready.plan)?;
        let kinds = device_kinds(&options.devices);
        let is_cpu = options.devices.iter().all(|device| *device == DeviceName::Cpu);
        // The CPU computes in f32 whatever is asked for.
        let dtype = options.dtype.unwrap_or(checkpoint.dtype());
        let dtype = if is_cpu { "f32".to_owned() } else { dtype.as_str().to_owned() };
        let mut facts: Vec<Vec<u8>> =
            vec![NUMERICS.to_le_bytes().to_vec(), kinds.into_bytes(), dtype.clone().into_bytes()];
        checkpoint
            .check_activations(options.activations, is_cpu)
            .map_err(|source| model_failed(ready.plan, source))?;
        // Exact ones have no fact, so answers that were kept before there were others stay known.
        let dtype = match options.activations.named() {
            None => dtype,
            Some(name) => {
                facts.push(name.as_bytes().to_vec());
                format!("{dtype}, {name}")
            }
        };
        let mut paths = checkpoint.files();
        paths.sort();
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let state =
                FileState::of(&path).map_err(|_| StoreError::Changed { path: path.clone() })?;
            facts.push(path.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
            facts.push(store.digest(&path)?.to_vec());
            files.push(state);
        }
        let identity = ModelIdentity {
            key: ModelKey::of(facts.iter().map(Vec::as_slice)),
            eos_token_ids: ready.plan.eos_token_ids.clone(),
            is_served: false,
            images: checkpoint.sight().ids().clone(),
        };
        Ok(Self { identity, dtype, files, served: None })
    }

    /// A model as shards have asked it, whose weights are not read: its key is theirs.
    pub(super) fn recorded(
        plan: &ModelPlan,
        key: ModelKey,
        dtype: String,
        images: ImageIds,
    ) -> Self {
        let eos_token_ids = plan.eos_token_ids.clone();
        let identity = ModelIdentity { key, eos_token_ids, is_served: false, images };
        Self { identity, dtype, files: Vec::new(), served: None }
    }

    /// What decides the answers of a model behind a server: where that is, the model's name there, what was found out
    /// about it, and what is sent beside the questions.
    pub(super) fn behind(served: Served) -> Self {
        let settings = served.settings();
        let parameters = serde_json::to_string(&settings.parameters).unwrap_or_default();
        let facts = [
            "served".to_owned(),
            settings.address.to_string(),
            settings.protocol.endpoint().to_owned(),
            served.abilities().facts(),
            parameters,
            if settings.strips_text { "stripped".to_owned() } else { String::new() },
        ];
        let files = served.files().map(MediaFiles::digest);
        let facts =
            facts.iter().map(String::as_bytes).chain(files.iter().map(<[u8; 32]>::as_slice));
        let identity = ModelIdentity {
            key: ModelKey::of(facts),
            eos_token_ids: Vec::new(),
            is_served: true,
            images: ImageIds::default(),
        };
        let dtype = "served".to_owned();
        Self { identity, dtype, files: Vec::new(), served: Some(Arc::new(served)) }
    }

    /// The same under one asking. A server may answer differently tomorrow, with other weights under the same name, and
    /// nobody can see that from here. So its answers belong to the run that asked for them, and to those that go on with
    /// it.
    pub(super) fn under(&mut self, askings: &[ServedAsking]) {
        let own = self.identity.key.to_string();
        let asking = askings.iter().find(|asking| asking.model == own);
        if let (true, Some(asking)) = (self.identity.is_served, asking) {
            let number = asking.number.to_le_bytes();
            self.identity.key = ModelKey::of([self.identity.key.as_bytes(), &number]);
        }
    }
}

/// The kinds of devices, each once: how many there are changes no answer.
pub(super) fn device_kinds(devices: &[DeviceName]) -> String {
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
