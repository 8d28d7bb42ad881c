//! Light, dark, with high contrast, or as the system has it; and the palette canvases draw with.

use std::rc::Rc;

use gloo::events::EventListener;
use serde::{Deserialize, Serialize};
use yew::prelude::*;

use crate::drawing::palette::Palette;
use crate::store;

/// What the system may change its mind about.
const QUERIES: [&str; 3] = [
    "(prefers-color-scheme: dark)",
    "(prefers-contrast: more)",
    "(forced-colors: active)",
];

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
    /// High contrast, light or dark as the system has it.
    Contrast,
}

impl Theme {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Auto, Self::Light, Self::Dark, Self::Contrast];

    /// As the page's root names it.
    pub(crate) fn value(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Contrast => "contrast",
        }
    }

    /// By the name it has in links; what is not known is as the system has it.
    pub(crate) fn from_name(name: &str) -> Self {
        let named = Self::ALL.into_iter().find(|theme| theme.value() == name);
        named.unwrap_or_default()
    }

    /// In words.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Auto => "As the system has it",
            Self::Light => "Light",
            Self::Dark => "Dark",
            Self::Contrast => "High contrast",
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
    /// Takes another choice.
    pub choose: Callback<Theme>,
}

/// Applies the stored theme to the page and follows the system's.
#[hook]
pub(crate) fn use_theme() -> ThemeHandle {
    let theme = use_state(|| store::load(store::THEME).unwrap_or_default());
    let palette = use_palette(*theme);
    let choose = {
        let theme = theme.clone();
        Callback::from(move |choice: Theme| {
            store::save(store::THEME, &choice);
            theme.set(choice);
        })
    };
    ThemeHandle {
        theme: *theme,
        palette,
        choose,
    }
}

/// Applies a theme to the page; its colours, which follow the system's where the theme does.
#[hook]
pub(crate) fn use_palette(theme: Theme) -> Rc<Palette> {
    let palette = use_state(|| Rc::new(Palette::default()));
    let shown = (*palette).clone();
    use_effect_with(theme, move |theme| {
        apply(*theme);
        palette.set(Rc::new(Palette::read()));
        let follow = |query: &str| {
            let query = gloo::utils::window().match_media(query).ok().flatten()?;
            let palette = palette.clone();
            Some(EventListener::new(&query, "change", move |_| {
                palette.set(Rc::new(Palette::read()));
            }))
        };
        let listeners = QUERIES.map(follow);
        move || drop(listeners)
    });
    shown
}

fn apply(theme: Theme) {
    let Some(root) = gloo::utils::document().document_element() else {
        return;
    };
    let _ = match theme {
        Theme::Auto => root.remove_attribute("data-theme"),
        other => root.set_attribute("data-theme", other.value()),
    };
}
