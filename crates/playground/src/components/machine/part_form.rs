//! What can be done with the parts that are chosen.

use std::rc::Rc;

use teeter_scenario::{Bytes, CpuList};
use yew::prelude::*;

use super::part_tree::{Change, kind, name};
use crate::components::field::Field;
use crate::components::icon::{CLOSE, COPY, DOWN, Icon, UP};
use crate::components::term::Term;
use crate::parts::{Drawing, Path};

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub drawing: Rc<Drawing>,
    pub chosen: Vec<Path>,
    pub change: Callback<Change>,
}

/// Buttons and fields for them.
#[component]
pub(crate) fn PartForm(props: &Props) -> Html {
    let drawing = &props.drawing;
    let path = props.chosen.last().cloned().unwrap_or_default();
    let depth = path.len();
    let act = |change: Change| props.change.reform(move |_: MouseEvent| change.clone());
    let title = match props.chosen.as_slice() {
        [_] => name(&path),
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
    html! {
        <fieldset class="details part-form" data-testid="part-form">
            <legend class="note">{ title }</legend>
            <div class="field across"><label for="part-size">{ &parts }</label>
                <span class="row stepper">
                    <button type="button" class="button icon" onclick={act(Change::Stretch(size.saturating_sub(1).max(1)))} disabled={size <= 1} aria-label={format!("Fewer {parts}")}>{ "−" }</button>
                    <Field id="part-size" value={size.to_string()} commit={number(1024, Change::Stretch)} testid="part-size" />
                    <button type="button" class="button icon" onclick={act(Change::Stretch(size + 1))} aria-label={format!("More {parts}")}>{ "+" }</button>
                </span></div>
            if depth < 3 {
                <div class="field across"><label for="part-pus">{ "threads a core" }</label>
                    <Field id="part-pus" value={text(drawing.common(&path, |core| core.pus))} commit={number(8, |pus| Change::Pus(pus as u32))} testid="part-pus" /></div>
            }
            <div class="field across"><label for="part-capacity"><Term term="capacity">{ "capacity" }</Term></label>
                <Field id="part-capacity" value={text(drawing.common(&path, |core| core.capacity))} commit={number(1024, |capacity| Change::Capacity(capacity as u32))} testid="part-capacity" /></div>
            if let [node] = *path {
                <div class="field across"><label for="part-memory">{ "memory" }</label>
                    <Field id="part-memory" class="input mono" value={drawing.nodes.get(node).and_then(|node| node.memory).map_or_else(String::new, |memory| memory.to_string())}
                        placeholder="not told" commit={memory} testid="part-memory" /></div>
            }
            if depth == 0 {
                <div class="field across"><label for="part-offline">{ "CPUs switched off" }</label>
                    <Field id="part-offline" class="input mono" value={drawing.offline().to_string()} placeholder="none" commit={offline} testid="part-offline" /></div>
            }
            <div class="row wrap">
                if depth < 3 { <button type="button" class="button" onclick={act(Change::Add)}>{ format!("Add a {}", kind(depth + 1)) }</button> }
                if depth == 0 { <button type="button" class="button" onclick={act(Change::AddMemory)}>{ "Add memory only" }</button> }
                if depth > 0 {
                    <button type="button" class="button" onclick={act(Change::Duplicate)}><Icon path={COPY} />{ "Duplicate" }</button>
                    <button type="button" class="button icon" onclick={act(Change::Shift(false))} aria-label="Move up"><Icon path={UP} /></button>
                    <button type="button" class="button icon" onclick={act(Change::Shift(true))} aria-label="Move down"><Icon path={DOWN} /></button>
                    <button type="button" class="button" onclick={act(Change::Remove)}><Icon path={CLOSE} />{ "Remove" }</button>
                }
            </div>
        </fieldset>
    }
}
