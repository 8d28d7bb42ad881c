//! A cgroup: its row, and all that can be set of it.

use std::rc::Rc;

use teeter_machine::Topology;
use teeter_scenario::cpulist::CpuListError;
use teeter_scenario::document::{Bandwidth, Cgroup, Partition};
use teeter_scenario::{CpuList, Nanos, Scenario};
use yew::prelude::*;

use super::place_form::PlaceForm;
use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::icon::{CLOSE, GRIP, Icon};
use crate::components::term::Term;
use crate::drawing::palette::Wearers;
use crate::edit::{CgroupEdit, CgroupField, Edit, Place, known_cgroups, max_at, weight_at};
use crate::slot;

/// What a cgroup uses under a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    pub slot: usize,
    /// CPUs in use.
    pub cpus: f64,
    /// CPUs on which it was throttled, where it was.
    pub throttled: Option<f64>,
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub path: String,
    pub scenario: Rc<Scenario>,
    pub topology: Option<Rc<Topology>>,
    pub wearers: Rc<Wearers>,
    pub at: Nanos,
    pub edit: Callback<Edit>,
    /// What it uses now, under each kernel that runs.
    pub usage: Vec<Usage>,
    pub open: bool,
    pub choose: Callback<()>,
    pub grab: Callback<PointerEvent>,
}

/// The row, and what is open of it.
#[component]
pub(crate) fn CgroupRow(props: &Props) -> Html {
    let path = &props.path;
    let is_root = path == "/";
    let worn = props.wearers.names.iter().position(|name| name == path);
    let remove = {
        let path = path.clone();
        props
            .edit
            .reform(move |()| CgroupEdit::Remove(path.clone()).into())
    };
    let onkeydown = {
        let remove = remove.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Delete" && !is_root {
                event.prevent_default();
                remove.emit(());
            }
        })
    };
    let id = format!("weight-{}", path.replace('/', "-"));
    html! {
        <>
            <div class={classes!("leaf", props.open.then_some("open"))}>
                <button type="button" class="grip" onpointerdown={props.grab.clone()} tabindex="-1" aria-hidden="true" title="Drag"><Icon path={GRIP} /></button>
                <button type="button" class="name" aria-expanded={props.open.to_string()} onclick={props.choose.reform(|_: MouseEvent| ())} {onkeydown}>
                    if let Some(place) = worn { <span class="swatch" data-cgroup={(place % 6).to_string()}></span> }
                    <code>{ if is_root { path.as_str() } else { path.rsplit('/').next().unwrap_or_default() } }</code>
                </button>
                if !is_root {
                    <span class="note"><Term term="cpu.weight">{ "weight" }</Term></span>
                    <Field {id} value={weight_at(&props.scenario, path, props.at).to_string()} commit={weight(props)} label={format!("cpu.weight of {path}")} />
                }
            </div>
            { usage(&props.usage) }
            if props.open { { details(props, is_root, &remove) } }
        </>
    }
}

/// "A 38.2 CPUs · B 76.0 CPUs".
fn usage(usage: &[Usage]) -> Html {
    if usage.is_empty() {
        return Html::default();
    }
    html! {
        <p class="usage note" data-testid="usage">
            for used in usage {
                <span key={used.slot}><span class="badge" data-slot={used.slot.to_string()}>{ slot::letter(used.slot) }</span>
                    { format!("{:.1} CPUs", used.cpus) }
                    if let Some(throttled) = used.throttled { { format!(", throttled on {throttled:.2}") } }</span>
            }
        </p>
    }
}

fn weight(props: &Props) -> Callback<String, Result<(), String>> {
    let (edit, path) = (props.edit.clone(), props.path.clone());
    Callback::from(move |text: String| match text.parse::<u32>() {
        Ok(weight @ 1..=10_000) => {
            let (path, field) = (path.clone(), CgroupField::Weight(weight));
            edit.emit(CgroupEdit::Field { path, field }.into());
            Ok(())
        }
        _ => Err("a whole number from 1 to 10000".to_owned()),
    })
}

/// A list of CPUs or nodes; an empty text: the parent's.
fn list(text: &str) -> Result<Option<CpuList>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let list: CpuList = text
        .parse()
        .map_err(|error: CpuListError| error.to_string())?;
    Ok((!list.is_empty()).then_some(list))
}

fn details(props: &Props, is_root: bool, remove: &Callback<()>) -> Html {
    let path = &props.path;
    let listed = props
        .scenario
        .cgroups
        .iter()
        .find(|cgroup| cgroup.path == *path);
    let cgroup = listed
        .cloned()
        .unwrap_or_else(|| Cgroup::new(path.as_str()));
    let place = html! {
        <PlaceForm who={Place::Cgroup(path.clone())} name={path.clone()} topology={props.topology.clone()} edit={props.edit.clone()} />
    };
    if is_root {
        return html! { <div class="details">{ place }</div> };
    }
    let commit = |write: fn(&str) -> Result<CgroupField, String>| {
        let (edit, path) = (props.edit.clone(), path.clone());
        Callback::from(move |text: String| {
            let (path, field) = (path.clone(), write(text.trim())?);
            edit.emit(CgroupEdit::Field { path, field }.into());
            Ok(())
        })
    };
    let rename = {
        let (edit, path) = (props.edit.clone(), path.clone());
        let known = known_cgroups(&props.scenario);
        Callback::from(move |to: String| {
            let to = to.trim().trim_end_matches('/').to_owned();
            if !to.starts_with('/') || to.contains("//") || to.contains(char::is_whitespace) {
                return Err("a path such as /a/b".to_owned());
            }
            if known.contains(&to) {
                return Err(format!("{to} is there already"));
            }
            if to.starts_with(&format!("{path}/")) {
                return Err("not below itself".to_owned());
            }
            let path = path.clone();
            edit.emit(CgroupEdit::Rename { path, to }.into());
            Ok(())
        })
    };
    let idle = {
        let (edit, path, idle) = (props.edit.clone(), path.clone(), cgroup.idle);
        Callback::from(move |_: Event| {
            let (path, field) = (path.clone(), CgroupField::Idle(!idle));
            edit.emit(CgroupEdit::Field { path, field }.into());
        })
    };
    let partitions = [
        ("member", Partition::Member),
        ("root", Partition::Root),
        ("isolated", Partition::Isolated),
    ];
    let partition = partitions
        .iter()
        .find(|(_, known)| *known == cgroup.partition);
    let choose = {
        let (edit, path) = (props.edit.clone(), path.clone());
        Callback::from(move |name: String| {
            if let Some((_, partition)) = partitions.iter().find(|(known, _)| *known == name) {
                let (path, field) = (path.clone(), CgroupField::Partition(*partition));
                edit.emit(CgroupEdit::Field { path, field }.into());
            }
        })
    };
    let slug = path.replace('/', "-");
    let text = |list: &Option<CpuList>| list.as_ref().map_or_else(String::new, ToString::to_string);
    html! {
        <div class="details">
            <div class="field across"><label for={format!("path{slug}")}>{ "path" }</label>
                <Field id={format!("path{slug}")} class="input mono" value={path.clone()} commit={rename} label={format!("path of {path}")} /></div>
            <div class="field across"><label for={format!("max{slug}")}><Term term="cpu.max"><code>{ "cpu.max" }</code></Term></label>
                <Field id={format!("max{slug}")} class="input mono" value={max_at(&props.scenario, path, props.at).to_string()} label={format!("cpu.max of {path}")}
                    commit={commit(|text| text.parse::<Bandwidth>().map(CgroupField::Max).map_err(|error| error.to_string()))} /></div>
            <div class="field across"><label for={format!("cpus{slug}")}><Term term="cpuset.cpus"><code>{ "cpuset.cpus" }</code></Term></label>
                <Field id={format!("cpus{slug}")} class="input mono" value={text(&cgroup.cpus)} placeholder="its parent's" label={format!("cpuset.cpus of {path}")}
                    commit={commit(|text| list(text).map(CgroupField::Cpus))} /></div>
            <div class="field across"><label for={format!("mems{slug}")}><Term term="cpuset.mems"><code>{ "cpuset.mems" }</code></Term></label>
                <Field id={format!("mems{slug}")} class="input mono" value={text(&cgroup.mems)} placeholder="its parent's" label={format!("cpuset.mems of {path}")}
                    commit={commit(|text| list(text).map(CgroupField::Mems))} /></div>
            <div class="field across"><label for={format!("partition{slug}")}><Term term="cpuset.cpus.partition"><code>{ "partition" }</code></Term></label>
                <Choice id={format!("partition{slug}")} value={partition.map_or("member", |(name, _)| *name)} {choose}
                    options={partitions.map(|(name, _)| (name.into(), name.into())).to_vec()} /></div>
            <label class="switch"><input type="checkbox" role="switch" checked={cgroup.idle} onchange={idle} aria-label="cpu.idle" /><Term term="cpu.idle"><code>{ "cpu.idle" }</code></Term></label>
            { place }
            <button type="button" class="button" onclick={remove.reform(|_: MouseEvent| ())}><Icon path={CLOSE} />{ "Remove; what is in it goes up" }</button>
        </div>
    }
}
