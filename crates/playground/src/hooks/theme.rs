//! Light, dark, or as the system has it; and the palette canvases draw with.

use std::rc::Rc;

use gloo::events::EventListener;
use serde::{Deserialize, Serialize};
use yew::prelude::*;

use crate::drawing::palette::Palette;
use crate::store;

/// The visitor's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The choice after this one.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Auto => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::Auto,
        }
    }

    /// In words.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Auto => "theme as the system's",
            Self::Light => "light theme",
            Self::Dark => "dark theme",
        }
    }
}

/// The theme, its colours, and how to change it.
#[derive(Clone, PartialEq)]
pub(crate) struct ThemeHandle {
    /// The choice.
    pub theme: Theme,
    /// What the choice looks like now.
    pub palette: Rc<Palette>,
    /// Takes the next choice.
    pub next: Callback<()>,
}

/// Applies the stored theme to the page and follows the system's.
#[hook]
pub(crate) fn use_theme() -> ThemeHandle {
    let theme = use_state(|| store::load(store::THEME).unwrap_or_default());
    let palette = use_state(|| Rc::new(Palette::default()));
    {
        let palette = palette.clone();
        use_effect_with(*theme, move |theme| {
            apply(*theme);
            palette.set(Rc::new(Palette::read()));
            let query = gloo::utils::window()
                .match_media("(prefers-color-scheme: dark)")
                .ok()
                .flatten();
            let listener = query.map(|query| {
                EventListener::new(&query, "change", move |_| {
                    palette.set(Rc::new(Palette::read()));
                })
            });
            move || drop(listener)
        });
    }
    let next = {
        let theme = theme.clone();
        Callback::from(move |()| {
            let next = theme.next();
            store::save(store::THEME, &next);
            theme.set(next);
        })
    };
    ThemeHandle {
        theme: *theme,
        palette: (*palette).clone(),
        next,
    }
}

fn apply(theme: Theme) {
    let Some(root) = gloo::utils::document().document_element() else {
        return;
    };
    let _ = match theme {
        Theme::Auto => root.remove_attribute("data-theme"),
        Theme::Light => root.set_attribute("data-theme", "light"),
        Theme::Dark => root.set_attribute("data-theme", "dark"),
    };
}
