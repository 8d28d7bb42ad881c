//! One knob: its name, its value to be set exactly or by a slider, and what the kernel itself has.

use std::rc::Rc;

use teeter_scenario::Nanos;
use teeter_sched::rules::Takes;
use web_sys::{HtmlInputElement, InputEvent};
use yew::prelude::*;

use crate::components::choice::Choice;
use crate::components::field::Field;
use crate::components::icon::{Icon, UNDO};
use crate::components::term::Term;
use crate::edit::Edit;
use crate::knobs::{Kind, Knob, Standing, Tuning};

/// The range of a slider; the field takes all that the kernel takes. Of a time: in us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slide {
    pub min: i64,
    pub max: i64,
    pub step: i64,
}

impl Slide {
    /// The range for a knob, by its name, where one is worth having.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (min, max, step) = match name {
            "migration_cost" => (0, 5_000, 50),
            "nr_migrate" => (1, 128, 1),
            level if level.ends_with(".imbalance_pct") => (101, 200, 1),
            _ => return None,
        };
        Some(Self { min, max, step })
    }
}

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub knob: Knob,
    pub tuning: Rc<Tuning>,
    #[prop_or_default]
    pub slide: Option<Slide>,
    /// Whether what it does is shown, not only told on hover and focus.
    #[prop_or_default]
    pub told: bool,
    pub edit: Callback<Edit>,
    pub live: bool,
}

/// The row.
#[component]
pub(crate) fn KnobRow(props: &Props) -> Html {
    let (knob, tuning) = (&props.knob, &props.tuning);
    // While a run goes on a slider writes once, when it is let go.
    let dragged = use_state(|| None::<String>);
    let mut standing = tuning.standing(knob);
    if let (Some(dragged), Some(_)) = (&*dragged, &standing.value) {
        standing.value = Some(dragged.clone());
    }
    let write = {
        let (edit, tuning, knob) = (props.edit.clone(), Rc::clone(tuning), knob.clone());
        Callback::from(move |text: String| {
            tuning
                .turn(&knob, Some(&text))
                .map(|turned| edit.emit(turned))
        })
    };
    let reset = {
        let (edit, tuning, knob) = (props.edit.clone(), Rc::clone(tuning), knob.clone());
        Callback::from(move |_: MouseEvent| {
            if let Ok(turned) = tuning.turn(&knob, None) {
                edit.emit(turned);
            }
        })
    };
    let slider = match (&standing.value, props.slide) {
        (Some(value), Some(slide)) => slider(knob, value, slide, &write, &dragged, props.live),
        _ => Html::default(),
    };
    html! {
        <div class={classes!("knob", standing.changed.then_some("changed"))} data-knob={knob.name.clone()}>
            <div class="row">
                <span class="name"><Term term={knob.name.clone()} about={about(knob, &standing)}><code>{ short(&knob.name) }</code></Term></span>
                if standing.changed {
                    <button type="button" class="button quiet icon small" onclick={reset} title={format!("Back to the kernel's own: {}", standing.own)}
                        aria-label={format!("Reset {}", knob.name)}><Icon path={UNDO} /></button>
                }
                { control(knob, &standing, &write) }
            </div>
            { slider }
            if props.told {
                <p class="note">{ about(knob, &standing) }</p>
            } else if standing.changed || standing.value.is_none() || standing.differs {
                <p class="note">{ capital(&standing.own) }</p>
            }
        </div>
    }
}

fn control(knob: &Knob, standing: &Standing, write: &Callback<String, Result<(), String>>) -> Html {
    let Some(value) = standing.value.clone() else {
        return html! { <span class="note end">{ "–" }</span> };
    };
    let testid = format!("entry-{}", knob.name);
    let choose = {
        let write = write.clone();
        Callback::from(move |text: String| {
            let _ = write.emit(text);
        })
    };
    match &knob.kind {
        Kind::Rule(values) if *values != ["false", "true"] => {
            let own = (!values.contains(&value.as_str())).then(|| value.clone());
            let options: Vec<(AttrValue, AttrValue)> = own
                .into_iter()
                .chain(values.iter().map(|value| (*value).to_owned()))
                .map(|value| (value.clone().into(), value.into()))
                .collect();
            html! { <Choice class="select mono end" {value} {options} {choose} label={knob.name.clone()} {testid} /> }
        }
        Kind::Rule(_) | Kind::Tunable(Takes::Switch) => {
            let on = value == "true";
            let toggle = choose.reform(move |_: Event| (!on).to_string());
            html! {
                <label class="switch end"><input type="checkbox" role="switch" checked={on} onchange={toggle}
                    aria-label={knob.name.clone()} data-testid={testid} /></label>
            }
        }
        _ => html! {
            <span class="entry"><Field id={testid.clone()} {value} commit={write.clone()} label={knob.name.clone()} {testid} /></span>
        },
    }
}

fn slider(
    knob: &Knob,
    value: &str,
    slide: Slide,
    write: &Callback<String, Result<(), String>>,
    dragged: &UseStateHandle<Option<String>>,
    live: bool,
) -> Html {
    let is_time = matches!(knob.kind, Kind::Tunable(Takes::Time { .. }));
    let number = if is_time {
        value
            .parse::<Nanos>()
            .map_or(0, |time| (time.0 / 1_000) as i64)
    } else {
        value.parse().unwrap_or(slide.min)
    };
    let text = move |number: i64| {
        if is_time {
            Nanos::from_micros(number.max(0) as u64).to_string()
        } else {
            number.to_string()
        }
    };
    let oninput = {
        let (dragged, write) = (dragged.clone(), write.clone());
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            let text = text(input.value_as_number() as i64);
            if live {
                dragged.set(Some(text));
            } else {
                let _ = write.emit(text);
            }
        })
    };
    let onchange = {
        let (dragged, write) = (dragged.clone(), write.clone());
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if dragged.is_some() {
                dragged.set(None);
                let _ = write.emit(text(input.value_as_number() as i64));
            }
        })
    };
    let share = (number - slide.min) as f64 / (slide.max - slide.min) as f64 * 100.0;
    html! {
        <input class="slider" type="range" min={slide.min.to_string()} max={slide.max.to_string()} step={slide.step.to_string()}
            value={number.to_string()} style={format!("--fill:{:.1}%", share.clamp(0.0, 100.0))} {oninput} {onchange}
            aria-label={format!("{}, slider", knob.name)} aria-valuetext={value.to_owned()} data-testid={format!("slider-{}", knob.name)} />
    }
}

/// A domain's value by its level: the panel has little room.
fn short(name: &str) -> String {
    match name
        .strip_prefix("domain.")
        .and_then(|rest| rest.split_once('.'))
    {
        Some((level, field)) => format!("{level} {field}"),
        None => name.strip_prefix("features.").unwrap_or(name).to_owned(),
    }
}

fn about(knob: &Knob, standing: &Standing) -> String {
    let mut first = knob.about.chars();
    let sentence: String = first
        .next()
        .map(|letter| letter.to_uppercase().chain(first).collect())
        .unwrap_or_default();
    format!("{sentence}. {}.", capital(&standing.own))
}

fn capital(text: &str) -> String {
    // The names of kernels and letters of slots stay as they are.
    match text.strip_prefix("each") {
        Some(rest) => format!("Each{rest}"),
        None => match text.strip_prefix("none") {
            Some(rest) => format!("None{rest}"),
            None => text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_where_the_heading_says_the_rest() {
        assert_eq!(short("domain.NUMA.imbalance_pct"), "NUMA imbalance_pct");
        assert_eq!(short("features.SIS_UTIL"), "SIS_UTIL");
        assert_eq!(short("migration_cost"), "migration_cost");
    }
}
