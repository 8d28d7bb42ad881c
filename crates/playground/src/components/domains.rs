//! The sched domains of one CPU: a table of its levels, those that were dropped struck out with the reason, and
//! its groups marked on the machine's picture.

use std::rc::Rc;

use teeter_scenario::{CpuList, Scenario};
use yew::prelude::*;

use super::field::Field;
use super::tabs::Tabs;
use crate::drawing::rect::Rect;
use crate::player::Player;
use crate::protocol::domains::{CpuDomains, Domain, DomainLevel};
use crate::slot;

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// The CPU.
    pub cpu: u32,
    /// The kernel's slot.
    pub slot: usize,
    /// The level whose groups are marked; `None`: the highest there is.
    pub level: Option<usize>,
}

impl Look {
    /// What is marked on the picture for it.
    pub(super) fn marks(self, player: &Player) -> Option<Marks> {
        let domains = player.domains(self.slot)?;
        let (_, domain) = self.marked(&domains)?;
        let cpus = |text: &String| text.parse::<CpuList>().ok();
        Some(Marks {
            cpu: self.cpu,
            groups: domain.groups.iter().filter_map(cpus).collect(),
        })
    }

    /// The level that is marked, with its number.
    fn marked(self, domains: &CpuDomains) -> Option<(usize, &Domain)> {
        let levels = domains.levels.iter().enumerate();
        let mut kept = levels.filter_map(|(at, level)| Some((at, level.domain.as_ref()?)));
        match self.level.filter(|level| {
            let level = domains.levels.get(*level);
            level.is_some_and(|level| level.domain.is_some())
        }) {
            Some(level) => kept.find(|(at, _)| *at == level),
            None => kept.next_back(),
        }
    }
}

/// A CPU and the groups of one of its domains, its own first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Marks {
    pub cpu: u32,
    pub groups: Vec<CpuList>,
}

#[derive(Properties, PartialEq)]
pub(super) struct Props {
    pub scenario: Rc<Scenario>,
    pub player: Player,
    pub look: Look,
    /// Looks at something else.
    pub choose: Callback<Look>,
    /// How many CPUs there are.
    pub cpus: usize,
    pub pulse: u32,
}

/// The choice of a CPU and a kernel, and the table.
#[component]
pub(super) fn Domains(props: &Props) -> Html {
    let Props { look, choose, .. } = props;
    let look = *look;
    {
        let player = props.player.clone();
        use_effect_with(look.cpu, move |cpu| player.look(Some(*cpu)));
    }
    {
        let player = props.player.clone();
        use_effect_with((), move |()| move || player.look(None));
    }
    let kernels = &props.scenario.kernels;
    let names: Vec<AttrValue> = kernels
        .iter()
        .enumerate()
        .map(|(at, kernel)| format!("{} · {}", slot::letter(at), kernel.title()).into())
        .collect();
    let commit = {
        let (choose, cpus) = (choose.clone(), props.cpus);
        Callback::from(move |text: String| match text.parse::<u32>() {
            Ok(cpu) if (cpu as usize) < cpus => {
                choose.emit(Look { cpu, ..look });
                Ok(())
            }
            _ => Err(format!("a number from 0 to {}", cpus.saturating_sub(1))),
        })
    };
    let domains = props.player.domains(look.slot);
    html! {
        <section class="card domains" aria-labelledby="domains-title" data-testid="domains">
            <header class="row wrap">
                <h2 id="domains-title">{ "Sched domains" }</h2>
                <label for="domains-cpu" class="note">{ "of CPU" }</label>
                <Field id="domains-cpu" value={look.cpu.to_string()} {commit} testid="domains-cpu" />
                if names.len() > 1 {
                    <Tabs label="Whose kernel builds them" {names} chosen={look.slot.min(kernels.len() - 1)}
                        choose={choose.reform(move |slot| Look { slot, ..look })} />
                } else {
                    <span class="mono">{ names.into_iter().next() }</span>
                }
                <span class="note end">{ "as the run begins; click a CPU on the picture for its own" }</span>
            </header>
            { match &domains {
                None => html! { <p class="note" role="status">{ "The kernel builds them." }</p> },
                Some(CpuDomains { none: Some(why), .. }) => html! { <p class="note" data-testid="domains-none">{ why }</p> },
                Some(domains) => table(domains, look, choose),
            } }
        </section>
    }
}

fn table(domains: &CpuDomains, look: Look, choose: &Callback<Look>) -> Html {
    let marked = look.marked(domains).map(|(at, _)| at);
    html! {
        <div class="scroll" tabindex="0" role="group" aria-label="Levels of the sched domains">
            <table data-testid="domains-table">
                <thead><tr>
                    for head in ["level", "span", "groups", "imbalance_pct", "interval", "busy_factor", "cache_nice_tries", "flags"] {
                        <th scope="col" key={head}>{ head }</th>
                    }
                </tr></thead>
                <tbody>
                    for (at, level) in domains.levels.iter().enumerate() { { row(at, level, marked == Some(at), look, choose) } }
                </tbody>
            </table>
        </div>
    }
}

fn row(at: usize, level: &DomainLevel, marked: bool, look: Look, choose: &Callback<Look>) -> Html {
    let name = match level.distance {
        Some(distance) => format!("{} to {distance}", level.name),
        None => level.name.clone(),
    };
    let notes = level.notes.join("; ");
    let Some(domain) = &level.domain else {
        return html! {
            <tr key={at} class="dropped">
                <th scope="row"><s>{ name }</s></th>
                <td class="mono"><s>{ &level.span }</s></td>
                <td colspan="6">{ notes }</td>
            </tr>
        };
    };
    let onclick = choose.reform(move |_: MouseEvent| Look {
        level: Some(at),
        ..look
    });
    let groups = domain.groups.iter().zip(&domain.balance_masks);
    let imb_numa_nr = match domain.imb_numa_nr {
        0 => String::new(),
        number => format!(", imb_numa_nr {number}"),
    };
    html! {
        <tr key={at} class={classes!(marked.then_some("marked"))}>
            <th scope="row"><button type="button" class="button quiet small" aria-pressed={marked.to_string()} {onclick}
                title="Mark its groups on the picture" data-testid={format!("level-{}", level.name)}>{ name }</button></th>
            <td class="mono">{ &level.span }</td>
            <td class="mono groups">
                for (number, (group, mask)) in groups.enumerate() {
                    <span key={number}>{ group }{ if mask == group { String::new() } else { format!(" (balanced by {mask})") } }</span>
                }
            </td>
            <td>{ domain.imbalance_pct }{ imb_numa_nr }</td>
            <td>{ format!("{}–{} ms", domain.min_interval, domain.max_interval) }</td>
            <td>{ domain.busy_factor }</td>
            <td>{ domain.cache_nice_tries }</td>
            <td class="mono flags">{ domain.flags.join(" ") }{ if notes.is_empty() { Html::default() } else { html! { <span class="note">{ notes }</span> } } }</td>
        </tr>
    }
}

#[derive(Properties, PartialEq)]
pub(super) struct GroupsProps {
    /// Each CPU's cell, by number.
    pub cells: Vec<Rect>,
    pub marks: Marks,
}

/// The groups on the picture: the CPU's own filled, the others framed and numbered, all beyond them faded.
#[component]
pub(super) fn Groups(props: &GroupsProps) -> Html {
    let marks = &props.marks;
    html! {
        <div class="marks" aria-hidden="true" data-testid="groups">
            for (cpu, cell) in (0_u32..).zip(&props.cells) { {
                {
                    let group = marks.groups.iter().position(|group| group.contains(cpu));
                    let first = group.is_some_and(|at| marks.groups[at].iter().next() == Some(cpu));
                    let class = match group {
                        _ if cpu == marks.cpu => "own",
                        Some(0) => "local",
                        Some(_) => "other",
                        None => "beyond",
                    };
                    let style = format!("left:{:.1}px;top:{:.1}px;width:{:.1}px;height:{:.1}px", cell.x, cell.y, cell.w, cell.h);
                    html! { <span key={cpu} {class} {style} data-group={group.map(|at| (at % 2).to_string())}>{ group.filter(|_| first && cell.w >= 9.0).map(|at| at.to_string()) }</span> }
                }
            } }
        </div>
    }
}
