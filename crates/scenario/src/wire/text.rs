//! Values that are written as text: the same in every version of the format.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::{Serialize, Serializer};

use crate::document::{Bandwidth, SettingValue};
use crate::{Bytes, CpuList, Nanos};

/// Writes a type by its `Display` and reads it by its `FromStr`.
macro_rules! as_text {
    ($type:ident, $expecting:literal, $pattern:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Text;

                impl Visitor<'_> for Text {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(Text)
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": $expecting, "pattern": $pattern })
            }
        }
    };
}

as_text!(
    Nanos,
    "a time with its unit (ns, us, ms, s), such as \"15ms\"",
    r"^[0-9]+(\.[0-9]+)?(ns|us|ms|s)$"
);
as_text!(
    Bytes,
    "a size with its unit (B, KB, MB, GB, TB), such as \"32MB\"",
    r"^[0-9]+(\.[0-9]+)?(B|KB|MB|GB|TB)$"
);
as_text!(
    CpuList,
    "a list of numbers and ranges, such as \"0-3,8\"",
    r"^[0-9,:/ -]*$"
);
as_text!(
    Bandwidth,
    "a cpu.max in microseconds, such as \"50000 100000\" or \"max 100000\"",
    r"^(max|[0-9]+)( +[0-9]+)?$"
);

impl Serialize for SettingValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Bool(on) => serializer.serialize_bool(*on),
            Self::Time(_) | Self::Size(_) | Self::Text(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for SettingValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Setting;

        impl Visitor<'_> for Setting {
            type Value = SettingValue;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, true, false, or a text such as \"500us\"")
            }

            fn visit_bool<E: Error>(self, on: bool) -> Result<SettingValue, E> {
                Ok(SettingValue::Bool(on))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<SettingValue, E> {
                Ok(SettingValue::Int(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<SettingValue, E> {
                i64::try_from(number)
                    .map(SettingValue::Int)
                    .map_err(|_too_large| E::custom(format!("{number} is too large")))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<SettingValue, E> {
                Ok(SettingValue::from_text(text))
            }
        }

        deserializer.deserialize_any(Setting)
    }
}

impl JsonSchema for SettingValue {
    fn schema_name() -> Cow<'static, str> {
        "SettingValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["integer", "boolean", "string"] })
    }
}
