//! The tables of a search: its ends, its elements, its formats, its steps.

use crate::{
    cli::table::{Column, Table},
    compare::amount,
    report::grouped,
    vary::{Findings, SearchFindings},
};

/// Best, median and worst, and the config's own.
pub(super) fn ends_table(search: &SearchFindings) -> Table {
    let mut table = Table::new([
        Column::text(""),
        Column::text("format"),
        Column::text("value (95 % CI)"),
        Column::number("samples"),
    ]);
    let mut row = |what: &str, format: usize| {
        let own = &search.formats[format];
        let samples = grouped(own.samples);
        table.row([what.to_owned(), own.name.clone(), figure(search, format), samples]);
    };
    let (top, bottom) = if search.is_more_better { ("max", "min") } else { ("min", "max") };
    row(top, search.best);
    row(bottom, search.worst);
    row("own", 0);
    if let Some(median) = search.median {
        table.row([
            "median".to_owned(),
            "all".to_owned(),
            amount(median, search.unit),
            format!("{} or more", grouped(search.median_samples)),
        ]);
    }
    table
}

fn figure(search: &SearchFindings, format: usize) -> String {
    let own = &search.formats[format];
    let in_unit = |value: f64| amount(value, search.unit);
    let interval = own.low.zip(own.high);
    let interval = interval.map(|(low, high)| format!(" ({}–{})", in_unit(low), in_unit(high)));
    let value = own.value.map_or("none".to_owned(), in_unit);
    format!("{value}{}", interval.unwrap_or_default())
}

/// What each element does.
pub(super) fn effect_table(search: &SearchFindings) -> Table {
    let mut table = Table::new([
        Column::text("element"),
        Column::text("range (95 % CI)"),
        Column::text("best").shortest(10),
        Column::text("worst").shortest(10),
        Column::text("formats"),
    ]);
    let in_unit = |value: f64| amount(value, search.unit);
    for effect in &search.effects {
        let (best, worst) = (&effect.values[effect.best], &effect.values[effect.worst]);
        let interval = effect.low.zip(effect.high);
        let interval = interval.map(|(low, high)| format!(" ({}–{})", in_unit(low), in_unit(high)));
        table.row([
            effect.element.to_string(),
            format!("{}{}", in_unit(effect.range), interval.unwrap_or_default()),
            format!("{} {}", best.value, in_unit(best.mean)),
            format!("{} {}", worst.value, in_unit(worst.mean)),
            format!("{}, {}", best.formats, worst.formats),
        ]);
    }
    table
}

/// Every format, those that stopped early behind; in what they differ from the config only with `all`.
pub(super) fn format_table(search: &SearchFindings, all: bool) -> Table {
    let mut table = Table::new([
        Column::text("format"),
        Column::text("value (95 % CI)"),
        Column::number("samples"),
        Column::number("failed").optional(0).only_if_same(),
        Column::text("other than in the config").folds(),
    ]);
    let mut order: Vec<usize> = (0..search.formats.len()).collect();
    order.sort_by(|&one, &other| {
        let (one, other) = (&search.formats[one], &search.formats[other]);
        let value = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
        let by_value = value(other.value).total_cmp(&value(one.value));
        let by_value = if search.is_more_better { by_value } else { by_value.reverse() };
        other.samples.cmp(&one.samples).then(by_value)
    });
    for format in order {
        let own = &search.formats[format];
        let base = &search.formats[0];
        let changed = own.values.iter().zip(&base.values).filter(|(own, base)| own != base);
        let changed: Vec<String> =
            changed.map(|(own, _)| format!("{} {}", own.element, own.value)).collect();
        let changed = if own.stopped_early && !all {
            "stopped early".to_owned()
        } else if changed.is_empty() {
            "nothing".to_owned()
        } else {
            changed.join(", ")
        };
        table.row([
            own.name.clone(),
            figure(search, format),
            grouped(own.samples),
            grouped(own.failed),
            changed,
        ]);
    }
    table
}

/// The steps, and what they cost.
pub(super) fn step_table(found: &Findings) -> Table {
    let mut table = Table::new([
        Column::text("run").shortest(8),
        Column::text("model").shortest(8).only_if_same().optional(1),
        Column::text("step"),
        Column::number("formats"),
        Column::number("samples"),
        Column::number("questions"),
        Column::number("known"),
        Column::number("tokens computed"),
    ]);
    for run in &found.runs {
        table.row([
            run.run.clone(),
            run.model.clone(),
            format!("{} of {}", run.rung, run.rungs),
            grouped(run.formats),
            grouped(run.samples),
            grouped(run.questions),
            grouped(run.reused_questions),
            grouped(run.computed_tokens),
        ]);
    }
    table
}
