//! The page's parts, one a file.

mod app;
mod chart_figure;
mod choice;
mod comparison;
mod field;
mod icon;
mod kernel;
mod kernel_panel;
mod left;
mod machine_panel;
mod machine_table;
mod machine_view;
mod machines;
mod notice;
mod script_panel;
mod share;
mod tabs;
mod tasks_panel;
mod term;
mod threads_chart;
mod throughput_chart;
mod tooltip;
mod top_bar;

pub use app::App;
