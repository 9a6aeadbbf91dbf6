//! The tables of a comparison: its members, its pairs, and the samples that changed.

use crate::{
    cli::{
        table::{Column, Table},
        width::width,
    },
    compare::{Comparison, Difference, Member, Pair, amount, p_text},
    evaluate::Unit,
    report::grouped,
};

/// What a column says of a member.
type Cell = fn(&Member) -> String;

/// A column of the members' table, and what it says of each.
type MemberColumn<'a> = (Column, Box<dyn Fn(&Member) -> String + 'a>);

/// The members.
pub(super) fn member_table(comparison: &Comparison) -> Table {
    let members = &comparison.members;
    let has = |of: fn(&Member) -> Option<f64>| members.iter().any(|member| of(member).is_some());
    let nats = |value: Option<f64>| value.map(signed).unwrap_or_default();
    let mut cells: Vec<MemberColumn<'_>> = Vec::new();
    let name: Cell = |member| member.name.clone();
    cells.push((Column::text(comparison.by.name()).shortest(10), Box::new(name)));
    let values: Vec<String> = members
        .iter()
        .map(|member| member.value.map(|value| amount(value, comparison.unit)).unwrap_or_default())
        .collect();
    let value_columns = values.iter().map(|value| width(value)).max().unwrap_or(0);
    cells.push((
        Column::text("value (95 % CI)"),
        Box::new(move |member| {
            let value = member.value.map(|value| amount(value, comparison.unit));
            let interval = member.low.zip(member.high).map(|(low, high)| {
                let bound = |bound| amount(bound, comparison.unit);
                format!(" ({}–{})", bound(low), bound(high))
            });
            let (value, interval) = (value.unwrap_or_default(), interval.unwrap_or_default());
            format!("{value:>value_columns$}{interval}")
        }),
    ));
    if has(|member| member.gold_nats_per_token) {
        let cell = move |member: &Member| nats(member.gold_nats_per_token);
        cells.push((Column::number("gold nll").optional(6), Box::new(cell)));
    }
    if has(|member| member.prompt_nats_per_token) {
        let cell = move |member: &Member| nats(member.prompt_nats_per_token);
        cells.push((Column::number("prompt nll").optional(5), Box::new(cell)));
        let cell = |member: &Member| {
            member.prompt_perplexity.map(|value| format!("{value:.2}")).unwrap_or_default()
        };
        cells.push((Column::number("prompt ppl").optional(2), Box::new(cell)));
    }
    if has(|member| member.margin) {
        let cell = move |member: &Member| nats(member.margin);
        cells.push((Column::number("margin").optional(4), Box::new(cell)));
    }
    let counts: [(Column, Cell); 4] = [
        (Column::number("n").optional(3), |member| grouped(member.samples)),
        (Column::number("failed").optional(0).only_if_same(), |member| grouped(member.failed)),
        (Column::number("asked").optional(1), |member| grouped(member.asked_tokens)),
        (Column::number("alone").optional(1), |member| grouped(member.alone_tokens)),
    ];
    for (column, cell) in counts {
        cells.push((column, Box::new(cell)));
    }
    let mut table = Table::new(cells.iter().map(|(column, _)| *column));
    for member in members {
        table.row(cells.iter().map(|(_, cell)| cell(member)));
    }
    table
}

/// Nats with four decimals and a sign.
fn signed(value: f64) -> String {
    amount(value, Unit::NatsPerToken)
}

/// The pairs.
pub(super) fn pair_table(comparison: &Comparison) -> Table {
    let has_margins = comparison.pairs.iter().any(|pair| pair.margin.is_some());
    let mut columns = vec![
        Column::text("left").shortest(8),
        Column::text("right").shortest(8),
        Column::text("left − right (95 % CI)"),
        Column::number("p"),
        Column::text("differ"),
        Column::number("gained").optional(4),
        Column::number("lost").optional(4),
        Column::number("Holm").optional(1),
        Column::number("could see").optional(3),
    ];
    if has_margins {
        columns.push(Column::text("margin (95 % CI)").optional(2));
        columns.push(Column::number("its p").optional(2));
    }
    let mut table = Table::new(columns);
    let in_unit = |value: f64| amount(value, comparison.unit);
    for pair in &comparison.pairs {
        let found = &pair.metric;
        let name = |member: usize| comparison.members[member].name.clone();
        let mut row = vec![
            name(pair.left),
            name(pair.right),
            with_interval(found, &in_unit),
            found.p_adjusted.map(p_cell).unwrap_or_default(),
            if found.is_real { "yes" } else { "not shown" }.to_owned(),
            grouped(pair.gained),
            grouped(pair.lost),
            found.p_holm.map(p_cell).unwrap_or_default(),
            found.could_show.map(in_unit).unwrap_or_default(),
        ];
        if has_margins {
            let margin = pair.margin.as_ref();
            row.push(margin.map(|own| with_interval(own, &signed)).unwrap_or_default());
            row.push(margin.and_then(|own| own.p_adjusted).map(p_cell).unwrap_or_default());
        }
        table.row(row);
    }
    table
}

/// A difference with its sign and the interval that holds with those of all pairs.
fn with_interval(found: &Difference, written: &dyn Fn(f64) -> String) -> String {
    let Some(value) = found.value_of_all else { return String::new() };
    let plus = if value > 0.0 { "+" } else { "" };
    let interval = found.simultaneous_low.zip(found.simultaneous_high);
    let interval = interval.map(|(low, high)| format!(" ({} to {})", written(low), written(high)));
    format!("{plus}{}{}", written(value), interval.unwrap_or_default())
}

/// p without its name.
fn p_cell(p: f64) -> String {
    p_text(p).trim_start_matches("p ").trim_start_matches("= ").replace("< ", "<")
}

/// The samples of a pair that changed.
pub(super) fn flip_table(pair: &Pair, most: usize) -> Table {
    let mut table = Table::new([
        Column::number("row"),
        Column::text("from").shortest(10),
        Column::text("to").shortest(10),
        Column::text("gold").shortest(10),
        Column::text("change"),
    ]);
    for flip in pair.flips.iter().take(most) {
        let change = if flip.is_gained { "gained" } else { "lost" };
        let answers = [&flip.from, &flip.to, &flip.gold].map(Clone::clone);
        let [from, to, gold] = answers;
        table.row([flip.row.to_string(), from, to, gold, change.to_owned()]);
    }
    table
}
