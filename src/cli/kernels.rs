//! `surprisal bench --kernels`: how fast products and attention are by themselves.

use std::process::ExitCode;

use super::{
    args::BenchArguments,
    output::{print, print_json, stdout_columns},
    table::{Column, Table},
    width::folded,
};
use crate::{
    bench::{self, KernelKind, KernelReport, KernelTime},
    report::grouped,
};

/// Measures and prints.
pub(super) fn bench(arguments: &BenchArguments) -> anyhow::Result<ExitCode> {
    let report = bench::bench_kernels(arguments.repeat)?;
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&text(&report, stdout_columns()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn text(report: &KernelReport, columns: usize) -> String {
    let KernelReport { instructions, best_instructions, threads, repetitions, .. } = report;
    let held = if instructions == best_instructions {
        String::new()
    } else {
        format!(" (the processor has {best_instructions})")
    };
    let threads = if *threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    let heading = format!("{instructions}{held}, {threads}, fastest of {repetitions} rounds");
    let mut table = Table::new([
        Column::text("kernel").shortest(12),
        Column::text("shape"),
        Column::number("GFLOP/s of CPU time"),
        Column::number("of wall time").optional(0),
    ]);
    let rate = |flops: f64, seconds: f64| format!("{:.1}", flops / seconds / 1e9);
    for time in &report.kernels {
        let cpu = time.cpu_seconds.map_or_else(String::new, |seconds| rate(time.flops, seconds));
        table.row([name(time), shape(time), cpu, rate(time.flops, time.wall_seconds)]);
    }
    format!("{}\n\n{}", folded(&heading, columns, 2).join("\n"), table.text(columns))
}

fn name(time: &KernelTime) -> String {
    match &time.kernel {
        KernelKind::Product { weights, .. } => format!("product, {weights}"),
        KernelKind::Attention { .. } => "attention".to_owned(),
    }
}

fn shape(time: &KernelTime) -> String {
    match time.kernel {
        KernelKind::Product { rows, inputs, outputs, .. } => {
            format!("{} × {} × {}", grouped(rows), grouped(inputs), grouped(outputs))
        }
        KernelKind::Attention { sequences: 1, shared_tokens: 0, own_tokens, .. } => {
            format!("{} tokens", grouped(own_tokens))
        }
        KernelKind::Attention { sequences, shared_tokens, own_tokens, .. } => {
            let [sequences, own, shared] = [sequences, own_tokens, shared_tokens].map(grouped);
            format!("{sequences} times {own} after {shared}")
        }
    }
}
