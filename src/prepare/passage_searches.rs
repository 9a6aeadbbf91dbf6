//! Passages for the rows of a data set: corpora are read once, and no query is searched twice.
//!
//! What a search is told is the plan's; how passages are found is `passages`' business. Before the stages ahead of a search
//! are answered there is nothing to search for: the passages that should be found stand in for what will be.

use std::{cell::RefCell, collections::HashMap, path::PathBuf, rc::Rc};

use serde_json::Value;

use super::{CheckpointEncoder, CheckpointModels};
use crate::{
    dataset::Sample,
    infer::{Outcome, PassageSearch, RetrievedPassage},
    passages::{
        Bm25Index, Corpus, CorpusOptions, DenseIndex, EncoderChoice, Hit, HybridIndex, IndexKind,
        PassageError, PassageIndex, SearchMethod, TextRole, Vectors, relevances,
    },
    prompt::fill,
};

/// Corpora that were read, and what queries have found in them.
#[derive(Debug, Default)]
pub(crate) struct PassageSearches {
    corpora: RefCell<Vec<KnownCorpus>>,
    found: RefCell<Vec<Searched>>,
}

#[derive(Debug)]
struct KnownCorpus {
    path: PathBuf,
    options: CorpusOptions,
    corpus: Rc<Corpus>,
}

/// What queries have found in one way.
#[derive(Debug)]
struct Searched {
    search: PassageSearch,
    hits: HashMap<String, Vec<Hit>>,
}

impl PassageSearches {
    /// The corpus of a search.
    pub(super) fn corpus(&self, search: &PassageSearch) -> Result<Rc<Corpus>, PassageError> {
        let PassageSearch { corpus: path, options, .. } = search;
        let is_known = |known: &&KnownCorpus| known.path == *path && known.options == *options;
        if let Some(known) = self.corpora.borrow().iter().find(is_known) {
            return Ok(known.corpus.clone());
        }
        let corpus = Rc::new(Corpus::read(path, options)?);
        let (path, options) = (path.clone(), options.clone());
        self.corpora.borrow_mut().push(KnownCorpus { path, options, corpus: corpus.clone() });
        Ok(corpus)
    }

    /// Every passage of every corpus that was read: its id and what it is found by.
    pub(crate) fn for_each_passage(&self, mut tell: impl FnMut(&str, &str)) {
        for known in self.corpora.borrow().iter() {
            for passage in known.corpus.passages() {
                tell(&passage.id, &passage.searched_text());
            }
        }
    }

    /// What is found for each row.
    pub(super) fn found(
        &self,
        search: &PassageSearch,
        rows: &[Sample],
        models: &CheckpointModels<'_>,
    ) -> Result<Vec<Outcome>, PassageError> {
        if let Some(row) = rows.first() {
            check_query(&search.query, row)?;
        }
        let corpus = self.corpus(search)?;
        let queries: Vec<String> = rows.iter().map(|row| fill(&search.query, row)).collect();
        let hits = self.hits(search, &corpus, &queries, models)?;
        let passage = |hit: &Hit| {
            corpus
                .passage(hit.passage)
                .map(|found| RetrievedPassage::of(&corpus, found, Some(hit.score)))
        };
        let outcome = |(query, hits): (String, Vec<Hit>)| Outcome::Retrieved {
            query,
            passages: hits.iter().filter_map(passage).collect(),
        };
        Ok(queries.into_iter().zip(hits).map(outcome).collect())
    }

    /// The passages that a row's gold names, or those that any ids name; `place` is where they stand, for messages.
    pub(super) fn named(
        &self,
        search: &PassageSearch,
        gold: &Value,
        place: &str,
    ) -> Result<Vec<RetrievedPassage>, PassageError> {
        let corpus = self.corpus(search)?;
        let Some(named) = relevances(gold) else {
            return Err(PassageError::Cell {
                place: place.to_owned(),
                column: "gold".to_owned(),
                wanted: "the id of a passage, a list of ids, or numbers by id",
                found: "something else",
            });
        };
        let mut passages = Vec::new();
        for (id, relevance) in named {
            let numbers = corpus.numbers_of(&id);
            if numbers.is_empty() {
                return Err(PassageError::UnknownPassage {
                    place: place.to_owned(),
                    id,
                    hint: format!("the corpus is {}", search.corpus.display()),
                });
            }
            let named = numbers.into_iter().filter_map(|number| corpus.passage(number));
            let named = named.map(|passage| RetrievedPassage::of(&corpus, passage, None));
            passages.extend(named.filter(|_| relevance > 0.0));
        }
        Ok(passages)
    }

    fn hits(
        &self,
        search: &PassageSearch,
        corpus: &Corpus,
        queries: &[String],
        models: &CheckpointModels<'_>,
    ) -> Result<Vec<Vec<Hit>>, PassageError> {
        let mut found = self.found.borrow_mut();
        // Neither the template of the query nor what later stages read tells searches apart.
        let search = PassageSearch { query: String::new(), shown: search.top_k, ..search.clone() };
        let at = found.iter().position(|known| known.search == search).unwrap_or_else(|| {
            found.push(Searched { search: search.clone(), hits: HashMap::new() });
            found.len() - 1
        });
        let known = &mut found[at].hits;
        let mut unknown: Vec<String> =
            queries.iter().filter(|query| !known.contains_key(*query)).cloned().collect();
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            let hits = searched(&search, corpus, &unknown, models)?;
            known.extend(unknown.into_iter().zip(hits));
        }
        Ok(queries.iter().map(|query| known.get(query).cloned().unwrap_or_default()).collect())
    }
}

/// Searches a corpus.
fn searched(
    search: &PassageSearch,
    corpus: &Corpus,
    queries: &[String],
    models: &CheckpointModels<'_>,
) -> Result<Vec<Vec<Hit>>, PassageError> {
    let texts = corpus.searched_texts();
    let EncoderChoice { name, query_prompt, passage_prompt } =
        search.encoder.clone().unwrap_or_default();
    let encoder = CheckpointEncoder {
        models,
        name: &name,
        query_prompt: query_prompt.as_deref(),
        passage_prompt: passage_prompt.as_deref(),
    };
    let bm25 = || Bm25Index::new(&texts);
    let dense = || {
        let vectors = Vectors::of_texts(&texts, &encoder, TextRole::Passage)?;
        let kind = search.index.unwrap_or_else(|| IndexKind::usual(texts.len()));
        match models.graphs() {
            Some(graphs) => kind.index(vectors, &encoder, &graphs),
            // Where nothing is kept, nothing is searched often.
            None => Ok(Box::new(DenseIndex::of(vectors, &encoder)?) as Box<dyn PassageIndex>),
        }
    };
    let index: Box<dyn PassageIndex + '_> = match search.method {
        SearchMethod::Bm25 => Box::new(bm25()?),
        SearchMethod::Dense => dense()?,
        SearchMethod::Hybrid => Box::new(HybridIndex::new(vec![Box::new(bm25()?), dense()?])),
    };
    index.search(queries, search.top_k)
}

/// An error if the query names a column that rows do not have.
fn check_query(query: &str, row: &Sample) -> Result<(), PassageError> {
    let named =
        query.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    for name in named.filter(|name| is_name(name)) {
        if row.get(name).is_none() {
            let columns: Vec<&str> = row.iter().map(|(column, _)| column).collect();
            return Err(PassageError::Query {
                column: name.to_owned(),
                available: columns.join(", "),
            });
        }
    }
    Ok(())
}
