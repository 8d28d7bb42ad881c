//! What a CPU does, beside the pointer.

use yew::prelude::*;

use crate::format;
use crate::recording::Recording;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Lines, the first of them the heading.
    pub lines: Vec<String>,
    /// Where the pointer is, in the stage.
    pub at: (f64, f64),
    /// How wide the stage is.
    pub width: f64,
}

/// The tooltip; it keeps inside the stage.
#[component]
pub(super) fn Tooltip(props: &Props) -> Html {
    let (x, y) = props.at;
    let side = if x > props.width / 2.0 {
        format!("right:{}px", props.width - x + 12.0)
    } else {
        format!("left:{}px", x + 14.0)
    };
    let mut lines = props.lines.iter();
    html! {
        <div class="tooltip" style={format!("{side};top:{}px", y + 12.0)} aria-hidden="true">
            <strong>{ lines.next().cloned() }</strong>
            for (index, line) in lines.enumerate() {
                <div key={index}>{ line }</div>
            }
        </div>
    }
}

/// The lines for one CPU.
pub(super) fn about_cpu(recording: &Recording, cpu: usize, place: &str) -> Vec<String> {
    let cpus = &recording.cpus;
    let named = |threads: &[u32]| {
        let names: Vec<_> = threads
            .iter()
            .take(6)
            .map(|thread| recording.thread_name(*thread))
            .collect();
        let more = threads.len().saturating_sub(6);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        names.join(", ") + &rest
    };
    let polling = if cpus.spinning.get(cpu) == Some(&1) {
        ", polling"
    } else {
        ""
    };
    let running = match cpus.running(cpu) {
        Some(thread) => format!("runs {}{polling}", recording.thread_name(thread)),
        None if recording.is_starving(cpu) => "idle, though a task waits elsewhere".to_owned(),
        None => "idle".to_owned(),
    };
    let waiting = cpus.waiting(cpu);
    let mut lines = vec![format!("CPU {cpu} ({place})"), running];
    if !waiting.is_empty() {
        lines.push(format!("waiting: {}", named(waiting)));
    }
    let column = |column: &[u32]| column.get(cpu).map_or(0, |value| u64::from(*value));
    lines.push(format!(
        "load {} · util {} of 1024",
        format::count(column(&cpus.load)),
        format::count(column(&cpus.util))
    ));
    lines
}
