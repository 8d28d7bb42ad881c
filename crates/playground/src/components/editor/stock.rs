//! The stock: parts to drag onto the picture, or to add with a click.

use std::rc::Rc;

use web_sys::PointerEvent;
use yew::prelude::*;

use super::hold::Item;
use crate::components::bench::Bench;
use crate::components::icon::{GRIP, Icon};
use crate::parts::{Drawing, whole_name};

const ITEMS: [(Item, &str); 4] = [
    (Item::Node, "Node"),
    (Item::Memory, "Memory"),
    (Item::Llc, "Cache"),
    (Item::Core, "Core"),
];

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
    /// Takes something out.
    pub take: Callback<(Item, PointerEvent)>,
}

/// What there is. A click (a key) adds it to what is chosen.
#[component]
pub(super) fn Stock(props: &Props) -> Html {
    html! {
        <div class="stock row" role="group" aria-label="Parts to drag onto the picture">
            <span class="note">{ "Drag onto the picture:" }</span>
            for (item, words) in ITEMS { { chip(props, item, words) } }
        </div>
    }
}

fn chip(props: &Props, item: Item, words: &'static str) -> Html {
    let goal = item.goal(&props.drawing, &props.bench.focused());
    let into = goal.as_deref().map_or_else(String::new, whole_name);
    let onpointerdown = {
        let take = props.take.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                take.emit((item, event));
            }
        })
    };
    let onclick = {
        let (bench, goal) = (props.bench.clone(), goal.clone());
        Callback::from(move |_: MouseEvent| {
            if let Some(goal) = &goal {
                bench.change_at.emit((item.change(), vec![goal.clone()]));
            }
        })
    };
    let title = format!("Drag it onto the picture, or click to add it to the {into}");
    html! {
        <button key={words} type="button" class={classes!("button", "chip", item.name().replace(' ', "-"))} disabled={goal.is_none()} {title} aria-label={format!("Add a {} to the {into}", item.name())}
            {onpointerdown} {onclick} data-testid={format!("stock-{}", words.to_ascii_lowercase())}><Icon path={GRIP} />{ words }</button>
    }
}
