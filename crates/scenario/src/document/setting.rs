//! The value of a tunable.

use std::fmt;

use crate::{Bytes, Nanos};

/// The value of a tunable or of a parameter of the hardware model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A number, such as an `imbalance_pct`.
    Int(i64),
    /// On or off, such as a feature.
    Bool(bool),
    /// A time, such as `migration_cost`.
    Time(Nanos),
    /// A size.
    Size(Bytes),
    /// Any other text.
    Text(String),
}

impl SettingValue {
    /// The value a text stands for: a time or a size if it reads as one.
    pub fn from_text(text: impl Into<String>) -> Self {
        let text = text.into();
        if let Ok(time) = text.parse::<Nanos>() {
            Self::Time(time)
        } else if let Ok(size) = text.parse::<Bytes>() {
            Self::Size(size)
        } else {
            Self::Text(text)
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Bool(on) => write!(f, "{on}"),
            Self::Time(time) => write!(f, "{time}"),
            Self::Size(size) => write!(f, "{size}"),
            Self::Text(text) => write!(f, "{text}"),
        }
    }
}
