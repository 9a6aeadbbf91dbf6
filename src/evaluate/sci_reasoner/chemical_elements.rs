//! Which elements can stand together in a crystal, as `smact_validity` of the package SMACT 3.0.2 says.
//!
//! A composition is plausible if its elements have states of oxidation whose charges cancel out, every cation being less
//! electronegative than every anion; metals alone, and one element alone, always are. The tables of the elements are the
//! package's and not shipped: they are read in the user's copy, or a config gives others.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize;

use crate::{
    config::{Component, ConfigError},
    dataset::{PACKAGES, module_path},
    python::parse_float,
    regular_file::{self, MOST_SETTINGS_BYTES},
};

/// The tables, below the folder that holds the package.
const STATES: &str = "smact/data/oxidation_states_icsd24_filtered.txt";
const ELEMENTS: &str = "smact/data/element_data.txt";

/// The place of the electronegativity in a row of the table of elements.
const ELECTRONEGATIVITY: usize = 9;

/// The symbols of all elements, and those of the two isotopes that have one.
const SYMBOLS: &str = "H D T He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og";

/// Elements of which an alloy may consist.
const METALS: &str = "Li Be Na Mg Al K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr";

/// What is known of an element.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Element {
    /// By Pauling; of some it is not known.
    electronegativity: Option<f64>,
    /// Its states of oxidation; of some none is known, which is not the same as that there is none.
    states: Option<Vec<i64>>,
}

/// The elements, by their symbols.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Elements(BTreeMap<String, Element>);

impl Elements {
    /// The tables of the user's package.
    pub(super) fn of_package(component: &Component) -> Result<Self, ConfigError> {
        let refused = |what: String| {
            let hint =
                "`pip install smact==3.0.2` into the folder that SURPRISAL_OPENCOMPASS names";
            ConfigError::at(&component.origin, what).with_hint(hint)
        };
        let read = |file: &str| {
            let path = module_path(file).ok_or_else(|| {
                refused(format!("it asks the tables of SMACT, and {PACKAGES} is not set"))
            })?;
            rows(&path).map_err(|error| refused(format!("{}: {error}", path.display())))
        };
        let states: BTreeMap<String, Vec<i64>> = read(STATES)?
            .into_iter()
            .filter_map(|row| {
                let (symbol, states) = row.split_first()?;
                let states =
                    states.iter().map(|state| state.parse().ok()).collect::<Option<_>>()?;
                Some((symbol.clone(), states))
            })
            .collect();
        let element = |row: Vec<String>| {
            let symbol = row.first()?.clone();
            let electronegativity = row.get(ELECTRONEGATIVITY).and_then(|text| parse_float(text));
            let states = states.get(&symbol).cloned();
            Some((symbol, Element { electronegativity, states }))
        };
        Ok(Self(read(ELEMENTS)?.into_iter().filter_map(element).collect()))
    }

    /// Whether these elements, each so many times, can stand together; nothing where one of them is none.
    pub(super) fn allow(&self, counts: &BTreeMap<&str, i64>) -> Option<bool> {
        let is_symbol = |wanted: &str| SYMBOLS.split(' ').any(|symbol| symbol == wanted);
        if let [symbol] = counts.keys().copied().collect::<Vec<_>>()[..] {
            // A letter that begins no element stands for whatever element.
            let first = symbol.get(..1).unwrap_or_default();
            return (is_symbol(symbol) || !is_symbol(first)).then_some(true);
        }
        if counts.keys().all(|symbol| METALS.split(' ').any(|metal| metal == *symbol)) {
            return Some(true);
        }
        let divisor = counts.values().fold(0, |divisor, count| greatest_divisor(divisor, *count));
        let mut sites = Vec::new();
        for (symbol, count) in counts {
            let element = self.0.get(*symbol)?;
            sites.push((
                element.electronegativity,
                element.states.as_ref()?,
                count / divisor.max(1),
            ));
        }
        let known: Option<Vec<Site<'_>>> = sites
            .into_iter()
            .map(|(electronegativity, states, count)| {
                Some((electronegativity?, &states[..], count))
            })
            .collect();
        Some(known.is_some_and(|sites| cancels_out(&sites)))
    }
}

/// Electronegativity, states and count of an element in a composition.
type Site<'a> = (f64, &'a [i64], i64);

/// Whether charges can cancel out where all cations are less electronegative than all anions: there is then a value that
/// parts them.
fn cancels_out(sites: &[Site<'_>]) -> bool {
    sites.iter().any(|(most, ..)| {
        let mut sums = BTreeSet::from([0]);
        for (electronegativity, states, count) in sites {
            let is_low = electronegativity <= most;
            let own =
                states.iter().filter(|state| if is_low { **state >= 0 } else { **state <= 0 });
            let charges: Vec<i64> = own.map(|state| state * count).collect();
            sums = sums.iter().flat_map(|sum| charges.iter().map(move |own| sum + own)).collect();
        }
        sums.contains(&0)
    })
}

fn greatest_divisor(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { greatest_divisor(right, left % right) }
}

/// The rows of a table, without its comments.
fn rows(path: &Path) -> std::io::Result<Vec<Vec<String>>> {
    let text = regular_file::read_text(path, MOST_SETTINGS_BYTES)?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    Ok(lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
}
