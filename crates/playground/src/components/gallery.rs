//! The examples, with pictures; and what the visitor worked on in other pages.

use std::rc::Rc;

use teeter_scenario::Scenario;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{HtmlElement, HtmlInputElement, InputEvent, KeyboardEvent, Response};
use yew::prelude::*;

use super::icon::{CLOSE, Icon};
use crate::examples::{self, Example, Picture, Pictures, SIZE};
use crate::work::{Piece, Work};

/// Where the pictures come from.
const PICTURES: &str = "static/gallery.json";

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    /// Opens a scenario; undo goes back.
    pub open: Callback<(Rc<Scenario>, String)>,
    pub work: Work,
    pub close: Callback<()>,
}

/// The view, in place of the columns.
#[component]
pub(super) fn Gallery(props: &Props) -> Html {
    let all = use_memo((), |()| examples::all());
    let others = use_memo((), |()| props.work.others());
    let pictures = use_state(|| None::<Rc<Pictures>>);
    let words = use_state(String::new);
    let search = use_node_ref();
    {
        let (pictures, search) = (pictures.clone(), search.clone());
        use_effect_with((), move |()| {
            if let Some(search) = search.cast::<HtmlElement>() {
                let _ = search.focus();
            }
            spawn_local(async move {
                // Without them the words have to do.
                if let Some(read) = fetch().await {
                    pictures.set(Some(Rc::new(read)));
                }
            });
        });
    }
    let oninput = {
        let words = words.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            words.set(input.value());
        })
    };
    let close = props.close.reform(|_: MouseEvent| ());
    let onkeydown = {
        let close = props.close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if event.key() == "Escape" {
                event.prevent_default();
                close.emit(());
            }
        })
    };
    let open = {
        let (open, close) = (props.open.clone(), props.close.clone());
        Callback::from(move |opened: (Rc<Scenario>, String)| {
            open.emit(opened);
            close.emit(());
        })
    };
    let found: Vec<&Example> = all
        .iter()
        .filter(|example| example.matches(&words))
        .collect();
    html! {
        <section class="gallery" aria-label="Examples" {onkeydown} data-testid="gallery">
            <div class="gallery-head">
                <h2>{ "Examples" }</h2>
                <input class="input" type="search" ref={search} placeholder="Search, such as cgroup, hackbench or v5.5" aria-label="Search examples"
                    value={(*words).clone()} {oninput} autocomplete="off" spellcheck="false" data-testid="example-search" />
                <span class="note" role="status">{ match found.len() {
                    0 => "None has these words.".to_owned(),
                    1 => "1 example.".to_owned(),
                    count => format!("{count} examples."),
                } }</span>
                <button type="button" class="button end" onclick={close} data-testid="gallery-close"><Icon path={CLOSE} />{ "Close" }</button>
            </div>
            <p class="note">{ "Opening one keeps your own work: undo goes back to it." }</p>
            if words.is_empty() && !others.is_empty() { { left_open(&others, &open) } }
            for topic in examples::topics() {
                if found.iter().any(|example| example.topic == topic) {
                    <section class="topic" key={topic} aria-label={topic}>
                        <h3>{ topic }</h3>
                        <ul class="cards">
                            for example in found.iter().filter(|example| example.topic == topic) {
                                { card(example, pictures.as_ref().and_then(|pictures| pictures.get(example.name)), &open) }
                            }
                        </ul>
                    </section>
                }
            }
        </section>
    }
}

fn card(
    example: &Example,
    picture: Option<&Picture>,
    open: &Callback<(Rc<Scenario>, String)>,
) -> Html {
    let opens = {
        let (scenario, name) = (Rc::clone(&example.scenario), example.name);
        open.reform(move |_: MouseEvent| (Rc::clone(&scenario), format!("open {name}")))
    };
    let at = picture.map_or_else(String::new, |picture| format!(", after {}", picture.at));
    html! {
        <li key={example.name}>
            <button type="button" class="card example" onclick={opens} data-testid={format!("example-{}", example.name)}>
                { drawn(picture, &example.scenario) }
                <strong>{ &example.scenario.name }</strong>
                <span class="about">{ example.sentence() }</span>
                <span class="note">{ example.kernels() }{ at }</span>
            </button>
        </li>
    }
}

/// The picture; its place where there is none (yet).
fn drawn(picture: Option<&Picture>, scenario: &Scenario) -> Html {
    let paths = picture
        .map(|picture| picture.paths(scenario))
        .unwrap_or_default();
    html! {
        <svg class="thumb" viewBox={format!("0 0 {} {}", SIZE.0, SIZE.1)} aria-hidden="true">
            <path class="frames" d={paths.frames} />
            <path class="idle" d={paths.idle} />
            for (place, path) in paths.busy.into_iter().enumerate() {
                <path class="busy" data-cgroup={place.to_string()} d={path} />
            }
            <path class="waiting" d={paths.waiting} />
        </svg>
    }
}

/// What other pages hold or held.
fn left_open(pieces: &Rc<Vec<Piece>>, open: &Callback<(Rc<Scenario>, String)>) -> Html {
    html! {
        <section class="topic" aria-label="Your own">
            <h3>{ "Your own, from other tabs and earlier visits" }</h3>
            <ul class="pieces" data-testid="pieces">
                for (index, piece) in pieces.iter().enumerate() { {
                    {
                        let named = if piece.name.is_empty() { "Unnamed scenario" } else { &piece.name };
                        let when = String::from(js_sys::Date::new(&piece.at_ms.into()).to_locale_string("en-GB", &js_sys::Object::new()));
                        let opens = piece.read().map(|scenario| {
                            open.reform(move |_: MouseEvent| (Rc::clone(&scenario), "open your earlier work".to_owned()))
                        });
                        html! {
                            <li key={index} class="row">
                                <button type="button" class="button" disabled={opens.is_none()} onclick={opens}>{ named }</button>
                                <span class="note">{ when }</span>
                            </li>
                        }
                    }
                } }
            </ul>
        </section>
    }
}

async fn fetch() -> Option<Pictures> {
    let response = JsFuture::from(gloo::utils::window().fetch_with_str(PICTURES))
        .await
        .ok()?;
    let response: Response = response.dyn_into().ok()?;
    if !response.ok() {
        return None;
    }
    let text = JsFuture::from(response.text().ok()?).await.ok()?;
    serde_json::from_str(&text.as_string()?).ok()
}
