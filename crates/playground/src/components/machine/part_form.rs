//! What can be done with the parts that are chosen.

use std::rc::Rc;

use teeter_scenario::{Bytes, CpuList};
use yew::prelude::*;

use crate::components::field::Field;
use crate::components::icon::{CLOSE, COPY, DOWN, Icon, UP};
use crate::components::term::Term;
use crate::parts::{Change, Drawing, Path, kind, whole_name};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub drawing: Rc<Drawing>,
    pub chosen: Rc<Vec<Path>>,
    pub change: Callback<Change>,
    /// Before its ids, as there may be two.
    pub prefix: &'static str,
}

/// Buttons and fields for them.
#[component]
pub(crate) fn PartForm(props: &Props) -> Html {
    let drawing = &props.drawing;
    let path = props.chosen.last().cloned().unwrap_or_default();
    let depth = path.len();
    let act = |change: Change| props.change.reform(move |_: MouseEvent| change.clone());
    let title = match props.chosen.as_slice() {
        [_] => whole_name(&path),
        more => format!("{} parts", more.len()),
    };
    let number = |most: usize, make: fn(usize) -> Change| {
        let change = props.change.clone();
        Callback::from(move |text: String| match text.parse::<usize>() {
            Ok(number) if (1..=most).contains(&number) => {
                change.emit(make(number));
                Ok(())
            }
            _ => Err(format!("a whole number from 1 to {most}")),
        })
    };
    let memory = {
        let change = props.change.clone();
        Callback::from(move |text: String| {
            let text = text.trim();
            let memory = if text.is_empty() {
                None
            } else {
                Some(text.parse::<Bytes>().map_err(|error| error.to_string())?)
            };
            change.emit(Change::Memory(memory));
            Ok(())
        })
    };
    let offline = {
        let change = props.change.clone();
        Callback::from(move |text: String| {
            let text = text.trim();
            let cpus = if text.is_empty() {
                CpuList::EMPTY
            } else {
                text.parse::<CpuList>().map_err(|error| error.to_string())?
            };
            change.emit(Change::Offline(cpus));
            Ok(())
        })
    };
    let text =
        |value: Option<u32>| value.map_or_else(|| "differ".to_owned(), |value| value.to_string());
    let size = drawing.size(&path);
    let parts = format!("{}s", kind(depth + 1));
    let id = |what: &str| format!("{}-{what}", props.prefix);
    let on = props.chosen.iter().any(|path| drawing.any_on(path));
    let llc_cores = common_cores(drawing, &path);
    html! {
        <fieldset class="details part-form" data-testid={id("form")}>
            <legend class="note">{ title }</legend>
            <div class="field across"><label for={id("size")}>{ &parts }</label>
                <span class="row stepper">
                    <button type="button" class="button icon" onclick={act(Change::Stretch(size.saturating_sub(1).max(1)))} disabled={size <= 1} aria-label={format!("Fewer {parts}")}>{ "−" }</button>
                    <Field id={id("size")} value={size.to_string()} commit={number(1024, Change::Stretch)} testid={id("size")} />
                    <button type="button" class="button icon" onclick={act(Change::Stretch(size + 1))} aria-label={format!("More {parts}")}>{ "+" }</button>
                </span></div>
            if depth < 2 {
                <div class="field across"><label for={id("cores")}>{ "cores a cache" }</label>
                    <Field id={id("cores")} value={text(llc_cores)} commit={number(1024, Change::Cores)} testid={id("cores")} /></div>
            }
            if depth < 3 {
                <div class="field across"><label for={id("pus")}>{ "threads a core" }</label>
                    <Field id={id("pus")} value={text(drawing.common(&path, |core| core.pus))} commit={number(8, |pus| Change::Pus(pus as u32))} testid={id("pus")} /></div>
            }
            <div class="field across"><label for={id("capacity")}><Term term="capacity">{ "capacity" }</Term></label>
                <Field id={id("capacity")} value={text(drawing.common(&path, |core| core.capacity))} commit={number(1024, |capacity| Change::Capacity(capacity as u32))} testid={id("capacity")} /></div>
            if let [node] = *path {
                <div class="field across"><label for={id("memory")}>{ "memory" }</label>
                    <Field id={id("memory")} class="input mono" value={drawing.nodes.get(node).and_then(|node| node.memory).map_or_else(String::new, |memory| memory.to_string())}
                        placeholder="not told" commit={memory} testid={id("memory")} /></div>
            }
            if depth == 0 {
                <div class="field across"><label for={id("offline")}>{ "CPUs switched off" }</label>
                    <Field id={id("offline")} class="input mono" value={drawing.offline().to_string()} placeholder="none" commit={offline} testid={id("offline")} /></div>
            }
            { threads(props, &path, &id) }
            <div class="row wrap">
                if depth < 3 { <button type="button" class="button" onclick={act(Change::Add)}>{ format!("Add a {}", kind(depth + 1)) }</button> }
                if depth == 0 { <button type="button" class="button" onclick={act(Change::AddMemory)}>{ "Add memory only" }</button> }
                if depth > 0 {
                    <button type="button" class="button" onclick={act(Change::Duplicate)}><Icon path={COPY} />{ "Duplicate" }</button>
                    <button type="button" class="button icon" onclick={act(Change::Shift(false))} aria-label="Move up"><Icon path={UP} /></button>
                    <button type="button" class="button icon" onclick={act(Change::Shift(true))} aria-label="Move down"><Icon path={DOWN} /></button>
                    <button type="button" class="button" onclick={act(Change::Group)} disabled={!drawing.can_group(&props.chosen)} title="Cores into a cache of their own, caches into a node of their own">{ "Group" }</button>
                    if drawing.common(&path, |_| 0).is_some() {
                        <button type="button" class="button" onclick={act(Change::Switch(!on))}>{ if on { "Switch off" } else { "Switch on" } }</button>
                    }
                    <button type="button" class="button" onclick={act(Change::Remove)}><Icon path={CLOSE} />{ "Remove" }</button>
                }
            </div>
        </fieldset>
    }
}

/// A switch for each thread of a core.
fn threads(props: &Props, path: &[usize], id: &dyn Fn(&str) -> String) -> Html {
    let drawing = &props.drawing;
    let at = drawing.cores().position(|(place, _)| place == path);
    let (Some(core), Some(at)) = (drawing.core(path), at) else {
        return Html::default();
    };
    let cpus = drawing.numbers().swap_remove(at);
    html! {
        <div class="row wrap" role="group" aria-label="CPUs of the core">
            for (thread, cpu) in (0..).zip(cpus) { {
                {
                    let on = !core.is_off(thread);
                    let onchange = props.change.reform(move |_: Event| Change::Thread(thread, !on));
                    html! {
                        <label class="switch" key={cpu}>
                            <input type="checkbox" role="switch" checked={on} {onchange} data-testid={id(&format!("cpu-{cpu}"))} />
                            { format!("CPU {cpu}") }
                        </label>
                    }
                }
            } }
        </div>
    }
}

/// How many cores each cache of a part has; `None` where they differ.
fn common_cores(drawing: &Drawing, path: &[usize]) -> Option<u32> {
    let inside = |node: &usize| path.first().is_none_or(|own| own == node);
    let nodes = drawing.nodes.iter().enumerate();
    let nodes = nodes.filter(|(node, _)| inside(node));
    let mut sizes = nodes.flat_map(|(_, node)| node.llcs.iter().map(|llc| llc.cores.len()));
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first as u32)
}
