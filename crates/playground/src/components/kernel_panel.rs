//! The kernels that are compared, and the knobs between them.

use std::rc::Rc;

use teeter_scenario::document::Kernel;
use teeter_scenario::{Nanos, Scenario, limits};
use teeter_sim::kernels;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::choice::Choice;
use super::field::Field;
use super::icon::{CLOSE, Icon};
use super::term::Term;
use crate::edit::{Edit, NUMA_IMBALANCE_PCT, tunable_at};
use crate::slot;

/// The slider's range; the field takes more.
const SLIDER: (i64, i64) = (101, 200);
/// The field's range.
const RANGE: (i64, i64) = (100, 1_000);

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub at: Nanos,
    pub edit: Callback<Edit>,
    pub live: bool,
    /// Each kernel's own `imbalance_pct` of the NUMA level, as far as it is known.
    pub defaults: Vec<Option<u32>>,
    /// Whether the machine has a NUMA level at all.
    pub numa: bool,
}

/// Kernels by slot, and `imbalance_pct` of the NUMA level.
#[component]
pub(super) fn KernelPanel(props: &Props) -> Html {
    let used = &props.scenario.kernels;
    // The newest that is not there yet; patch series are chosen by name.
    let next = kernels()
        .iter()
        .rev()
        .map(|kernel| kernel.name)
        .find(|name| !name.contains('+') && used.iter().all(|kernel| kernel.base != *name))
        .unwrap_or(Kernel::NEWEST);
    let add = props
        .edit
        .reform(move |_: MouseEvent| Edit::AddKernel(next.to_owned()));
    html! {
        <>
            <section class="section" aria-labelledby="kernels-title">
                <h2 id="kernels-title">{ "Kernels compared" }</h2>
                <div class="rows">
                    for slot in 0..used.len() { { kernel_row(props, slot) } }
                </div>
                if used.len() < limits::KERNELS {
                    <button type="button" class="button" onclick={add} data-testid="kernel-add">{ "Add a kernel" }</button>
                }
            </section>
            <section class="section" aria-labelledby="balance-title">
                <h2 id="balance-title">{ "Balance between nodes" }</h2>
                <ImbalancePct scenario={Rc::clone(&props.scenario)} at={props.at} edit={props.edit.clone()} live={props.live}
                    defaults={props.defaults.clone()} numa={props.numa} />
            </section>
        </>
    }
}

fn kernel_row(props: &Props, slot: usize) -> Html {
    let kernel = &props.scenario.kernels[slot];
    let letter = slot::letter(slot);
    let about = kernels()
        .iter()
        .find(|known| known.name == kernel.base)
        .map(|known| known.about);
    let choose = props.edit.reform(move |base| Edit::Kernel { slot, base });
    let options: Vec<_> = kernels()
        .iter()
        .map(|known| (known.name.into(), known.name.into()))
        .collect();
    let remove = props
        .edit
        .reform(move |_: MouseEvent| Edit::RemoveKernel(slot));
    html! {
        <div key={slot}>
            <div class="row">
                <span class="badge" data-slot={slot.to_string()}>{ letter }</span>
                <Choice class="select mono grow" value={kernel.base.clone()} {options} {choose}
                    label={format!("Kernel {letter}")} testid={format!("kernel-{}", letter.to_ascii_lowercase())} />
                if props.scenario.kernels.len() > 1 {
                    <button type="button" class="button quiet icon" onclick={remove} title={format!("Remove kernel {letter}")}
                        aria-label={format!("Remove kernel {letter}")}><Icon path={CLOSE} /></button>
                }
            </div>
            if let Some(about) = about { <p class="note">{ about }</p> }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct PctProps {
    scenario: Rc<Scenario>,
    at: Nanos,
    edit: Callback<Edit>,
    live: bool,
    defaults: Vec<Option<u32>>,
    numa: bool,
}

/// The slider with its exact entry.
#[component]
fn ImbalancePct(props: &PctProps) -> Html {
    // While a run goes on the slider writes once, when it is let go.
    let dragged = use_state(|| None::<i64>);
    let own = props
        .defaults
        .iter()
        .flatten()
        .next()
        .map_or(125, |pct| i64::from(*pct));
    let set = tunable_at(&props.scenario, NUMA_IMBALANCE_PCT, props.at);
    let value = dragged.or(set).unwrap_or(own);
    let write = |edit: &Callback<Edit>, value| {
        edit.emit(Edit::Tunable {
            name: NUMA_IMBALANCE_PCT,
            value: Some(value),
        });
    };

    let oninput = {
        let (dragged, edit, live) = (dragged.clone(), props.edit.clone(), props.live);
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let value = input.value_as_number() as i64;
            if live {
                dragged.set(Some(value));
            } else {
                write(&edit, value);
            }
        })
    };
    let onchange = {
        let (dragged, edit) = (dragged.clone(), props.edit.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if dragged.is_some() {
                dragged.set(None);
                write(&edit, input.value_as_number() as i64);
            }
        })
    };
    let commit = {
        let edit = props.edit.clone();
        Callback::from(move |text: String| match text.parse::<i64>() {
            Ok(value) if (RANGE.0..=RANGE.1).contains(&value) => {
                write(&edit, value);
                Ok(())
            }
            _ => Err(format!("a whole number from {} to {}", RANGE.0, RANGE.1)),
        })
    };
    let reset = props.edit.reform(|_: MouseEvent| Edit::Tunable {
        name: NUMA_IMBALANCE_PCT,
        value: None,
    });
    let share = (value - SLIDER.0) as f64 / (SLIDER.1 - SLIDER.0) as f64 * 100.0;
    html! {
        <div class="field across">
            <span class="label-line"><Term term="imbalance_pct"><code>{ "imbalance_pct" }</code></Term>{ " of NUMA" }</span>
            <Field id="pct" value={value.to_string()} {commit} testid="pct-entry" label="imbalance_pct of the NUMA levels, exact" />
            <input class="slider" type="range" min={SLIDER.0.to_string()} max={SLIDER.1.to_string()} value={value.to_string()}
                style={format!("--fill:{:.1}%", share.clamp(0.0, 100.0))} {oninput} {onchange} data-testid="pct-slider"
                aria-label="imbalance_pct of the NUMA levels" />
            <div class="row note">
                { note(props, set.is_some()) }
                if set.is_some() {
                    <button type="button" class="button quiet end" onclick={reset}>{ "Reset" }</button>
                }
            </div>
        </div>
    }
}

/// What the value is, or what turning it does.
fn note(props: &PctProps, set: bool) -> String {
    let known: Vec<u32> = props.defaults.iter().flatten().copied().collect();
    let differ = known.iter().any(|pct| Some(pct) != known.first());
    if !props.numa {
        return "Without effect: this machine has a single node.".to_owned();
    }
    match (props.live, set) {
        (true, _) => "Turned now, it is written into the script.".to_owned(),
        (false, true) => "From the start, under every kernel.".to_owned(),
        (false, false) if differ => {
            let each = props
                .defaults
                .iter()
                .enumerate()
                .filter_map(|(slot, pct)| Some(format!("{} {}", slot::letter(slot), (*pct)?)));
            format!(
                "Each kernel's own: {}.",
                each.collect::<Vec<_>>().join(", ")
            )
        }
        (false, false) => "The kernel's own value.".to_owned(),
    }
}
