//! What can be written after `teeter`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};
use teeter_scenario::Nanos;

use crate::import::From;
use crate::trace::Format as TraceFormat;

/// Simulates the Linux fair scheduler's load balancer, without the page.
#[derive(Debug, Parser)]
#[command(name = "teeter", version, arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const SCENARIO: &str = "A file, - for stdin, a link, or preset:NAME";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a scenario and show what came of it
    Run(RunArgs),
    /// Compare the kernels of a scenario over several runs, in a table for a mail
    Compare(CompareArgs),
    /// Run a scenario at every point of a grid; one line of JSON for each run
    Sweep(SweepArgs),
    /// Simulate what the threads measured, and say where it agrees
    Replicate(ReplicateArgs),
    /// Measure how fast the engine runs the standard scenarios
    Bench(BenchArgs),
    /// List what the scheduler decided, with what it looked at
    Decisions(DecisionsArgs),
    /// Show the sched domains of a machine as a kernel builds them
    Domains(DomainsArgs),
    /// Say everything that is wrong with a scenario
    Check {
        #[arg(value_name = "SCENARIO", help = SCENARIO)]
        scenario: String,
    },
    /// Turn scenarios into links and back
    #[command(subcommand)]
    Link(LinkCommand),
    /// Make a scenario of what a real machine tells of itself, of a trace of the scheduler, or of an rt-app document
    Import {
        /// A tool's output, or - for stdin
        file: String,
        /// What the file holds
        #[arg(long, value_name = "KIND", value_enum, default_value = "auto")]
        from: From,
    },
    /// List the scenarios and machines that come along
    Presets,
    /// List the kernels
    ///
    /// v4.12 and v4.13 have none: load tracking, the search for idle CPUs and wake_affine changed there from one
    /// release to the next.
    Kernels,
    /// List the rules that can be switched alone
    Rules,
    /// List the workloads with their parameters
    Workloads {
        /// Print JSON instead of text
        #[arg(long)]
        json: bool,
    },
    /// Run every preset for a while and print what it looks like, for the page's examples
    #[command(hide = true)]
    Gallery {
        /// Only these presets
        names: Vec<String>,
    },
    /// Print the JSON Schema of scenarios
    Schema,
}

/// What the commands that run a scenario can change of it.
#[derive(Debug, clap::Args)]
pub(crate) struct Changes {
    /// Run under this kernel instead of the scenario's; may be given several times
    #[arg(long = "kernel", value_name = "K")]
    pub(crate) kernels: Vec<String>,
    /// Where all random draws come from
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Simulated time of each run, such as 500ms or 30s
    #[arg(long, value_name = "T")]
    pub(crate) duration: Option<Nanos>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    #[arg(value_name = "SCENARIO", help = SCENARIO)]
    pub(crate) scenario: String,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Runs of each kernel, each with a seed of its own
    #[arg(long, value_name = "N")]
    pub(crate) repeats: Option<u32>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the series that the charts plot to a file, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) series: Option<PathBuf>,
    /// Write every switch, wakeup, migration, fork and exit to a file; of one run only
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// How the trace is written
    #[arg(
        long,
        value_name = "FORMAT",
        value_enum,
        default_value = "ftrace",
        requires = "trace"
    )]
    pub(crate) format: TraceFormat,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    #[arg(value_name = "SCENARIO", help = SCENARIO)]
    pub(crate) scenario: String,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// Runs of each kernel; as many as the scenario says by default, or three where it says one
    #[arg(long, value_name = "N")]
    pub(crate) repeats: Option<u32>,
    /// How to print it
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: Format,
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Format {
    /// As mmtests does, for a mail
    Text,
    /// A table in Markdown
    Md,
    /// A line for each figure and kernel
    Csv,
    /// One JSON object
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct SweepArgs {
    /// A file that describes the sweep, or - for stdin
    #[arg(value_name = "SWEEP")]
    pub(crate) sweep: String,
    /// Do every N-th run only, from the I-th on (from 1): one machine's part of N
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Runs at a time; one for each core by default
    #[arg(long, value_name = "J")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Write to this file instead of stdout, and go on where it ends if it is there already
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

/// One part of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// Of so many.
    pub(crate) of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let shard = parts.and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match shard {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("a part of several is expected, such as 1/4".to_owned()),
        }
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReplicateArgs {
    /// Only this table; may be given several times
    #[arg(long = "table", value_name = "ID")]
    pub(crate) tables: Vec<String>,
    /// Runs of each kernel
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeats: u32,
    /// Print every row as JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    /// Run this one instead of the standard scenarios, under its first kernel: a file, - for stdin, a link, or
    /// preset:NAME
    #[arg(value_name = "SCENARIO", conflicts_with = "only")]
    pub(crate) scenario: Option<String>,
    /// Run one of them only, in this process
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,
    /// Stop after so many events
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) events: u64,
    /// Put the scheduler's decisions on record meanwhile
    #[arg(long)]
    pub(crate) decisions: bool,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DecisionsArgs {
    #[arg(value_name = "SCENARIO", help = SCENARIO)]
    pub(crate) scenario: String,
    #[command(flatten)]
    pub(crate) changes: Changes,
    /// List only those for which this is not 0, such as "kind == balance && imbalance > 1"
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    /// Print JSON Lines instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DomainsArgs {
    /// A scenario, preset:NAME of a scenario or a machine, or words such as "node:4 l3:1 core:10 pu:2"
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: String,
    /// Build them as this kernel does; the scenario's first or else the newest by default
    #[arg(long, value_name = "K")]
    pub(crate) kernel: Option<String>,
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LinkCommand {
    /// Print the link of a scenario
    Encode {
        #[arg(value_name = "FILE", help = SCENARIO)]
        scenario: String,
        /// Print a whole address below this one instead of the fragment
        #[arg(long, value_name = "URL")]
        base: Option<String>,
    },
    /// Print the scenario of a link
    Decode {
        /// A whole address, a fragment, or - for stdin
        link: String,
    },
}
