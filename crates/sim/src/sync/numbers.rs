//! Numbers of what threads share: those of one workload become those of the scenario.

use std::collections::BTreeMap;

use teeter_workload::{self as workload, Object, Op, Programs};

use super::{Barrier, Channel, Condition, Flag, Mutex, Shared};

/// For each thing of a workload by its number, its number in the scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) flags: Vec<u32>,
    pub(crate) barriers: Vec<u32>,
    pub(crate) mutexes: Vec<u32>,
    pub(crate) conditions: Vec<u32>,
    pub(crate) channels: Vec<u32>,
    /// The first of the flags that lock each CPU.
    pub(crate) cpu_locks: u32,
    pub(crate) timers: Vec<u32>,
}

/// The numbers of what has a name, by kind and name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(BTreeMap<(Kind, String), u32>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Flag,
    Barrier,
    Mutex,
    Condition,
    Channel,
}

/// A channel that two tasks say different things about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict(pub(crate) String);

impl Names {
    /// Adds what a workload's threads share, or finds it where another's share it by its name.
    pub(crate) fn add(
        &mut self,
        shared: &mut Shared,
        programs: &Programs,
        cpus: usize,
    ) -> Result<Numbers, Conflict> {
        let made = &programs.shared;
        let mut known: BTreeMap<(Kind, u32), &str> = BTreeMap::new();
        for (name, object) in &made.names {
            known.insert(split(*object), name);
        }
        let mut numbers = Numbers {
            cpu_locks: shared.flags.len() as u32,
            ..Numbers::default()
        };
        let mut ops = programs.programs.iter().flat_map(|program| &program.ops);
        if ops.any(|op| *op == Op::LockCpu) {
            shared.flags.extend((0..cpus).map(|_| Flag::new(0)));
        }
        for (at, &value) in (0..).zip(&made.flags) {
            let number = self.number(&known, (Kind::Flag, at), shared.flags.len());
            if number == shared.flags.len() {
                shared.flags.push(Flag::new(value));
            }
            numbers.flags.push(number as u32);
        }
        for (at, &members) in (0..).zip(&made.barriers) {
            let number = self.number(&known, (Kind::Barrier, at), shared.barriers.len());
            match shared.barriers.get_mut(number) {
                Some(barrier) => barrier.add(members),
                None => shared.barriers.push(Barrier::new(members)),
            }
            numbers.barriers.push(number as u32);
        }
        for (at, &made) in (0..).zip(&made.mutexes) {
            let number = self.number(&known, (Kind::Mutex, at), shared.mutexes.len());
            match shared.mutexes.get_mut(number) {
                Some(mutex) => mutex.handoff |= made.handoff,
                None => shared.mutexes.push(Mutex::new(made)),
            }
            numbers.mutexes.push(number as u32);
        }
        for at in 0..made.conditions {
            let number = self.number(&known, (Kind::Condition, at), shared.conditions.len());
            if number == shared.conditions.len() {
                shared.conditions.push(Condition::default());
            }
            numbers.conditions.push(number as u32);
        }
        for (at, &made) in (0..).zip(&made.channels) {
            let number = self.number(&known, (Kind::Channel, at), shared.channels.len());
            match shared.channels.get_mut(number) {
                Some(channel) => {
                    let same = same(channel.made, made);
                    channel.made = same.ok_or_else(|| {
                        let name = known.get(&(Kind::Channel, at)).copied();
                        Conflict(name.unwrap_or_default().to_owned())
                    })?;
                }
                None => shared.channels.push(Channel::new(made)),
            }
            numbers.channels.push(number as u32);
        }
        for _ in 0..made.timers {
            numbers.timers.push(shared.timers.len() as u32);
            shared.timers.push(None);
        }
        Ok(numbers)
    }

    /// The number of a thing: the next one, unless it has a name that has a number.
    fn number(
        &mut self,
        names: &BTreeMap<(Kind, u32), &str>,
        of: (Kind, u32),
        next: usize,
    ) -> usize {
        let Some(name) = names.get(&of) else {
            return next;
        };
        let key = (of.0, (*name).to_owned());
        *self.0.entry(key).or_insert(next as u32) as usize
    }
}

/// What a channel is that two tasks use: what the one says that says anything.
fn same(one: workload::Channel, other: workload::Channel) -> Option<workload::Channel> {
    let silent = workload::Channel::default();
    if one == silent || one == other {
        Some(other)
    } else {
        (other == silent).then_some(one)
    }
}

const fn split(object: Object) -> (Kind, u32) {
    match object {
        Object::Flag(id) => (Kind::Flag, id.0),
        Object::Barrier(id) => (Kind::Barrier, id.0),
        Object::Mutex(id) => (Kind::Mutex, id.0),
        Object::Condition(id) => (Kind::Condition, id.0),
        Object::Channel(id) => (Kind::Channel, id.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_workload::{BarrierId, ChannelId, FlagId};

    fn programs(channel: workload::Channel) -> Programs {
        let shared = workload::Shared {
            flags: vec![0, 7],
            barriers: vec![3],
            channels: vec![channel],
            names: vec![
                ("a".to_owned(), Object::Flag(FlagId(1))),
                ("a".to_owned(), Object::Barrier(BarrierId(0))),
                ("q".to_owned(), Object::Channel(ChannelId(0))),
            ],
            ..workload::Shared::default()
        };
        Programs {
            shared,
            programs: Vec::new(),
            thread: Vec::new(),
            cpus: Vec::new(),
            latencies: Vec::new(),
            teams: None,
            runtime: None,
            metric: None,
            traits: workload::Traits::default(),
            memory: None,
            individuals: Vec::new(),
        }
    }

    #[test]
    fn what_has_the_same_name_is_the_same() {
        let (mut names, mut shared) = (Names::default(), Shared::default());
        let silent = workload::Channel::default();
        let one = names.add(&mut shared, &programs(silent), 4).unwrap();
        let two = names
            .add(&mut shared, &programs(silent.holding(5)), 4)
            .unwrap();
        assert_eq!((one.flags, two.flags), (vec![0, 1], vec![2, 1]));
        assert_eq!((one.barriers, two.barriers), (vec![0], vec![0]));
        assert_eq!((one.channels, two.channels), (vec![0], vec![0]));
        assert_eq!(shared.channels[0].made.messages, 5);
        // Three threads of each take part.
        assert_eq!((shared.flags.len(), shared.barriers.len()), (3, 1));
        shared.barriers[0].come.extend(0..5);
        assert!(shared.barriers[0].last_is_coming());
        shared.barriers[0].come.pop();
        assert!(!shared.barriers[0].last_is_coming());
        let other = names.add(&mut shared, &programs(silent.holding(6)), 4);
        assert_eq!(other, Err(Conflict("q".to_owned())));
    }
}
