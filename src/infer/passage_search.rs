//! What a search for passages is told: the corpus, the query of a row, and by what passages are found.
//!
//! It is read from a config here and carried out where rows are made ready, because no model is asked. It opens neither the
//! corpus nor an encoder.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{
    config::{Component, ConfigError, Node, from_node},
    passages::{CorpusOptions, Cutting, EncoderChoice, IndexKind, SearchMethod, TableColumns},
};

/// How passages are searched for each row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageSearch {
    /// A table, or a folder of texts.
    pub corpus: PathBuf,
    /// How the corpus is read.
    pub options: CorpusOptions,
    /// The query, with `{columns}` of the row.
    pub query: String,
    /// Most passages that are found.
    pub top_k: usize,
    /// How many of them later stages read, the best ones.
    pub shown: usize,
    /// By what they are found.
    pub method: SearchMethod,
    /// How vectors are searched; as many passages allow, without it.
    pub index: Option<IndexKind>,
    /// The sentence encoder; there for every method that needs one.
    pub encoder: Option<EncoderChoice>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    corpus: Node,
    query: String,
    top_k: Option<usize>,
    shown: Option<usize>,
    #[serde(default)]
    by: SearchMethod,
    index: Option<IndexKind>,
    encoder: Option<String>,
    query_prompt: Option<String>,
    passage_prompt: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CorpusParams {
    path: PathBuf,
    id_column: Option<String>,
    text_column: Option<String>,
    title_column: Option<String>,
    passage_words: Option<usize>,
    overlap_words: Option<usize>,
}

impl PassageSearch {
    /// Most passages that are found, unless it is said how many.
    pub const USUAL_TOP_K: usize = 3;

    /// Reads `dict(type='PassageSearch', corpus='passages.jsonl', query='{question}', top_k=3, by='bm25')`. Where the corpus
    /// is a dict, it says how it is read, too: `dict(path=…, passage_words=100)`.
    pub fn from_component(component: &Component) -> Result<Self, ConfigError> {
        let params: Params = component.read()?;
        let refused = |what: String, hint: &str| {
            Err(ConfigError::at(&component.origin, what).with_hint(hint.to_owned()))
        };
        let top_k = params.top_k.unwrap_or(Self::USUAL_TOP_K);
        if top_k == 0 {
            return refused("top_k is 0".to_owned(), "give the number of passages, from 1 on");
        }
        let shown = params.shown.unwrap_or(top_k);
        if shown == 0 || shown > top_k {
            let what = format!("shown is {shown}, and top_k {top_k}");
            return refused(
                what,
                "later stages read from one to all of the passages that are found",
            );
        }
        if params.query.trim().is_empty() {
            return refused(
                "the query is empty".to_owned(),
                "name columns, as in query='{question}'",
            );
        }
        let encoder = match (params.encoder, params.by.embeds()) {
            (Some(name), true) => Some(EncoderChoice {
                name,
                query_prompt: params.query_prompt,
                passage_prompt: params.passage_prompt,
            }),
            (None, true) => {
                let what =
                    format!("by={:?} compares vectors, and no encoder is named", params.by.name());
                return refused(what, "give encoder='…', a folder or a name on the hub");
            }
            (None, false)
                if params.query_prompt.is_none()
                    && params.passage_prompt.is_none()
                    && params.index.is_none() =>
            {
                None
            }
            (_, false) => {
                let what = "an encoder, its prompts and an index have no part in a search by words"
                    .to_owned();
                return refused(what, "write by='dense' or by='hybrid', or leave them out");
            }
        };
        let (corpus, options) = corpus(&params.corpus)?;
        let Params { query, by: method, index, .. } = params;
        Ok(Self { corpus, options, query, top_k, shown, method, index, encoder })
    }
}

/// The path of a corpus and how it is read.
fn corpus(node: &Node) -> Result<(PathBuf, CorpusOptions), ConfigError> {
    if let Some(path) = node.as_str() {
        return Ok((path.into(), CorpusOptions::default()));
    }
    let params: CorpusParams = from_node(node).map_err(|error| error.under("corpus"))?;
    let cutting = match (params.passage_words, params.overlap_words) {
        (None, Some(_)) => {
            return Err(ConfigError::at(&node.origin, "overlap_words goes with passage_words")
                .under("corpus"));
        }
        (None, None) => None,
        (Some(words), overlap) => {
            let cutting = Cutting::new(words, overlap.unwrap_or(0));
            Some(cutting.map_err(|error| {
                ConfigError::at(&node.origin, error.to_string()).under("corpus")
            })?)
        }
    };
    let columns =
        TableColumns { id: params.id_column, text: params.text_column, title: params.title_column };
    Ok((params.path, CorpusOptions { columns, cutting }))
}
