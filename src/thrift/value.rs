//! Numeric terms and their lexical forms.

use super::compact::{Cursor, Field, Read, kind};
use crate::error::ErrorKind;
use crate::term::TermBuf;

const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
const DOUBLE: &str = "http://www.w3.org/2001/XMLSchema#double";
const DECIMAL: &str = "http://www.w3.org/2001/XMLSchema#decimal";

/// Limits the text that a few bytes can become.
const MOST_SCALE: u32 = 1000;

/// Reads `valInteger`.
pub(super) fn integer(cursor: &mut Cursor<'_>, field: &Field<'_>) -> Read<TermBuf> {
    field.expect(kind::I64)?;
    cursor.int64().map(|value| TermBuf::typed_literal(&value.to_string(), INTEGER))
}

/// Reads `valDouble`, in the canonical form of XSD.
pub(super) fn double(cursor: &mut Cursor<'_>, field: &Field<'_>) -> Read<TermBuf> {
    field.expect(kind::DOUBLE)?;
    let value = cursor.double()?;
    let lex = if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "INF" } else { "-INF" }.to_owned()
    } else {
        let short = format!("{value:E}");
        match short.split_once('E') {
            Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0E{exponent}"),
            _ => short,
        }
    };
    Ok(TermBuf::typed_literal(&lex, DOUBLE))
}

/// Reads `valDecimal`: a number, and how many of its digits follow the decimal point.
pub(super) fn decimal<'a>(cursor: &mut Cursor<'a>, field: &Field<'a>) -> Read<TermBuf> {
    field.expect(kind::STRUCT)?;
    let (mut value, mut scale) = (None, None);
    let mut last = 0;
    while let Some(part) = cursor.field(&mut last)? {
        match part.id {
            1 => {
                part.expect(kind::I64)?;
                value = Some(cursor.int64()?);
            }
            2 => {
                part.expect(kind::I32)?;
                scale = Some(cursor.int32()?);
            }
            _ => cursor.skip(&part)?,
        }
    }
    let (Some(value), Some(scale)) = (value, scale) else {
        return Err(field.fault(ErrorKind::WireUnset, "a decimal needs a value and a scale"));
    };
    if scale.unsigned_abs() > MOST_SCALE {
        let message = format!("a decimal has the scale {scale}; the maximum is {MOST_SCALE}");
        return Err(field.fault(ErrorKind::WireTerm, message));
    }
    Ok(TermBuf::typed_literal(&plain_decimal(value, scale), DECIMAL))
}

/// All digits, like Java's `BigDecimal.toPlainString`.
fn plain_decimal(value: i64, scale: i32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = value.unsigned_abs().to_string();
    let places = scale.unsigned_abs() as usize;
    match scale {
        0 => format!("{sign}{digits}"),
        ..0 if value == 0 => "0".to_owned(),
        ..0 => format!("{sign}{digits}{}", "0".repeat(places)),
        _ => {
            let digits = format!("{digits:0>width$}", width = places + 1);
            let (whole, part) = digits.split_at(digits.len() - places);
            format!("{sign}{whole}.{part}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_as_java_prints_them() {
        for (value, scale, text) in [
            (0, 0, "0"),
            (5, 0, "5"),
            (-5, 2, "-0.05"),
            (150, 2, "1.50"),
            (150, 3, "0.150"),
            (-12345, 1, "-1234.5"),
            (7, -3, "7000"),
            (-7, -1, "-70"),
            (0, -3, "0"),
            (0, 2, "0.00"),
            (i64::MIN, 19, "-0.9223372036854775808"),
        ] {
            assert_eq!(plain_decimal(value, scale), text);
        }
    }
}
