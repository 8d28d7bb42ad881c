//! The machine as a picture: where each part lies ([`layout`]), its colours ([`palette`]) and how it is
//! painted ([`paint`]).

pub mod layout;
pub mod paint;
pub mod palette;
