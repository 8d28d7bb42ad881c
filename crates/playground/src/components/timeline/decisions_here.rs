//! The decisions about a place of the timeline, and why each was made as it was.

use std::rc::Rc;

use yew::prelude::*;

use crate::player::Player;
use crate::protocol::window::{Decided, Window};
use crate::timeline::rows::Row;
use crate::timeline::ticks::{length, moment};
use crate::why;

/// Decisions in sight at most.
const SHOWN: usize = 6;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub slot: usize,
    /// The kernel's name.
    pub kernel: String,
    pub row: Row,
    pub at_ns: f64,
    pub window: Rc<Window>,
    /// How long the view is, ns.
    pub span_ns: f64,
    pub player: Player,
    pub pulse: u32,
}

/// The decisions of that CPU (or about that thread) nearest to the moment, and the one that is asked for.
#[component]
pub(super) fn DecisionsHere(props: &Props) -> Html {
    let asked = use_state(|| None::<(u32, usize)>);
    let near = nearest(&props.window, props.row, props.at_ns);
    let first = near.iter().min_by(|a, b| {
        let far = |decided: &Decided| (decided.at_ns - props.at_ns).abs();
        far(a).total_cmp(&far(b))
    });
    let shown = asked
        .filter(|(id, index)| {
            *id == props.window.id && near.iter().any(|decided| decided.index == *index)
        })
        .map(|(_, index)| index)
        .or(first.map(|decided| decided.index));
    {
        let (player, slot) = (props.player.clone(), props.slot);
        use_effect_with((props.window.id, shown, slot), move |(_, shown, _)| {
            if let Some(index) = shown {
                player.explain(slot, *index);
            }
        });
    }
    let explained = props
        .player
        .explained(props.slot)
        .filter(|explained| Some(explained.index as usize) == shown);
    let step = (props.span_ns / 1e3).max(1.0);
    let button = |decided: &Decided| {
        let (id, index) = (props.window.id, decided.index);
        let onclick = {
            let asked = asked.clone();
            Callback::from(move |_: MouseEvent| asked.set(Some((id, index))))
        };
        let away = decided.at_ns - props.at_ns;
        let when = if away < 0.0 { "before" } else { "after" };
        html! {
            <li key={index}><button type="button" class="button small" {onclick} aria-pressed={(shown == Some(index)).to_string()}>
                { format!("{} {} {when}", decided.kind, length(away.abs())) }
            </button></li>
        }
    };
    html! {
        <div class="why-here" data-testid="why-here">
            if near.is_empty() {
                <p class="note">{ "No decision of this row is in the window." }</p>
            } else {
                <ul class="row wrap" aria-label="Decisions near this place">for decided in &near { { button(decided) } }</ul>
            }
            if let Some(explained) = &explained {
                <article aria-live="polite" data-testid="why" data-t-ns={explained.told.at_ns.to_string()}>
                    <p>{ format!("At {}: ", moment(explained.told.at_ns, step.min(1e3))) }{ why::sentence(&explained.told) }</p>
                    for line in why::formula(&explained.told) { <p class="mono formula" key={line.clone()}>{ line }</p> }
                    <p class="note">{ format!("As {} decides it{}.", props.kernel, why::place(&explained.told)) }</p>
                    <dl>
                        for (name, word) in &explained.told.fields {
                            <div key={name.clone()}><dt><code>{ name }</code></dt><dd>{ word.to_string() }</dd></div>
                        }
                    </dl>
                    if !explained.told.candidates.is_empty() {
                        <ul class="candidates" aria-label="Tasks it looked at">
                            for (at, (task, verdict)) in explained.told.candidates.iter().enumerate() {
                                <li key={at}>{ format!("{task}: {}", why::verdict(verdict)) }</li>
                            }
                        </ul>
                    }
                </article>
            }
        </div>
    }
}

/// The decisions that concern a row, nearest to a moment, by their time.
fn nearest(window: &Window, row: Row, at_ns: f64) -> Vec<Decided> {
    let concerns = |decided: &Decided| match row {
        Row::Cpu(cpu) => decided.cpu == cpu,
        Row::Thread(thread) => decided.thread == Some(thread),
    };
    let mut near: Vec<Decided> = window.decided().filter(concerns).collect();
    near.sort_by(|a, b| {
        let far = |decided: &Decided| (decided.at_ns - at_ns).abs();
        far(a).total_cmp(&far(b)).then(a.index.cmp(&b.index))
    });
    near.truncate(SHOWN);
    near.sort_by_key(|decided| decided.index);
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::window::NOBODY;

    #[test]
    fn the_nearest_of_the_row_are_found() {
        let window = Window {
            decided_ns: (0..40).map(f64::from).collect(),
            decided: (0..40)
                .flat_map(|n| [n % 2, 0, if n == 7 { 3 } else { NOBODY }])
                .collect(),
            ..Window::default()
        };
        let near = nearest(&window, Row::Cpu(1), 20.2);
        let at: Vec<_> = near.iter().map(|decided| decided.index).collect();
        assert_eq!(at, [15, 17, 19, 21, 23, 25]);
        assert_eq!(nearest(&window, Row::Thread(3), 0.0)[0].index, 7);
        assert!(nearest(&window, Row::Thread(4), 0.0).is_empty());
    }
}
