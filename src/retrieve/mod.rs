//! Which training rows are shown as examples before each test row.
//!
//! A [`Retriever`] is its own parameters: the struct that serde reads from the config is the thing
//! that retrieves. To add one, write a file with such a struct and one line in the registry below.
//! Retrievers see rows and the text of rows; how an example reads in the prompt is none of their
//! business, except for the two texts that OpenCompass configures here: what stands between
//! examples and what stands after the last. Only `MDLRetriever` has templates of its own, which write what it
//! asks a language model. What retrievers ask models goes through [`RetrievalModels`]: no checkpoint is opened here.

mod bm25;
mod corpus;
mod dpp;
mod english;
mod error;
mod fix_k;
mod mdl;
mod models;
mod nearest;
mod okapi;
mod random;
mod ranking;
mod sliding_window;
mod topk;
mod votek;
mod xiezhi;
mod zero;

use std::fmt::Debug;

use serde::de::DeserializeOwned;

pub(crate) use self::english::{sentence_count, sentences};
pub use self::{
    bm25::Bm25Retriever,
    corpus::Corpus,
    dpp::DppRetriever,
    english::word_tokenize,
    error::RetrieveError,
    fix_k::FixKRetriever,
    mdl::MdlRetriever,
    models::{EncoderName, NoModels, RetrievalModels, ScoredText, ScorerName},
    okapi::{Okapi, OkapiTexts},
    random::RandomRetriever,
    sliding_window::SlidingWindowRetriever,
    topk::TopkRetriever,
    votek::VotekRetriever,
    xiezhi::XiezhiRetriever,
    zero::ZeroRetriever,
};
use crate::{
    config::{Component, ConfigError},
    registry::{Registration, Registry},
};

/// Chooses examples for test rows.
///
/// ```
/// use surprisal::{
///     dataset::{Reader, ReaderConfig, Rows},
///     retrieve::{Corpus, FixKRetriever, NoModels, Retriever},
/// };
///
/// let reader: ReaderConfig = serde_json::from_str(r#"{"input_columns": ["q"]}"#)?;
/// let reader = Reader::new(reader);
/// let rows = serde_json::json!([{"q": "1+1"}, {"q": "2+2"}, {"q": "3+3"}]);
/// let dataset = reader.load(Rows::from_json(&rows)?)?;
///
/// let retriever: FixKRetriever = serde_json::from_str(r#"{"fix_id_list": [0, -1]}"#)?;
/// let corpus = Corpus { dataset: &dataset, reader: &reader, models: &NoModels };
/// let examples = retriever.retrieve(&corpus)?;
/// assert_eq!(examples, [[0, 2], [0, 2], [0, 2]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Retriever: Debug + Send + Sync {
    /// For each test row the ids of its examples, in the order in which they are shown. Ids follow
    /// Python: a negative one counts from the end, and none is checked.
    fn select(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<isize>>, RetrieveError>;

    /// Whether it compares the texts of rows, which are their input columns.
    fn reads_texts(&self) -> bool {
        true
    }

    /// Whether it looks at training rows at all.
    fn reads_train(&self) -> bool {
        true
    }

    /// What people should know about its choice beside the rows themselves.
    fn notes(&self, _: &Corpus<'_>) -> Vec<String> {
        Vec::new()
    }

    /// The names of the checkpoints it needs, tokenizers included.
    fn models(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The text between two examples.
    fn ice_separator(&self) -> &str;

    /// The text after the last example.
    fn ice_eos_token(&self) -> &str;

    /// For each test row the training rows that are its examples: what [`select`](Self::select)
    /// gave, with every id checked and counted from the start.
    fn retrieve(&self, corpus: &Corpus<'_>) -> Result<Vec<Vec<usize>>, RetrieveError> {
        let train_rows = corpus.dataset.train.len();
        let row = |id: isize, test_row: usize| {
            let counted = if id < 0 { id.saturating_add_unsigned(train_rows) } else { id };
            usize::try_from(counted)
                .ok()
                .filter(|row| *row < train_rows)
                .ok_or(RetrieveError::OutOfRange { id, train_rows, test_row })
        };
        let rows = |(test_row, ids): (usize, Vec<isize>)| {
            ids.into_iter().map(|id| row(id, test_row)).collect()
        };
        self.select(corpus)?.into_iter().enumerate().map(rows).collect()
    }
}

/// Makes a retriever from its parameters in a config.
pub type Constructor = fn(&Component) -> Result<Box<dyn Retriever>, ConfigError>;

/// All retrievers.
// A retriever is a line, however long.
#[rustfmt::skip]
pub const RETRIEVERS: Registry<Constructor> = Registry {
    kind: "retriever",
    registrations: &[
        Registration::new("bm25", &["BM25Retriever"], "the training rows that share the most telling words with the test row", boxed::<Bm25Retriever>),
        Registration::new("dpp", &["DPPRetriever"], "training rows that are near the test row by a sentence encoder, and unlike each other", boxed::<DppRetriever>),
        Registration::new("fix_k", &["FixKRetriever"], "the same training rows for every test row, named by their numbers", boxed::<FixKRetriever>),
        Registration::new("mdl", &["MDLRetriever"], "near training rows after which a language model is surest of its answer", boxed::<MdlRetriever>),
        Registration::new("random", &["RandomRetriever"], "training rows drawn at random, by a seed", boxed::<RandomRetriever>),
        Registration::new("sliding_window", &["SlidingWindowRetriever"], "the training rows just before the place of the test row", boxed::<SlidingWindowRetriever>),
        Registration::new("topk", &["TopkRetriever"], "the training rows nearest to the test row by a sentence encoder", boxed::<TopkRetriever>),
        Registration::new("votek", &["VotekRetriever"], "training rows that are like many others by a sentence encoder, the same ones for every test row", boxed::<VotekRetriever>),
        Registration::new("xiezhi", &["XiezhiRetriever"], "training rows of the same field, for Xiezhi", boxed::<XiezhiRetriever>),
        Registration::new("zero", &["ZeroRetriever"], "no examples", boxed::<ZeroRetriever>),
    ],
};

/// The retriever that a config names.
pub fn build(component: &Component) -> Result<Box<dyn Retriever>, ConfigError> {
    RETRIEVERS.get(component)?(component)
}

fn boxed<R: Retriever + DeserializeOwned + 'static>(
    component: &Component,
) -> Result<Box<dyn Retriever>, ConfigError> {
    Ok(Box::new(component.read::<R>()?))
}

/// The default of both texts between and after examples.
fn newline() -> String {
    "\n".to_owned()
}

/// The default number of examples.
fn one() -> usize {
    1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Node;

    fn built(config: &serde_json::Value) -> Result<Box<dyn Retriever>, String> {
        Component::parse(&Node::from_json(config))
            .and_then(|component| build(&component))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn both_names_make_the_retriever() {
        for registration in RETRIEVERS.registrations {
            let parameters = json!({"fix_id_list": [], "k": 1});
            for wanted in registration.names() {
                let error = built(&json!({"type": wanted, "nonsense": parameters})).unwrap_err();
                assert!(error.contains("nonsense"), "{wanted}: {error}");
            }
        }
    }

    #[test]
    fn an_unknown_retriever_is_compared_with_the_known_ones() {
        let error = built(&json!({"type": "BM52Retriever"})).unwrap_err();
        assert!(error.contains("did you mean 'BM25Retriever'?"), "{error}");
    }

    #[test]
    fn only_zero_leaves_nothing_after_its_examples() {
        let texts = |config| {
            let retriever = built(&config).unwrap();
            (retriever.ice_separator().to_owned(), retriever.ice_eos_token().to_owned())
        };
        assert_eq!(texts(json!({"type": "ZeroRetriever"})), (String::new(), String::new()));
        assert_eq!(texts(json!({"type": "BM25Retriever"})), ("\n".to_owned(), "\n".to_owned()));
    }
}
