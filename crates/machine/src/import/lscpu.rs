//! The tables of `lscpu -p` and `lscpu -e`, as text and as JSON.

use serde_json::{Map, Value};

use super::found::{Found, Place, node_number};
use super::summary;
use super::text::{ImportError, Span, lines};

/// What a column tells.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    Cpu,
    Core,
    Cluster,
    Die,
    Socket,
    Node,
    Online,
    /// In a table of our own.
    Capacity,
    /// In a table of our own.
    Llc,
    /// Levels of the caches in it, such as 1 for `L1d`.
    Caches(Vec<u32>),
    Other,
}

impl Column {
    fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "cpu" => Self::Cpu,
            "core" => Self::Core,
            "cluster" => Self::Cluster,
            "die" => Self::Die,
            "socket" => Self::Socket,
            "node" => Self::Node,
            "online" => Self::Online,
            "capacity" => Self::Capacity,
            "llc" => Self::Llc,
            other => {
                let level = |cache: &str| {
                    let digit = cache.strip_prefix('l')?.chars().next()?;
                    digit.to_digit(10)
                };
                let levels: Option<Vec<u32>> = other.split(':').map(level).collect();
                levels.map_or(Self::Other, Self::Caches)
            }
        }
    }
}

/// The columns that a header names, if it is one.
fn header<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<Column>> {
    let columns: Vec<Column> = names.map(Column::from_name).collect();
    let known = columns.iter().filter(|column| **column != Column::Other);
    (columns.contains(&Column::Cpu) && known.count() > 1).then_some(columns)
}

/// Reads either table: one separated by commas with its header in a comment, or one by white space.
pub(super) fn table(text: &str) -> Result<Found, ImportError> {
    let mut found = Found::default();
    let mut columns: Option<Vec<Column>> = None;
    let mut commas = false;
    for line in lines(text) {
        let line = line.trim();
        if line.text.is_empty() {
            continue;
        }
        if let Some(comment) = line.strip_prefix("#") {
            let names = comment.text.split(',').map(str::trim);
            if let Some(found) = header(names) {
                columns = Some(found);
                commas = true;
            }
            continue;
        }
        let Some(columns) = &columns else {
            if line.text.contains(',') {
                let message = "a header before the rows, such as `# CPU,Core,Socket,Node`";
                return Err(line.expected(message));
            }
            columns = header(line.text.split_whitespace());
            if columns.is_none() {
                return Err(line.expected("a header such as `CPU NODE SOCKET CORE ONLINE`"));
            }
            continue;
        };
        let cells: Vec<Span<'_>> = if commas {
            line.split(',')
                .map(Span::trim)
                .take(columns.len() + 1)
                .collect()
        } else {
            line.words().collect()
        };
        // The name of a model has words of its own, and is the last of what matters.
        let most = if columns.last() == Some(&Column::Other) && !commas {
            usize::MAX
        } else {
            columns.len()
        };
        // Where no cache is known, lscpu leaves their cells away.
        let least = if commas { 1 } else { columns.len() };
        if cells.len() < least || cells.len() > most {
            return Err(line.error(format!(
                "expected {} cells, one for each column, found {}",
                columns.len(),
                cells.len()
            )));
        }
        row(&mut found, columns, &cells)?;
    }
    Ok(found)
}

/// Reads one row.
fn row(found: &mut Found, columns: &[Column], cells: &[Span<'_>]) -> Result<(), ImportError> {
    let mut place = Place::default();
    let mut cpu = None;
    for (column, &cell) in columns.iter().zip(cells) {
        if matches!(cell.text, "" | "-") && *column != Column::Cpu {
            continue;
        }
        let number = |what: &str| cell.number(what).map(|number| Some(u64::from(number)));
        match column {
            Column::Cpu => cpu = Some(cell),
            Column::Core => place.core = number("the number of a core")?,
            Column::Cluster => place.cluster = number("the number of a cluster")?,
            Column::Die => place.die = number("the number of a die")?,
            Column::Socket => place.package = number("the number of a socket")?,
            Column::Llc => place.llc = number("the number of a cache")?,
            Column::Node => place.node = Some(node_number(cell)?),
            Column::Online => {
                place.offline = match cell.text.to_ascii_lowercase().as_str() {
                    "yes" | "y" | "true" | "1" => false,
                    "no" | "n" | "false" | "0" => true,
                    _ => return Err(cell.expected("yes or no")),
                }
            }
            Column::Capacity => {
                let capacity = cell.number("a capacity from 1 to 1024")?;
                if !(1..=1024).contains(&capacity) {
                    return Err(cell.expected("a capacity from 1 to 1024"));
                }
                place.capacity = Some(capacity);
            }
            Column::Caches(levels) => caches(&mut place, levels, cell)?,
            Column::Other => {}
        }
    }
    let Some(cpu) = cpu else {
        return Ok(());
    };
    found.add(cpu, place)
}

/// Reads the numbers of a CPU's caches: the highest level is the last, and an L2 that cores share makes
/// a cluster of them.
fn caches(place: &mut Place, levels: &[u32], cell: Span<'_>) -> Result<(), ImportError> {
    for (&level, id) in levels.iter().zip(cell.split(':')) {
        if matches!(id.text, "" | "-") {
            continue;
        }
        let id = u64::from(id.number("the number of a cache")?);
        // Columns go from the first level up, so that the last one told stays.
        place.llc = Some(u64::from(level) << 32 | id);
        if level == 2 && place.cluster.is_none() {
            place.cluster = Some(id);
        }
    }
    Ok(())
}

/// Reads `lscpu -J` or `lscpu -e -J`.
pub(super) fn json(text: &str) -> Result<Found, ImportError> {
    let value: Value = serde_json::from_str(text).map_err(|error| ImportError::At {
        line: error.line(),
        column: error.column().max(1),
        message: format!("expected JSON: {}", plain(&error)),
    })?;
    let missing = || {
        let message = "expected the JSON of lscpu: an object with `lscpu` or `cpus`";
        ImportError::Whole(message.to_owned())
    };
    if let Some(Value::Array(rows)) = value.get("cpus") {
        return json_table(rows);
    }
    match value.get("lscpu") {
        Some(Value::Array(fields)) => summary::fields(fields),
        _ => Err(missing()),
    }
}

/// The message without the place that is told beside it.
fn plain(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => message,
    }
}

/// Reads the rows of `lscpu -e -J`; a row counts as a line.
fn json_table(rows: &[Value]) -> Result<Found, ImportError> {
    let mut found = Found::default();
    for (index, value) in rows.iter().enumerate() {
        let Value::Object(object) = value else {
            let message = format!("/cpus/{index}: expected an object");
            return Err(ImportError::Whole(message));
        };
        let columns: Vec<Column> = object.keys().map(|name| Column::from_name(name)).collect();
        if !columns.contains(&Column::Cpu) {
            let message = format!("/cpus/{index}: expected a `cpu`");
            return Err(ImportError::Whole(message));
        }
        read_object(&mut found, &columns, object)
            .map_err(|error| ImportError::Whole(format!("/cpus/{index}: {}", bare(&error))))?;
    }
    Ok(found)
}

fn read_object(
    found: &mut Found,
    columns: &[Column],
    object: &Map<String, Value>,
) -> Result<(), ImportError> {
    let texts: Vec<String> = object
        .values()
        .map(|value| match value {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect();
    let cells: Vec<Span<'_>> = texts.iter().filter_map(|text| whole(text)).collect();
    if cells.len() != columns.len() {
        return Err(ImportError::Whole(
            "a value is empty or has several lines".to_owned(),
        ));
    }
    row(found, columns, &cells)
}

/// A value as a line of its own.
fn whole(text: &str) -> Option<Span<'_>> {
    let mut lines = lines(text);
    lines.next().filter(|_| lines.next().is_none())
}

/// A message without a place that means nothing.
fn bare(error: &ImportError) -> String {
    match error {
        ImportError::At { message, .. } => message.clone(),
        other => other.to_string(),
    }
}
