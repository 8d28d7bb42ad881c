//! Links from a chosen node to the others, with their distances: a click on one sets it.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use crate::components::bench::Bench;
use crate::components::field::Field;
use crate::drawing::plan::Plan;
use crate::parts::{Change, Drawing, Path};

/// How far along a link its distance stands: beyond the middle, so that links that cross keep theirs apart.
const ALONG: f64 = 0.7;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
    pub plan: Rc<Plan>,
    pub width: f64,
    pub height: f64,
}

/// The links of the one node that is chosen, or of two to each other.
#[component]
pub(super) fn Links(props: &Props) -> Html {
    let chosen = &props.bench.chosen;
    let Some(&[from]) = chosen.last().map(Path::as_slice) else {
        return Html::default();
    };
    let others: Vec<usize> = match chosen.as_slice() {
        [_] => (0..props.drawing.nodes.len())
            .filter(|node| *node != from)
            .collect(),
        [a, _] if a.len() == 1 => a.clone(),
        _ => Vec::new(),
    };
    let centre = |node: usize| props.plan.rect(&[node]).map(|rect| rect.centre());
    let Some(start) = centre(from) else {
        return Html::default();
    };
    let links: Vec<_> = others
        .into_iter()
        .filter_map(|to| Some((to, centre(to)?, props.drawing.distance(from, to)?)))
        .collect();
    html! {
        <div class="links" role="group" aria-label={format!("Distances of node {from}")}>
            <svg aria-hidden="true" width={props.width.to_string()} height={props.height.to_string()}>
                for (to, end, _) in links.iter() { {
                    {
                        let d = format!("M{:.1} {:.1}L{:.1} {:.1}", start.0, start.1, end.0, end.1);
                        let id = field_id(from, *to);
                        let onclick = Callback::from(move |event: MouseEvent| {
                            event.stop_propagation();
                            focus(&id);
                        });
                        html! { <g key={*to}><path d={d.clone()} class="line" /><path {d} class="touch" {onclick} data-free="true" data-testid={format!("link-{from}-{to}")} /></g> }
                    }
                } }
            </svg>
            for (to, end, distance) in links { {
                {
                    let at = (start.0 + (end.0 - start.0) * ALONG, start.1 + (end.1 - start.1) * ALONG);
                    html! {
                        <div key={to} class="distance" style={format!("left:{:.1}px;top:{:.1}px", at.0, at.1)} data-free="true">
                            <Field id={field_id(from, to)} value={distance.to_string()} commit={commit(&props.bench, from, to)}
                                label={format!("Distance between node {from} and node {to}")} testid={field_id(from, to)} />
                        </div>
                    }
                }
            } }
        </div>
    }
}

fn field_id(from: usize, to: usize) -> String {
    format!("link-distance-{from}-{to}")
}

fn focus(id: &str) {
    let field = gloo::utils::document().get_element_by_id(id);
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
    }
}

fn commit(bench: &Bench, from: usize, to: usize) -> Callback<String, Result<(), String>> {
    let bench = bench.clone();
    Callback::from(move |text: String| match text.parse::<u32>() {
        Ok(distance @ 11..=254) => {
            let at = vec![vec![from]];
            bench.change_at.emit((Change::Distance(to, distance), at));
            Ok(())
        }
        _ => Err("11 to 254".to_owned()),
    })
}
