//! The few icons, as strokes on a 16 by 16 grid.

use yew::prelude::*;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// The strokes, as an SVG path.
    pub path: &'static str,
}

pub(super) const UNDO: &str = "M6 3 2.5 6.5 6 10M3 6.5h6.5a4 4 0 0 1 0 8H7";
pub(super) const REDO: &str = "M10 3l3.5 3.5L10 10M13 6.5H6.5a4 4 0 0 0 0 8H9";
pub(super) const PLAY: &str = "M5 3.2v9.6L12.5 8Z";
pub(super) const PAUSE: &str = "M5.5 3.5v9M10.5 3.5v9";
pub(super) const RESTART: &str = "M3 3v4h4M3.4 7A5.2 5.2 0 1 1 3 9.5";
pub(super) const LINK: &str = "M6.5 9.5a2.7 2.7 0 0 0 4 .2l2-2a2.7 2.7 0 0 0-3.8-3.8L7.6 5M9.5 6.5a2.7 2.7 0 0 0-4-.2l-2 2a2.7 2.7 0 0 0 3.8 3.8L8.4 11";
pub(super) const THEME: &str = "M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11";
pub(super) const EXAMPLES: &str =
    "M2.5 2.5h4.5v4.5h-4.5ZM9 2.5h4.5v4.5h-4.5ZM2.5 9h4.5v4.5h-4.5ZM9 9h4.5v4.5h-4.5Z";
pub(super) const HELP: &str = "M5.5 6a2.5 2.5 0 1 1 3.7 2.2C8.4 8.7 8 9 8 10M8 12.5v.01";
pub(super) const OPEN: &str = "M9 3h4v4M13 3 7.5 8.5M11 9.5V13H3V5h3.5";
pub(super) const CLOSE: &str = "M4 4l8 8M12 4l-8 8";

pub(super) const GRIP: &str = "M6 4v.01M10 4v.01M6 8v.01M10 8v.01M6 12v.01M10 12v.01";
pub(super) const COPY: &str = "M6 6h7v7H6ZM10 6V3H3v7h3";
pub(super) const UP: &str = "M4 10l4-4 4 4";
pub(super) const DOWN: &str = "M4 6l4 4 4-4";

/// An icon; what it means is said by the control around it.
#[component]
pub(super) fn Icon(props: &Props) -> Html {
    html! {
        <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5"
            stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d={props.path} />
        </svg>
    }
}
