//! `FollowBench`: which of the constraints of an instruction an answer keeps, from one to five.

use std::sync::LazyLock;

use serde_json::Value;

use super::{
    Judged,
    marks::failed,
    rules::JudgeRule,
    subjective::{rows, with_replies},
};
use crate::{
    evaluate::{EvaluateError, Metric, Results, Unit},
    postprocess::{PatternError, PythonRegex},
    python::{is_blank, python_literal},
};

/// Reads YES and NO for each constraint on the last line of a reply.
#[derive(Clone, Copy, Debug)]
pub(super) struct FollowBench;

/// The most constraints of an instruction.
const LEVELS: usize = 5;

static LIST: LazyLock<PythonRegex> = LazyLock::new(|| PythonRegex::constant(r"\[.*\]"));

/// Whether all constraints are kept, and the share that is; nothing where the reply does not say so.
fn kept(reply: &str, level: usize) -> Result<Option<[f64; 2]>, PatternError> {
    let text = reply.trim_matches('`').trim_matches(is_blank);
    let last = text.rsplit('\n').next().unwrap_or(text);
    if level == 1 {
        let mark = if last.contains("YES") { Some(1.0) } else { None };
        let mark = mark.or_else(|| last.contains("NO").then_some(0.0));
        return Ok(mark.map(|mark| [mark, mark]));
    }
    let Some(list) = LIST.first(last)? else { return Ok(None) };
    let Some(Value::Array(verdicts)) = python_literal(list) else { return Ok(None) };
    if verdicts.len() != level {
        return Ok(None);
    }
    let mut count = 0;
    for verdict in &verdicts {
        match verdict.as_str() {
            Some("YES" | "True") => count += 1,
            Some("NO" | "False" | "PARTIAL" | "MAYBE" | "UNKNOWN" | "N/A") => {}
            _ => return Ok(None),
        }
    }
    let is_whole = f64::from(u8::from(count == level));
    Ok(Some([is_whole, count as f64 / level as f64]))
}

/// What the marks of one level come to.
#[derive(Clone, Copy, Default)]
struct Level {
    sums: [f64; 2],
    unreadable: usize,
}

impl JudgeRule for FollowBench {
    fn results(&self, judged: &[Judged<'_>]) -> Result<Results, EvaluateError> {
        let mut levels = [Level::default(); LEVELS];
        let mut scores = vec![vec![[f64::NAN; 2]; rows(judged)]; LEVELS];
        for one in judged {
            let number = one.gold_field("level", "follow_bench")?.as_u64().unwrap_or_default();
            let level = usize::try_from(number).unwrap_or_default();
            let place = level.wrapping_sub(1);
            let (Some(own), Some(scores)) = (levels.get_mut(place), scores.get_mut(place)) else {
                let reason = "a row has a level that is none of 1 to 5";
                return Err(EvaluateError::Undefined { evaluator: "follow_bench", reason });
            };
            match kept(&one.text(), level).map_err(failed(one.row))? {
                None => own.unreadable += 1,
                Some(marks) => {
                    own.sums.iter_mut().zip(marks).for_each(|(sum, mark)| *sum += mark);
                    if let Some(score) = scores.get_mut(one.row) {
                        *score = marks;
                    }
                }
            }
        }
        // Each level counts as a fifth of all replies, whatever its own number of rows.
        let fifth = (judged.len() / LEVELS) as f64;
        let mut metrics = Vec::new();
        for (kind, name) in ["HSR", "SSR"].into_iter().enumerate() {
            let mut of_levels = Vec::with_capacity(LEVELS);
            for (place, (level, scores)) in levels.iter().zip(&scores).enumerate() {
                let count = fifth - level.unreadable as f64;
                let value = if count == 0.0 { 0.0 } else { level.sums[kind] / count };
                let own = scores.iter().map(|marks| marks[kind]).collect();
                let title = format!("{name}_L{}", place + 1);
                of_levels.push(Metric { value, ..Metric::of_numbers(&title, Unit::Number, own) });
            }
            let mean = of_levels.iter().map(|level| level.value).sum::<f64>() / LEVELS as f64;
            metrics.insert(kind, Metric::of_all(&format!("{name}_AVG"), Unit::Number, mean));
            metrics.extend(of_levels);
        }
        Ok(with_replies(metrics, judged))
    }
}
