//! `surprisal compare-models`: how far a model is from another over the same text.

use std::process::ExitCode;

use super::{
    args::CompareModelsArguments,
    facts::facts,
    output::{print, print_json, stdout_columns},
    progress::TerminalProgress,
    table::{Column, Table},
    visible::visible_line,
    width::folded,
};
use crate::{
    compare_models::{self, ComparisonOptions, ComparisonReport, Estimate},
    report::grouped,
};

/// Compares and prints.
pub(super) fn compare_models(arguments: &CompareModelsArguments) -> anyhow::Result<ExitCode> {
    let options = ComparisonOptions {
        base: arguments.base.clone(),
        other: arguments.other.clone(),
        text: arguments.text.clone(),
        column: arguments.column.clone(),
        window_tokens: arguments.window_tokens,
        most_windows: arguments.windows,
        device: arguments.device.settle(),
    };
    let report = compare_models::compare_models(&options, &TerminalProgress::new())?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&text(&report, stdout_columns()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(report: &ComparisonReport, columns: usize) -> String {
    let estimate = |estimate: Estimate, decimals: usize, unit: &str| {
        let error = estimate
            .standard_error
            .map_or_else(String::new, |error| format!(" ± {error:.decimals$}"));
        format!("{:.decimals$}{error}{unit}", estimate.value)
    };
    let correlation = report
        .nll_correlation
        .map_or_else(|| "unknown".to_owned(), |value| format!("{:.2} %", 100.0 * value));
    let figures = [
        ("ppl of the base", estimate(report.base_ppl, 6, "")),
        ("ppl of the other", estimate(report.other_ppl, 6, "")),
        ("ppl ratio", estimate(report.ppl_ratio, 6, "")),
        ("ln of the ppl ratio", estimate(report.ln_ppl_ratio, 6, "")),
        ("correlation of −ln p", correlation),
        ("mean KL divergence", estimate(report.divergence_nats, 6, "")),
        ("mean Δp", estimate(report.probability_change_percent, 3, " %")),
        ("RMS Δp", estimate(report.probability_change_rms_percent, 3, " %")),
        ("same top token", estimate(report.same_top_percent, 3, " %")),
    ];
    let figures = facts(&figures, 21, columns);
    let (divergence, change) =
        (&report.divergence_spread_nats, &report.probability_change_spread_percent);
    let spread = [
        ("maximum", divergence.maximum, change.maximum),
        ("99.9 %", divergence.percent_99_9, change.percent_99_9),
        ("99 %", divergence.percent_99, change.percent_99),
        ("95 %", divergence.percent_95, change.percent_95),
        ("90 %", divergence.percent_90, change.percent_90),
        ("median", divergence.median, change.median),
        ("10 %", divergence.percent_10, change.percent_10),
        ("5 %", divergence.percent_5, change.percent_5),
        ("1 %", divergence.percent_1, change.percent_1),
        ("minimum", divergence.minimum, change.minimum),
    ];
    let mut spreads =
        Table::new([Column::text(""), Column::number("KL divergence"), Column::number("Δp")]);
    for (name, divergence, change) in spread {
        spreads.row([name.to_owned(), format!("{divergence:.6}"), format!("{change:.3} %")]);
    }
    let heading = [
        format!("base {}", visible_line(&report.base)),
        format!("other {}", visible_line(&report.other)),
        format!(
            "{} tokens scored in {} windows of {}",
            grouped(report.scored_tokens),
            grouped(report.windows),
            grouped(report.window_tokens)
        ),
    ];
    let heading: Vec<String> = heading.iter().flat_map(|line| folded(line, columns, 2)).collect();
    format!("{}\n\n{figures}\n\n{}", heading.join("\n"), spreads.text(columns))
}
