//! The choice of the theme.

use yew::prelude::*;

use super::icon::THEME;
use super::popover::Popover;
use crate::hooks::{Theme, ThemeHandle};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub theme: ThemeHandle,
}

/// The button, and the themes below it.
#[component]
pub(super) fn ThemeChoice(props: &Props) -> Html {
    let chosen = props.theme.theme;
    html! {
        <Popover label={format!("Theme: {}", chosen.label())} icon={THEME} testid="theme">
            <fieldset class="options">
                <legend class="note">{ "Theme" }</legend>
                for theme in Theme::ALL {
                    <label key={theme.value()}>
                        <input type="radio" name="theme" value={theme.value()} checked={theme == chosen} data-testid={format!("theme-{}", theme.value())}
                            onchange={props.theme.choose.reform(move |_: Event| theme)} />
                        { theme.label() }
                    </label>
                }
            </fieldset>
        </Popover>
    }
}
