//! How much each element moves the figure: the means over formats that share a value.

use serde::Serialize;

use super::{Element, axis::Axis};
use crate::statistics::GroupSpread;

/// What one element does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Effect {
    /// Which.
    pub element: Element,
    /// Its values, in the order of the grammar.
    pub values: Vec<ValueMean>,
    /// The place of the value with the best mean.
    pub best: usize,
    /// The place of the value with the worst mean.
    pub worst: usize,
    /// How far their means are apart, in the unit of the metric.
    pub range: f64,
    /// Lower bound of its 95 % interval, which allows for their having been picked.
    pub low: Option<f64>,
    /// Its upper bound.
    pub high: Option<f64>,
    /// Why there is no interval.
    pub unstated: Option<String>,
}

/// One value of an element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValueMean {
    /// Its name.
    pub value: String,
    /// The mean figure of the formats that have it.
    pub mean: f64,
    /// How many formats have it.
    pub formats: usize,
}

/// The effects of all elements, the one that moves most first. `figures` are one of each format over the same samples,
/// so all count the same; no two are further apart than `most`.
pub(super) fn effects(
    axes: &[Axis],
    formats: &[Vec<usize>],
    figures: &[Option<f64>],
    is_more_better: bool,
    most: f64,
) -> Vec<Effect> {
    let of = |(place, axis): (usize, &Axis)| {
        let group = |value: usize| -> Vec<f64> {
            let own = formats.iter().zip(figures).filter(|(format, _)| format[place] == value);
            own.filter_map(|(_, figure)| *figure).collect()
        };
        let groups: Vec<(String, Vec<f64>)> = (0..axis.values.len())
            .map(|value| (axis.values[value].label.clone(), group(value)))
            .filter(|(_, group)| !group.is_empty())
            .collect();
        let figures: Vec<&[f64]> = groups.iter().map(|(_, group)| group.as_slice()).collect();
        let found = GroupSpread::of(&figures)?;
        let (best, worst) = if is_more_better {
            (found.highest, found.lowest)
        } else {
            (found.lowest, found.highest)
        };
        let mean = |group: &[f64]| group.iter().sum::<f64>() / group.len() as f64;
        let values = groups.iter().map(|(value, group)| ValueMean {
            value: value.clone(),
            mean: mean(group),
            formats: group.len(),
        });
        Some(Effect {
            element: axis.element,
            values: values.collect(),
            best,
            worst,
            range: found.difference,
            low: found.interval.ok().map(|interval| interval.low),
            high: found.interval.ok().map(|interval| interval.high.min(most)),
            unstated: found.interval.err().map(|why| match why {
                crate::statistics::Unstated::FewSamples { found, needed } => {
                    format!("{needed} formats behind each value are needed, and one has {found}")
                }
                why => why.to_string(),
            }),
        })
    };
    let mut found: Vec<Effect> = axes.iter().enumerate().filter_map(of).collect();
    found.sort_by(|one, other| other.range.total_cmp(&one.range));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vary::axis::Setting;

    #[test]
    fn the_element_that_moves_most_comes_first() {
        let axes = [
            Axis::new(Element::Spacing, "a", [Setting::Spacing("b")]),
            Axis::new(Element::Options, "c", [Setting::Options("d")]),
        ];
        // The second element moves by 10, the first by 2.
        let formats: Vec<Vec<usize>> = (0..12).map(|at| vec![at % 2, at / 2 % 2]).collect();
        let figure = |format: &Vec<usize>, at: usize| {
            Some(50.0 + 2.0 * format[0] as f64 + 10.0 * format[1] as f64 + (at / 4) as f64)
        };
        let figures: Vec<Option<f64>> =
            formats.iter().enumerate().map(|(at, format)| figure(format, at)).collect();
        let found = effects(&axes, &formats, &figures, true, 100.0);
        assert_eq!((found[0].element, found[1].element), (Element::Options, Element::Spacing));
        assert!((found[0].range - 10.0).abs() < 1e-9 && (found[1].range - 2.0).abs() < 1e-9);
        assert_eq!((found[0].best, found[0].worst), (1, 0));
        assert_eq!(found[0].values[1].formats, 6);
        assert!(found[0].low.is_some_and(|low| low > 0.0), "{found:?}");
        let turned = effects(&axes, &formats, &figures, false, 100.0);
        assert_eq!((turned[0].best, turned[0].worst), (0, 1));
        // Without a figure a format counts nowhere; one alone has no interval.
        let few = effects(&axes, &formats[..3], &figures[..3], true, 100.0);
        assert!(few.iter().all(|own| own.low.is_none() && own.unstated.is_some()), "{few:?}");
    }
}
