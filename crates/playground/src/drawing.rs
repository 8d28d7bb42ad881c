//! The machine as a picture: where each part lies ([`arrangement`], [`layout`] of what runs, [`plan`] of what is
//! edited), what of it is in sight ([`view`]), its colours ([`palette`]) and how it is painted ([`paint`]).

pub mod arrangement;
pub mod layout;
pub mod paint;
pub mod palette;
pub mod plan;
pub mod rect;
pub mod view;
