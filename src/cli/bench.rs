//! `surprisal bench`: how fast a model answers, and where its time and memory go.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::Path,
    process::ExitCode,
};

use anyhow::{Context as _, bail};

use super::{
    args::BenchArguments,
    baseline, bench_served,
    facts::facts,
    kernels,
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    shipped,
    table::{Column, Table},
    threads,
    visible::visible_line,
    width::folded,
};
use crate::{
    bench::{
        self, BenchOptions, BenchOutcome, BenchReport, BenchSubject, ComparedQuantity,
        OperationReport, PhaseReport, WorkloadTrace,
    },
    engine::EngineOptions,
    report::{grouped, memory},
};

/// The questions if neither a config nor a workload is named.
const DEFAULT_WORKLOAD: &str = "mmlu5";

/// Measures and prints.
pub(super) fn bench(arguments: &BenchArguments) -> anyhow::Result<ExitCode> {
    if let Some(address) = &arguments.served.served {
        return bench_served::bench(address, arguments);
    }
    if let Some(baseline) = &arguments.baseline {
        return baseline::bench(baseline, arguments);
    }
    let before = arguments.compare.as_deref().map(read).transpose()?;
    threads::start(arguments.engine.threads)?;
    if arguments.kernels {
        return kernels::bench(arguments);
    }
    let trace = arguments.trace.as_deref().map(TraceWriter::open).transpose()?;
    let device = arguments.device.settle();
    let engine = EngineOptions::on(device);
    let options = BenchOptions {
        limit: arguments.limit,
        scored: arguments.scored,
        device,
        dtype: arguments.dtype.0,
        activations: arguments.activations,
        repetitions: arguments.repeat,
        engine: EngineOptions {
            block_tokens: arguments.block_tokens.unwrap_or(engine.block_tokens),
            kv_bytes: arguments.engine.kv_bytes,
            ..engine.with_batch_tokens(arguments.engine.batch_tokens)
        },
        keep: arguments.keep.clone(),
        is_traced: trace.is_some(),
        now: super::now(),
    };
    let subject = subject(arguments)?;
    let BenchOutcome { reports, traces } =
        bench::bench(&subject, &options, &TerminalProgress::new())?;
    if let Some(trace) = trace {
        trace.write(&traces)?;
    }
    if arguments.json {
        print_json(&reports)?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns = stdout_columns();
    for report in &reports {
        print(&text(report, columns))?;
        if let Some(before) = &before {
            let compared = bench::compare(report, before)?;
            if !compared.other_settings.is_empty() {
                talk(&format!("settings differ: {}", compared.other_settings.join("; ")));
            }
            print(&format!("\n{}", comparison(&compared.quantities).text(columns)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The file of a trace.
struct TraceWriter<'p> {
    path: &'p Path,
    file: File,
}

impl<'p> TraceWriter<'p> {
    /// Opens it before anything is measured; what it holds stays until there is something to write.
    fn open(path: &'p Path) -> anyhow::Result<Self> {
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, file })
    }

    fn write(mut self, traces: &[WorkloadTrace]) -> anyhow::Result<()> {
        let text = serde_json::to_string(&bench::trace_file(traces))?;
        self.file
            .set_len(0)
            .and_then(|()| self.file.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", self.path.display()))?;
        talk(&format!(
            "the trace is in {}; chrome://tracing and ui.perfetto.dev open it",
            self.path.display()
        ));
        Ok(())
    }
}

/// What the arguments mean; those that exclude each other are refused before.
fn subject(arguments: &BenchArguments) -> anyhow::Result<BenchSubject> {
    if arguments.configs.is_empty() && arguments.models.is_empty() && arguments.synthetic.is_none()
    {
        bail!(
            "what is to be measured? Name a config, --model FOLDER, --synthetic SHAPE, --served URL, or --kernels"
        );
    }
    if !arguments.configs.is_empty() {
        let (configs, models) = (shipped::configs(&arguments.configs)?, arguments.models.clone());
        return Ok(BenchSubject::Configs { configs, models });
    }
    let workload = arguments.workload.as_deref().unwrap_or(DEFAULT_WORKLOAD).parse()?;
    Ok(match &arguments.synthetic {
        Some(shape) => BenchSubject::Synthetic { shape: shape.parse()?, workload },
        None => BenchSubject::Checkpoints { folders: arguments.models.clone(), workload },
    })
}

/// The reports that `--json` wrote.
fn read(path: &Path) -> anyhow::Result<Vec<BenchReport>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not what `surprisal bench --json` writes", path.display()))
}

fn text(report: &BenchReport, columns: usize) -> String {
    let BenchReport { tokens, memory: held, .. } = report;
    let giga = |per_second: f64| format!("{:.1} GFLOP/s", per_second / 1e9);
    let processor = report
        .cpu_seconds
        .map_or_else(String::new, |seconds| format!(", {seconds:.2} s processor"));
    let failed = match report.failed_requests {
        0 => String::new(),
        failed => format!(", {} without an answer", grouped(failed)),
    };
    let loading =
        report.load_seconds.map_or_else(String::new, |seconds| format!(" in {seconds:.2} s"));
    let [rows, inputs, outputs] = report.matmul_shape;
    let benchmark = report.benchmark_seconds.map_or_else(String::new, |seconds| {
        format!("; the whole benchmark would take {seconds:.0} s")
    });
    let process = |bytes: Option<usize>| bytes.map_or_else(|| "unknown".to_owned(), memory);
    let mut lines = vec![
        (
            "requests",
            format!(
                "{}{failed}; {:.1} per second",
                grouped(report.requests),
                report.requests_per_second
            ),
        ),
        (
            "tokens",
            format!(
                "{} asked, {} computed ({:.1}× saved), {} scored, {} generated",
                grouped(tokens.nominal_tokens),
                grouped(tokens.computed_tokens),
                report.saving,
                grouped(tokens.scored_tokens),
                grouped(tokens.generated_tokens),
            ),
        ),
        (
            "time",
            format!(
                "{:.2} s wall{processor}; best of {}{benchmark}",
                report.wall_seconds, report.repetitions
            ),
        ),
        ("prefill", phase(&report.prefill)),
        ("decode", phase(&report.decode)),
        (
            "arithmetic",
            format!(
                "{}, {:.0} % of the {} of a large product (0.3 s of {rows} × {inputs} × {outputs}, {})",
                giga(report.flops_per_second),
                100.0 * report.matmul_share,
                giga(report.matmul_flops_per_second),
                report.dtype,
            ),
        ),
        (
            "memory",
            format!(
                "weights {}, keys and values {}, about {} activations and {} for the head",
                memory(held.weight_bytes),
                memory(held.kv_bytes),
                memory(held.activation_bytes),
                memory(held.head_bytes),
            ),
        ),
        (
            "process",
            format!(
                "{} loaded{loading}, {} at most",
                process(held.loaded_bytes),
                process(held.peak_bytes)
            ),
        ),
    ];
    if let Some(keeping) = report.keeping {
        lines.push((
            "keeping",
            format!(
                "{:.3} s of the thread that computes ({:.2} % of {:.2} s), on disk {:.2} s after the last \
                 answer, in {}",
                keeping.engine_thread_seconds,
                100.0 * keeping.engine_thread_share,
                keeping.wall_seconds,
                keeping.after_last_answer_seconds,
                memory(usize::try_from(keeping.database_bytes).unwrap_or(usize::MAX)),
            ),
        ));
    }
    let threads = if report.threads == 1 { "thread" } else { "threads" };
    let mut heading = format!(
        "{} · {} · {}, {} {threads}, {} rows a pass",
        report.model, report.workload, report.device, report.threads, report.batch_tokens,
    );
    if report.activations != "exact" {
        heading = format!("{heading}, activations in {}", report.activations);
    }
    format!(
        "{}\n\n{}\n\n{}",
        folded(&visible_line(&heading), columns, 2).join("\n"),
        facts(&lines, 11, columns),
        operations(report).text(columns)
    )
}

fn phase(phase: &PhaseReport) -> String {
    if phase.passes == 0 {
        return "none".to_owned();
    }
    format!(
        "{} tokens/s: {} in {} passes, {:.2} s",
        grouped(phase.tokens_per_second.round() as usize),
        grouped(phase.tokens),
        grouped(phase.passes),
        phase.seconds
    )
}

fn operations(report: &BenchReport) -> Table {
    let mut table = Table::new([
        Column::text("operation").shortest(16),
        Column::number("calls").optional(0),
        Column::number("prefill s").optional(3),
        Column::number("decode s").optional(3),
        Column::number("share"),
        Column::number("GFLOP/s").optional(1),
        Column::number("of peak").optional(2),
    ]);
    let seconds = |seconds: f64| format!("{seconds:.3}");
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    for operation in &report.operations {
        let rate = Some(operation.flops_per_second).filter(|rate| *rate > 0.0);
        let share_of_peak = rate.map(|rate| percent(rate / report.matmul_flops_per_second));
        table.row([
            operation.operation.clone(),
            grouped(operation.calls),
            seconds(operation.prefill_seconds),
            seconds(operation.decode_seconds),
            percent(operation.share),
            rate.map_or_else(String::new, |rate| format!("{:.1}", rate / 1e9)),
            share_of_peak.unwrap_or_default(),
        ]);
    }
    let in_phase = |of: fn(&OperationReport) -> f64| report.operations.iter().map(of).sum::<f64>();
    let other = |phase: &PhaseReport, known: f64| seconds((phase.seconds - known).max(0.0));
    table.row([
        "other".to_owned(),
        String::new(),
        other(&report.prefill, in_phase(|operation| operation.prefill_seconds)),
        other(&report.decode, in_phase(|operation| operation.decode_seconds)),
        percent(report.other_seconds / report.wall_seconds),
        String::new(),
        String::new(),
    ]);
    table
}

fn comparison(quantities: &[ComparedQuantity]) -> Table {
    let mut table = Table::new([
        Column::text("quantity").shortest(16),
        Column::number("now"),
        Column::number("before"),
        Column::number("now / before"),
    ]);
    let number = |number: f64| {
        let decimals = if number >= 1000.0 { 0 } else { 3 };
        format!("{number:.decimals$}")
    };
    for quantity in quantities {
        let ratio = quantity.ratio().map_or_else(String::new, |ratio| format!("{ratio:.3}"));
        table.row([quantity.name.clone(), number(quantity.now), number(quantity.before), ratio]);
    }
    table
}
