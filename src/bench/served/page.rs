//! A report as one HTML file that needs nothing else: plots, tables, and what is to be known of them. It has no script.

use std::fmt::Write as _;

use super::{
    Distribution, Load, LoadReport, ServedBenchReport,
    plot::{Plot, number},
};
use crate::report::page::{escaped, sha256};

const STYLE: &str = include_str!("page.css");

/// The page of a report.
pub fn page(report: &ServedBenchReport) -> String {
    let style_sha256 = sha256(STYLE);
    let title = escaped(&format!("{} at {}", report.model, report.address));
    let about = escaped(&format!(
        "{}; {}; {} requests before each load that are in no figure; seed {}; surprisal {}",
        report.endpoint, report.prompts, report.warm_up_requests, report.seed, report.version
    ));
    let of_kind = |is_rate: bool| -> Vec<&LoadReport> {
        let loads = report.loads.iter();
        loads.filter(|own| matches!(own.load, Load::Rate(_)) == is_rate).collect()
    };
    let plots: String =
        [(of_kind(false), "requests at once"), (of_kind(true), "requests a second")]
            .into_iter()
            .flat_map(|(loads, axis)| plots(&loads, axis))
            .filter(|plot| !plot.is_empty())
            .map(|plot| plot.html())
            .collect();
    let mut said = String::new();
    for note in notes(report) {
        let _ = writeln!(said, "<p>{}</p>", escaped(&note));
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style_sha256}'; \
         base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p class=\"quiet\">{about}</p>\n<h2>Plots</h2>\n<div class=\"plots\">\n{plots}</div>\n\
         <h2>Throughput</h2>\n{}<h2>Latencies in milliseconds</h2>\n\
         <p class=\"quiet\">From when a request was to be sent; opening its connection is part of them.</p>\n{}\
         <h2>To be known</h2>\n{said}</body>\n</html>\n",
        throughput(report),
        latencies(report),
    )
}

/// What is to be known of the figures, load by load.
fn notes(report: &ServedBenchReport) -> Vec<String> {
    let mut notes = Vec::new();
    for own in &report.loads {
        notes.extend(own.remarks().into_iter().map(|note| format!("{}: {note}", own.load)));
    }
    if notes.is_empty() {
        notes.push("nothing".to_owned());
    }
    notes
}

fn plots(loads: &[&LoadReport], axis: &'static str) -> Vec<Plot> {
    let label = |own: &&LoadReport| match own.load {
        Load::Concurrency(at_once) => at_once.to_string(),
        Load::Rate(rate) => rate.to_string(),
    };
    let labels: Vec<String> = loads.iter().map(label).collect();
    let plot =
        |title: &str, lines| Plot { title: title.to_owned(), axis, labels: labels.clone(), lines };
    let values = |of: &dyn Fn(&LoadReport) -> Option<f64>| -> Vec<Option<f64>> {
        loads.iter().map(|own| of(own)).collect()
    };
    let percentiles = |of: fn(&LoadReport) -> Option<Distribution>| {
        let line =
            |share: fn(Distribution) -> f64| values(&|own| of(own).map(|own| share(own) * 1e3));
        vec![
            ("p50", line(|own| own.p50)),
            ("p90", line(|own| own.p90)),
            ("p99", line(|own| own.p99)),
        ]
    };
    vec![
        plot(
            "output tokens per second",
            vec![("tokens", values(&|own| own.output_tokens_per_second))],
        ),
        plot(
            "requests per second",
            vec![("requests", values(&|own| Some(own.requests_per_second)))],
        ),
        plot("TTFT, ms", percentiles(|own| own.ttft_seconds)),
        plot("TPOT, ms", percentiles(|own| own.tpot_seconds)),
        plot("ITL, ms", percentiles(|own| own.itl_seconds)),
        plot("E2EL, ms", percentiles(|own| own.e2el_seconds)),
    ]
}

fn throughput(report: &ServedBenchReport) -> String {
    let rows = report.loads.iter().map(|own| {
        let optional = |value: Option<f64>| value.map_or_else(String::new, number);
        vec![
            own.name(),
            own.requests.to_string(),
            own.failed_requests.to_string(),
            number(own.seconds),
            number(own.requests_per_second),
            optional(own.input_tokens_per_second),
            optional(own.output_tokens_per_second),
            number(own.mean_under_way),
        ]
    });
    table(
        &[
            "load",
            "requests",
            "failed",
            "seconds",
            "requests/s",
            "input tokens/s",
            "output tokens/s",
            "under way",
        ],
        rows,
    )
}

fn latencies(report: &ServedBenchReport) -> String {
    let rows = report.loads.iter().flat_map(|own| {
        own.latencies().into_iter().map(move |(name, values)| {
            let Distribution { mean, min, p50, p75, p90, p99, max, n } = values;
            let shown = [mean, min, p50, p75, p90, p99, max].map(|own| number(own * 1e3));
            [vec![own.name(), name.to_owned()], shown.to_vec(), vec![n.to_string()]].concat()
        })
    });
    table(&["load", "", "mean", "min", "p50", "p75", "p90", "p99", "max", "N"], rows)
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut out = "<div class=\"wide\"><table>\n".to_owned();
    let mut row = |tag: &str, cells: &[String]| {
        out += "<tr>";
        for cell in cells {
            let _ = write!(out, "<{tag}>{}</{tag}>", escaped(cell));
        }
        out += "</tr>\n";
    };
    let head: Vec<String> = head.iter().map(|&own| own.to_owned()).collect();
    row("th", &head);
    for cells in rows {
        row("td", &cells);
    }
    out + "</table></div>\n"
}
