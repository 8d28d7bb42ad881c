//! Hooks of the page.

mod animation_frame;
mod draft;
mod focus_on;
mod host;
mod intake;
mod pan_zoom;
mod press_outside;
mod resize;
mod theme;
mod visible;
mod window_event;

pub(crate) use animation_frame::use_animation_frame;
pub(crate) use draft::{DraftBook, use_draft};
pub(crate) use focus_on::use_focus_on;
pub(crate) use host::{Host, use_host};
pub(crate) use intake::use_intake;
pub(crate) use pan_zoom::{
    Grip, Lasso, PanZoom, SLOP, Sight, on_stage, size_of, use_pan_zoom, use_sight,
};
pub(crate) use press_outside::use_press_outside;
pub(crate) use resize::use_resize;
pub(crate) use theme::{Theme, ThemeHandle, use_palette, use_theme};
pub(crate) use visible::use_visible;
pub(crate) use window_event::use_window_event;
