//! Distances between nodes, as the firmware's table has them.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::field::Field;
use crate::edit::Edit;
use crate::parts::Drawing;

#[derive(Properties, PartialEq)]
pub(crate) struct Props {
    pub drawing: Rc<Drawing>,
    pub edit: Callback<Edit>,
}

/// The matrix; a distance holds both ways.
#[component]
pub(crate) fn Distances(props: &Props) -> Html {
    let nodes = props.drawing.nodes.len();
    if nodes < 2 {
        return Html::default();
    }
    html! {
        <details class="fold" data-testid="distances">
            <summary>{ "Distances between nodes" }</summary>
            <div class="inside matrix" tabindex="0">
                <table>
                    <thead><tr><th scope="col"><span class="visually-hidden">{ "node" }</span></th>
                        for to in 0..nodes { <th scope="col" key={to}>{ to }</th> }</tr></thead>
                    <tbody>
                        for from in 0..nodes {
                            <tr key={from}><th scope="row">{ from }</th>
                                for to in 0..nodes { <td key={to}>{ cell(props, from, to) }</td> }
                            </tr>
                        }
                    </tbody>
                </table>
            </div>
        </details>
    }
}

fn cell(props: &Props, from: usize, to: usize) -> Html {
    let distance = props
        .drawing
        .distances
        .get(from)
        .and_then(|row| row.get(to));
    let distance = distance.copied().unwrap_or(0);
    if from == to {
        return html! { <span class="note">{ distance }</span> };
    }
    let commit = {
        let (drawing, edit) = (Rc::clone(&props.drawing), props.edit.clone());
        Callback::from(move |text: String| match text.parse::<u32>() {
            Ok(distance @ 11..=254) => {
                let mut new = (*drawing).clone();
                new.set_distance(from, to, distance);
                let label = format!("set the distance of nodes {from} and {to} to {distance}");
                edit.emit(Edit::Machine(new.machine(), label));
                Ok(())
            }
            _ => Err("11 to 254".to_owned()),
        })
    };
    html! { <Field id={format!("distance-{from}-{to}")} value={distance.to_string()} {commit} label={format!("Distance from node {from} to node {to}")} /> }
}
