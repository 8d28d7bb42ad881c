//! The machine as a table: what the picture shows, for reading and for screen readers.

use teeter_machine::Topology;
use yew::prelude::*;

use crate::recording::Recording;

/// Rows of node, CPU, running and waiting.
pub(super) fn machine_table(topology: &Topology, recording: &Recording) -> Html {
    let running = |cpu: usize| match recording.cpus.running(cpu) {
        Some(thread) => recording.thread_name(thread),
        None => "idle".to_owned(),
    };
    let waiting = |cpu: usize| {
        let names = recording
            .cpus
            .waiting(cpu)
            .iter()
            .map(|thread| recording.thread_name(*thread));
        names.collect::<Vec<_>>().join(", ")
    };
    html! {
        <div class="twin" tabindex="0">
            <table>
                <thead><tr><th scope="col">{ "node" }</th><th scope="col">{ "CPU" }</th>
                    <th scope="col">{ "runs" }</th><th scope="col">{ "waiting" }</th></tr></thead>
                <tbody>
                    for cpu in topology.cpu_ids() {
                        <tr key={cpu.0}>
                            <td>{ topology.cpu(cpu).node.0 }</td>
                            <th scope="row">{ cpu.0 }</th>
                            <td>{ running(cpu.index()) }</td>
                            <td>{ waiting(cpu.index()) }</td>
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}
