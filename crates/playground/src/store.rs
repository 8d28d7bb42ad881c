//! What the browser keeps between visits. Storage may be switched off or full: then nothing is kept.

use gloo::storage::{LocalStorage, SessionStorage, Storage};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The theme.
pub(crate) const THEME: &str = "teeter.theme";
/// Whether the first steps were read or put away.
pub(crate) const GUIDED: &str = "teeter.guided";
/// What is typed and not in use.
pub(crate) const DRAFTS: &str = "teeter.drafts";

/// Reads what was kept under a name.
pub(crate) fn load<T: DeserializeOwned>(name: &str) -> Option<T> {
    LocalStorage::get(name).ok()
}

/// Keeps a value under a name, if the browser does.
pub(crate) fn save<T: Serialize>(name: &str, value: &T) {
    let _ = LocalStorage::set(name, value);
}

/// Forgets what was kept under a name.
pub(crate) fn remove(name: &str) {
    LocalStorage::delete(name);
}

/// The names under which something is kept.
pub(crate) fn names() -> Vec<String> {
    let storage = gloo::utils::window().local_storage().ok().flatten();
    storage.map_or_else(Vec::new, |storage| {
        let count = storage.length().unwrap_or(0);
        (0..count)
            .filter_map(|index| storage.key(index).ok().flatten())
            .collect()
    })
}

/// Reads what this tab kept under a name: it outlives a reload and a crash of the tab, and no other tab has it.
pub(crate) fn load_here<T: DeserializeOwned>(name: &str) -> Option<T> {
    SessionStorage::get(name).ok()
}

/// Keeps a value under a name for this tab alone.
pub(crate) fn save_here<T: Serialize>(name: &str, value: &T) {
    let _ = SessionStorage::set(name, value);
}
