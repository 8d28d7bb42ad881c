//! `teeter`: the engine without the page.
//!
//! Every command makes its whole output first (but for `decisions` and `sweep`, which may be too many to keep): where
//! something is wrong there is one message on stderr, nothing on stdout, and the exit code 2.

mod args;
mod bench;
mod check;
mod compare;
mod decisions;
mod domains;
mod error;
mod gallery;
mod import;
mod link;
mod lists;
mod progress;
mod replicate;
mod report;
mod run;
mod series;
mod source;
mod sweep;
mod trace;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Args, Command, LinkCommand};
use crate::error::Error;

fn main() -> ExitCode {
    let written = execute(Args::parse().command).and_then(|output| print(&output));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where stderr is gone as well, the exit code has to do.
            let _ = write!(io::stderr(), "{}", error.lines());
            ExitCode::from(2)
        }
    }
}

/// What a command prints.
fn execute(command: Command) -> Result<String, Error> {
    match command {
        Command::Run(args) => run::execute(&args),
        Command::Compare(args) => compare::execute(&args),
        Command::Sweep(args) => sweep::execute(&args),
        Command::Bench(args) => bench::execute(&args),
        Command::Replicate(args) => replicate::execute(&args),
        Command::Decisions(args) => decisions::execute(&args),
        Command::Domains(args) => domains::execute(&args),
        Command::Check { scenario } => check::execute(&scenario),
        Command::Link(LinkCommand::Encode { scenario, base }) => {
            link::encode(&scenario, base.as_deref())
        }
        Command::Link(LinkCommand::Decode { link }) => link::decode(&link),
        Command::Import { file, from } => import::execute(&file, from),
        Command::Presets => Ok(lists::presets()),
        Command::Kernels => Ok(lists::kernels()),
        Command::Rules => Ok(lists::rules()),
        Command::Workloads { json } => Ok(lists::workloads(json)),
        Command::Gallery { names } => gallery::execute(&names),
        Command::Schema => Ok(teeter_scenario::schema::json()),
    }
}

/// Writes to stdout. A reader that has seen enough is no error.
fn print(output: &str) -> Result<(), Error> {
    match io::stdout().write_all(output.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::write("stdout", error))
        }
        _ => Ok(()),
    }
}
