//! Comparisons as text: members, pairs, what may be said of them, and the samples that changed.

mod tables;

use self::tables::{flip_table, member_table, pair_table};
use super::width::folded_hard;
use crate::{
    compare::{Attribution, Comparison, Comparisons, Pair, p_text},
    report::grouped,
};

/// All comparisons in lines of at most `columns`; of each pair up to so many samples that changed.
pub(super) fn text(found: &Comparisons, flips: Option<usize>, columns: usize) -> String {
    let mut parts: Vec<String> = found
        .comparisons
        .iter()
        .map(|comparison| comparison_text(comparison, flips, columns))
        .collect();
    parts.extend(attribution_texts(&found.attributions, columns));
    let cost: Vec<String> = found
        .runs
        .iter()
        .map(|run| {
            let (computed, reused) = (grouped(run.computed_tokens), grouped(run.reused_tokens));
            format!("run {}: {computed} tokens computed, {reused} were known", run.name)
        })
        .collect();
    parts.push(paragraph(&cost, columns));
    parts.join("\n\n")
}

/// Where the chains of each data set lose what they miss.
fn attribution_texts(found: &[Attribution], columns: usize) -> Vec<String> {
    let is_same = |one: &Attribution, other: &Attribution| {
        (&one.dataset, &one.model, &one.metric) == (&other.dataset, &other.model, &other.metric)
    };
    found.chunk_by(is_same).map(|own| attribution_text(own, columns)).collect()
}

fn attribution_text(found: &[Attribution], columns: usize) -> String {
    let head = found.first().map(|first| {
        format!(
            "{}: points of {} that each stage loses, with standard errors; model {}, {} samples",
            first.dataset,
            first.metric,
            first.model,
            grouped(first.samples)
        )
    });
    let mut lines: Vec<String> = head.into_iter().collect();
    let left_out = found.iter().map(|own| own.left_out).max().unwrap_or(0);
    if left_out > 0 {
        lines.push(format!("left out: {} rows that a chain has no score of", grouped(left_out)));
    }
    lines.extend(found.iter().map(Attribution::line));
    paragraph(&lines, columns)
}

/// What stages are worth: the members of each stage and what may be said of each beside the first, and what each stage loses.
pub(super) fn of_stages(found: &Comparisons, columns: usize) -> String {
    let text = |comparison: &Comparison| {
        let beside_first = (1..comparison.members.len()).filter_map(|at| comparison.pair(0, at));
        let sentences: Vec<String> = beside_first.map(|pair| pair.verdict.clone()).collect();
        [
            head(comparison, columns),
            member_table(comparison).text(columns),
            paragraph(&sentences, columns),
        ]
        .join("\n\n")
    };
    let mut parts: Vec<String> = found.comparisons.iter().map(text).collect();
    parts.extend(attribution_texts(&found.attributions, columns));
    parts.join("\n\n")
}

/// What is compared.
fn head(comparison: &Comparison, columns: usize) -> String {
    let samples = grouped(comparison.samples);
    paragraph(
        &[format!("{}\n{} of {samples} samples", comparison.title, comparison.metric)],
        columns,
    )
}

fn comparison_text(comparison: &Comparison, flips: Option<usize>, columns: usize) -> String {
    let mut parts = vec![
        head(comparison, columns),
        member_table(comparison).text(columns),
        paragraph(&sentences(comparison), columns),
        pair_table(comparison).text(columns),
        paragraph(&explained(comparison), columns),
    ];
    if let Some(most) = flips {
        let changed = comparison.pairs.iter().filter(|pair| !pair.flips.is_empty());
        parts.extend(changed.map(|pair| flip_text(comparison, pair, most, columns)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// Lines that never leave the terminal's width.
fn paragraph(lines: &[String], columns: usize) -> String {
    let rows = lines.iter().flat_map(|line| folded_hard(line, columns, 2));
    rows.collect::<Vec<String>>().join("\n")
}

/// What may be said: of all, and of every member beside the best.
fn sentences(comparison: &Comparison) -> Vec<String> {
    let mut sentences = vec![comparison.verdict.clone()];
    if let (Some(spread), true) = (&comparison.spread, comparison.pairs.len() > 1) {
        let others = (0..comparison.members.len()).filter(|&member| member != spread.best);
        let with_best = others.filter_map(|member| comparison.pair(spread.best, member));
        sentences.extend(with_best.map(|pair| pair.verdict.clone()));
    }
    let rank = &comparison.rank_of_prompts;
    if let (Some(rho), Some(p)) = (rank.rho, rank.p) {
        let sign = if rho < 0.0 { "−" } else { "" };
        sentences.push(format!(
            "Spearman's rho of prompt nll with {}: {sign}{:.2}, {}",
            comparison.metric,
            rho.abs(),
            p_text(p)
        ));
    }
    sentences
}

/// What the columns mean, and what is to be known about the figures.
fn explained(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    if comparison.members.iter().any(|member| member.gold_nats_per_token.is_some()) {
        lines.push(format!(
            "nll: nats/token of the gold answer, and of all before it; margin: best other less gold, in {}; \
             asked: tokens of all questions in full; alone: those to compute without the other {}s",
            comparison.margin_unit,
            comparison.by
        ));
    }
    let unit = if comparison.is_more_better { "points" } else { "nats/token, less is better" };
    let all = match comparison.pairs.len() {
        1 => "interval and p".to_owned(),
        pairs => format!(
            "intervals hold for all {} pairs at once, p is corrected for all",
            grouped(pairs)
        ),
    };
    lines.push(format!(
        "left − right in {unit}; {all}: max-T, {} resamples, seed {}; could see: the smallest difference that \
         so many samples show in 80 % of cases",
        grouped(comparison.resamples),
        comparison.seed
    ));
    if let (Some(column), Some(count)) = (&comparison.cluster, comparison.clusters) {
        lines.push(format!("{} clusters by {column}", grouped(count)));
    }
    lines.extend(unstated(comparison));
    lines.extend(comparison.notes.iter().cloned());
    lines
}

/// Why pairs have no interval, each reason once.
fn unstated(comparison: &Comparison) -> Vec<String> {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for pair in &comparison.pairs {
        let Some(why) = pair.metric.why_unstated("simultaneous interval") else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, count)) => *count += 1,
            None => reasons.push((why, 1)),
        }
    }
    let all = comparison.pairs.len();
    let line = |(why, count): (&str, usize)| {
        format!("no interval for {} of {} pairs: {why}", grouped(count), grouped(all))
    };
    reasons.into_iter().map(line).collect()
}

/// The samples of a pair that changed, up to so many.
fn flip_text(comparison: &Comparison, pair: &Pair, most: usize, columns: usize) -> String {
    let name = |member: usize| &comparison.members[member].name;
    let head = format!(
        "from {} to {}: {} gained, {} lost",
        name(pair.right),
        name(pair.left),
        grouped(pair.gained),
        grouped(pair.lost)
    );
    let table = flip_table(pair, most).fitted(columns).text;
    let mut lines = vec![paragraph(&[head], columns), table];
    if pair.flips.len() > most {
        let (more, all) = (pair.flips.len() - most, pair.flips.len());
        lines.push(format!("and {} more: --flips {all}", grouped(more)));
    }
    lines.join("\n")
}
