//! The kernels that are compared, and every knob between them.

use std::rc::Rc;

use teeter_scenario::{Nanos, Scenario};
use yew::prelude::*;

use super::kernel::changes::Changes;
use super::kernel::compared::Compared;
use super::kernel::knob_row::{KnobRow, Slide};
use super::kernel::own_rule::OwnRule;
use super::kernel::rule_list::RuleList;
use super::tabs::Tabs;
use crate::edit::{Edit, written_at};
use crate::knobs::{self, Kind, Knob, Tuning};
use crate::player::Player;
use crate::protocol::Level;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub at: Nanos,
    pub edit: Callback<Edit>,
    pub live: bool,
    /// Each kernel's sched domains, as far as they are known.
    pub levels: Rc<Vec<Vec<Level>>>,
    /// CPUs that are online.
    pub online: usize,
    pub player: Player,
    pub pulse: u32,
}

/// Kernels by slot; the knobs that are argued about; a rule of one's own; all that can be set.
#[component]
pub(super) fn KernelPanel(props: &Props) -> Html {
    let target = use_state(|| None::<usize>);
    let kernels = props.scenario.kernels.len();
    let one = target.filter(|slot| *slot < kernels && kernels > 1);
    let written = written_at(&props.scenario, props.at);
    let tuning = Rc::new(Tuning::new(
        &props.scenario,
        &props.levels,
        props.online,
        written,
        one,
    ));
    let most = props.levels.iter().max_by_key(|levels| levels.len());
    let levels = most.map_or(&[][..], Vec::as_slice);
    let knobs = use_memo(levels.to_vec(), |levels| knobs::all(levels));
    let choose = {
        let target = target.clone();
        Callback::from(move |tab: usize| target.set(tab.checked_sub(1)))
    };
    let names = std::iter::once("All".into())
        .chain((0..kernels).map(|slot| slot::letter(slot).into()))
        .collect::<Vec<AttrValue>>();
    let row = |name: &str| {
        let knob = knobs
            .iter()
            .find(|knob| knob.name == name && !matches!(knob.kind, Kind::Rule(_)));
        knob_row(props, &tuning, knob)
    };
    let rule = |name: &str| {
        let knob = knobs
            .iter()
            .find(|knob| knob.name == name && matches!(knob.kind, Kind::Rule(_)));
        knob_row(props, &tuning, knob)
    };
    html! {
        <>
            <Compared scenario={Rc::clone(&props.scenario)} edit={props.edit.clone()} />
            if kernels > 1 {
                <div class="row target">
                    <span class="note" id="target-label">{ "Knobs turn" }</span>
                    <Tabs label="Which kernels the knobs turn" {names} chosen={one.map_or(0, |slot| slot + 1)} {choose} />
                </div>
            }
            <section class="section" aria-labelledby="balance-title">
                <h2 id="balance-title">{ "Balance between groups" }</h2>
                if levels.is_empty() { <p class="note">{ "The levels of this machine show once it runs." }</p> }
                for level in levels.iter().rev() {
                    { row(&format!("domain.{}.imbalance_pct", level.name)) }
                }
                if props.live { <p class="note">{ live_note(one) }</p> }
            </section>
            <section class="section" aria-labelledby="bias-title">
                <h2 id="bias-title">{ "Migration bias and costs" }</h2>
                { row("features.SELECT_BIAS_PREV") }
                { row("features.UTIL_FITS_CAPACITY") }
                { rule("wake.util_fits") }
                { row("migration_cost") }
                { row("nr_migrate") }
                { row("numa_balancing") }
            </section>
            <OwnRule scenario={Rc::clone(&props.scenario)} target={one} edit={props.edit.clone()} player={props.player.clone()} pulse={props.pulse} />
            <Changes tuning={Rc::clone(&tuning)} scenario={Rc::clone(&props.scenario)} edit={props.edit.clone()} />
            <RuleList {tuning} {knobs} edit={props.edit.clone()} live={props.live} />
        </>
    }
}

fn knob_row(props: &Props, tuning: &Rc<Tuning>, knob: Option<&Knob>) -> Html {
    match knob {
        None => Html::default(),
        Some(knob) => html! {
            <KnobRow key={knob.name.clone()} knob={knob.clone()} tuning={Rc::clone(tuning)} slide={Slide::of(&knob.name)}
                edit={props.edit.clone()} live={props.live} />
        },
    }
}

fn live_note(one: Option<usize>) -> String {
    match one {
        None => "Turned now, it is written into the script.".to_owned(),
        Some(slot) => format!(
            "The script writes to every kernel: turned for {} alone, the run begins again.",
            slot::letter(slot)
        ),
    }
}
