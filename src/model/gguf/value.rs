//! Values of metadata.

use super::cursor::{Cursor, Damage};

/// Lists of lists deeper than this are taken for damage.
const MOST_DEPTH: usize = 8;

/// A value of metadata. The stored width of an integer is forgotten: a reader asks whether the value fits.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number, signed or not, of 8 to 64 bits.
    Integer(i128),
    /// A number of 32 or 64 bits.
    Float(f64),
    /// True or false.
    Flag(bool),
    /// Text.
    Text(String),
    /// Many values of one type.
    List(List),
}

/// Many values of one type.
#[derive(Clone, Debug, PartialEq)]
pub enum List {
    /// Whole numbers.
    Integers(Vec<i128>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Trues and falses.
    Flags(Vec<bool>),
    /// Texts.
    Texts(Vec<String>),
    /// Lists.
    Lists(Vec<Self>),
}

impl List {
    /// How many values it has.
    pub fn len(&self) -> usize {
        match self {
            Self::Integers(list) => list.len(),
            Self::Floats(list) => list.len(),
            Self::Flags(list) => list.len(),
            Self::Texts(list) => list.len(),
            Self::Lists(list) => list.len(),
        }
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The types of values, as files number them.
#[derive(Clone, Copy)]
enum Type {
    Integer { bytes: usize, signed: bool },
    Float { bytes: usize },
    Flag,
    Text,
    List,
}

impl Type {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        let before = cursor.clone();
        Ok(match cursor.u32()? {
            0 => Self::Integer { bytes: 1, signed: false },
            1 => Self::Integer { bytes: 1, signed: true },
            2 => Self::Integer { bytes: 2, signed: false },
            3 => Self::Integer { bytes: 2, signed: true },
            4 => Self::Integer { bytes: 4, signed: false },
            5 => Self::Integer { bytes: 4, signed: true },
            6 => Self::Float { bytes: 4 },
            7 => Self::Flag,
            8 => Self::Text,
            9 => Self::List,
            10 => Self::Integer { bytes: 8, signed: false },
            11 => Self::Integer { bytes: 8, signed: true },
            12 => Self::Float { bytes: 8 },
            other => return Err(before.damage(format!("there is no type of values {other}"))),
        })
    }

    /// What a value takes at least.
    fn least_bytes(self) -> usize {
        match self {
            Self::Integer { bytes, .. } | Self::Float { bytes } => bytes,
            Self::Flag => 1,
            // Their lengths.
            Self::Text => 8,
            Self::List => 12,
        }
    }
}

impl Value {
    /// Reads a value after its type.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, Damage> {
        Ok(match Type::read(cursor)? {
            Type::Integer { bytes, signed } => Self::Integer(integer(cursor, bytes, signed)?),
            Type::Float { bytes } => Self::Float(float(cursor, bytes)?),
            Type::Flag => Self::Flag(flag(cursor)?),
            Type::Text => Self::Text(cursor.text()?.to_owned()),
            Type::List => Self::List(List::read(cursor, 1)?),
        })
    }

    /// What it is, in a message.
    pub(super) fn brief(&self) -> String {
        match self {
            Self::Integer(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
            Self::Text(text) => match text.char_indices().nth(80) {
                Some((cut, _)) => format!("{:?}…", &text[..cut]),
                None => format!("{text:?}"),
            },
            Self::List(list) => format!("a list of {}", list.len()),
        }
    }
}

impl List {
    fn read(cursor: &mut Cursor<'_>, depth: usize) -> Result<Self, Damage> {
        if depth > MOST_DEPTH {
            return Err(cursor.damage("lists within lists within lists without end"));
        }
        let of = Type::read(cursor)?;
        let count = cursor.count("values of a list", of.least_bytes())?;
        Ok(match of {
            Type::Integer { bytes, signed } => {
                Self::Integers(many(count, || integer(cursor, bytes, signed))?)
            }
            Type::Float { bytes } => Self::Floats(many(count, || float(cursor, bytes))?),
            Type::Flag => Self::Flags(many(count, || flag(cursor))?),
            Type::Text => Self::Texts(many(count, || cursor.text().map(str::to_owned))?),
            Type::List => Self::Lists(many(count, || Self::read(cursor, depth + 1))?),
        })
    }
}

fn many<T>(count: usize, read: impl FnMut() -> Result<T, Damage>) -> Result<Vec<T>, Damage> {
    std::iter::repeat_with(read).take(count).collect()
}

fn integer(cursor: &mut Cursor<'_>, bytes: usize, signed: bool) -> Result<i128, Damage> {
    Ok(match (bytes, signed) {
        (1, false) => cursor.array().map(u8::from_le_bytes)?.into(),
        (1, true) => cursor.array().map(i8::from_le_bytes)?.into(),
        (2, false) => cursor.array().map(u16::from_le_bytes)?.into(),
        (2, true) => cursor.array().map(i16::from_le_bytes)?.into(),
        (4, false) => cursor.u32()?.into(),
        (4, true) => cursor.array().map(i32::from_le_bytes)?.into(),
        (_, false) => cursor.u64()?.into(),
        (_, true) => cursor.array().map(i64::from_le_bytes)?.into(),
    })
}

fn float(cursor: &mut Cursor<'_>, bytes: usize) -> Result<f64, Damage> {
    match bytes {
        4 => Ok(cursor.array().map(f32::from_le_bytes)?.into()),
        _ => cursor.array().map(f64::from_le_bytes),
    }
}

fn flag(cursor: &mut Cursor<'_>) -> Result<bool, Damage> {
    let before = cursor.clone();
    match cursor.array()? {
        [0] => Ok(false),
        [1] => Ok(true),
        [other] => Err(before.damage(format!("{other} where true is 1 and false is 0"))),
    }
}

/// What a value can be read as.
pub trait FromValue<'a>: Sized {
    /// What is expected, in a message.
    const EXPECTED: &'static str;

    /// The value as this type, if it is one.
    fn from_value(value: &'a Value) -> Option<Self>;
}

// Writers give an empty list any type.
macro_rules! from_value {
    ($type:ty, $expected:literal, $($pattern:pat $(if $guard:expr)? => $result:expr),+) => {
        impl<'a> FromValue<'a> for $type {
            const EXPECTED: &'static str = $expected;

            fn from_value(value: &'a Value) -> Option<Self> {
                match value {
                    $($pattern $(if $guard)? => $result,)+
                    _ => None,
                }
            }
        }
    };
}

from_value!(bool, "true or false", Value::Flag(flag) => Some(*flag));
from_value!(&'a str, "text", Value::Text(text) => Some(text));
from_value!(u32, "a whole number of up to 32 bits", Value::Integer(number) => (*number).try_into().ok());
from_value!(usize, "a whole number", Value::Integer(number) => (*number).try_into().ok());
from_value!(
    f64, "a number",
    Value::Float(number) => Some(*number),
    Value::Integer(number) => Some(*number as f64)
);
from_value!(
    &'a [String], "a list of texts",
    Value::List(List::Texts(list)) => Some(list),
    Value::List(list) if list.is_empty() => Some(&[])
);
from_value!(
    &'a [i128], "a list of whole numbers",
    Value::List(List::Integers(list)) => Some(list),
    Value::List(list) if list.is_empty() => Some(&[])
);
from_value!(
    &'a [f64], "a list of numbers",
    Value::List(List::Floats(list)) => Some(list),
    Value::List(list) if list.is_empty() => Some(&[])
);
from_value!(
    &'a [bool], "a list of true and false",
    Value::List(List::Flags(list)) => Some(list),
    Value::List(list) if list.is_empty() => Some(&[])
);
