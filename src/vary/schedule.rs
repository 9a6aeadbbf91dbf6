//! Successive halving: which formats are asked about how many samples.
//!
//! K. Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS
//! 2016: every rung asks about twice the samples of the rung before it, of half the formats. Samples are nested, so a
//! rung computes only those that are new.

use std::{fmt, str::FromStr};

use serde::Serialize;

/// What is looked for, and so which formats go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Find {
    /// Best and worst: the middle stops.
    #[default]
    Spread,
    /// The best: the lower half stops.
    Best,
}

/// A step of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    /// Formats, without the config's own where that would have stopped.
    pub(super) formats: usize,
    /// Samples that each of them is asked about.
    pub(super) samples: usize,
}

/// So many formats are asked about all samples.
const FINALISTS: usize = 4;

/// With fewer samples, chance would choose.
const FEWEST_SAMPLES: usize = 20;

/// The rungs for so many formats and samples; the last one asks about all samples.
pub(super) fn rungs(formats: usize, samples: usize) -> Vec<Rung> {
    let mut halvings = 0;
    while formats.div_ceil(2 << halvings) >= FINALISTS
        && samples >> (halvings + 1) >= FEWEST_SAMPLES
    {
        halvings += 1;
    }
    let rung = |number: usize| Rung {
        formats: formats.div_ceil(1 << number),
        samples: samples.div_ceil(1 << (halvings - number)),
    };
    (0..=halvings).map(rung).collect()
}

/// The formats that go on to the next rung, as places in `values`, ascending. Among equal values the earlier goes on. A
/// format without a value stops; the one at place `own` never does.
pub(super) fn survivors(
    values: &[Option<f64>],
    formats: usize,
    find: Find,
    is_more_better: bool,
    own: Option<usize>,
) -> Vec<usize> {
    let mut ranked: Vec<(usize, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(place, value)| Some((place, (*value).filter(|value| value.is_finite())?)))
        .collect();
    let best_first = |one: f64, other: f64| {
        if is_more_better { other.total_cmp(&one) } else { one.total_cmp(&other) }
    };
    ranked.sort_by(|one, other| best_first(one.1, other.1));
    let best = match find {
        Find::Best => formats,
        Find::Spread => formats.div_ceil(2),
    };
    let mut kept: Vec<usize> = ranked.iter().take(best).map(|(place, _)| *place).collect();
    // From the other end, again the earlier of equal ones.
    ranked.sort_by(|one, other| best_first(other.1, one.1));
    let worst = ranked.iter().map(|(place, _)| *place).filter(|place| !kept.contains(place));
    let worst: Vec<usize> = worst.take(formats.saturating_sub(best)).collect();
    kept.extend(worst);
    if let Some(own) = own.filter(|own| !kept.contains(own)) {
        kept.push(own);
    }
    kept.sort_unstable();
    kept
}

impl fmt::Display for Find {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spread => "spread",
            Self::Best => "best",
        })
    }
}

impl FromStr for Find {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "spread" => Ok(Self::Spread),
            "best" => Ok(Self::Best),
            _ => Err("expected spread or best".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formats_halve_while_samples_double() {
        let found: Vec<(usize, usize)> =
            rungs(32, 200).iter().map(|rung| (rung.formats, rung.samples)).collect();
        assert_eq!(found, [(32, 25), (16, 50), (8, 100), (4, 200)]);
        // Few samples or few formats leave nothing to halve.
        assert_eq!(rungs(32, 30), [Rung { formats: 32, samples: 30 }]);
        assert_eq!(rungs(5, 1000), [Rung { formats: 5, samples: 1000 }]);
    }

    #[test]
    fn ends_or_the_best_go_on_and_the_own_format_always() {
        let values: Vec<Option<f64>> =
            [50.0, 10.0, 90.0, f64::NAN, 40.0, 90.0, 20.0, 60.0].map(Some).to_vec();
        assert_eq!(survivors(&values, 4, Find::Spread, true, None), [1, 2, 5, 6]);
        assert_eq!(survivors(&values, 4, Find::Best, true, Some(6)), [0, 2, 5, 6, 7]);
        assert_eq!(survivors(&values, 2, Find::Best, false, None), [1, 6]);
        assert_eq!(survivors(&[None, Some(1.0)], 2, Find::Best, true, None), [1]);
    }

    proptest! {
        #[test]
        fn schedules_never_grow_in_formats_or_shrink_in_samples(
            formats in 1_usize..300, samples in 1_usize..5000,
        ) {
            let found = rungs(formats, samples);
            prop_assert_eq!(found[0].formats, formats);
            prop_assert_eq!(found[found.len() - 1].samples, samples);
            for pair in found.windows(2) {
                prop_assert!(pair[1].formats <= pair[0].formats && pair[1].formats >= 4);
                prop_assert!(pair[1].samples > pair[0].samples && pair[0].samples >= 20);
            }
        }
    }
}
