//! What stands in which row.

use teeter_machine::Topology;
use teeter_sim::ThreadTable;

/// What the rows are, and in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// CPUs, node by node.
    #[default]
    Node,
    /// CPUs, one last-level cache after the other.
    Llc,
    /// CPUs by number.
    Number,
    /// Threads, task by task.
    Task,
}

impl Order {
    /// All of them: the value a control carries, and what it says.
    pub const ALL: [(&'static str, &'static str, Self); 4] = [
        ("node", "CPUs by node", Self::Node),
        ("llc", "CPUs by cache", Self::Llc),
        ("number", "CPUs by number", Self::Number),
        ("task", "threads by task", Self::Task),
    ];

    /// The control's value.
    pub fn value(self) -> &'static str {
        let found = Self::ALL.iter().find(|(.., order)| *order == self);
        found.map_or("node", |(value, ..)| value)
    }

    /// The order of a control's value.
    pub fn from_value(value: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, ..)| *known == value);
        found.map(|(.., order)| *order)
    }
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A CPU.
    Cpu(usize),
    /// A thread.
    Thread(u32),
}

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// What stands beside them.
    pub name: String,
    /// How many they are.
    pub rows: usize,
}

/// The rows from top to bottom, and their groups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The rows.
    pub rows: Vec<Row>,
    /// Their groups, in order; each row is in one.
    pub groups: Vec<Group>,
}

impl Rows {
    /// The rows of a machine and its threads.
    pub fn new(order: Order, topology: &Topology, table: &ThreadTable) -> Self {
        let mut keyed: Vec<(u32, String, Row)> = match order {
            Order::Task => (0_u32..)
                .zip(&table.threads)
                .map(|(thread, info)| {
                    let task = table.tasks.get(info.task as usize);
                    let name = task.map_or_else(String::new, |task| task.name.clone());
                    (info.task, name, Row::Thread(thread))
                })
                .collect(),
            _ => topology
                .cpu_ids()
                .map(|cpu| {
                    let place = topology.cpu(cpu);
                    let (key, name) = match order {
                        Order::Llc => (place.llc.into(), format!("L3 {}", place.llc)),
                        Order::Number => (0, String::new()),
                        _ => (place.node.0.into(), format!("n{}", place.node.0)),
                    };
                    (key, name, Row::Cpu(cpu.index()))
                })
                .collect(),
        };
        keyed.sort_by_key(|(key, ..)| *key);
        let mut rows = Self::default();
        for (_, name, row) in keyed {
            match rows.groups.last_mut() {
                Some(group) if group.name == name => group.rows += 1,
                _ => rows.groups.push(Group { name, rows: 1 }),
            }
            rows.rows.push(row);
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use teeter_scenario::document::{Machine, MachineSource};
    use teeter_sim::{TaskInfo, ThreadInfo};

    #[test]
    fn rows_are_grouped_by_node_cache_and_task() {
        let source = MachineSource::Synthetic("node:2 l3:2 core:2 pu:1".to_owned());
        let topology = Topology::from_spec(&Machine::new(source)).unwrap();
        let task = |name: &str| TaskInfo {
            name: name.to_owned(),
            cgroup: 0,
            threads: 2,
            metric: None,
            labels: Vec::new(),
        };
        let table = ThreadTable {
            threads: [0, 1, 0].map(|task| ThreadInfo { task, index: 0 }).to_vec(),
            tasks: vec![task("a"), task("b")],
            cgroups: Vec::new(),
        };
        let groups = |order| {
            let rows = Rows::new(order, &topology, &table);
            let names = rows
                .groups
                .iter()
                .map(|group| (group.name.clone(), group.rows));
            (names.collect::<Vec<_>>(), rows.rows)
        };
        let (nodes, rows) = groups(Order::Node);
        assert_eq!(nodes, [("n0".to_owned(), 4), ("n1".to_owned(), 4)]);
        assert_eq!(rows.len(), 8);
        assert_eq!(groups(Order::Llc).0.len(), 4);
        assert_eq!(groups(Order::Number).0, [(String::new(), 8)]);
        let (tasks, rows) = groups(Order::Task);
        assert_eq!(tasks, [("a".to_owned(), 2), ("b".to_owned(), 1)]);
        assert_eq!(rows, [Row::Thread(0), Row::Thread(2), Row::Thread(1)]);
        for (value, _, order) in Order::ALL {
            assert_eq!(Order::from_value(value), Some(order));
            assert_eq!(order.value(), value);
        }
    }
}
