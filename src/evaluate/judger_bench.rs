//! `judger_bench`: how a model judges: against people, or against a good judge, in the words of several benchmarks.
//!
//! Maosong Cao et al., "CompassJudger-1: All-in-one Judge Model Helps Model Evaluation and Evolution" (2024). A gold is
//! a record that says which benchmark it is of. Figures are shares from 0 to 1, rounded to three places.

use indexmap::IndexMap;
use serde_json::Value;

use super::{
    EvaluateError, Metric, Row, Scores, Unit,
    by_row::{Asked, rounded},
    correlation::pearson,
};
use crate::{
    postprocess::{PatternError, PythonRegex},
    statistics::Mean,
};

/// Its name in messages.
const NAME: &str = "judger_bench";

/// Why a row has no score in the original.
const EMPTY: &str = "an empty verdict, on which the original fails";

/// To how many places figures are rounded.
const PLACES: u32 = 3;

/// What two judges think of a model in a benchmark, summed.
#[derive(Default)]
struct Opinion {
    good: f64,
    own: f64,
}

pub(super) fn scores(rows: &[Row<'_>]) -> Result<Scores, EvaluateError> {
    let is_of_people =
        rows.first().is_some_and(|row| row.reference["dataset_name"] == "judgerbench_A");
    let mut shares = Shares::new(rows.len());
    let mut opinions: IndexMap<String, IndexMap<String, Opinion>> = IndexMap::new();
    for (index, row) in rows.iter().enumerate() {
        let asked = Asked::new(row, index, NAME);
        let prediction = asked.prediction()?;
        let gold = Gold { asked: &asked, record: &row.reference };
        if is_of_people {
            let winner = match gold.text("/winner")? {
                "model_a" => 'A',
                "model_b" => 'B',
                _ => return Err(asked.unreadable_reference("a winner model_a or model_b")),
            };
            let verdict = prediction.contains('A').then_some('A');
            let verdict = verdict.or_else(|| prediction.contains('B').then_some('B'));
            shares.add(index, gold.text("/category")?, verdict == Some(winner));
            continue;
        }
        let benchmark = gold.text("/dataset_name")?;
        let read = |text| verdict(text, benchmark).map_err(|error| asked.failed(error));
        let Some(good) = read(gold.text("/meta_judge")?)? else { continue };
        let own = read(prediction)?;
        shares.add(index, benchmark, own == Some(good));
        let sign = if gold.is_swapped()? { -1.0 } else { 1.0 };
        let of_benchmark = opinions.entry(benchmark.to_owned()).or_default();
        let opinion = of_benchmark.entry(gold.text("/others/model")?.to_owned()).or_default();
        opinion.good += sign * good as f64;
        opinion.own += sign * own.unwrap_or_default() as f64;
    }
    let mut metrics = shares.metrics();
    if !is_of_people {
        if opinions.is_empty() && !rows.is_empty() {
            let reason = "the good judge has given no verdict on any row";
            return Err(EvaluateError::Undefined { evaluator: NAME, reason });
        }
        metrics.extend(correlations(&opinions));
    }
    Ok(Scores::new(metrics, rows.len()))
}

pub(super) fn departures(rows: &[Row<'_>]) -> Vec<(usize, &'static str)> {
    let is_empty = |(index, row): (usize, &Row<'_>)| {
        let is_alpaca = row.reference["dataset_name"] == "alpaca_eval";
        (is_alpaca && row.prediction == "").then_some((index, EMPTY))
    };
    rows.iter().enumerate().filter_map(is_empty).collect()
}

/// A gold, which is a record.
struct Gold<'r> {
    asked: &'r Asked<'r>,
    record: &'r Value,
}

impl<'r> Gold<'r> {
    fn text(&self, pointer: &str) -> Result<&'r str, EvaluateError> {
        let found = self.record.pointer(pointer).and_then(Value::as_str);
        found.ok_or_else(|| self.asked.unreadable_reference("the record of JudgerBench"))
    }

    /// Whether the answers stood the other way round.
    fn is_swapped(&self) -> Result<bool, EvaluateError> {
        match self.record.pointer("/others/swap") {
            Some(Value::Bool(truth)) => Ok(*truth),
            Some(Value::Number(number)) => Ok(number.as_f64() != Some(0.0)),
            Some(Value::String(text)) => Ok(!text.is_empty()),
            Some(Value::Null) => Ok(false),
            _ => Err(self.asked.unreadable_reference("a record with others.swap")),
        }
    }
}

/// Which rows are right, and of which kind they are.
struct Shares {
    all: Vec<f64>,
    kinds: IndexMap<String, Vec<f64>>,
}

impl Shares {
    fn new(rows: usize) -> Self {
        Self { all: vec![f64::NAN; rows], kinds: IndexMap::new() }
    }

    fn add(&mut self, row: usize, kind: &str, is_right: bool) {
        let count = self.all.len();
        let kind = self.kinds.entry(kind.to_owned()).or_insert_with(|| vec![f64::NAN; count]);
        for grades in [&mut self.all, kind] {
            if let Some(grade) = grades.get_mut(row) {
                *grade = f64::from(u8::from(is_right));
            }
        }
    }

    fn metrics(self) -> Vec<Metric> {
        let kinds = self.kinds.into_iter().map(|(kind, own)| (format!("accuracy_{kind}"), own));
        let all = std::iter::once(("accuracy".to_owned(), self.all)).chain(kinds);
        let metric = |(name, grades): (String, Vec<f64>)| {
            let metric = Metric::of_numbers(&name, Unit::Number, grades);
            let value = if metric.value.is_nan() { 0.0 } else { rounded(metric.value, PLACES) };
            Metric { value, ..metric }
        };
        all.map(metric).collect()
    }
}

/// How alike both judges rank models, on average and for each benchmark.
fn correlations(opinions: &IndexMap<String, IndexMap<String, Opinion>>) -> Vec<Metric> {
    let of_benchmark = |(benchmark, models): (&String, &IndexMap<String, Opinion>)| {
        let good: Vec<f64> = models.values().map(|opinion| opinion.good).collect();
        let own: Vec<f64> = models.values().map(|opinion| opinion.own).collect();
        (format!("corr_{benchmark}"), rounded(pearson(&good, &own), PLACES))
    };
    let each: Vec<(String, f64)> = opinions.iter().map(of_benchmark).collect();
    let values: Vec<f64> = each.iter().map(|(_, value)| *value).collect();
    let average = rounded(Mean::of(&values).value, PLACES);
    let average = std::iter::once(("avg_corr".to_owned(), average));
    average.chain(each).map(|(name, value)| Metric::of_all(&name, Unit::Number, value)).collect()
}

/// What a judge's reply says in the words of a benchmark: above 0 for the first answer; nothing if it says nothing.
fn verdict(reply: &str, benchmark: &str) -> Result<Option<i64>, PatternError> {
    let worth = |text: &str, verdicts: &[(&str, i64)]| {
        verdicts.iter().find(|(words, _)| text.contains(words)).map(|(_, worth)| *worth)
    };
    Ok(match benchmark {
        "alignment_bench_v1_1" => worth(reply, &[("[[A]]", 1), ("[[B]]", -1)]),
        "alpaca_eval" => match reply.chars().next() {
            Some('m') => Some(1),
            Some('M') => Some(-1),
            _ => None,
        },
        "arenahard" => {
            let verdicts = [("A>>B", 2), ("A>B", 1), ("A=B", 0), ("B>A", -1), ("B>>A", -2)];
            let found = PythonRegex::new(r"\[\[([AB<>=]+)\]\]")?.first(reply)?;
            found.and_then(|found| worth(found, &verdicts))
        }
        "fofo_test_prompts" | "fofo_test_prompts_cn" => {
            let pattern = PythonRegex::new(r#"["']format_correctness["']:\s*([0-1]+)"#)?;
            pattern.first(reply)?.and_then(|digits| digits.parse().ok())
        }
        "wildbench" => {
            // The first that is found counts, so that B++ is B+.
            let verdicts = [("A++", 2), ("A+", 1), ("A=B", 0), ("B+", -1)];
            let found = PythonRegex::new(r#""choice": "(.*?)""#)?.first(reply)?;
            found.and_then(|found| worth(found, &verdicts))
        }
        _ => None,
    })
}
