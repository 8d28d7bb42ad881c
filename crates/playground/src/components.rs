//! The page's parts, one a file.

mod app;
mod chart_figure;
mod choice;
mod comparison;
mod decisions_panel;
mod field;
mod icon;
mod json_panel;
mod kernel;
mod kernel_panel;
mod left;
mod machine;
mod machine_panel;
mod machine_table;
mod machine_view;
mod machines;
mod notice;
mod script_panel;
mod share;
mod steps;
mod tabs;
mod tasks;
mod tasks_panel;
mod term;
mod threads_chart;
mod throughput_chart;
mod time_bar;
mod tooltip;
mod top_bar;

pub use app::App;
