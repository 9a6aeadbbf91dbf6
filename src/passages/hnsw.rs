//! Passages by graphs of their vectors.

use std::{
    fmt::Debug,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
};

use rayon::prelude::*;

use super::{
    Hit, PassageEncoder, PassageError, PassageIndex, Vectors,
    best::Best,
    dense::{AskedVectors, cosines},
    graph::{AskedRow, Graph, GraphKey, GraphSearch, SEARCHED_CANDIDATES},
};

/// Blocks of a graph: 131,072 vectors, fewer in the last one.
const GRAPH_BLOCKS: usize = 8;

/// How far distances of a graph may be from those that are computed again.
const ROUNDING: f32 = 1e-5;

/// Keeps graphs from one command to the next.
pub trait GraphKeeper: Debug {
    /// Graphs are needed: so many, of which so many are not kept.
    fn begin(&self, graphs: usize, missing: usize);

    /// The bytes that were kept for a key, if they are as they were written.
    fn kept(&self, key: &GraphKey) -> Option<Vec<u8>>;

    /// Keeps the bytes of a graph that was made.
    fn keep(&self, key: &GraphKey, bytes: &[u8]) -> Result<(), PassageError>;
}

/// Keeps nothing.
impl GraphKeeper for () {
    fn begin(&self, _: usize, _: usize) {}

    fn kept(&self, _: &GraphKey) -> Option<Vec<u8>> {
        None
    }

    fn keep(&self, _: &GraphKey, _: &[u8]) -> Result<(), PassageError> {
        Ok(())
    }
}

/// A query is compared with the vectors that graphs lead to, which may pass some over: hierarchical navigable small
/// worlds, Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable
/// Small World graphs", 2018. What is found scores what it scores in a [`DenseIndex`](super::DenseIndex), to the bit.
///
/// Each 131,072 passages have a graph of their own, and all graphs are searched. So graphs are made side by side, each
/// by one thread in one order: the same vectors give the same graphs and the same hits on any number of cores. A graph
/// that was made is given to the [`GraphKeeper`] at once.
#[derive(Debug)]
pub struct HnswIndex<'a> {
    encoder: &'a dyn PassageEncoder,
    graphs: Vec<Graph>,
    /// Numbers of a vector.
    width: usize,
}

impl<'a> HnswIndex<'a> {
    /// Most passages that are found for a query.
    pub const MOST_FOUND: usize = SEARCHED_CANDIDATES;

    /// Indexes the vectors of passages; `encoder` makes those of queries.
    pub fn of(
        vectors: Vectors,
        encoder: &'a dyn PassageEncoder,
        keeper: &dyn GraphKeeper,
    ) -> Result<Self, PassageError> {
        let width = vectors.width();
        let parts: Vec<Arc<Vectors>> =
            vectors.into_parts(GRAPH_BLOCKS).into_iter().map(Arc::new).collect();
        let keys: Vec<GraphKey> = parts.par_iter().map(|part| Graph::key(part)).collect();
        let kept = |(part, key)| Graph::from_bytes(part, &keeper.kept(key)?);
        let mut graphs: Vec<Option<Graph>> = parts.iter().zip(&keys).map(kept).collect();
        let missing: Vec<usize> =
            (0..parts.len()).filter(|place| graphs[*place].is_none()).collect();
        keeper.begin(parts.len(), missing.len());
        for_each_built(&parts, &missing, &mut |place, graph| {
            keeper.keep(&keys[place], &graph.to_bytes()?)?;
            graphs[place] = Some(graph);
            Ok(())
        })?;
        Ok(Self { encoder, graphs: graphs.into_iter().flatten().collect(), width })
    }
}

impl PassageIndex for HnswIndex<'_> {
    fn search(&self, queries: &[String], top_k: usize) -> Result<Vec<Vec<Hit>>, PassageError> {
        if top_k > Self::MOST_FOUND {
            return Err(PassageError::TooManyForGraphs { top_k, most: Self::MOST_FOUND });
        }
        let mut asked = AskedVectors::of(queries, self.encoder, self.width)?;
        let vectors = Arc::new(std::mem::take(&mut asked.vectors));
        let graphs = &self.graphs;
        let found =
            (0..vectors.len()).into_par_iter().map_init(GraphSearch::default, |search, number| {
                nearest(graphs, &AskedRow::of(&vectors, number), top_k, search)
            });
        Ok(asked.placed(found.collect::<Result<_, _>>()?))
    }
}

/// The best passages for a query.
fn nearest(
    graphs: &[Graph],
    query: &AskedRow,
    top_k: usize,
    search: &mut GraphSearch,
) -> Result<Vec<Hit>, PassageError> {
    let mut found = Vec::new();
    let mut first = 0;
    for graph in graphs {
        let mut worst = f32::INFINITY;
        for (place, (number, distance)) in graph.near(query, search).enumerate() {
            if place + 1 == top_k {
                worst = distance + ROUNDING;
            } else if distance > worst {
                break;
            }
            found.push((first + number, graph.vectors.row(number)));
        }
        first += graph.vectors.len();
    }
    let (numbers, rows): (Vec<usize>, Vec<&[f32]>) = found.into_iter().unzip();
    let mut best = Best::of(top_k);
    for (passage, score) in numbers.into_iter().zip(cosines(query.numbers(), &rows)?) {
        best.add(Hit { passage, score });
    }
    Ok(best.sorted())
}

/// Builds graphs of parts side by side and gives each to `done` as soon as it is there, in any order.
fn for_each_built(
    parts: &[Arc<Vectors>],
    missing: &[usize],
    done: &mut dyn FnMut(usize, Graph) -> Result<(), PassageError>,
) -> Result<(), PassageError> {
    let next = Mutex::new(missing.iter().copied());
    let (built, ready) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads().min(missing.len()) {
            let (next, built) = (&next, built.clone());
            scope.spawn(move || {
                loop {
                    let place = next.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(place) = place else { break };
                    // Nobody listens any more once something has failed.
                    if built.send((place, Graph::build(parts[place].clone()))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(built);
        ready.into_iter().try_for_each(|(place, graph)| done(place, graph?))
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashMap;

    use rand_mt::Mt64;

    use super::*;
    use crate::passages::{DenseIndex, GivenQueries};

    /// Keeps graphs in memory, and counts those that were made.
    #[derive(Debug, Default)]
    struct Kept {
        graphs: RefCell<HashMap<String, Vec<u8>>>,
        made: RefCell<usize>,
    }

    impl GraphKeeper for Kept {
        fn begin(&self, _: usize, missing: usize) {
            *self.made.borrow_mut() += missing;
        }

        fn kept(&self, key: &GraphKey) -> Option<Vec<u8>> {
            self.graphs.borrow().get(&key.to_string()).cloned()
        }

        fn keep(&self, key: &GraphKey, bytes: &[u8]) -> Result<(), PassageError> {
            self.graphs.borrow_mut().insert(key.to_string(), bytes.to_vec());
            Ok(())
        }
    }

    /// Vectors in clusters, each of them near to one of `clusters` directions.
    fn clustered(count: usize, clusters: usize, width: usize, seed: u64) -> Vec<Vec<f32>> {
        let number = |chance: &mut Mt64| (chance.next_u64() >> 40) as f32 / 8_388_608.0 - 1.0;
        let mut chance = Mt64::new(7);
        let centres: Vec<Vec<f32>> =
            (0..clusters).map(|_| (0..width).map(|_| number(&mut chance)).collect()).collect();
        let mut chance = Mt64::new(seed);
        let one = |_| {
            let centre = &centres[chance.next_u64() as usize % clusters];
            centre.iter().map(|at| at + 0.6 * number(&mut chance)).collect()
        };
        (0..count).map(one).collect()
    }

    fn vectors(rows: &[Vec<f32>]) -> Vectors {
        let mut vectors = Vectors::default();
        for row in rows {
            vectors.push(row.clone()).unwrap();
        }
        vectors
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("q{number}")).collect()
    }

    #[test]
    fn graphs_find_nearly_all_and_score_as_exact_search() {
        let passages = vectors(&clustered(4000, 50, 48, 1));
        let names = names(200);
        let queries = GivenQueries::new(&names, vectors(&clustered(200, 50, 48, 2))).unwrap();
        let exact = DenseIndex::of(passages.clone(), &queries).unwrap();
        let graphs = HnswIndex::of(passages, &queries, &()).unwrap();
        for top_k in [1, 10, 100] {
            let expected = exact.search(&names, top_k).unwrap();
            let found = graphs.search(&names, top_k).unwrap();
            let mut recalled = 0;
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.len(), top_k);
                let same = |hit: &&Hit| expected.contains(hit);
                recalled += found.iter().filter(same).count();
                // What is found is scored and ordered as there, to the bit.
                let order = |hits: &[Hit]| {
                    hits.windows(2).all(|two| {
                        two[0].score > two[1].score
                            || (two[0].score.total_cmp(&two[1].score).is_eq()
                                && two[0].passage < two[1].passage)
                    })
                };
                assert!(order(found));
                for hit in found {
                    let other = expected.iter().find(|other| other.passage == hit.passage);
                    assert!(other.is_none_or(|other| other == hit), "{hit:?}, {other:?}");
                }
            }
            let recall = recalled as f64 / (top_k * names.len()) as f64;
            println!("recall@{top_k} {recall:.4}");
            assert!(recall >= 0.99, "recall@{top_k} is {recall}");
        }
    }

    #[test]
    fn the_same_vectors_give_the_same_graphs_which_are_made_once() {
        let passages = vectors(&clustered(700, 20, 16, 3));
        let names = names(20);
        let queries = GivenQueries::new(&names, vectors(&clustered(20, 20, 16, 4))).unwrap();
        let (kept, other) = (Kept::default(), Kept::default());
        let index = HnswIndex::of(passages.clone(), &queries, &kept).unwrap();
        let found = index.search(&names, 5).unwrap();
        HnswIndex::of(passages.clone(), &queries, &other).unwrap();
        assert_eq!(kept.graphs, other.graphs);
        let again = HnswIndex::of(passages.clone(), &queries, &kept).unwrap();
        assert_eq!((again.search(&names, 5).unwrap(), *kept.made.borrow()), (found, 1));
        // One that belongs to other vectors, or is none, is not used.
        let fewer = vectors(&clustered(699, 20, 16, 3));
        HnswIndex::of(fewer.clone(), &queries, &kept).unwrap();
        assert_eq!((kept.graphs.borrow().len(), *kept.made.borrow()), (2, 2));
        let key = Graph::key(&passages).to_string();
        let foreign = kept.graphs.borrow()[&Graph::key(&fewer).to_string()].clone();
        for bytes in [Vec::new(), vec![0; 100], foreign] {
            let made = *kept.made.borrow();
            kept.graphs.borrow_mut().insert(key.clone(), bytes);
            HnswIndex::of(passages.clone(), &queries, &kept).unwrap();
            assert_eq!(*kept.made.borrow(), made + 1);
        }
    }

    #[test]
    fn equal_vectors_come_in_the_order_of_the_corpus() {
        let mut rows = clustered(300, 10, 8, 5);
        for place in [250, 20, 130] {
            rows[place] = vec![1.0; 8];
        }
        rows[40] = vec![0.0; 8];
        let names = vec!["q0".to_owned(), " ".to_owned(), "q1".to_owned()];
        let asked = vectors(&[vec![2.0; 8], vec![1.0; 8], vec![0.5; 8]]);
        let queries = GivenQueries::new(&names, asked).unwrap();
        let index = HnswIndex::of(vectors(&rows), &queries, &()).unwrap();
        let found = index.search(&names, 3).unwrap();
        let passages = |hits: &[Hit]| hits.iter().map(|hit| hit.passage).collect::<Vec<_>>();
        assert_eq!(passages(&found[0]), [20, 130, 250]);
        assert_eq!((passages(&found[1]), &found[2]), (vec![], &found[0]));
        let error = index.search(&names, 257).unwrap_err().to_string();
        assert!(error.contains("at most 256 passages for a query, not 257"), "{error}");
    }

    #[test]
    fn few_passages_are_enough() {
        let names = names(1);
        for count in [1, 2, 40] {
            let passages = vectors(&clustered(count, 3, 8, 6));
            let queries = GivenQueries::new(&names, vectors(&clustered(1, 3, 8, 7))).unwrap();
            let exact = DenseIndex::of(passages.clone(), &queries).unwrap();
            let graphs = HnswIndex::of(passages, &queries, &()).unwrap();
            assert_eq!(graphs.search(&names, 9).unwrap(), exact.search(&names, 9).unwrap());
        }
    }
}
