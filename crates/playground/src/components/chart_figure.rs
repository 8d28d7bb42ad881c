//! A chart with its caption, a sentence that sums it up, and its values as a table.

use std::rc::Rc;

use web_sys::{HtmlCanvasElement, HtmlDetailsElement};
use yew::prelude::*;

use crate::chart::surface::CanvasSurface;
use crate::chart::{Plot, lines};
use crate::drawing::palette::Palette;
use crate::hooks::use_resize;

/// Rows of a table twin at most: longer series show every n-th sample.
const ROWS: usize = 120;

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub title: AttrValue,
    /// What stands at the right of the caption, such as a unit.
    #[prop_or_default]
    pub unit: AttrValue,
    /// What can be chosen about the chart.
    #[prop_or_default]
    pub control: Html,
    pub plot: Rc<Plot>,
    /// One sentence.
    pub summary: AttrValue,
    pub palette: Rc<Palette>,
    /// Heads of the table's columns after the time.
    pub columns: Rc<Vec<String>>,
    pub testid: &'static str,
}

/// The figure.
#[component]
pub(super) fn ChartFigure(props: &Props) -> Html {
    let canvas = use_node_ref();
    let open = use_state(|| false);
    let resized = use_resize(&canvas);
    {
        let canvas = canvas.clone();
        let drawn = (Rc::clone(&props.plot), Rc::clone(&props.palette), resized);
        use_effect_with(drawn, move |(plot, palette, _)| {
            if let Some(canvas) = canvas.cast::<HtmlCanvasElement>()
                && canvas.client_width() > 0
                && let Err(error) = lines::draw(&mut CanvasSurface::new(canvas), plot, palette)
            {
                web_sys::console::warn_1(&error.to_string().into());
            }
        });
    }
    let ontoggle = {
        let open = open.clone();
        Callback::from(move |event: Event| {
            let details: HtmlDetailsElement = event.target_unchecked_into();
            open.set(details.open());
        })
    };
    html! {
        <figure class="card chart" data-testid={props.testid}>
            <header>
                <figcaption><h2>{ &props.title }</h2></figcaption>
                <span class="note">{ &props.unit }</span>
            </header>
            <div class="plot">
                <canvas key="canvas" ref={canvas} role="img" aria-label={format!("{}: {}", props.title, props.summary)} />
            </div>
            <p class="summary">{ &props.summary }</p>
            { props.control.clone() }
            <details class="as-table" {ontoggle}>
                <summary>{ "View as table" }</summary>
                if *open {
                    { table(&props.plot, &props.columns) }
                }
            </details>
        </figure>
    }
}

/// The plotted samples themselves, thinned but never averaged; `data-value` has them in full.
fn table(plot: &Plot, columns: &[String]) -> Html {
    let longest = plot.lines.iter().max_by_key(|line| line.points.len());
    let rows = longest.map_or(0, |line| line.points.len());
    let step = rows.div_ceil(ROWS).max(1);
    let cell = |value: Option<&(f64, f64)>| match value {
        Some((_, value)) if value.is_finite() => {
            html! { <td data-value={value.to_string()}>{ format!("{value:.2}") }</td> }
        }
        _ => html! { <td></td> },
    };
    html! {
        <div class="twin" tabindex="0">
            <table>
                <thead><tr>
                    <th scope="col">{ "s" }</th>
                    for column in columns.iter() { <th scope="col" key={column.clone()}>{ column }</th> }
                </tr></thead>
                <tbody>
                    for row in (0..rows).step_by(step) {
                        <tr key={row}>
                            <th scope="row">{ longest.and_then(|line| line.points.get(row)).map(|(time, _)| format!("{time:.2}")) }</th>
                            for line in &plot.lines { { cell(line.points.get(row)) } }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}
