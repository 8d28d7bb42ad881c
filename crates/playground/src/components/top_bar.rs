//! The bar at the top: the name, and what is done to the scenario as a whole.

use std::rc::Rc;

use teeter_scenario::{Scenario, presets};
use yew::prelude::*;

use super::choice::Choice;
use super::help::Help;
use super::icon::{EXAMPLES, Icon, REDO, UNDO};
use super::share::Share;
use super::theme_choice::ThemeChoice;
use super::title::Title;
use super::transport::{clock, run_buttons, speed_choice};
use crate::edit::Edit;
use crate::hooks::ThemeHandle;
use crate::player::Player;
use crate::state::{Action, Desk};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub desk: UseReducerHandle<Desk>,
    pub player: Player,
    pub theme: ThemeHandle,
    /// CPUs of the machine, if it can be built.
    pub machine: Option<(usize, usize)>,
    pub pulse: u32,
    /// Whether the gallery is open, and what opens and closes it.
    pub gallery: bool,
    pub leaf: Callback<bool>,
    pub edit: Callback<Edit>,
    /// Shows the first steps again.
    pub guide: Callback<()>,
}

/// The bar.
#[component]
pub(super) fn TopBar(props: &Props) -> Html {
    let (desk, player) = (&props.desk, &props.player);
    let scenario = &desk.scenario;
    let dispatch = desk.dispatcher();
    let act = |action: fn() -> Action| {
        let dispatch = dispatch.clone();
        Callback::from(move |_: MouseEvent| dispatch.dispatch(action()))
    };
    let choose = {
        let dispatch = dispatch.clone();
        Callback::from(move |name: String| {
            if let Ok(scenario) = presets::get(&name) {
                dispatch.dispatch(Action::Open(Rc::new(scenario), format!("open {name}")));
            }
        })
    };
    let toggle = {
        let player = player.clone();
        Callback::from(move |_: MouseEvent| player.toggle())
    };
    let leaf = {
        let open = !props.gallery;
        props.leaf.reform(move |_: MouseEvent| open)
    };
    let undo = desk.undo_label().map(|label| format!("Undo: {label}"));
    let redo = desk.redo_label().map(|label| format!("Redo: {label}"));
    html! {
        <header class="top-bar">
            <div class="title">
                <span class="brand"><Brand />{ "Teeter" }</span>
                <Title name={scenario.name.clone()} about={scenario.about.clone()} edit={props.edit.clone()} />
                <span class="note about">{ about(scenario, props.machine) }</span>
            </div>
            <div class="actions">
                <button type="button" class="button" onclick={leaf} aria-expanded={props.gallery.to_string()} data-testid="examples">
                    <Icon path={EXAMPLES} /><span class="words">{ "Examples" }</span></button>
                { preset_choice(scenario, choose) }
                <button type="button" class="button icon" onclick={act(|| Action::Undo)} disabled={undo.is_none()}
                    title={undo.clone()} aria-label={undo.clone().unwrap_or_else(|| "Undo".to_owned())} data-testid="undo"><Icon path={UNDO} /></button>
                <button type="button" class="button icon" onclick={act(|| Action::Redo)} disabled={redo.is_none()}
                    title={redo.clone()} aria-label={redo.clone().unwrap_or_else(|| "Redo".to_owned())} data-testid="redo"><Icon path={REDO} /></button>
                { run_buttons(player, &toggle, Some("space")) }
                { clock(scenario, player) }
                { speed_choice(player) }
                <Share scenario={Rc::clone(scenario)} />
                <ThemeChoice theme={props.theme.clone()} />
                <Help guide={props.guide.clone()} />
            </div>
        </header>
    }
}

fn preset_choice(scenario: &Scenario, choose: Callback<String>) -> Html {
    let same = |name: &&str| presets::get(name).is_ok_and(|preset| preset == *scenario);
    let chosen = presets::names().find(same);
    let placeholder = chosen.is_none().then(|| ("".into(), "Presets".into()));
    let names = presets::names().map(|name| (name.into(), name.into()));
    let options: Vec<_> = placeholder.into_iter().chain(names).collect();
    html! {
        <Choice value={chosen.unwrap_or_default()} {options} {choose} label="Presets" testid="preset" />
    }
}

/// "4 nodes · 80 CPUs · 78 threads".
fn about(scenario: &Scenario, machine: Option<(usize, usize)>) -> String {
    let count = |number: usize, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    let mut parts = Vec::new();
    if let Some((nodes, cpus)) = machine {
        parts.push(count(nodes, "node", "nodes"));
        parts.push(count(cpus, "CPU", "CPUs"));
    }
    parts.push(count(scenario.threads() as usize, "thread", "threads"));
    parts.join(" · ")
}

/// A seesaw.
#[component]
fn Brand() -> Html {
    html! {
        <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M16 15.5 22.5 28h-13Z" fill="var(--accent)" />
            <g transform="rotate(-12 16 14)">
                <rect x="2" y="12.4" width="28" height="3.2" rx="1.6" fill="currentColor" />
                <rect x="3.5" y="5.6" width="6" height="6" rx="1.4" fill="var(--cgroup-1)" />
                <rect x="22.5" y="7.2" width="4.4" height="4.4" rx="1.1" fill="var(--cgroup-0)" />
            </g>
        </svg>
    }
}
