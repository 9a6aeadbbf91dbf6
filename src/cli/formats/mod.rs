//! What came of a search among formats, as text: the ends and the middle, what each element does, every format.

mod tables;

use std::fmt::Write as _;

use self::tables::{effect_table, ends_table, format_table, step_table};
use super::width::{folded, folded_hard};
use crate::{
    compare::{amount, p_text},
    evaluate::Unit,
    report::grouped,
    vary::{Confirmation, Find, Findings, SearchFindings},
};

/// All searches in lines of at most `columns`; with `all`, in what each format that stopped differs from the config.
pub(super) fn text(found: &Findings, all: bool, columns: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    for search in &found.searches {
        parts.extend(search_parts(search, found, all, columns));
    }
    parts.push(step_table(found).text(columns));
    let mut cost = format!(
        "{} tokens computed, {} were known; seed {}",
        grouped(found.computed_tokens),
        grouped(found.reused_tokens),
        found.seed
    );
    if let Some(budget) = found.budget_tokens {
        _ = write!(cost, "; budget {} tokens", grouped(budget));
    }
    parts.push(paragraph(&[cost], columns));
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

fn search_parts(
    search: &SearchFindings,
    found: &Findings,
    all: bool,
    columns: usize,
) -> Vec<String> {
    let head = format!(
        "{}: {} formats of {} possible, model {}\n{} in {}, {} samples",
        search.dataset,
        grouped(search.formats.len()),
        possible(search.possible_formats),
        search.model,
        search.metric,
        search.unit,
        grouped(search.samples)
    );
    let head: Vec<String> = head.lines().map(str::to_owned).collect();
    vec![
        paragraph(&head, columns),
        ends_table(search).text(columns),
        paragraph(&sentences(search), columns),
        effect_table(search).text(columns),
        paragraph(&effects_explained(search), columns),
        format_table(search, all).text(columns),
        paragraph(&formats_explained(search, found.find, all), columns),
        template("best", search.best, search, &search.best_template, columns),
        template("worst", search.worst, search, &search.worst_template, columns),
        paragraph(&search.notes, columns),
    ]
}

/// Lines that never leave the terminal's width.
fn paragraph(lines: &[String], columns: usize) -> String {
    let rows = lines.iter().flat_map(|line| folded_hard(line, columns, 2));
    rows.collect::<Vec<String>>().join("\n")
}

fn possible(formats: f64) -> String {
    // Beyond this, nobody counts them one by one.
    if formats < 1e9 { grouped(formats as usize) } else { format!("{formats:.0e}") }
}

/// What may be said of the ends.
fn sentences(search: &SearchFindings) -> Vec<String> {
    let mut sentences = Vec::new();
    match &search.spread {
        Some(spread) => sentences.push(against(search, spread, "spread")),
        None if search.best == search.worst => {
            sentences.push("spread: one format alone has a figure".to_owned());
        }
        None => sentences.push(format!(
            "spread: {} stopped before {} did, so their figures rest on different samples",
            search.formats[search.worst].name, search.formats[search.best].name
        )),
    }
    if search.best == 0 {
        sentences.push("no format that was tried is better than the config's own".to_owned());
    }
    if let Some(gain) = search.gain.as_ref().filter(|gain| search.spread.as_ref() != Some(gain)) {
        sentences.push(against(search, gain, "over the config's own"));
    }
    sentences
}

fn against(search: &SearchFindings, found: &Confirmation, what: &str) -> String {
    let unit = match search.unit {
        Unit::Percent => " points",
        Unit::NatsPerToken => " nats/token",
        Unit::Number => "",
    };
    let name = |format: usize| &search.formats[format].name;
    let signed = |value: f64| {
        let plus = if value > 0.0 { "+" } else { "" };
        format!("{plus}{}", amount(value, search.unit))
    };
    let samples = search.formats[found.left].samples;
    let mut said = format!(
        "{what}: {} against {} {}{unit} on {} samples",
        name(found.left),
        name(found.right),
        signed(found.value),
        grouped(samples)
    );
    if found.fresh_samples < samples {
        let fresh = found.fresh_value.map_or("nothing".to_owned(), signed);
        _ = write!(said, "; {fresh} on the {} that chose no format", grouped(found.fresh_samples));
    }
    match (found.low.zip(found.high), &found.unstated) {
        (Some((low, high)), _) => _ = write!(said, " ({} to {})", signed(low), signed(high)),
        (None, Some(why)) => _ = write!(said, " (interval not stated: {why})"),
        (None, None) => (),
    }
    if let Some(p) = found.p {
        _ = write!(said, ", {} after correction for {} pairs", p_text(p), grouped(found.pairs));
    }
    said
}

fn effects_explained(search: &SearchFindings) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = search.effects.first() {
        let known = match (first.low, &first.unstated) {
            (Some(low), _) if low > 0.0 => "",
            (Some(_), _) => ", which chance alone might do",
            (None, _) => ", of which too few formats tell whether it is chance",
        };
        lines.push(if first.range > 0.0 {
            format!("{} moves most{known}", first.element)
        } else {
            "no element moves the figure".to_owned()
        });
    }
    if !search.effects.is_empty() {
        lines.push(format!(
            "best and worst: mean figure of the formats that have the value; range: their difference with an interval \
             that allows for having picked them among all values; both over the {} samples that every format was \
             asked about, and of these samples only",
            grouped(search.effect_samples)
        ));
    }
    let unstated = search.effects.iter().filter_map(|own| {
        own.unstated.as_ref().map(|why| format!("{}: no interval, {why}", own.element))
    });
    lines.extend(unstated);
    let not_varied = search.not_varied.iter();
    lines.extend(not_varied.map(|own| format!("not varied: {}: {}", own.element, own.reason)));
    lines
}

fn formats_explained(search: &SearchFindings, find: Find, all: bool) -> Vec<String> {
    let stopped = search.formats.iter().filter(|own| own.stopped_early).count();
    if stopped == 0 {
        return Vec::new();
    }
    let why = match find {
        Find::Spread => "those in the middle",
        Find::Best => "those at the bottom",
    };
    let more = if all { "" } else { "; --all says what they are" };
    vec![format!(
        "{} formats stopped early, {why}: their figures rest on fewer samples, and a figure that was picked for being \
         high or low is flattered by chance{more}",
        grouped(stopped)
    )]
}

/// The texts of a format's template, as they are written.
fn template(
    what: &str,
    format: usize,
    search: &SearchFindings,
    texts: &[String],
    columns: usize,
) -> String {
    let mut lines = vec![format!("{what}: {}", search.formats[format].name)];
    for text in texts {
        for line in text.split('\n') {
            // What begins and ends with blanks is to be seen.
            let shown = format!("| {line}");
            lines.extend(folded(&shown, columns, 4));
        }
    }
    lines.join("\n")
}
