//! What is searched for, and what should be found.

use std::path::Path;

use serde_json::Value;

use super::{Corpus, Hit, PassageError};
use crate::{
    dataset::{self, Sample},
    statistics::Ranking,
};

/// A query, with what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// What is searched for.
    pub text: String,
    /// The numbers of the passages that are relevant, with how relevant they are; nothing where it is not said.
    pub relevant: Vec<(usize, f64)>,
}

const QUERY: &str = "query";
const RELEVANT: &str = "relevant";

impl Query {
    /// A query of which nothing is known.
    pub fn new(text: String) -> Self {
        Self { text, relevant: Vec::new() }
    }

    /// The queries of a table: `query`, and `relevant` with the id of a passage, a list of ids, or an object that says
    /// of each id how relevant it is. A passage that is not in the corpus is an error.
    pub fn read(path: &Path, corpus: &Corpus) -> Result<Vec<Self>, PassageError> {
        let rows = dataset::read_rows(path).map_err(Box::new)?;
        let read = |(number, row): (usize, &Sample)| {
            let place = format!("{}, row {}", path.display(), number + 1);
            let wrong = |column: &str, wanted, found| PassageError::Cell {
                place: place.clone(),
                column: column.to_owned(),
                wanted,
                found,
            };
            let Some(Value::String(text)) = row.get(QUERY) else {
                return Err(wrong(QUERY, "the text to search for", "none"));
            };
            let named = relevances(row.get(RELEVANT).unwrap_or(&Value::Null));
            let shape = "the id of a passage, a list of ids, or numbers by id";
            let mut relevant = Vec::new();
            for (id, relevance) in named.ok_or_else(|| wrong(RELEVANT, shape, "something else"))? {
                let number = corpus.number_of(&id).ok_or_else(|| unknown(&place, &id, corpus))?;
                if relevant.iter().any(|(other, _)| *other == number) {
                    return Err(wrong(RELEVANT, "every id once", "one twice"));
                }
                relevant.push((number, relevance));
            }
            Ok(Self { text: text.clone(), relevant })
        };
        rows.iter().enumerate().map(read).collect()
    }

    /// What was found beside what should have been; nothing if nothing is relevant.
    pub fn ranking(&self, hits: &[Hit]) -> Option<Ranking> {
        let relevance_of = |hit: &Hit| {
            let found = self.relevant.iter().find(|(passage, _)| *passage == hit.passage);
            found.map_or(0.0, |(_, relevance)| *relevance)
        };
        let judged: Vec<f64> = self.relevant.iter().map(|(_, relevance)| *relevance).collect();
        Ranking::new(hits.iter().map(relevance_of).collect(), &judged)
    }
}

/// Ids with how relevant they are, as an id, a list of ids, or numbers by id say it; nothing for another shape.
pub fn relevances(value: &Value) -> Option<Vec<(String, f64)>> {
    let id = |value: &Value| match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    };
    match value {
        Value::Null => Some(Vec::new()),
        Value::Array(ids) => ids.iter().map(|one| Some((id(one)?, 1.0))).collect(),
        // A table fills the ids that other rows name with null.
        Value::Object(grades) => grades
            .iter()
            .filter(|(_, grade)| !grade.is_null())
            .map(|(id, grade)| Some((id.clone(), grade.as_f64()?)))
            .collect(),
        one => Some(vec![(id(one)?, 1.0)]),
    }
}

fn unknown(place: &str, id: &str, corpus: &Corpus) -> PassageError {
    let first = format!("{id}#1");
    let hint = if corpus.number_of(&first).is_some() {
        format!("it is a document, whose first passage is `{first}`")
    } else {
        "name passages as --json prints their ids".to_owned()
    };
    PassageError::UnknownPassage { place: place.to_owned(), id: id.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::passages::CorpusOptions;

    #[test]
    fn what_is_relevant_may_be_written_in_three_ways() {
        let folder = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let corpus = written("corpus.csv", "id,text\n1,one\n2,two\n");
        let corpus = Corpus::read(&corpus, &CorpusOptions::default()).unwrap();
        for (relevant, expected) in [
            ("\"2\"", vec![(1, 1.0)]),
            ("2", vec![(1, 1.0)]),
            ("[1, 2]", vec![(0, 1.0), (1, 1.0)]),
            ("{\"1\": 3, \"2\": 0}", vec![(0, 3.0), (1, 0.0)]),
            ("null", vec![]),
        ] {
            let row = format!("{{\"query\": \"q\", \"relevant\": {relevant}}}\n");
            let queries = Query::read(&written("q.jsonl", &row), &corpus).unwrap();
            assert_eq!(queries[0].relevant, expected, "{relevant}");
        }
        for (row, expected) in [
            (
                "{\"query\": \"q\", \"relevant\": [\"3\"]}",
                "q.jsonl, row 1: the corpus has no passage `3`",
            ),
            ("{\"query\": \"q\", \"relevant\": [1, 1]}", "`relevant` must hold every id once"),
            ("{\"query\": \"q\", \"relevant\": true}", "the id of a passage, a list of ids"),
            ("{\"question\": \"q\"}", "the column `query` must hold the text to search for"),
        ] {
            let error = Query::read(&written("q.jsonl", row), &corpus).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_ranking_has_what_was_found_and_what_was_missed() {
        let hits = [4, 1].map(|passage| Hit { passage, score: 1.0 });
        let query = Query { text: "q".to_owned(), relevant: vec![(1, 2.0), (9, 1.0)] };
        let ranking = query.ranking(&hits).unwrap();
        assert_eq!((ranking.recall(2), ranking.reciprocal_rank(2)), (0.5, 0.5));
        assert_eq!(Query::new("q".to_owned()).ranking(&hits), None);
    }
}
