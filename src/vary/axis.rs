//! One element of a data set's formats, and all that it may be there.

use serde::Serialize;

use super::{
    Element,
    grammar::{Brackets, Casing, Numerals, Separator, Words, quoted},
};

/// An element with its values; the first is what the config says.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) element: Element,
    pub(super) values: Vec<AxisValue>,
}

/// A value, and how it is called.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AxisValue {
    pub(super) label: String,
    pub(super) setting: Setting,
}

/// What a value changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Setting {
    AsWritten,
    Separator(Separator),
    Spacing(&'static str),
    Casing(Casing),
    Words(Words),
    Numerals(Numerals),
    Brackets(Brackets),
    Options(&'static str),
    /// Examples in the order that this seed gives.
    Order(u64),
    /// So many examples.
    Shots(usize),
    /// Examples drawn by this seed.
    Draw(u64),
}

/// An element that is not varied in a data set, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NotVaried {
    /// Which.
    pub element: Element,
    /// Why.
    pub reason: String,
}

impl NotVaried {
    pub(super) fn new(element: Element, reason: impl Into<String>) -> Self {
        Self { element, reason: reason.into() }
    }
}

impl AxisValue {
    /// What the config says.
    pub(super) fn as_written(label: impl Into<String>) -> Self {
        Self { label: label.into(), setting: Setting::AsWritten }
    }

    /// A value of the grammar.
    pub(super) fn of(setting: Setting) -> Self {
        let label = match setting {
            Setting::AsWritten => "as written".to_owned(),
            Setting::Separator(Separator { mark, tail }) => quoted(&format!("{mark}{tail}")),
            Setting::Spacing(joint) | Setting::Options(joint) => quoted(joint),
            Setting::Casing(casing) => casing.name().to_owned(),
            Setting::Words(words) => words.name(),
            Setting::Numerals(numerals) => numerals.name().to_owned(),
            Setting::Brackets(brackets) => brackets.around("A"),
            Setting::Order(number) => format!("shuffle {number}"),
            Setting::Shots(shots) => shots.to_string(),
            Setting::Draw(number) => format!("seed {number}"),
        };
        Self { label, setting }
    }
}

impl Axis {
    /// What is written, and the values of the grammar that are something else.
    pub(super) fn new(
        element: Element,
        written: impl Into<String>,
        values: impl IntoIterator<Item = Setting>,
    ) -> Self {
        let own = AxisValue::as_written(written);
        let others = values.into_iter().map(AxisValue::of).filter(|value| value.label != own.label);
        let others: Vec<AxisValue> = others.collect();
        Self { element, values: std::iter::once(own).chain(others).collect() }
    }
}
