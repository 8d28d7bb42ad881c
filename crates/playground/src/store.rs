//! What the browser keeps between visits. Storage may be switched off or full: then nothing is kept.

use gloo::storage::{LocalStorage, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The scenario last worked on, as JSON.
pub(crate) const SCENARIO: &str = "teeter.scenario";
/// The theme.
pub(crate) const THEME: &str = "teeter.theme";

/// Reads what was kept under a name.
pub(crate) fn load<T: DeserializeOwned>(name: &str) -> Option<T> {
    LocalStorage::get(name).ok()
}

/// Keeps a value under a name, if the browser does.
pub(crate) fn save<T: Serialize>(name: &str, value: &T) {
    let _ = LocalStorage::set(name, value);
}
