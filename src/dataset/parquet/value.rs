//! Values of a parquet file, as Python prints them.

use jiff::{Span, Timestamp, civil::Date, tz::TimeZone};
use parquet::record::{Field, Row};
use serde_json::{Map, Number, Value};

use super::kind::Kind;
use crate::dataset::image_folder::ImageFolder;

/// The cells of a row, or of a record in one; images are kept in the folder.
pub(super) fn record(
    row: &Row,
    columns: &[(String, Kind)],
    images: &ImageFolder,
) -> Result<Map<String, Value>, String> {
    row.get_column_iter()
        .zip(columns)
        .map(|((name, field), (_, kind))| {
            let value =
                value(field, kind, images).map_err(|what| format!("column `{name}` {what}"))?;
            Ok((name.clone(), value))
        })
        .collect()
}

fn value(field: &Field, kind: &Kind, images: &ImageFolder) -> Result<Value, String> {
    let number = |number: f64| {
        let number = Number::from_f64(number);
        number.map(Value::Number).ok_or_else(|| "holds a number that is not finite".to_owned())
    };
    Ok(match (field, kind) {
        (Field::Null, _) => Value::Null,
        (Field::Bool(value), _) => Value::from(*value),
        (Field::Byte(value), _) => Value::from(*value),
        (Field::Short(value), _) => Value::from(*value),
        (Field::Int(value), _) => Value::from(*value),
        (Field::UByte(value), _) => Value::from(*value),
        (Field::UShort(value), _) => Value::from(*value),
        (Field::UInt(value), _) => Value::from(*value),
        (Field::ULong(value), _) => Value::from(*value),
        (Field::Float16(value), _) => number(value.to_f64())?,
        (Field::Float(value), _) => number(f64::from(*value))?,
        (Field::Double(value), _) => number(*value)?,
        (Field::Str(value), _) => Value::from(value.as_str()),
        (Field::Decimal(value), _) => decimal(value.data(), value.scale())?.into(),
        (Field::Date(days), _) => date(*days)?.into(),
        (Field::TimeMillis(time), _) => time_of_day(i64::from(*time) * 1_000_000)?.into(),
        (Field::TimeMicros(time), _) => time_of_day(time.saturating_mul(1000))?.into(),
        (Field::Long(time), Kind::Nanoseconds) => time_of_day(*time)?.into(),
        (
            Field::TimestampMillis(since) | Field::TimestampMicros(since) | Field::Long(since),
            Kind::Moment { per_second, is_utc },
        ) => moment(*since, *per_second, *is_utc)?.into(),
        (Field::Long(value), _) => Value::from(*value),
        (Field::Group(row), Kind::Record(fields)) => Value::Object(record(row, fields, images)?),
        (Field::Group(row), Kind::Image) => image(row, images)?,
        (Field::Bytes(own), Kind::Bytes) => {
            let address = images.of_bytes(own.data());
            address.map_err(|what| format!("{what}; leave it out of the file"))?.into()
        }
        (Field::ListInternal(list), Kind::List(item)) => {
            let items = list.elements().iter();
            items.map(|field| value(field, item, images)).collect::<Result<_, _>>()?
        }
        _ => return Err("does not hold what its type says".to_owned()),
    })
}

/// The address of an image: of its bytes where it has some, else of the file at its path; null where it has neither.
fn image(row: &Row, images: &ImageFolder) -> Result<Value, String> {
    let (mut bytes, mut path) = (None, None);
    for (name, field) in row.get_column_iter() {
        match (name.as_str(), field) {
            ("bytes", Field::Bytes(own)) => bytes = Some(own.data()),
            ("path", Field::Str(own)) => path = Some(own.as_str()),
            (_, Field::Null) => {}
            _ => return Err("does not hold what its type says".to_owned()),
        }
    }
    match (bytes, path) {
        (Some(bytes), _) => images.of_bytes(bytes).map(Value::from),
        (None, Some(path)) => images.of_text(path).map(Value::from),
        (None, None) => Ok(Value::Null),
    }
}

/// A decimal as Python writes it: all its places, `1.50`.
fn decimal(bytes: &[u8], scale: i32) -> Result<String, String> {
    let is_negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    if bytes.len() > size_of::<i128>() {
        return Err("holds decimals of more than 38 digits".to_owned());
    }
    let fill = if is_negative { u8::MAX } else { 0 };
    let mut wide = [fill; size_of::<i128>()];
    for (to, from) in wide.iter_mut().rev().zip(bytes.iter().rev()) {
        *to = *from;
    }
    let places = usize::try_from(scale).unwrap_or(0).min(64);
    let digits =
        format!("{:0>width$}", i128::from_be_bytes(wide).unsigned_abs(), width = places + 1);
    let (integer, fraction) = digits.split_at(digits.len() - places);
    let sign = if is_negative { "-" } else { "" };
    let point = if places > 0 { "." } else { "" };
    Ok(format!("{sign}{integer}{point}{fraction}"))
}

fn date(days: i32) -> Result<String, String> {
    let epoch = Date::constant(1970, 1, 1);
    let date = epoch.checked_add(Span::new().try_days(days).map_err(|_| beyond())?);
    date.map(|date| date.to_string()).map_err(|_| beyond())
}

fn beyond() -> String {
    "holds a date or time out of range".to_owned()
}

/// A time as Python's `datetime.time` writes it.
fn time_of_day(nanoseconds: i64) -> Result<String, String> {
    let day = 86_400_000_000_000;
    if !(0..day).contains(&nanoseconds) {
        return Err(beyond());
    }
    let seconds = nanoseconds / 1_000_000_000;
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Ok(clock + &fraction(nanoseconds % 1_000_000_000))
}

/// A moment as Python's `datetime.datetime` writes it.
fn moment(since: i64, per_second: i64, is_utc: bool) -> Result<String, String> {
    let nanoseconds = i128::from(since) * i128::from(1_000_000_000 / per_second);
    let moment = Timestamp::from_nanosecond(nanoseconds).map_err(|_| beyond())?;
    let moment = moment.to_zoned(TimeZone::UTC).datetime();
    let zone = if is_utc { "+00:00" } else { "" };
    let text = moment.strftime("%Y-%m-%d %H:%M:%S").to_string();
    Ok(text + &fraction(moment.subsec_nanosecond().into()) + zone)
}

/// Nothing, six digits, or nine if six are not enough.
fn fraction(nanoseconds: i64) -> String {
    match nanoseconds {
        0 => String::new(),
        whole if whole % 1000 == 0 => format!(".{:06}", whole / 1000),
        rest => format!(".{rest:09}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_python_prints_them() {
        assert_eq!(decimal(&[0x00, 0x96], 2).as_deref(), Ok("1.50"));
        assert_eq!(decimal(&[0xff], 2).as_deref(), Ok("-0.01"));
        assert_eq!(decimal(&[7], 0).as_deref(), Ok("7"));
        assert!(decimal(&[1; 17], 0).is_err());
        assert_eq!(date(-1).as_deref(), Ok("1969-12-31"));
        assert!(date(i32::MAX).is_err());
        assert_eq!(time_of_day(3_723_000_001_000).as_deref(), Ok("01:02:03.000001"));
        assert!(time_of_day(-1).is_err());
        assert_eq!(moment(1_500, 1000, true).as_deref(), Ok("1970-01-01 00:00:01.500000+00:00"));
        assert_eq!(
            moment(-1, 1_000_000_000, false).as_deref(),
            Ok("1969-12-31 23:59:59.999999999")
        );
        assert!(moment(i64::MAX, 1000, false).is_err());
    }
}
