//! Comparisons of data whose truth is known: how often equal variants are called different, how often
//! intervals hold the truth, how often a difference is found.
//!
//! 500 simulations of each cell of equal variants, 200 of the others; `SURPRISAL_SIMULATIONS=10000` for the
//! long form, whose bounds have no allowance for chance (2,000 of the others, with one). Each cell prints its
//! figures, in percent.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod cell;
mod tally;

use cell::{Cell, Scores, Truth};
use rayon::prelude::*;
use surprisal::statistics::{AllPairs, Clusters, McNemar, Power, Resampling};
use tally::Tally;

/// Families of equal variants that may be called different, of all.
const MOST_FALSE: f64 = 0.055;
/// Intervals that must hold the truth, of all that are stated.
const LEAST_COVERED: f64 = 0.94;
/// Resamples of each simulation.
const RESAMPLES: usize = 1000;

fn simulations() -> usize {
    let asked = std::env::var("SURPRISAL_SIMULATIONS");
    asked.map_or(500, |number| number.parse().expect("SURPRISAL_SIMULATIONS is a number"))
}

/// How often an event of this probability may happen in so many simulations: the long form takes the
/// bound as it is, a short one four standard errors more.
fn most(probability: f64, simulations: usize) -> f64 {
    let n = simulations as f64;
    let allowance = if simulations >= 10_000 { 0.0 } else { 4.0 };
    probability + allowance * (probability * (1.0 - probability) / n).sqrt()
}

/// A cell's figures and what is wrong with them.
fn tried(cell: &Cell, simulations: usize) -> (String, Vec<String>) {
    let one = |number: usize| Tally::of(cell, number as u64, RESAMPLES);
    let tally = (0..simulations).into_par_iter().map(one).reduce(Tally::default, Tally::plus);
    let mut wrong = Vec::new();
    for (name, share, of) in tally.false_shares() {
        if share > most(MOST_FALSE, of) {
            wrong.push(format!("{cell}: {name} called {:.2} % different", share * 100.0));
        }
    }
    for (name, share, of) in tally.missed_shares() {
        if share > most(1.0 - LEAST_COVERED, of) {
            wrong.push(format!("{cell}: {name} holds {:.2} %", (1.0 - share) * 100.0));
        }
    }
    (format!("{cell}  {tally}"), wrong)
}

#[test]
fn equal_variants_are_equal_and_intervals_hold() {
    let (mut passed, mut failures) = (0, Vec::new());
    for cell in Cell::all() {
        let asked = simulations();
        let count = if cell.is_long() { asked } else { (asked / 5).max(asked.min(200)) };
        let (line, wrong) = tried(&cell, count);
        println!("{line}");
        passed += usize::from(wrong.is_empty());
        failures.extend((!wrong.is_empty()).then_some(wrong.join("; ")));
    }
    println!("statistics_simulations: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// With 2,000 pairs and five points the power that is told is within three points of how often the
/// difference is found; the same of one pair among ten variants.
#[test]
fn the_power_is_what_it_is_said_to_be() {
    let (mut passed, mut failed) = (0, 0);
    for (rate, correlation, variants) in [
        (0.5, 0.0, 2),
        (0.25, 0.0, 2),
        (0.5, 0.5, 2),
        (0.9, 0.0, 2),
        (0.5, 0.0, 10),
        (0.5, 0.3, 10),
    ] {
        let scores = Scores::Shares { rate, correlation };
        let cell = Cell { scores, truth: Truth::FivePoints, samples: 2000, variants };
        let one = |number: u64| {
            let data = cell.data(number);
            let (first, last) = (data.columns.first().unwrap(), data.columns.last().unwrap());
            let is_right = |column: &[f64]| column.iter().map(|&one| one > 0.5).collect::<Vec<_>>();
            let counts = McNemar::of(&is_right(first), &is_right(last)).unwrap();
            let resampling = Resampling { resamples: RESAMPLES, seed: number };
            let columns: Vec<&[f64]> = data.columns.iter().map(Vec::as_slice).collect();
            let all = AllPairs::of(&columns, &Clusters::singletons(2000), resampling).unwrap();
            let differing = counts.only_first_right + counts.only_second_right;
            let power = Power::of_critical_value(all.critical_value).unwrap();
            let told = power.of_share_difference(2000, 0.05, differing as f64 / 2000.0).unwrap();
            let is_found = all.pair(0, variants - 1).unwrap().p <= 0.05;
            [told, f64::from(is_found), f64::from(counts.exact_p() <= 0.05)]
        };
        let count = (simulations() as u64).clamp(1000, 4000);
        let sums = (0..count)
            .into_par_iter()
            .map(one)
            .reduce(|| [0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
        let [told, found, exact] = sums.map(|sum| sum / count as f64);
        println!(
            "{cell}  power told {:.1} %, found {:.1} %, McNemar alone {:.1} %",
            told * 100.0,
            found * 100.0,
            exact * 100.0
        );
        let is_near = (told - found).abs() <= 0.03;
        passed += usize::from(is_near);
        failed += usize::from(!is_near);
    }
    println!("statistics_power: {passed} passed, {failed} failed");
    assert_eq!(failed, 0);
}
