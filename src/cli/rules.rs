//! `surprisal evaluate --rule all`: a run's figures under every scoring rule.

use std::process::ExitCode;

use super::{
    args::EvaluateArguments,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    results::shown,
    table::{Column, Table},
    width::folded,
};
use crate::kept_run::{self, RuleRow};

/// Prints the figures under every rule.
pub(super) fn print_all(arguments: &EvaluateArguments) -> anyhow::Result<ExitCode> {
    let rows = kept_run::by_rule(&arguments.work_dir, &arguments.run, &TerminalProgress::new())?;
    if arguments.json {
        print_json(&rows)?;
    } else {
        let columns = stdout_columns();
        print(&table(&rows).text(columns))?;
        let notes =
            notes(&rows).iter().flat_map(|note| folded(note, columns, 2)).collect::<Vec<_>>();
        print(&format!("\n{}", notes.join("\n")))?;
    }
    talk("\n0 tokens computed: everything comes from the store");
    Ok(ExitCode::SUCCESS)
}

fn table(rows: &[RuleRow]) -> Table {
    let mut table = Table::new([
        Column::text("dataset").shortest(12),
        Column::text("model").shortest(8).optional(2).only_if_same(),
        Column::text("rule"),
        Column::text("metric").shortest(8).optional(1).only_if_same(),
        Column::text("value (95 % CI)"),
        Column::number("n").only_if_same(),
        Column::number("other choices"),
        Column::number("ties"),
        Column::number("near-ties"),
    ]);
    for row in rows {
        let result = &row.result;
        let bounds = result.interval_low.zip(result.interval_high);
        let (value, interval) = shown(result.unit, result.value, bounds);
        let mark = if row.is_own { " *" } else { "" };
        table.row([
            result.dataset.clone(),
            result.model.clone(),
            format!("{}{mark}", row.rule),
            result.metric.clone(),
            format!("{value:>6} {interval}").trim_end().to_owned(),
            result.samples.to_string(),
            row.other_choices.to_string(),
            row.ties.to_string(),
            row.near_ties.to_string(),
        ]);
    }
    table
}

/// What the columns mean, and where answers differ in length.
fn notes(rows: &[RuleRow]) -> Vec<String> {
    let mut notes = vec![
        "* the run's own rule; other choices: samples in which a rule chooses another candidate than it".to_owned(),
    ];
    if rows.iter().any(|row| row.ties > 0) {
        notes.push("ties: the two best candidates are equal, and the first is taken".to_owned());
    }
    if rows.iter().any(|row| row.near_ties > 0) {
        notes.push(
            "near-ties: the two best candidates are closer than rounding, so another machine may choose the other"
                .to_owned(),
        );
    }
    for row in rows.iter().filter(|row| row.is_own && row.unequal_lengths > 0) {
        let (dataset, model) = (&row.result.dataset, &row.result.model);
        notes.push(format!(
            "data set {dataset}, model {model}: in {} of {} samples the candidates' answers have different numbers \
             of tokens, so that rules that sum and rules that divide can disagree",
            row.unequal_lengths, row.result.samples
        ));
    }
    notes
}
