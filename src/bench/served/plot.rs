//! A plot of figures over loads, as SVG without scripts.

use std::fmt::Write as _;

use crate::report::page::escaped;

/// Size of a plot and what is left of it for words, in its own units.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 42.0;

/// Values over loads, each line with a name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plot {
    /// What is shown, with its unit.
    pub(super) title: String,
    /// What the loads are.
    pub(super) axis: &'static str,
    /// One for each load.
    pub(super) labels: Vec<String>,
    /// The lines, the first the plainest.
    pub(super) lines: Vec<(&'static str, Vec<Option<f64>>)>,
}

impl Plot {
    /// Whether there is anything to show.
    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(|own| own.1.iter().all(Option::is_none))
    }

    /// A figure with its caption. Every value stands in the page's tables, too.
    pub(super) fn html(&self) -> String {
        let title = escaped(&self.title);
        let legend: Vec<String> = self
            .lines
            .iter()
            .enumerate()
            .filter(|_| self.lines.len() > 1)
            .map(|(place, own)| format!(r#"<span class="key l{place}">{}</span>"#, own.0))
            .collect();
        format!(
            "<figure><figcaption>{title} {}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n\
             {}</svg></figure>\n",
            legend.join(" "),
            self.marks()
        )
    }

    fn marks(&self) -> String {
        let values = self.lines.iter().flat_map(|own| own.1.iter().flatten().copied());
        let most = values.fold(0.0, f64::max);
        let step = round_step(most / 4.0);
        let top = (most / step).ceil().max(1.0) * step;
        let y = |value: f64| TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - value / top);
        let room = WIDTH - LEFT - RIGHT;
        let x = |place: usize| LEFT + room * (place as f64 + 0.5) / self.labels.len().max(1) as f64;
        let mut out = String::new();
        let ticks = (top / step).round() as usize;
        for tick in 0..=ticks {
            let (value, at) = (tick as f64 * step, y(tick as f64 * step));
            let right = WIDTH - RIGHT;
            let _ = writeln!(
                out,
                r#"<line class="grid" x1="{LEFT}" x2="{right}" y1="{at:.1}" y2="{at:.1}"/><text class="end" x="{:.1}" y="{:.1}">{}</text>"#,
                LEFT - 6.0,
                at + 4.0,
                number(value)
            );
        }
        // Where there are many loads, not every one has its name.
        let every = self.labels.len().div_ceil(9).max(1);
        for (place, label) in self.labels.iter().enumerate().step_by(every) {
            let _ = writeln!(
                out,
                r#"<text class="middle" x="{:.1}" y="{:.1}">{}</text>"#,
                x(place),
                HEIGHT - BOTTOM + 16.0,
                escaped(label)
            );
        }
        let _ = writeln!(
            out,
            r#"<text class="middle axis" x="{:.1}" y="{:.1}">{}</text>"#,
            LEFT + room / 2.0,
            HEIGHT - 6.0,
            self.axis
        );
        for (line, (name, values)) in self.lines.iter().enumerate() {
            let points: Vec<(usize, f64)> =
                values.iter().enumerate().filter_map(|(at, own)| Some((at, (*own)?))).collect();
            let path: Vec<String> =
                points.iter().map(|&(at, value)| format!("{:.1},{:.1}", x(at), y(value))).collect();
            let _ = writeln!(out, r#"<polyline class="l{line}" points="{}"/>"#, path.join(" "));
            for (at, value) in points {
                let label = escaped(&self.labels[at]);
                let _ = writeln!(
                    out,
                    r#"<circle class="l{line}" cx="{:.1}" cy="{:.1}" r="3.5"><title>{name}, {label}: {}</title></circle>"#,
                    x(at),
                    y(value),
                    number(value)
                );
            }
        }
        out
    }
}

/// The least of 1, 2 and 5 times a power of ten that is not below a wish.
fn round_step(wish: f64) -> f64 {
    if !wish.is_finite() || wish <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf(wish.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= wish * 0.999).unwrap_or(10.0 * power)
}

/// A number with about three digits.
pub(super) fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size <= 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_the_scale_says_and_names_are_no_markup() {
        let plot = Plot {
            title: "TTFT <ms>".to_owned(),
            axis: "requests at once",
            labels: vec!["1".to_owned(), "<8>".to_owned()],
            lines: vec![("p50", vec![Some(10.0), Some(40.0)]), ("p99", vec![None, Some(20.0)])],
        };
        let html = plot.html();
        assert!(html.contains("TTFT &lt;ms&gt;") && !html.contains("<8>"));
        // The top of the scale is the greatest value: 40 in steps of 10.
        assert!(
            html.contains(r#"<polyline class="l0" points="145.5,151.5 320.5,12.0"/>"#),
            "{html}"
        );
        assert!(html.contains(r#"<polyline class="l1" points="320.5,105.0"/>"#), "{html}");
        assert_eq!(html.matches("class=\"grid\"").count(), 5);
        assert!(!plot.is_empty());
        for (wish, step) in [(0.3, 0.5), (2.0, 2.0), (4.1, 5.0), (0.0, 1.0)] {
            assert!((round_step(wish) - step).abs() < 1e-12, "{wish}");
        }
    }
}
