//! The models that retrievers ask, opened once for all data sets, with what they say kept.
//!
//! Vectors and surprisals go into the store of the working folder as they come, so that a command that was stopped
//! goes on, and a run after `check` asks nothing again. Without a folder they last as long as the data set is read.

use std::{
    cell::RefCell,
    collections::HashMap,
    fmt::Display,
    path::{Path, PathBuf},
    rc::Rc,
};

use indexmap::IndexMap;
use rayon::prelude::*;

use super::{PassageGraphs, Progress, scoring_model::ScoringModel};
use crate::{
    answer::{ModelKey, QuestionKey},
    hub::CheckpointPart,
    model::{Checkpoint, ENCODER_NUMERICS, EncoderCheckpoint, ModelError, Tokenizer},
    ops,
    report::grouped,
    retrieve::{EncoderName, RetrievalModels, RetrieveError, ScoredText, ScorerName},
    store::{FileState, Store, StoreError},
};

/// What messages call the models.
const ENCODER: &str = "retriever's sentence encoder (sentence_transformers_model_name)";
const METRIC_ENCODER: &str = "metric's sentence encoder (encoder='…' beside its type)";
const SEARCH_ENCODER: &str = "search's sentence encoder (--encoder)";
pub(super) const TOKENIZER: &str = "retriever's tokenizer (tokenizer_name)";

/// Texts that are embedded between two writes.
const BATCH_TEXTS: usize = 256;

/// Answers retrievers with checkpoints on the CPU.
pub struct CheckpointModels<'a> {
    /// The working folder whose store keeps what they say.
    folder: Option<&'a Path>,
    progress: &'a dyn Progress,
    opened: RefCell<Opened>,
}

#[derive(Default)]
struct Opened {
    store: Option<Rc<Store>>,
    encoders: HashMap<String, Rc<OpenedEncoder>>,
    tokenizers: HashMap<String, Rc<Tokenizer>>,
    scorers: HashMap<String, Rc<ScoringModel>>,
    /// Texts that each model was asked about, and those of them whose answers were kept.
    told: IndexMap<String, (usize, usize)>,
}

struct OpenedEncoder {
    checkpoint: EncoderCheckpoint,
    files: ModelFiles,
}

impl OpenedEncoder {
    /// The prompt that is given, or else the first of these names that the checkpoint has.
    fn search_prompt<'a>(&'a self, given: Option<&'a str>, names: &[&str]) -> Option<&'a str> {
        given.or_else(|| names.iter().find_map(|name| self.checkpoint.prompt(name)))
    }
}

/// What decides a model's numbers.
pub(super) struct ModelFiles {
    /// Nothing where nothing is kept.
    pub(super) key: Option<ModelKey>,
    /// The files as they were hashed.
    states: Vec<FileState>,
}

impl ModelFiles {
    /// An error if a file changed since it was hashed.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.states.iter().try_for_each(FileState::check)
    }
}

impl<'a> CheckpointModels<'a> {
    /// Models whose answers are kept in the store of `folder`, if one is given.
    pub fn new(folder: Option<&'a Path>, progress: &'a dyn Progress) -> Self {
        Self { folder, progress, opened: RefCell::default() }
    }

    /// Says what was asked of which model since this was said last.
    pub(crate) fn tell(&self) {
        let place =
            self.folder.map_or_else(String::new, |folder| format!(" in {}", folder.display()));
        let told = std::mem::take(&mut self.opened.borrow_mut().told);
        if !told.is_empty() {
            self.progress.end();
        }
        for (what, (asked, kept)) in told {
            let line = match kept {
                0 => format!("{what}: {asked} texts"),
                kept => format!("{what}: {asked} texts; {kept} of them were kept{place} already"),
            };
            self.progress.note(&line);
        }
    }

    pub(super) fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// Counts texts for what is said at the end.
    pub(super) fn count(&self, what: String, asked: usize, kept: usize) {
        let mut opened = self.opened.borrow_mut();
        let told = opened.told.entry(what).or_default();
        *told = (told.0 + asked, told.1 + kept);
    }

    /// The store, if answers are kept.
    fn store(&self) -> Result<Option<Rc<Store>>, StoreError> {
        let Some(folder) = self.folder else { return Ok(None) };
        if let Some(store) = &self.opened.borrow().store {
            return Ok(Some(store.clone()));
        }
        let (store, note) = Store::open(folder)?;
        if let Some(note) = note {
            self.progress.note(&note);
        }
        let store = Rc::new(store);
        self.opened.borrow_mut().store = Some(store.clone());
        Ok(Some(store))
    }

    /// The key of a model made of these files, after `facts` about how they are computed with.
    pub(super) fn files(
        &self,
        paths: &[PathBuf],
        facts: &[&str],
    ) -> Result<ModelFiles, StoreError> {
        let Some(store) = self.store()? else {
            return Ok(ModelFiles { key: None, states: Vec::new() });
        };
        let mut paths = paths.to_vec();
        paths.sort();
        let mut facts: Vec<Vec<u8>> = facts.iter().map(|fact| fact.as_bytes().to_vec()).collect();
        let mut states = Vec::with_capacity(paths.len());
        let folders = paths.iter().filter_map(|path| path.parent());
        let root = folders.min_by_key(|folder| folder.as_os_str().len()).map(Path::to_owned);
        for path in &paths {
            let state =
                FileState::of(path).map_err(|_| StoreError::Changed { path: path.clone() })?;
            // Modules lie in folders of their own, and which is which decides.
            let inner = root.as_ref().and_then(|root| path.strip_prefix(root).ok());
            let name = inner.map_or(path.file_name().unwrap_or_default(), Path::as_os_str);
            facts.push(name.as_encoded_bytes().to_vec());
            facts.push(store.digest(path)?.to_vec());
            states.push(state);
        }
        Ok(ModelFiles { key: Some(ModelKey::of(facts.iter().map(Vec::as_slice))), states })
    }

    /// What is kept for each key.
    pub(super) fn kept(&self, keys: &[QuestionKey]) -> Result<Vec<Option<Vec<f32>>>, StoreError> {
        match self.store()? {
            None => Ok(vec![None; keys.len()]),
            Some(store) => keys.iter().map(|key| store.vector(key)).collect(),
        }
    }

    /// Keeps numbers by their keys.
    pub(super) fn keep(&self, rows: &[(QuestionKey, &[f32])]) -> Result<(), StoreError> {
        self.store()?.map_or(Ok(()), |store| store.write_vectors(rows))
    }

    fn encoder(&self, what: &'static str, name: &str) -> Result<Rc<OpenedEncoder>, RetrieveError> {
        if let Some(known) = self.opened.borrow().encoders.get(name) {
            return Ok(known.clone());
        }
        self.progress.phase(&format!("opening {name}"), 1);
        let checkpoint =
            EncoderCheckpoint::open(name, self.progress).map_err(unusable(what, name))?;
        for note in checkpoint.notes() {
            self.progress.note(note);
        }
        let numerics = ENCODER_NUMERICS.to_string();
        let facts = ["encoder", numerics.as_str(), ops::instruction_set()];
        let files = self.files(checkpoint.files(), &facts).map_err(not_kept(name))?;
        let opened = Rc::new(OpenedEncoder { checkpoint, files });
        self.opened.borrow_mut().encoders.insert(name.to_owned(), opened.clone());
        Ok(opened)
    }

    /// A tokenizer without its model.
    pub(super) fn tokenizer(&self, name: &str) -> Result<Rc<Tokenizer>, RetrieveError> {
        if let Some(known) = self.opened.borrow().tokenizers.get(name) {
            return Ok(known.clone());
        }
        let open = || -> Result<Tokenizer, ModelError> {
            let part = CheckpointPart::WithoutWeights;
            Tokenizer::read(&Checkpoint::locate(name, part, self.progress)?)
        };
        let tokenizer = Rc::new(open().map_err(unusable(TOKENIZER, name))?);
        self.opened.borrow_mut().tokenizers.insert(name.to_owned(), tokenizer.clone());
        Ok(tokenizer)
    }

    fn scorer(&self, name: &str) -> Result<Rc<ScoringModel>, RetrieveError> {
        if let Some(known) = self.opened.borrow().scorers.get(name) {
            return Ok(known.clone());
        }
        let opened = Rc::new(ScoringModel::open(name, self)?);
        self.opened.borrow_mut().scorers.insert(name.to_owned(), opened.clone());
        Ok(opened)
    }
}

impl std::fmt::Debug for CheckpointModels<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckpointModels").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl RetrievalModels for CheckpointModels<'_> {
    fn embed(
        &self,
        EncoderName { encoder: name, tokenizer: tokenizer_name }: EncoderName<'_>,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, RetrieveError> {
        // The encoder is opened first, so that what is wrong with it is what is said.
        self.encoder(ENCODER, name)?;
        let tokenizer = self.tokenizer(tokenizer_name)?;
        let texts =
            there_and_back(&tokenizer, texts).map_err(unusable(TOKENIZER, tokenizer_name))?;
        self.embedded((ENCODER, name), &texts, None)
    }

    fn cross_entropies(
        &self,
        ScorerName { model, tokenizer }: ScorerName<'_>,
        texts: &[ScoredText],
    ) -> Result<Vec<f64>, RetrieveError> {
        let tokenizer = self.tokenizer(tokenizer)?;
        self.scorer(model)?.cross_entropies(&tokenizer, texts, self)
    }
}

impl CheckpointModels<'_> {
    /// Where graphs of passages' vectors are kept; nothing where nothing is.
    pub(super) fn graphs(&self) -> Option<PassageGraphs<'_>> {
        self.folder.map(|folder| PassageGraphs::new(folder, self.progress))
    }

    /// Opens the encoder that a metric compares texts by; what decides its vectors, if they are kept.
    pub(crate) fn open_for_metric(&self, name: &str) -> Result<Option<ModelKey>, RetrieveError> {
        self.encoder(METRIC_ENCODER, name).map(|opened| opened.files.key)
    }

    /// Opens the encoder that passages are searched by; what decides its vectors, if they are kept.
    pub(crate) fn open_for_search(&self, name: &str) -> Result<Option<ModelKey>, RetrieveError> {
        self.encoder(SEARCH_ENCODER, name).map(|opened| opened.files.key)
    }

    /// A vector for each text as it stands, for a metric.
    pub(crate) fn embed_for_metric(
        &self,
        name: &str,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, RetrieveError> {
        self.embedded((METRIC_ENCODER, name), texts, None)
    }

    /// A vector for each text behind the prompt that is given, or else the first of these names that the checkpoint
    /// has, or else its default one.
    pub(super) fn embed_for_search(
        &self,
        name: &str,
        texts: &[String],
        given: Option<&str>,
        prompt_names: &[&str],
    ) -> Result<Vec<Vec<f32>>, RetrieveError> {
        let encoder = self.encoder(SEARCH_ENCODER, name)?;
        self.embedded((SEARCH_ENCODER, name), texts, encoder.search_prompt(given, prompt_names))
    }

    /// Everything that decides the vectors of [`Self::embed_for_search`] but the texts.
    pub(super) fn search_key(
        &self,
        name: &str,
        given: Option<&str>,
        prompt_names: &[&str],
    ) -> Result<String, RetrieveError> {
        let encoder = self.encoder(SEARCH_ENCODER, name)?;
        let Some(key) = &encoder.files.key else {
            return Err(not_kept(name)("vectors in a database need a working folder"));
        };
        let prompt = encoder.search_prompt(given, prompt_names);
        let prompt = prompt.or(encoder.checkpoint.default_prompt()).unwrap_or_default();
        Ok(ModelKey::of([key.as_bytes(), b"search", prompt.as_bytes()]).to_string())
    }

    /// A vector for each text behind a prompt, by default the checkpoint's own. An encoder is named by what it is in
    /// messages, and its name.
    fn embedded(
        &self,
        (what, name): (&'static str, &str),
        texts: &[String],
        prompt: Option<&str>,
    ) -> Result<Vec<Vec<f32>>, RetrieveError> {
        let encoder = self.encoder(what, name)?;
        let prompt = prompt.or(encoder.checkpoint.default_prompt()).unwrap_or_default();
        let key_of = |text: &String| match &encoder.files.key {
            Some(model) => QuestionKey::of_vector(model, prompt, text),
            // Only tells texts apart.
            None => QuestionKey::of_vector(&ModelKey::of([]), prompt, text),
        };
        let keys: Vec<QuestionKey> = texts.iter().map(key_of).collect();
        let distinct: IndexMap<QuestionKey, &str> =
            keys.iter().copied().zip(texts.iter().map(String::as_str)).collect();
        let wanted: Vec<QuestionKey> = distinct.keys().copied().collect();
        let mut vectors: HashMap<QuestionKey, Vec<f32>> = HashMap::with_capacity(wanted.len());
        for (key, kept) in wanted.iter().zip(self.kept(&wanted).map_err(not_kept(name))?) {
            vectors.extend(kept.map(|vector| (*key, vector)));
        }
        let missing: Vec<(QuestionKey, &str)> = distinct
            .iter()
            .filter(|(key, _)| !vectors.contains_key(*key))
            .map(|(key, text)| (*key, *text))
            .collect();
        self.count(format!("embedded with {name}"), distinct.len(), distinct.len() - missing.len());
        if !missing.is_empty() {
            let failed = || unusable(what, name);
            let before = match distinct.len() - missing.len() {
                0 => String::new(),
                kept => format!(" ({} of {} before)", grouped(kept), grouped(distinct.len())),
            };
            let title = format!("embedding {} texts with {name}{before}", grouped(missing.len()));
            self.progress.phase(&title, missing.len());
            let loaded = encoder.checkpoint.load().map_err(failed())?;
            encoder.files.check().map_err(not_kept(name))?;
            for batch in missing.chunks(BATCH_TEXTS) {
                let texts: Vec<&str> = batch.iter().map(|(_, text)| *text).collect();
                let step = |count| (0..count).for_each(|_| self.progress.step());
                let made = loaded.embed(&texts, prompt, &step).map_err(failed())?;
                let rows: Vec<(QuestionKey, &[f32])> =
                    batch.iter().zip(&made).map(|((key, _), row)| (*key, row.as_slice())).collect();
                self.keep(&rows).map_err(not_kept(name))?;
                vectors.extend(batch.iter().map(|(key, _)| *key).zip(made));
            }
        }
        Ok(keys.iter().map(|key| vectors.get(key).cloned().unwrap_or_default()).collect())
    }
}

/// Texts as ids and back: cut where the tokenizer's texts end, special tokens left out.
fn there_and_back(tokenizer: &Tokenizer, texts: &[String]) -> Result<Vec<String>, ModelError> {
    texts.par_iter().map(|text| tokenizer.decode(&encode_cut(tokenizer, text)?, true)).collect()
}

/// The ids of a text with what stands around it, cut to what the tokenizer's settings allow.
pub(super) fn encode_cut(tokenizer: &Tokenizer, text: &str) -> Result<Vec<u32>, ModelError> {
    let settings = tokenizer.settings();
    match settings.most_tokens {
        Some(most) => tokenizer.encode_truncated(text, true, most, settings.truncation_side),
        None => tokenizer.encode(text, true),
    }
}

/// The error of a checkpoint.
pub(super) fn unusable(
    what: &'static str,
    name: &str,
) -> impl FnOnce(ModelError) -> RetrieveError + use<> {
    let name = name.to_owned();
    move |source| RetrieveError::Checkpoint { what, name, source: Box::new(source) }
}

/// The error of keeping what a model says.
pub(super) fn not_kept<E: Display>(name: &str) -> impl FnOnce(E) -> RetrieveError + use<E> {
    let name = name.to_owned();
    move |error| RetrieveError::Keeping { name, what: error.to_string() }
}
