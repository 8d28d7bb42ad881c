//! The playground: a page that edits a scenario and shows what becomes of it, and the worker that runs it.
//!
//! * [`state`] and [`edit`]: the scenario on the desk, with undo. Pure.
//! * [`player`]: the workers, one a kernel, kept in step by [`pace`]; [`recording`] is what they reported.
//! * [`knobs`] are what can be set of kernels, [`parts`] the machine as it is drawn, [`workload_form`] and [`script_form`]
//!   tasks and script entries as text, [`pieces`] and [`intake`] what is copied, pasted and dropped, [`drafts`] what is typed and not in use. Pure.
//! * [`decision_log`] is what is kept of decisions, [`why`] tells one in a sentence.
//! * [`protocol`]: what page and worker say; [`engine`] is the worker's side, [`runner`] the page's.
//! * [`timeline`] is CPUs (or threads) over time: what lies where, pure.
//! * [`embedded`]: how the page looks within another one, and what both say to each other. Pure.
//! * [`drawing`] paints the machine, [`chart`] draws charts with plotters, [`components`] are the page's parts.
//!
//! Only the worker's program holds the engine: the page reaches it through the protocol alone.

pub mod address;
pub mod chart;
mod clipboard;
pub mod components;
pub mod decision_log;
pub mod drafts;
pub mod drawing;
pub mod edit;
pub mod embedded;
pub mod engine;
pub mod examples;
pub mod format;
pub mod glossary;
mod hooks;
pub mod intake;
pub mod json_place;
pub mod kernel_sources;
pub mod knobs;
pub mod own_rule;
pub mod pace;
pub mod parts;
pub mod phases;
pub mod pieces;
pub mod player;
pub mod protocol;
pub mod recording;
mod runner;
pub mod script_form;
mod slot;
pub mod spot;
pub mod start;
pub mod state;
mod store;
pub mod timeline;
pub mod why;
pub mod work;
pub mod workload_form;
