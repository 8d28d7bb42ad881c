//! The first steps: a strip that points at parts of the page, for who has not been here before. Nothing waits for it.

use yew::prelude::*;

use super::icon::{CLOSE, Icon};

/// A step: the view of a narrow page it belongs to, and what it says. What it points at is the style's.
struct Step {
    view: usize,
    title: &'static str,
    text: &'static str,
}

const STEPS: [Step; 4] = [
    Step {
        view: 0,
        title: "One machine, two kernels",
        text: "The same tasks run under each kernel, in step. A filled cell is a busy CPU, what is stacked on it waits, red frames a CPU that idles though a task waits elsewhere.",
    },
    Step {
        view: 1,
        title: "Change anything",
        text: "Machine, tasks, kernel and script are here. A knob turned while it runs is written into the script at that time; every step can be undone.",
    },
    Step {
        view: 2,
        title: "What it means",
        text: "Charts and the comparison follow the run. Why a task went where it went is in the decisions below the machine, with the numbers the kernel used.",
    },
    Step {
        view: 0,
        title: "Take it with you",
        text: "The link holds the whole scenario and gives the same run anywhere. More to start from is under Examples; Help explains every term.",
    },
];

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Which step it is at.
    pub at: usize,
    /// Goes to another; `None`: it was read or put away.
    pub go: Callback<Option<usize>>,
    /// Chooses a view of a narrow page.
    pub view: Callback<usize>,
}

/// The strip.
#[component]
pub(super) fn Guide(props: &Props) -> Html {
    let at = props.at.min(STEPS.len() - 1);
    let step = &STEPS[at];
    {
        let view = props.view.clone();
        use_effect_with(at, move |at| view.emit(STEPS[*at].view));
    }
    let go = |to: Option<usize>| props.go.reform(move |_: MouseEvent| to);
    let done = go(None);
    let last = at + 1 == STEPS.len();
    html! {
        <aside class="guide" aria-label="First steps" data-testid="guide">
            <div class="what" role="status">
                <strong>{ step.title }</strong>
                <p>{ step.text }</p>
            </div>
            <div class="row">
                <span class="note">{ format!("{} of {}", at + 1, STEPS.len()) }</span>
                if at > 0 { <button type="button" class="button" onclick={go(Some(at - 1))}>{ "Back" }</button> }
                if last {
                    <button type="button" class="button" onclick={done.clone()} data-testid="guide-next">{ "Done" }</button>
                } else {
                    <button type="button" class="button" onclick={go(Some(at + 1))} data-testid="guide-next">{ "Next" }</button>
                }
                <button type="button" class="button quiet icon" onclick={done} title="Put away; Help shows it again" aria-label="Put the first steps away"
                    data-testid="guide-close"><Icon path={CLOSE} /></button>
            </div>
        </aside>
    }
}
