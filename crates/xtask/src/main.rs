//! Teeter's own commands: `cargo xtask serve`, `build`, `test`, `bench`, `picture`, `measure`, `gallery` and `setup`.
//!
//! Each makes sure of the tools it needs, keeps them in a cache outside the checkout, and says what it
//! does and how long that took. The parts: [`workshop`] hands out tools made ready by [`wasm_std`],
//! [`cargo_tool`], [`node`] and [`browser`]; [`site`], [`suite`] and [`e2e`] are what is done with them.

mod bench;
mod browser;
mod cache;
mod cargo_tool;
mod debian;
mod e2e;
mod error;
mod fingerprint;
mod lockfile;
mod node;
mod program;
mod site;
mod step;
mod suite;
mod trace_cmd;
mod wasm_std;
mod workshop;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Result;
use crate::step::Step;
use crate::suite::Part;
use crate::wasm_std::Source;
use crate::workshop::Workshop;

/// Set-up, serve, build and test.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", after_help = ENVIRONMENT)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Where Rust's standard library for wasm32 comes from
    #[arg(
        long,
        global = true,
        env = "TEETER_WASM_STD",
        value_enum,
        default_value = "auto"
    )]
    wasm_std: Source,
}

const ENVIRONMENT: &str = "\
Environment:
  TEETER_CACHE     where tools are kept [default: teeter in the user's cache directory]
  TEETER_WASM_STD  as --wasm-std
  TEETER_BROWSER   Chromium or Chrome for the browser tests [default: from PATH]
  CHROMEDRIVER     its driver [default: from PATH]";

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the playground and serve it on 127.0.0.1
    Serve {
        /// Open it in the browser
        #[arg(long)]
        open: bool,
        /// The port, or the first of those to try
        #[arg(long, default_value_t = 8080)]
        port: u16,
    },
    /// Build the playground into dist/, hostable under any path
    Build,
    /// Run every test, or some parts of the suite
    Test {
        /// The parts to run, separated by commas
        #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
        only: Vec<Part>,
    },
    /// Measure the engine, and compare the instructions it takes with those that the repository holds
    Bench {
        /// Keep the counts of instructions
        #[arg(long)]
        bless: bool,
    },
    /// Take the pictures of the page that the README shows
    Picture,
    /// Measure how quick the page is: first results after an edit, frames while editing
    Measure,
    /// Run every preset for a while, for the pictures of the page's examples
    Gallery,
    /// Do only the set-up, for the other commands to find
    Setup,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n[xtask] error: {error}");
            if let Some(help) = error.help() {
                eprintln!("[xtask] what to do: {help}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run(cli: &Cli) -> Result<()> {
    let workshop = Workshop::open(cli.wasm_std)?;
    match &cli.command {
        Command::Serve { open, port } => site::serve(&workshop, *port, *open),
        Command::Build => site::build(&workshop).map(drop),
        Command::Test { only } => suite::run(&workshop, only),
        Command::Bench { bless } => bench::run(&workshop, *bless),
        Command::Picture => e2e::picture(&workshop),
        Command::Measure => e2e::measure(&workshop),
        Command::Gallery => site::gallery(&workshop),
        Command::Setup => {
            let step = Step::begin("set-up");
            workshop.trunk()?;
            workshop.wasm_test_cargo()?;
            step.done("complete");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn parts_are_separated_by_commas() {
        let cli = Cli::try_parse_from(["xtask", "test", "--only", "unit,e2e"]).unwrap();
        let Command::Test { only } = cli.command else {
            panic!("not the test command: {:?}", cli.command);
        };
        assert_eq!(only, [Part::Unit, Part::E2e]);
        assert!(Cli::try_parse_from(["xtask", "test", "--only", "unti"]).is_err());
    }
}
