//! What the columns of a parquet file hold, read off its schema.

use parquet::{
    basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical},
    schema::types::Type,
};

use super::whole;
use crate::dataset::source::Problem;

/// Deepest nesting of lists and records.
const DEEPEST: usize = 32;

/// What a column holds, beyond what its values tell.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Numbers, text and truth values as they are.
    Plain,
    /// Moments since 1970, so many of these a second, in UTC or without a zone.
    Moment {
        per_second: i64,
        is_utc: bool,
    },
    /// Time of day in nanoseconds.
    Nanoseconds,
    List(Box<Kind>),
    /// Fields in the order of the schema.
    Record(Vec<(String, Kind)>),
    /// Bytes of an image or the path of one, as the `Image` of Hugging Face's `datasets` has them.
    Image,
    /// Bytes that have to be an image's.
    Bytes,
}

/// The kinds of a group's fields.
pub(super) fn fields(group: &Type, depth: usize) -> Result<Vec<(String, Kind)>, Problem> {
    if depth > DEEPEST {
        return Err(whole("the columns are nested too deep"));
    }
    group
        .get_fields()
        .iter()
        .map(|field| Ok((field.name().to_owned(), kind(field, depth)?)))
        .collect()
}

fn kind(column: &Type, depth: usize) -> Result<Kind, Problem> {
    let refused = |what: &str| {
        let name = column.name();
        Err(whole(&format!(
            "column `{name}` holds {what}, which no prompt can hold; leave it out of the file"
        )))
    };
    let info = column.get_basic_info();
    let repeated = info.has_repetition() && info.repetition() == Repetition::REPEATED;
    let (converted, logical) = (info.converted_type(), info.logical_type_ref());
    if column.is_primitive() {
        let kind = match primitive(column, converted, logical) {
            Ok(kind) => kind,
            Err(what) => return refused(what),
        };
        return Ok(if repeated { Kind::List(Box::new(kind)) } else { kind });
    }
    match converted {
        ConvertedType::LIST => {
            // The standard's three levels; older writers leave one out.
            let [list] = column.get_fields() else { return refused("a list of an unknown shape") };
            let list_info = list.get_basic_info();
            if !list_info.has_repetition() || list_info.repetition() != Repetition::REPEATED {
                return refused("a list of an unknown shape");
            }
            if list.is_primitive() {
                let Kind::List(item) = kind(list, depth + 1)? else {
                    return refused("a list of an unknown shape");
                };
                return Ok(Kind::List(item));
            }
            match list.get_fields() {
                [item]
                    if list.name() != "array"
                        && list.name() != format!("{}_tuple", column.name()) =>
                {
                    Ok(Kind::List(Box::new(kind(item, depth + 1)?)))
                }
                _ => refused("a list in the way of an old writer"),
            }
        }
        ConvertedType::NONE => {
            let record = if is_image(column) {
                Kind::Image
            } else {
                Kind::Record(fields(column, depth + 1)?)
            };
            Ok(if repeated { Kind::List(Box::new(record)) } else { record })
        }
        ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE => refused("maps"),
        _ => refused("groups of an unknown kind"),
    }
}

/// Whether a group holds nothing but `bytes` and a `path`. Where no row has one of them, pandas gives it no type.
fn is_image(group: &Type) -> bool {
    let is_untyped =
        |field: &Type| field.get_basic_info().logical_type_ref() == Some(&LogicalType::Unknown);
    let is_field = |field: &Type, name: &str, converted: ConvertedType| {
        field.is_primitive()
            && field.name() == name
            && (is_untyped(field)
                || (field.get_physical_type() == Physical::BYTE_ARRAY
                    && field.get_basic_info().converted_type() == converted))
    };
    let is_bytes = |field: &Type| is_field(field, "bytes", ConvertedType::NONE);
    let is_path = |field: &Type| is_field(field, "path", ConvertedType::UTF8);
    match group.get_fields() {
        [only] => is_bytes(only),
        [one, other] => (is_bytes(one) && is_path(other)) || (is_path(one) && is_bytes(other)),
        _ => false,
    }
}

/// The kind of a single value, or a word for what cannot be shown.
fn primitive(
    column: &Type,
    converted: ConvertedType,
    logical: Option<&LogicalType>,
) -> Result<Kind, &'static str> {
    use ConvertedType as C;
    let moment = |per_second| {
        let is_utc = match logical {
            Some(LogicalType::Timestamp(kind)) => kind.is_adjusted_to_u_t_c,
            _ => false,
        };
        Ok(Kind::Moment { per_second, is_utc })
    };
    match (column.get_physical_type(), converted) {
        (Physical::BOOLEAN | Physical::FLOAT | Physical::DOUBLE, C::NONE)
        | (
            Physical::INT32,
            C::NONE
            | C::INT_8
            | C::INT_16
            | C::INT_32
            | C::UINT_8
            | C::UINT_16
            | C::UINT_32
            | C::DATE
            | C::TIME_MILLIS
            | C::DECIMAL,
        )
        | (Physical::INT64, C::INT_64 | C::UINT_64 | C::TIME_MICROS | C::DECIMAL)
        | (Physical::BYTE_ARRAY, C::UTF8 | C::ENUM | C::JSON | C::DECIMAL)
        | (Physical::FIXED_LEN_BYTE_ARRAY, C::DECIMAL) => Ok(Kind::Plain),
        (Physical::INT64, C::NONE) => match logical {
            Some(LogicalType::Timestamp(kind)) if matches!(kind.unit, TimeUnit::NANOS) => {
                moment(1_000_000_000)
            }
            Some(LogicalType::Time(_)) => Ok(Kind::Nanoseconds),
            _ => Ok(Kind::Plain),
        },
        (Physical::INT64, C::TIMESTAMP_MICROS) => moment(1_000_000),
        (Physical::INT64, C::TIMESTAMP_MILLIS) | (Physical::INT96, C::NONE) => moment(1000),
        (Physical::FIXED_LEN_BYTE_ARRAY, C::NONE) if logical == Some(&LogicalType::Float16) => {
            Ok(Kind::Plain)
        }
        (Physical::BYTE_ARRAY, C::NONE) => Ok(Kind::Bytes),
        (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, C::NONE | C::BSON) => Err("bytes"),
        _ => Err("values of an unknown type"),
    }
}
