//! The left column: what can be set, in tabs.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::{Nanos, Problem, Scenario};
use yew::prelude::*;

use super::bench::Bench;
use super::kernel_panel::KernelPanel;
use super::machine_panel::MachinePanel;
use super::script_panel::ScriptPanel;
use super::tabs::Tabs;
use super::tasks_panel::TasksPanel;
use crate::edit::Edit;
use crate::player::Player;
use crate::protocol::Level;
use crate::state::{Action, Desk};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub topology: Rc<Result<Rc<Topology>, Vec<Problem>>>,
    /// The moment whose values the knobs show.
    pub at: Nanos,
    pub edit: Callback<Edit>,
    /// Whether a turned knob becomes a script entry.
    pub live: bool,
    /// Each kernel's sched domains, as far as they are known.
    pub levels: Rc<Vec<Vec<Level>>>,
    pub player: Player,
    pub desk: UseReducerHandle<Desk>,
    pub act: Callback<Action>,
    pub bench: Bench,
    pub pulse: u32,
}

/// The tabs and the chosen panel.
#[component]
pub(super) fn Left(props: &Props) -> Html {
    const NAMES: [&str; 4] = ["Machine", "Tasks", "Kernel", "Script"];
    let chosen = use_state(|| 2);
    let choose = {
        let chosen = chosen.clone();
        Callback::from(move |tab| chosen.set(tab))
    };
    let (scenario, edit) = (Rc::clone(&props.scenario), props.edit.clone());
    let built = props.topology.as_ref().as_ref().ok();
    let online = built.map_or(1, |topology| topology.online.len());
    html! {
        <>
            <Tabs label="Parts of the scenario" names={NAMES.map(AttrValue::from).to_vec()} chosen={*chosen} {choose} />
            <div class="panel" role="tabpanel" aria-label={NAMES[*chosen]}>
                { match *chosen {
                    0 => html! { <MachinePanel {scenario} topology={Rc::clone(&props.topology)} {edit} bench={props.bench.clone()} /> },
                    1 => html! { <TasksPanel {scenario} {edit} at={props.at} topology={built.cloned()} player={props.player.clone()} pulse={props.pulse} /> },
                    2 => html! { <KernelPanel {scenario} {edit} at={props.at} live={props.live} {online} levels={Rc::clone(&props.levels)}
                        player={props.player.clone()} pulse={props.pulse} /> },
                    _ => html! { <ScriptPanel {scenario} {edit} desk={props.desk.clone()} act={props.act.clone()} /> },
                } }
            </div>
        </>
    }
}
