//! The many spellings of a size.

use serde_json::Value;

use super::{
    ProcessorError,
    fields::{Fields, count},
};
use crate::image::Size;

/// What a field such as `size` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SizeField {
    /// `height` and `width`.
    Exact(Size),
    /// `shortest_edge` alone, or a number.
    Shortest(usize),
    /// `longest_edge` alone.
    Longest(usize),
    /// `shortest_edge` with `longest_edge`, or `min_pixels` with `max_pixels`.
    Between(usize, usize),
    /// `max_height` and `max_width`.
    AtMost(Size),
}

impl SizeField {
    /// The field `name`, or `default` where it is not there.
    pub(super) fn read(
        fields: &mut Fields<'_>,
        name: &'static str,
        default: Self,
    ) -> Result<Self, ProcessorError> {
        let Some(value) = fields.value(name)? else { return Ok(default) };
        Self::parse(value)
            .ok_or_else(|| fields.wrong(name, format!("is no size that is known: {value}")))
    }

    /// Sides that are both given.
    pub(super) fn read_exact(
        fields: &mut Fields<'_>,
        name: &'static str,
        default: Size,
    ) -> Result<Size, ProcessorError> {
        match Self::read(fields, name, Self::Exact(default))? {
            Self::Exact(size) => Ok(size),
            _ => Err(fields.wrong(name, "must have `height` and `width`".to_owned())),
        }
    }

    /// A size to cut images to; a number stands for both sides.
    pub(super) fn read_crop(
        fields: &mut Fields<'_>,
        default: Size,
    ) -> Result<Size, ProcessorError> {
        match Self::read(fields, "crop_size", Self::Exact(default))? {
            Self::Exact(size) => Ok(size),
            Self::Shortest(side) if fields.optional("crop_size").is_some_and(Value::is_number) => {
                Ok(square(side))
            }
            _ => Err(fields.wrong("crop_size", "must have `height` and `width`".to_owned())),
        }
    }

    fn parse(value: &Value) -> Option<Self> {
        let numbers = match value {
            Value::Object(numbers) => numbers,
            Value::Array(sides) => {
                let [height, width] = sides.as_slice() else { return None };
                return Some(Self::Exact(Size { width: count(width)?, height: count(height)? }));
            }
            number => return count(number).map(Self::Shortest),
        };
        let mut named: Vec<(&str, usize)> = Vec::new();
        for (name, number) in numbers.iter().filter(|(_, number)| !number.is_null()) {
            named.push((name, count(number)?));
        }
        named.sort_unstable();
        Some(match *named.as_slice() {
            [("height", height), ("width", width)] => Self::Exact(Size { width, height }),
            [("longest_edge", longest)] => Self::Longest(longest),
            [("shortest_edge", shortest)] => Self::Shortest(shortest),
            [("longest_edge", most), ("shortest_edge", least)]
            | [("max_pixels", most), ("min_pixels", least)] => Self::Between(least, most),
            [("max_height", height), ("max_width", width)] => Self::AtMost(Size { width, height }),
            _ => return None,
        })
    }
}

/// A size with sides of one length.
pub(super) fn square(side: usize) -> Size {
    Size { width: side, height: side }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_spellings_are_read() {
        let exact = SizeField::Exact(Size { width: 3, height: 2 });
        for (value, expected) in [
            (json!({"height": 2, "width": 3}), Some(exact)),
            (json!([2, 3]), Some(exact)),
            (json!(224), Some(SizeField::Shortest(224))),
            (json!({"shortest_edge": 224.0}), Some(SizeField::Shortest(224))),
            (json!({"longest_edge": 9, "height": null}), Some(SizeField::Longest(9))),
            (json!({"longest_edge": 9, "shortest_edge": 4}), Some(SizeField::Between(4, 9))),
            (json!({"min_pixels": 4, "max_pixels": 9}), Some(SizeField::Between(4, 9))),
            (json!({"height": 2}), None),
            (json!({"height": 2, "width": 0}), None),
            (json!({"height": 2, "width": 3, "depth": 4}), None),
            (json!("large"), None),
        ] {
            assert_eq!(SizeField::parse(&value), expected, "{value}");
        }
    }
}
