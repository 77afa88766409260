//! Lengths of time as people write them in target and policy files (`500ms`, `24h`, `7d`).
//! It must not know what a length is used for.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Placed;

/// A length of time, written in TOML as text such as `"100us"`, `"500ms"`, `"30s"`, `"24h"` or `"7d"`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Length(pub Duration);

impl Length {
    /// A length of whole seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// A length of whole milliseconds.
    #[must_use]
    pub const fn millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }
}

impl std::str::FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!(
                "`{text}` is not a length of time; write a number and a unit, such as `500ms`, `30s`, `24h` or `7d`"
            )
        };
        let span: jiff::Span = text.trim().parse().map_err(|_| wrong())?;
        let days = jiff::SpanRelativeTo::days_are_24_hours();
        let signed = span.to_duration(days).map_err(|_| wrong())?;
        Duration::try_from(signed).map(Self).map_err(|_| wrong())
    }
}

impl TryFrom<String> for Length {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Length> for String {
    fn from(length: Length) -> Self {
        length.to_string()
    }
}

impl fmt::Display for Length {
    /// Writes the length in the largest unit that holds it whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_micros();
        const UNITS: [(u128, &str); 5] = [
            (86_400_000_000, "d"),
            (3_600_000_000, "h"),
            (60_000_000, "m"),
            (1_000_000, "s"),
            (1_000, "ms"),
        ];
        for (size, unit) in UNITS {
            // 24h stays 24h: providers speak of hours up to three days
            let keeps_hours = unit == "d" && micros < 3 * size;
            if micros >= size && micros.is_multiple_of(size) && !keeps_hours {
                return write!(f, "{}{unit}", micros / size);
            }
        }
        write!(f, "{micros}us")
    }
}

/// Reads a length that must be more than nothing.
///
/// # Errors
/// Where it is no length, or zero.
pub fn some_time<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Length>, D::Error> {
    let length = Option::<Length>::deserialize(deserializer)?;
    match length {
        Some(length) if length.0.is_zero() => Err(serde::de::Error::custom(NO_TIME)),
        length => Ok(length),
    }
}

/// As [`some_time`], with its place.
///
/// # Errors
/// Where it is no length, or zero.
pub fn some_time_placed<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Placed<Length>>, D::Error> {
    let length = Option::<Placed<Length>>::deserialize(deserializer)?;
    match length {
        Some(length) if length.value.0.is_zero() => Err(serde::de::Error::custom(NO_TIME)),
        length => Ok(length),
    }
}

/// What is wrong, and what helps.
const NO_TIME: &str = "no time at all means nothing here; write a length of more than 0, such as `30s`, or leave it out";

#[cfg(test)]
mod tests {
    use super::Length;

    #[test]
    fn lengths_read_back_as_they_are_written() {
        for text in ["100us", "500ms", "30s", "90s", "24h", "7d", "5m"] {
            let length: Length = text.parse().unwrap();
            let written = length.to_string();
            assert_eq!(
                written.parse::<Length>().unwrap(),
                length,
                "{text} came back as {written}"
            );
        }
        assert_eq!("24h".parse::<Length>().unwrap().to_string(), "24h");
        assert_eq!("7d".parse::<Length>().unwrap().to_string(), "7d");
    }

    #[test]
    fn what_is_no_length_says_how_to_write_one() {
        for text in ["", "10", "ten seconds", "-5s", "1 month"] {
            let error = text.parse::<Length>().unwrap_err();
            assert!(error.contains("30s"), "{text:?}: {error}");
        }
    }
}
