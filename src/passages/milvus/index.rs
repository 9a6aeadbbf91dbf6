//! The index over a collection of a Milvus server.

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use super::{
    CollectionName, Filling, MilvusAddress, MilvusError, ServerIndex,
    client::{Client, Found},
    collection::{CollectionKey, Difference},
    filling::{SPAN_PASSAGES, fill},
    messages::CollectionDescription,
    requests::{MOST_ROWS, VECTOR},
};
use crate::passages::{
    Hit, PassageEncoder, PassageError, PassageIndex, TextRole,
    best::Best,
    dense::{compare, unit_vectors},
    index::is_empty,
};

/// Candidates beside those that are wanted: rounding and equal passages may change places.
const SPARE: usize = 16;
/// How many times more candidates are asked for where the first ones do not decide.
const DEEPER: usize = 8;
/// Candidates of all queries of a call.
const CALL_CANDIDATES: usize = 65_536;
/// Queries of a call at most.
const CALL_QUERIES: usize = 256;

/// Which collection of which server.
#[derive(Clone)]
pub struct MilvusOptions {
    /// The server.
    pub address: MilvusAddress,
    /// `user:password` or a key, if the server wants one. It is neither printed nor kept.
    pub token: Option<String>,
    /// The collection, instead of one that is named after what decides its vectors.
    pub collection: Option<CollectionName>,
    /// The index that the server builds.
    pub index: ServerIndex,
    /// Whether a collection that is there is removed first. One that another program made never is.
    pub refill: bool,
}

impl fmt::Debug for MilvusOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MilvusOptions")
            .field("address", &self.address)
            .field("collection", &self.collection)
            .field("index", &self.index)
            .field("refill", &self.refill)
            .finish_non_exhaustive()
    }
}

/// Passages by vectors that lie in a collection of a server: the score is the cosine, as in
/// [`DenseIndex`](crate::passages::DenseIndex).
///
/// With the index `FLAT` passages, order and scores are those of exact search, to the bit. Another index may pass over
/// a passage; the scores of those that it finds are exact all the same.
#[derive(Debug)]
pub struct MilvusIndex<'a> {
    client: Client,
    index: ServerIndex,
    texts: &'a [String],
    encoder: &'a dyn PassageEncoder,
    /// Numbers of a vector.
    width: usize,
}

impl<'a> MilvusIndex<'a> {
    /// Finds or makes the collection of these texts, in the order of their passages, and fills it. `encoder_key` is
    /// everything that decides the vectors of passages but their texts. `told` is called as the collection fills.
    ///
    /// A collection of other vectors is an error, and so is one that cannot be filled completely.
    pub fn open(
        options: &MilvusOptions,
        texts: &'a [String],
        encoder: &'a dyn PassageEncoder,
        encoder_key: &str,
        told: &dyn Fn(Filling),
    ) -> Result<Self, PassageError> {
        let key = CollectionKey::of(encoder_key, texts);
        let name = options.collection.clone().unwrap_or_else(|| key.name(&options.index));
        let client = Client::connect(&options.address, options.token.as_deref(), name)?;
        let width = if let Some(width) = usable(&client, &key, options.refill)? {
            width
        } else {
            let first = texts.get(..SPAN_PASSAGES).unwrap_or(texts);
            let vectors = unit_vectors(encoder, first, TextRole::Passage, None)?;
            let width = vectors.first().map_or(0, Vec::len);
            client.create(&key, width)?;
            width
        };
        indexed(&client, &options.index)?;
        client.load()?;
        let index = Self { client, index: options.index.clone(), texts, encoder, width };
        index.check_width()?;
        fill(&index.client, texts, encoder, width, told)?;
        Ok(index)
    }

    /// Server and collection.
    pub fn place(&self) -> String {
        self.client.place()
    }

    /// An error if the encoder's vectors are not as wide as the collection's.
    fn check_width(&self) -> Result<(), PassageError> {
        let first = self.texts.get(..1).unwrap_or_default();
        let vectors = self.encoder.vectors(first, TextRole::Passage)?;
        let width = vectors.first().map_or(0, Vec::len);
        if width == self.width {
            return Ok(());
        }
        let what =
            format!("holds vectors of {} numbers, and the encoder's have {width}", self.width);
        Err(other(&self.client, what, Difference::Encoder).into())
    }

    /// For each vector the best of what the server finds, or nothing where that may not be the best of all.
    fn ranked(
        &self,
        queries: &[Vec<f32>],
        depth: usize,
        top_k: usize,
    ) -> Result<Vec<Option<Vec<Hit>>>, PassageError> {
        let found = self.client.search(queries, depth, &self.index)?;
        let numbers: BTreeSet<usize> = found.iter().flatten().map(|hit| hit.passage).collect();
        let texts = numbers.iter().map(|&number| self.texts.get(number).cloned());
        let texts: Option<Vec<String>> = texts.collect();
        let texts =
            texts.ok_or_else(|| self.nonsense("a passage that was never sent".to_owned()))?;
        let vectors = unit_vectors(self.encoder, &texts, TextRole::Passage, Some(self.width))?;
        let vectors: HashMap<usize, Vec<f32>> = numbers.into_iter().zip(vectors).collect();
        queries
            .iter()
            .zip(&found)
            .map(|(query, found)| self.best(query, found, &vectors, depth, top_k))
            .collect()
    }

    /// The best of the candidates of one query, or nothing where others may be better.
    fn best(
        &self,
        query: &[f32],
        found: &[Found],
        vectors: &HashMap<usize, Vec<f32>>,
        depth: usize,
        top_k: usize,
    ) -> Result<Option<Vec<Hit>>, PassageError> {
        let scores: HashMap<usize, f32> =
            found.iter().map(|found| (found.passage, found.score)).collect();
        if scores.len() < found.len() {
            return Err(self.nonsense("a passage twice".to_owned()).into());
        }
        let expected = depth.min(self.texts.len());
        if self.index.is_exact() && found.len() != expected {
            let problem = format!("{} hits instead of {expected}", found.len());
            return Err(self.nonsense(problem).into());
        }
        let passages: Vec<usize> = found.iter().map(|found| found.passage).collect();
        let candidates: Vec<Vec<f32>> =
            passages.iter().filter_map(|passage| vectors.get(passage).cloned()).collect();
        let mut best = [Best::of(passages.len())];
        if !passages.is_empty() {
            let passage = |at: usize| passages.get(at).copied().unwrap_or_default();
            compare(&[query.to_vec()], &candidates, &passage, &mut best)?;
        }
        let [best] = best;
        let mut hits = best.sorted();
        if !self.index.is_exact() {
            hits.truncate(top_k);
            return Ok(Some(hits));
        }
        let margin = margin(self.width);
        for hit in &hits {
            let found = scores.get(&hit.passage).copied().unwrap_or(f32::NAN);
            let apart = (f64::from(found) - hit.score).abs();
            if apart > margin || apart.is_nan() {
                let (place, expected) = (self.place(), hit.score);
                let error = MilvusError::Score { place, passage: hit.passage, found, expected };
                return Err(error.into());
            }
        }
        let worst = found.iter().map(|found| f64::from(found.score)).fold(f64::INFINITY, f64::min);
        let all = hits.len() == self.texts.len();
        let last = hits.get(top_k.saturating_sub(1)).map_or(f64::NEG_INFINITY, |hit| hit.score);
        // What was not found scores at most `worst` there, and so at most that and the margin here.
        let decided = all || last > worst + margin;
        hits.truncate(top_k);
        Ok(decided.then_some(hits))
    }

    /// The best of all passages, by their own vectors, a span at a time: for queries that more passages are equally near
    /// than the server tells of.
    fn best_of_all(
        &self,
        queries: &[Vec<f32>],
        top_k: usize,
    ) -> Result<Vec<Vec<Hit>>, PassageError> {
        let mut best: Vec<Best> = queries.iter().map(|_| Best::of(top_k)).collect();
        let mut first = 0;
        for span in self.texts.chunks(SPAN_PASSAGES) {
            let vectors = unit_vectors(self.encoder, span, TextRole::Passage, Some(self.width))?;
            for (queries, best) in queries.chunks(CALL_QUERIES).zip(best.chunks_mut(CALL_QUERIES)) {
                compare(queries, &vectors, &|at| first + at, best)?;
            }
            first += span.len();
        }
        Ok(best.into_iter().map(Best::sorted).collect())
    }

    fn nonsense(&self, problem: String) -> MilvusError {
        MilvusError::Answer { place: self.place(), call: "Search", problem }
    }
}

impl PassageIndex for MilvusIndex<'_> {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        let asked: Vec<String> = queries.iter().filter(|query| !is_empty(query)).cloned().collect();
        let vectors = unit_vectors(self.encoder, &asked, TextRole::Query, Some(self.width))?;
        let mut found: Vec<Vec<Hit>> = vec![Vec::new(); vectors.len()];
        let mut open: Vec<usize> = (0..vectors.len()).collect();
        let of = |numbers: &[usize]| -> Vec<Vec<f32>> {
            numbers.iter().filter_map(|&number| vectors.get(number).cloned()).collect()
        };
        let most = MOST_ROWS.min(self.texts.len());
        let mut depth = (top_k + SPARE).min(most);
        while !open.is_empty() && depth >= top_k.min(self.texts.len()) {
            let mut undecided = Vec::new();
            let together = (CALL_CANDIDATES / depth.max(1)).clamp(1, CALL_QUERIES);
            for numbers in open.chunks(together) {
                let ranked = self.ranked(&of(numbers), depth, top_k)?;
                for (&number, hits) in numbers.iter().zip(ranked) {
                    match (hits, found.get_mut(number)) {
                        (Some(hits), Some(found)) => *found = hits,
                        _ => undecided.push(number),
                    }
                }
            }
            open = undecided;
            if depth == most {
                break;
            }
            depth = (depth * DEEPER).min(most);
        }
        if !open.is_empty() {
            for (number, hits) in open.iter().zip(self.best_of_all(&of(&open), top_k)?) {
                if let Some(found) = found.get_mut(*number) {
                    *found = hits;
                }
            }
        }
        let mut found = found.into_iter();
        let mut hits = |query: &String| if is_empty(query) { None } else { found.next() };
        Ok(queries.iter().map(|query| hits(query).unwrap_or_default()).collect())
    }
}

/// How far two products of vectors of length 1 can be apart that are both summed in f32, in whatever order: each is
/// within width · 2⁻²⁴ of the true one (Higham, "Accuracy and Stability of Numerical Algorithms", section 3.1), and
/// some more for lengths that are not quite 1.
fn margin(width: usize) -> f64 {
    (width + 8) as f64 * f64::from(f32::EPSILON)
}

/// The width of the collection's vectors if it is there and holds those that are wanted.
fn usable(
    client: &Client,
    key: &CollectionKey,
    refill: bool,
) -> Result<Option<usize>, MilvusError> {
    let Some(found) = client.description()? else { return Ok(None) };
    match key.difference(&found) {
        Some(Difference::Foreign) => {
            let what = "was not made by this program".to_owned();
            return Err(other(client, what, Difference::Foreign));
        }
        _ if refill => {
            client.drop_collection()?;
            return Ok(None);
        }
        Some(Difference::Encoder) => {
            let what = "holds vectors of another encoder, prompt or kind of processor".to_owned();
            return Err(other(client, what, Difference::Encoder));
        }
        Some(Difference::Corpus) => {
            let what = "holds another corpus".to_owned();
            return Err(other(client, what, Difference::Corpus));
        }
        None => {}
    }
    width(&found).map(Some).ok_or_else(|| {
        other(client, format!("has no field `{VECTOR}` with a width"), Difference::Foreign)
    })
}

/// Has the server build the index if there is none; another one is an error.
fn indexed(client: &Client, index: &ServerIndex) -> Result<(), MilvusError> {
    match client.index()? {
        None => client.create_index(index),
        Some(found) => match index.other(&found) {
            None => Ok(()),
            Some(found) => {
                let what = format!("has the index {found}, not {index}");
                Err(other(client, what, Difference::Corpus))
            }
        },
    }
}

fn other(client: &Client, what: String, difference: Difference) -> MilvusError {
    let hint = match difference {
        Difference::Foreign => "name another with --collection",
        Difference::Corpus | Difference::Encoder => {
            "leave --collection out or name another, or fill it anew with --refill"
        }
    };
    MilvusError::Other { place: client.place(), what, hint }
}

/// Numbers of a vector of a collection.
fn width(found: &CollectionDescription) -> Option<usize> {
    let fields = &found.schema.as_ref()?.fields;
    let vector = fields.iter().find(|field| field.name == VECTOR)?;
    vector.parameters.iter().find(|pair| pair.key == "dim")?.value.parse().ok()
}
