//! `surprisal bench --served URL`: how fast a model behind a server answers.

use std::{fs::OpenOptions, io::Write as _, path::Path, process::ExitCode};

use anyhow::{Context as _, anyhow, bail};
use serde_json::json;

use super::{
    SOME_FAILED,
    args::{BenchArguments, ServedApi},
    output::{print, print_json, stdout_columns, talk},
    progress::TerminalProgress,
    shipped,
    table::{Column, Table},
    visible::visible_line,
    width::folded_hard,
};
use crate::{
    answer::served::ServerAddress,
    bench::served::{
        self, Distribution, Load, LoadReport, ServedBenchOptions, ServedBenchReport, ServedPrompts,
    },
    config::Node,
    model::Tokenizer,
    plan::ModelPlan,
    report::grouped,
};

/// Measures and prints.
pub(super) fn bench(address: &str, arguments: &BenchArguments) -> anyhow::Result<ExitCode> {
    let own = &arguments.served;
    if arguments.limit.is_some() && arguments.configs.is_empty() {
        bail!(
            "--limit counts the samples of configs, and none is named; --requests says how many made-up prompts are sent"
        );
    }
    let model = model(address, arguments)?;
    let tokenizer = own.tokenizer.as_deref().map(Tokenizer::read).transpose()?;
    let prompts = if arguments.configs.is_empty() {
        let (prompt_tokens, output_tokens) = (own.prompt_tokens, own.output_tokens);
        ServedPrompts::MadeUp { prompt_tokens, output_tokens }
    } else {
        let configs = shipped::configs(&arguments.configs)?;
        ServedPrompts::Configs { configs, limit: arguments.limit, now: super::now() }
    };
    let mut loads: Vec<Load> = own.concurrency.iter().copied().map(Load::Concurrency).collect();
    loads.extend(own.rate.iter().copied().map(Load::Rate));
    if loads.is_empty() {
        loads.push(Load::Concurrency(1));
    }
    let options = ServedBenchOptions {
        loads,
        arrivals: own.arrivals,
        most_at_once: own.most_at_once,
        requests: own.requests,
        warm_up_requests: own.warm_up,
        seed: match own.seed {
            Some(seed) => seed,
            None => getrandom::u32()?.into(),
        },
    };
    if let Some(path) = &own.page {
        // Before anything is measured; what it holds stays until there is something to write.
        open(path)?;
    }
    let progress = TerminalProgress::new();
    let report = served::bench_served(model, &prompts, &options, tokenizer.as_ref(), &progress)?;
    if let Some(path) = &own.page {
        let mut file = open(path)?;
        file.set_len(0)
            .and_then(|()| file.write_all(served::page(&report).as_bytes()))
            .with_context(|| format!("cannot write {}", path.display()))?;
        talk(&format!("the page is {}", path.display()));
    }
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&text(&report, stdout_columns()))?;
    }
    let has_failures = report.loads.iter().any(|own| own.failed_requests > 0);
    Ok(if has_failures { ExitCode::from(SOME_FAILED) } else { ExitCode::SUCCESS })
}

fn open(path: &Path) -> anyhow::Result<std::fs::File> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    opened.with_context(|| format!("cannot write {}", path.display()))
}

/// The entry of a model that the arguments describe.
fn model(address: &str, arguments: &BenchArguments) -> anyhow::Result<ModelPlan> {
    let own = &arguments.served;
    ServerAddress::parse(address).map_err(|what| anyhow!("--served {what}"))?;
    let class = match own.api {
        ServedApi::Chat => "served_chat",
        ServedApi::Completions => "served_text",
    };
    let mut entry = json!({
        "type": class,
        "path": own.served_model.as_deref().unwrap_or_default(),
        "openai_api_base": address,
        "timeout": own.timeout,
    });
    if let Some(variable) = &own.api_key_env {
        entry["key"] = format!("ENV:{variable}").into();
    }
    if let Some(extra) = &own.extra_body {
        entry["extra_body"] = extra.0.clone().into();
    }
    Ok(ModelPlan::from_node(&Node::from_json(&entry), Path::new("."))?)
}

fn text(report: &ServedBenchReport, columns: usize) -> String {
    let heading = format!(
        "{} at {} · {}; {}; seed {}. Times count from when a request was to be sent, and include opening its connection",
        report.model, report.address, report.endpoint, report.prompts, report.seed
    );
    let mut parts = vec![
        folded_hard(&visible_line(&heading), columns, 2).join("\n"),
        throughput(report).text(columns),
    ];
    if report.loads.iter().any(|own| !own.latencies().is_empty()) {
        parts.push(latencies(report).text(columns));
    }
    for own in &report.loads {
        for line in client(own).into_iter().chain(own.remarks()) {
            let line = format!("{}: {line}", own.load);
            parts.push(folded_hard(&visible_line(&line), columns, 2).join("\n"));
        }
    }
    parts.join("\n\n")
}

fn throughput(report: &ServedBenchReport) -> Table {
    let mut table = Table::new([
        Column::text("load"),
        Column::number("requests"),
        Column::number("failed"),
        Column::number("seconds"),
        Column::number("req/s"),
        Column::number("in tok/s"),
        Column::number("out tok/s"),
        Column::number("under way"),
    ]);
    for own in &report.loads {
        let optional = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), number);
        table.row([
            own.name(),
            grouped(own.requests),
            grouped(own.failed_requests),
            number(own.seconds),
            number(own.requests_per_second),
            optional(own.input_tokens_per_second),
            optional(own.output_tokens_per_second),
            number(own.mean_under_way),
        ]);
    }
    table
}

fn latencies(report: &ServedBenchReport) -> Table {
    let mut table = Table::new([
        Column::text("load"),
        Column::text("ms"),
        Column::number("mean"),
        Column::number("min").optional(0),
        Column::number("p50"),
        Column::number("p75"),
        Column::number("p90"),
        Column::number("p99"),
        Column::number("max").optional(1),
        Column::number("N"),
    ]);
    for own in &report.loads {
        for (name, values) in own.latencies() {
            let Distribution { mean, min, p50, p75, p90, p99, max, n } = values;
            let shown = [mean, min, p50, p75, p90, p99, max].map(|own| number(own * 1e3));
            let names = [own.name(), name.to_owned()];
            table.row(names.into_iter().chain(shown).chain([grouped(n)]));
        }
    }
    table
}

/// How this program delayed what it measured.
fn client(report: &LoadReport) -> Option<String> {
    let sent = report.client.sent_late_seconds?;
    let lag = |own: Distribution| {
        let [p50, p99, max] = [own.p50, own.p99, own.max].map(|own| number(own * 1e3));
        format!("p50 {p50}, p99 {p99}, max {max} ms")
    };
    let woken = report
        .client
        .woken_late_seconds
        .map_or_else(String::new, |own| format!("; its threads woke late by {}", lag(own)));
    let waited = report.client.waited_seconds.map_or_else(String::new, |own| {
        format!("; requests waited because {} were under way: {}", report.most_at_once, lag(own))
    });
    Some(format!("this program sent late by {}{woken}{waited}", lag(sent)))
}

/// A number with as many digits as say something.
fn number(value: f64) -> String {
    let decimals = if value >= 1000.0 {
        0
    } else if value >= 100.0 {
        1
    } else {
        2
    };
    format!("{value:.decimals$}")
}
