//! serde's complaints in Python's words: "expected a list, found str 'abc'".

use serde::de;

use super::{
    did_you_mean::nearest,
    error::{ConfigError, ValueError},
    print,
};

impl de::Error for ConfigError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Value(Box::new(ValueError { message: message.to_string(), ..ValueError::default() }))
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let expected = in_python(&expected.to_string());
        Self::custom(format!("expected {expected}, found {}", found_in_python(found)))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        not_one_of("field", field, expected)
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        not_one_of("value", variant, expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::custom(format!("this dict needs a `{field}`"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::custom(format!("`{field}` is given twice, once under another name"))
    }
}

fn not_one_of(kind: &str, name: &str, known: &'static [&'static str]) -> ConfigError {
    let error: ConfigError = de::Error::custom(format!("unknown {kind} '{name}'"));
    match nearest(name, known.iter().copied()) {
        Some(near) => error.with_hint(format!("did you mean '{near}'?")),
        None if known.is_empty() => error.with_hint("none can be given here"),
        None => error.with_hint(format!("known: {}", known.join(", "))),
    }
}

/// serde names what it expects in Rust's words.
fn in_python(expected: &str) -> String {
    match expected {
        "a sequence" => "a list",
        "a string" | "string" => "a str",
        "a boolean" => "a bool",
        "a map" => "a dict",
        "f32" | "f64" => "a float",
        "u64" | "usize" => "an int that is not negative",
        "i8" | "i16" | "i32" | "i64" | "isize" => "an int",
        "u8" => "an int from 0 to 255",
        "u16" => "an int from 0 to 65535",
        "u32" => "an int from 0 to 4294967295",
        "a nonzero usize" | "a nonzero u64" | "a nonzero u32" => "an int of 1 or more",
        other if other.starts_with("struct ") => "a dict",
        other => other,
    }
    .to_owned()
}

fn found_in_python(found: de::Unexpected<'_>) -> String {
    match found {
        de::Unexpected::Bool(flag) => format!("bool {}", if flag { "True" } else { "False" }),
        de::Unexpected::Signed(number) => format!("int {number}"),
        de::Unexpected::Unsigned(number) => format!("int {number}"),
        de::Unexpected::Float(number) => format!("float {}", print::float(number)),
        de::Unexpected::Str(text) => format!("str '{text}'"),
        de::Unexpected::Unit | de::Unexpected::Option => "None".to_owned(),
        de::Unexpected::Seq => "a list".to_owned(),
        de::Unexpected::Map => "a dict".to_owned(),
        other => other.to_string(),
    }
}
