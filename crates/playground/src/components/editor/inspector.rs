//! What is chosen on the picture: the way to it, and all that can be done with it.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::bench::Bench;
use crate::components::machine::keys;
use crate::components::machine::part_form::PartForm;
use crate::parts::{Drawing, Path, name};

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub bench: Bench,
    pub drawing: Rc<Drawing>,
}

/// The way from the machine to the part with the focus, and its form.
#[component]
pub(super) fn Inspector(props: &Props) -> Html {
    let Props { bench, drawing } = props;
    let focused = bench.focused();
    let way: Vec<Path> = (0..=focused.len())
        .map(|depth| focused[..depth].to_vec())
        .collect();
    let last = way.len() - 1;
    html! {
        <div class="inspector card" data-testid="inspector">
            <nav class="row wrap way" aria-label="Where the chosen part is">
                for (depth, path) in way.into_iter().enumerate() { {
                    {
                        let words = name(&path);
                        let choose = bench.choose.reform(move |_: MouseEvent| vec![path.clone()]);
                        let current = (depth == last).then_some("true");
                        html! {
                            <span class="row" key={depth}>
                                if depth > 0 { <span class="note" aria-hidden="true">{ "›" }</span> }
                                <button type="button" class="button quiet small" aria-current={current} onclick={choose}>{ words }</button>
                            </span>
                        }
                    }
                } }
                if bench.chosen.len() > 1 { <span class="note">{ format!("and {} more", bench.chosen.len() - 1) }</span> }
            </nav>
            <PartForm drawing={Rc::clone(drawing)} chosen={Rc::clone(&bench.chosen)} change={bench.change.clone()} prefix="picked" />
            <details class="fold"><summary>{ "How to draw" }</summary>
                <p class="note">{ "Click a core, a frame or a node's head to choose it; Shift and a click, or Shift and a drag around several, choose more. Drag the number on a frame to stretch it. A chosen node shows its distances: click one to set it. Drag elsewhere, or with the space bar held, to move the picture; Ctrl and the wheel, two fingers, + and − zoom; 0 fits. Escape drops what is held." }</p>
                <p class="note">{ "On a part, up and down go on, left and right out and in, Shift adds to the choice. " }{ keys::HELP }</p>
            </details>
        </div>
    }
}
