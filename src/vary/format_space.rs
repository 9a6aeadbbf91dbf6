//! All formats of one data set: what may vary in it, and the entry that each format makes.

use std::collections::HashSet;

use super::{
    Element,
    axis::{Axis, NotVaried, Setting},
    example_choice::{ExampleChoice, Shown},
    piece::Wording,
    templates::Templates,
    text_axes::{Readers, own_casing, rows_with_letters, text_axes},
};
use crate::{
    config::{Node, repr},
    dataset::{Dataset, Sample},
    python::PythonRandom,
    report::grouped,
};

/// One value of each axis, by its place; zeros are the config's own format.
pub(super) type Choice = Vec<usize>;

/// So many rounds of dealing that add nothing end the dealing.
const IDLE_ROUNDS: usize = 20;

/// What may vary in a data set.
#[derive(Clone, Debug)]
pub(super) struct FormatSpace {
    infer_cfg: Node,
    templates: Templates,
    examples: ExampleChoice,
    seed: u64,
    pub(super) axes: Vec<Axis>,
    pub(super) not_varied: Vec<NotVaried>,
}

impl FormatSpace {
    /// Of a data set's `infer_cfg`; of all elements only those that are `wanted`.
    pub(super) fn new(
        infer_cfg: &Node,
        rows: &Dataset,
        readers: &Readers<'_>,
        wanted: &[Element],
        seed: u64,
    ) -> Self {
        let templates = Templates::of(infer_cfg);
        let examples = ExampleChoice::of(infer_cfg, rows);
        let (mut axes, mut not_varied) = text_axes(&templates, readers);
        let (more, refused) = examples.axes(seed);
        axes.extend(more);
        not_varied.extend(refused);
        axes.retain(|axis| wanted.contains(&axis.element));
        not_varied.retain(|own| wanted.contains(&own.element));
        let mut space =
            Self { infer_cfg: infer_cfg.clone(), templates, examples, seed, axes, not_varied };
        space.drop_idle_values();
        space.axes.sort_by_key(|axis| axis.element);
        space.not_varied.sort_by_key(|own| own.element);
        space
    }

    /// Values that change nothing by themselves are none, such as the upper case of `Q`.
    fn drop_idle_values(&mut self) {
        for axis in 0..self.axes.len() {
            let mut seen = vec![self.infer_cfg_of(&self.own())];
            let mut kept = vec![self.axes[axis].values[0].clone()];
            for value in 1..self.axes[axis].values.len() {
                let mut choice = self.own();
                choice[axis] = value;
                let made = self.infer_cfg_of(&choice);
                if !seen.contains(&made) {
                    seen.push(made);
                    kept.push(self.axes[axis].values[value].clone());
                }
            }
            self.axes[axis].values = kept;
        }
        let idle: Vec<Element> = self
            .axes
            .iter()
            .filter(|axis| axis.values.len() < 2)
            .map(|axis| axis.element)
            .collect();
        self.axes.retain(|axis| axis.values.len() > 1);
        let known: Vec<Element> = self.not_varied.iter().map(|own| own.element).collect();
        for element in idle.into_iter().filter(|element| !known.contains(element)) {
            self.not_varied.push(NotVaried::new(element, "no other value changes the prompt"));
        }
    }

    /// What is to be known of rows that may mean something else in some formats.
    pub(super) fn note_of_rows(&self, rows: &[Sample]) -> Option<String> {
        let is_varied = self.axes.iter().any(|axis| axis.element == Element::Numerals);
        let enumeration = self.templates.enumeration.filter(|_| is_varied)?;
        let count = rows_with_letters(rows, enumeration);
        (count > 0).then(|| {
            format!(
                "{} of {} samples hold a lone letter such as {}; where one names an option, numerals other than the \
                 config's change what it means (--elements leaves them out)",
                grouped(count),
                grouped(rows.len()),
                enumeration.numerals.symbol(1).unwrap_or_default()
            )
        })
    }

    /// The config's own format.
    pub(super) fn own(&self) -> Choice {
        vec![0; self.axes.len()]
    }

    /// How many choices there are, those that come out equal counted apart.
    pub(super) fn len(&self) -> u128 {
        self.axes
            .iter()
            .fold(1, |product: u128, axis| product.saturating_mul(axis.values.len() as u128))
    }

    /// The `infer_cfg` of a format.
    pub(super) fn infer_cfg_of(&self, choice: &[usize]) -> Node {
        let mut wording = Wording { own_casing: own_casing(&self.templates), ..Wording::default() };
        let (mut shown, mut numerals, mut brackets) = (Shown::default(), None, None);
        for (axis, &value) in self.axes.iter().zip(choice) {
            match axis.values[value].setting {
                Setting::AsWritten => (),
                Setting::Separator(separator) => wording.separator = Some(separator),
                Setting::Spacing(joint) => wording.spacing = Some(joint),
                Setting::Casing(casing) => wording.casing = Some(casing),
                Setting::Words(words) => wording.words = Some(words),
                Setting::Numerals(own) => numerals = Some(own),
                Setting::Brackets(own) => brackets = Some(own),
                Setting::Options(joint) => wording.options = Some(joint),
                Setting::Order(seed) => shown.order = Some(seed),
                Setting::Shots(shots) => shown.shots = Some(shots),
                Setting::Draw(seed) => shown.draw = Some(seed),
            }
        }
        if let Some(own) = self.templates.enumeration
            && (numerals.is_some() || brackets.is_some())
        {
            wording.enumeration =
                Some((numerals.unwrap_or(own.numerals), brackets.unwrap_or(own.brackets)));
        }
        let mut made = self.templates.reworded(&self.infer_cfg, &wording);
        self.examples.shown(&mut made, shown, self.seed);
        made
    }

    /// The values of a format by their names.
    pub(super) fn labels(&self, choice: &[usize]) -> Vec<(Element, String)> {
        let chosen = self.axes.iter().zip(choice);
        chosen.map(|(axis, &value)| (axis.element, axis.values[value].label.clone())).collect()
    }

    /// So many formats or all there are, the config's own first. Each value of an element is dealt to about as many
    /// formats as any other, so that every element can be judged; no two formats ask the same.
    pub(super) fn sampled(&self, count: usize) -> Vec<Choice> {
        let mut random = PythonRandom::from_seed(self.seed);
        let mut seen: HashSet<String> = HashSet::new();
        let mut formats: Vec<Choice> = Vec::new();
        let mut add = |choice: Choice, formats: &mut Vec<Choice>| {
            if formats.len() < count && seen.insert(repr(&self.infer_cfg_of(&choice))) {
                formats.push(choice);
            }
        };
        add(self.own(), &mut formats);
        if self.len() <= count as u128 {
            let mut choice = self.own();
            while self.advance(&mut choice) {
                add(choice.clone(), &mut formats);
            }
            return formats;
        }
        // A round that adds nothing new is unlikely unless nearly all are found.
        let mut idle = 0;
        while formats.len() < count && idle < IDLE_ROUNDS {
            let before = formats.len();
            let columns: Vec<Vec<usize>> = self
                .axes
                .iter()
                .map(|axis| {
                    let values = axis.values.len();
                    // Where values do not divide the formats, chance says which of them there are more of.
                    let mut order: Vec<usize> = (0..values).collect();
                    random.shuffle(&mut order);
                    let mut column: Vec<usize> =
                        (0..count - before).map(|place| order[place % values]).collect();
                    random.shuffle(&mut column);
                    column
                })
                .collect();
            for place in 0..count - before {
                add(columns.iter().map(|column| column[place]).collect(), &mut formats);
            }
            idle = if formats.len() == before { idle + 1 } else { 0 };
        }
        formats
    }

    /// The next choice in the order of counting; whether there is one.
    fn advance(&self, choice: &mut Choice) -> bool {
        for (value, axis) in choice.iter_mut().zip(&self.axes) {
            *value += 1;
            if *value < axis.values.len() {
                return true;
            }
            *value = 0;
        }
        false
    }
}
