//! The kernels by slot, chosen from the presets.

use std::rc::Rc;

use teeter_scenario::document::Kernel;
use teeter_scenario::{Scenario, limits};
use teeter_sim::kernels;
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::components::icon::{CLOSE, Icon};
use crate::components::prose::Prose;
use crate::edit::{Edit, KernelEdit};
use crate::knobs::Preset;
use crate::{kernel_sources, slot};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub scenario: Rc<Scenario>,
    pub edit: Callback<Edit>,
}

/// A row for each kernel, with a sentence about it and what it changed.
#[component]
pub(crate) fn Compared(props: &Props) -> Html {
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
        .reform(move |_: MouseEvent| KernelEdit::Add(next.to_owned()).into());
    html! {
        <section class="section" aria-labelledby="kernels-title">
            <h2 id="kernels-title">{ "Kernels compared" }</h2>
            <div class="rows">
                for slot in 0..used.len() { { row(props, slot) } }
            </div>
            if used.len() < limits::KERNELS {
                <button type="button" class="button" onclick={add} data-testid="kernel-add">{ "Add a kernel" }</button>
            }
        </section>
    }
}

fn row(props: &Props, slot: usize) -> Html {
    let kernel = &props.scenario.kernels[slot];
    let letter = slot::letter(slot);
    let known = kernels().iter().find(|known| known.name == kernel.base);
    let choose = props
        .edit
        .reform(move |base| KernelEdit::Choose { slot, base }.into());
    let options: Vec<_> = kernels()
        .iter()
        .map(|known| (known.name.into(), known.name.into()))
        .collect();
    let remove = props
        .edit
        .reform(move |_: MouseEvent| KernelEdit::Remove(slot).into());
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
            if let Some(known) = known {
                <p class="note"><Prose text={known.about} /></p>
                <WhatChanged base={known.name} />
            }
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ChangedProps {
    base: &'static str,
}

/// The rules in which a preset differs from the one before it; worked out when it is opened.
#[component]
fn WhatChanged(props: &ChangedProps) -> Html {
    let open = use_state(|| false);
    let Some(before) = before(props.base) else {
        return Html::default();
    };
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: web_sys::HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    html! {
        <details class="fold" {ontoggle}>
            <summary>{ format!("What changed since {before}") }</summary>
            if *open {
                { differences(props.base, before) }
                if !kernel_sources::of(props.base).is_empty() {
                    <ul class="sources">
                        for source in kernel_sources::of(props.base) {
                            <li key={source.url.clone()} class="note"><a href={source.url.clone()} target="_blank" rel="noreferrer">{ source.title }</a></li>
                        }
                    </ul>
                }
                if !props.base.contains('+') {
                    <a class="note" href={log(before, props.base)} target="_blank" rel="noreferrer">{ "All commits to kernel/sched since" }</a>
                }
            }
        </details>
    }
}

fn differences(base: &str, before: &str) -> Html {
    let preset = |name: &str| Preset::of(&Kernel::new(name), &[], 8);
    let found = match (preset(base), preset(before)) {
        (Some(here), Some(there)) => here.differences(&there),
        _ => Vec::new(),
    };
    if found.is_empty() {
        return html! { <p class="note">{ "No rule that Teeter tells apart." }</p> };
    }
    html! {
        <ul class="diff">
            for (name, there, here) in found {
                <li key={name}><code>{ name }</code><span class="note">{ there }{ " → " }<strong>{ here }</strong></span></li>
            }
        </ul>
    }
}

/// The preset that one builds on: the release before, or a series' base.
fn before(name: &str) -> Option<&'static str> {
    if let Some((base, _)) = name.rsplit_once('+') {
        let found = kernels().iter().find(|known| known.name == base);
        return found.map(|known| known.name);
    }
    let mut releases = kernels()
        .iter()
        .map(|known| known.name)
        .filter(|known| !known.contains('+'));
    let mut last = None;
    releases.find_map(|known| {
        if known == name {
            return Some(last);
        }
        last = Some(known);
        None
    })?
}

/// The commits between two releases, at git.kernel.org.
fn log(before: &str, name: &str) -> String {
    let tag = |name: &str| name.trim_end_matches(".y").to_owned();
    format!(
        "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/log/kernel/sched?qt=range&q={}..{}",
        tag(before),
        tag(name)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_builds_on_its_base_and_a_release_on_the_one_before() {
        assert_eq!(before("v5.5+numa-v3"), Some("v5.5"));
        assert_eq!(before("v6.5+fits+bias"), Some("v6.5+fits"));
        assert_eq!(before(kernels()[0].name), None);
        assert_eq!(before("v5.5"), Some("v5.3"));
    }
}
