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

/// So many formats can be counted one by one.
const MOST_COUNTED: f64 = 20_000.0;

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

    /// How many choices there are that differ from the config's own in so many elements at most, those that come out
    /// equal counted apart.
    pub(super) fn len(&self, changes: usize) -> f64 {
        // With how many ways so many elements are changed, element by element.
        let mut ways = vec![1.0];
        for axis in &self.axes {
            let others = (axis.values.len() - 1) as f64;
            ways.push(0.0);
            for changed in (1..ways.len()).rev() {
                ways[changed] += ways[changed - 1] * others;
            }
        }
        ways.iter().take(changes.saturating_add(1)).sum()
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

    /// So many formats or all there are, the config's own first, each with so many elements changed at most. Each value
    /// of an element is dealt to about as many formats as any other, so that every element can be judged; no two
    /// formats ask the same.
    pub(super) fn sampled(&self, count: usize, changes: usize) -> Vec<Choice> {
        let mut random = PythonRandom::from_seed(self.seed);
        let mut formats = Distinct { space: self, seen: HashSet::new(), formats: Vec::new() };
        formats.add(self.own());
        if self.len(changes) <= count as f64 {
            self.each(&mut self.own(), 0, changes, &mut |choice| formats.add(choice));
            return formats.formats;
        }
        let mut idle = 0;
        while formats.formats.len() < count && idle < IDLE_ROUNDS {
            let before = formats.formats.len();
            for choice in self.dealt(count - before, changes, &mut random) {
                formats.add(choice);
            }
            idle = if formats.formats.len() == before { idle + 1 } else { 0 };
        }
        // The last few of not many are found by counting.
        if formats.formats.len() < count && self.len(changes) <= MOST_COUNTED {
            let mut all = Vec::new();
            self.each(&mut self.own(), 0, changes, &mut |choice| all.push(choice));
            random.shuffle(&mut all);
            for choice in all {
                if formats.formats.len() < count {
                    formats.add(choice);
                }
            }
        }
        formats.formats
    }

    /// So many choices in which the values of an element are about equally often.
    fn dealt(&self, count: usize, changes: usize, random: &mut PythonRandom) -> Vec<Choice> {
        let columns: Vec<Vec<usize>> = self
            .axes
            .iter()
            .map(|axis| {
                let values = axis.values.len();
                // Where values do not divide the formats, chance says which of them there are more of.
                let mut order: Vec<usize> = (0..values).collect();
                random.shuffle(&mut order);
                let mut column: Vec<usize> =
                    (0..count).map(|place| order[place % values]).collect();
                random.shuffle(&mut column);
                column
            })
            .collect();
        let mut choices = Vec::with_capacity(count);
        for place in 0..count {
            let mut choice: Choice = columns.iter().map(|column| column[place]).collect();
            let mut changed: Vec<usize> =
                (0..choice.len()).filter(|&axis| choice[axis] > 0).collect();
            if changed.len() > changes {
                random.shuffle(&mut changed);
                changed[changes..].iter().for_each(|&axis| choice[axis] = 0);
            }
            choices.push(choice);
        }
        choices
    }

    /// Every choice with so many more changes at most, from an axis on.
    fn each(&self, choice: &mut Choice, axis: usize, changes: usize, hear: &mut dyn FnMut(Choice)) {
        if axis == self.axes.len() {
            hear(choice.clone());
            return;
        }
        self.each(choice, axis + 1, changes, hear);
        if changes > 0 {
            for value in 1..self.axes[axis].values.len() {
                choice[axis] = value;
                self.each(choice, axis + 1, changes - 1, hear);
            }
            choice[axis] = 0;
        }
    }
}

/// Formats of which no two ask the same.
struct Distinct<'s> {
    space: &'s FormatSpace,
    seen: HashSet<String>,
    formats: Vec<Choice>,
}

impl Distinct<'_> {
    fn add(&mut self, choice: Choice) {
        if self.seen.insert(repr(&self.space.infer_cfg_of(&choice))) {
            self.formats.push(choice);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn space(seed: u64) -> FormatSpace {
        let text =
            |label: &str| format!("</E>Question: {{q}}\nA. {{A}}\nB. {{B}}\nAnswer: {label}");
        let forms = json!({"A": text("A"), "B": text("B")});
        let infer_cfg = Node::from_json(&json!({
            "ice_template": {"type": "PromptTemplate", "template": forms, "ice_token": "</E>"},
            "retriever": {"type": "FixKRetriever", "fix_id_list": [0, 1, 2]},
            "inferencer": {"type": "PPLInferencer"},
        }));
        let row = |number: i64| Sample::new(vec![("q".to_owned(), number.into())]);
        let (train, test) = ((0..9).map(row).collect(), (5..20).map(row).collect());
        let rows = Dataset { train, test, left_out: 0 };
        let readers = Readers {
            stops: vec![],
            postprocessor_texts: vec![],
            reads: None,
            output_column: None,
        };
        FormatSpace::new(&infer_cfg, &rows, &readers, &Element::ALL, seed)
    }

    #[test]
    fn one_change_at_a_time_is_every_other_value() {
        let space = space(0);
        assert_eq!(space.axes.len(), 10, "{:?}", space.not_varied);
        let others: usize = space.axes.iter().map(|axis| axis.values.len() - 1).sum();
        assert!((space.len(1) - (others + 1) as f64).abs() < 1e-9);
        let all: f64 = space.axes.iter().map(|axis| axis.values.len() as f64).product();
        assert!((space.len(usize::MAX) - all).abs() < 1e-6);
        let found = space.sampled(1000, 1);
        assert_eq!((found.len(), &found[0]), (others + 1, &space.own()));
        assert!(found.iter().all(|own| own.iter().filter(|value| **value > 0).count() < 2));
    }

    #[test]
    fn drawn_examples_are_no_test_rows() {
        let space = space(3);
        let draw = space.axes.iter().position(|axis| axis.element == Element::Draw).unwrap();
        for value in 1..space.axes[draw].values.len() {
            let mut choice = space.own();
            choice[draw] = value;
            let made = space.infer_cfg_of(&choice).to_json();
            let ids = made["retriever"]["fix_id_list"].as_array().unwrap().clone();
            assert_eq!(ids.len(), 3);
            // Rows from 5 on are test rows, too.
            assert!(ids.iter().all(|id| id.as_i64().unwrap() < 5), "{ids:?}");
        }
    }

    proptest! {
        #[test]
        fn formats_differ_and_values_are_dealt_evenly(
            seed in 0_u64..1000, count in 2_usize..34, changes in 1_usize..12,
        ) {
            let space = space(seed);
            let found = space.sampled(count, changes);
            prop_assert_eq!(found.len(), count);
            prop_assert_eq!(&found[0], &space.own());
            prop_assert_eq!(&found, &space.sampled(count, changes));
            let mut made: Vec<String> =
                found.iter().map(|own| repr(&space.infer_cfg_of(own))).collect();
            made.sort();
            made.dedup();
            prop_assert_eq!(made.len(), count);
            let changed = |own: &Choice| own.iter().filter(|value| **value > 0).count();
            prop_assert!(found.iter().all(|own| changed(own) <= changes));
            if changes >= space.axes.len() {
                for (axis, own) in space.axes.iter().enumerate() {
                    let values = own.values.len();
                    let even = count.div_ceil(values);
                    for value in 0..values {
                        let dealt = found.iter().filter(|choice| choice[axis] == value).count();
                        // A format that was there already is dealt again.
                        prop_assert!(dealt <= even + 3, "{dealt} of {count}, {values} values");
                    }
                }
            }
        }
    }
}
