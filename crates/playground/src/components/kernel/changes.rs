//! What differs from the presets, and the way back.

use std::rc::Rc;

use teeter_scenario::Scenario;
use yew::prelude::*;

use crate::components::icon::{Icon, UNDO};
use crate::edit::{Edit, KernelEdit};
use crate::knobs::Tuning;
use crate::slot;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub tuning: Rc<Tuning>,
    pub scenario: Rc<Scenario>,
    pub edit: Callback<Edit>,
}

/// A list for each kernel that differs from its preset.
#[component]
pub(crate) fn Changes(props: &Props) -> Html {
    let kernels = &props.scenario.kernels;
    let changes: Vec<_> = (0..kernels.len())
        .map(|slot| props.tuning.changes(slot))
        .collect();
    html! {
        <section class="section" aria-labelledby="changes-title" data-testid="kernel-changes">
            <h2 id="changes-title">{ "Changed from the presets" }</h2>
            if changes.iter().all(Vec::is_empty) { <p class="note">{ "Nothing." }</p> }
            for (slot, changes) in changes.into_iter().enumerate() {
                if !changes.is_empty() {
                    <div key={slot}>
                        <div class="row">
                            <span class="badge" data-slot={slot.to_string()}>{ slot::letter(slot) }</span>
                            <span class="mono">{ &kernels[slot].base }</span>
                            <button type="button" class="button quiet small end" onclick={props.edit.reform(move |_: MouseEvent| KernelEdit::Plain(slot).into())}
                                aria-label={format!("Reset all of kernel {}", slot::letter(slot))}>{ "reset all" }</button>
                        </div>
                        <ul class="diff">
                            for (name, own, now) in changes { { change(props, slot, &name, own, &now) } }
                        </ul>
                    </div>
                }
            }
        </section>
    }
}

fn change(props: &Props, slot: usize, name: &str, own: Option<String>, now: &str) -> Html {
    let kernel = &props.scenario.kernels[slot];
    let is_rule = kernel.rules.contains_key(name) && !kernel.set.contains_key(name);
    let back = {
        let name = name.to_owned();
        props.edit.reform(move |_: MouseEvent| {
            let (slot, name) = (Some(slot), name.clone());
            let edit = if is_rule {
                KernelEdit::Rule {
                    slot,
                    name,
                    value: None,
                }
            } else {
                KernelEdit::Set {
                    slot,
                    name,
                    value: None,
                }
            };
            edit.into()
        })
    };
    html! {
        <li key={name.to_owned()}>
            <code>{ name }</code>
            <span class="row">
                <span class="note grow">{ own.unwrap_or_else(|| "none".to_owned()) }{ " → " }<strong class="mono">{ now }</strong></span>
                <button type="button" class="button quiet icon small" onclick={back} title="Back to the preset's"
                    aria-label={format!("Reset {name} of kernel {}", slot::letter(slot))}><Icon path={UNDO} /></button>
            </span>
        </li>
    }
}
