//! How well queries find what they should.

use crate::statistics::{Gain, Interval, Mean, Ranking, normal_95, wilson_95};

/// A figure over queries.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFigure {
    /// Its name, with the number of places that are looked at.
    pub name: String,
    /// The mean over queries, from 0 to 1, with its standard error.
    pub mean: Mean,
    /// Where the true figure lies with a confidence of 95 %; nothing below two queries.
    pub interval: Option<Interval>,
}

/// The figures of rankings, a query each, over their first `k` places. Queries of which nothing relevant is known have no
/// ranking, and are no part of a mean. The two gains of nDCG are told apart where any relevance is not 0 or 1.
pub fn search_figures(rankings: &[Ranking], k: usize) -> Vec<SearchFigure> {
    if rankings.is_empty() {
        return Vec::new();
    }
    let hits: Vec<f64> = scores(rankings, |one| f64::from(u8::from(one.hit(k))));
    let found = hits.iter().filter(|hit| **hit > 0.0).count();
    let mut figures = vec![
        figure(format!("recall@{k}"), &scores(rankings, |one| one.recall(k))),
        SearchFigure {
            interval: wilson_95(found, hits.len()),
            ..figure(format!("hit@{k}"), &hits)
        },
        figure(format!("precision@{k}"), &scores(rankings, |one| one.precision(k))),
        figure(format!("MRR@{k}"), &scores(rankings, |one| one.reciprocal_rank(k))),
        figure(format!("MAP@{k}"), &scores(rankings, |one| one.average_precision(k))),
    ];
    let ndcg = |gain| scores(rankings, |one| one.ndcg(k, gain));
    if rankings.iter().all(Ranking::is_binary) {
        figures.push(figure(format!("nDCG@{k}"), &ndcg(Gain::Linear)));
    } else {
        figures.push(figure(format!("nDCG@{k} (gain rel)"), &ndcg(Gain::Linear)));
        figures.push(figure(format!("nDCG@{k} (gain 2^rel − 1)"), &ndcg(Gain::Exponential)));
    }
    figures
}

fn scores(rankings: &[Ranking], score: impl Fn(&Ranking) -> f64) -> Vec<f64> {
    rankings.iter().map(score).collect()
}

fn figure(name: String, scores: &[f64]) -> SearchFigure {
    let mean = Mean::of(scores);
    let interval = mean.standard_error.map(|error| {
        let Interval { low, high } = normal_95(mean.value, error);
        Interval { low: low.max(0.0), high: high.min(1.0) }
    });
    SearchFigure { name, mean, interval }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_named_where_they_differ() {
        let one = Ranking::new(vec![0.0, 1.0], &[1.0]).unwrap();
        let two = Ranking::new(vec![1.0, 3.0], &[1.0, 3.0]).unwrap();
        let names = |rankings: &[Ranking]| -> Vec<String> {
            search_figures(rankings, 2).into_iter().map(|figure| figure.name).skip(5).collect()
        };
        assert_eq!(names(std::slice::from_ref(&one)), ["nDCG@2"]);
        assert_eq!(names(&[one.clone(), two]), ["nDCG@2 (gain rel)", "nDCG@2 (gain 2^rel − 1)"]);
        assert_eq!(search_figures(&[], 2), []);
        let mrr = &search_figures(&[one], 2)[3];
        assert_eq!((mrr.mean.value, mrr.interval), (0.5, None));
    }
}
