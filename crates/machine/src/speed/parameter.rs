//! The hardware model's parameters by name, for overriding and for showing.

use teeter_scenario::Nanos;
use teeter_scenario::document::SettingValue;

use super::Speed;

/// What a parameter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds; written as a time, `"50ns"`.
    Nanos,
    /// Hundredths of one: 124 is 1.24.
    Hundredths,
    /// Cache lines.
    Lines,
    /// Cores.
    Cores,
    /// GB/s, of 10^9 bytes.
    GbPerSecond,
    /// KB, of 1024 bytes.
    Kb,
}

/// One parameter of the hardware model.
#[derive(Clone, Copy)]
pub struct Parameter {
    /// Its dotted name.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// The least value accepted.
    pub min: u32,
    /// The greatest value accepted.
    pub max: u32,
    /// One sentence about it.
    pub about: &'static str,
    /// Where the values of the presets come from, with their grade, and between which bounds the
    /// literature has it.
    pub source: &'static str,
    /// Where it is kept.
    pub(super) field: fn(&mut Speed) -> &mut u32,
}

impl Parameter {
    /// Its value on a machine.
    pub fn value(&self, speed: &Speed) -> u32 {
        *(self.field)(&mut speed.clone())
    }

    /// The number that a value from a scenario stands for, or what was expected instead.
    pub(super) fn read(&self, value: &SettingValue) -> Result<u32, String> {
        let unit = match self.unit {
            Unit::Nanos => return self.read_time(value),
            Unit::Hundredths => "hundredths",
            Unit::Lines => "cache lines",
            Unit::Cores => "cores",
            Unit::GbPerSecond => "GB/s",
            Unit::Kb => "KB",
        };
        match value {
            SettingValue::Int(number) => self.within(*number).ok_or_else(|| {
                let (min, max) = (self.min, self.max);
                format!("from {min} to {max} {unit} are expected, not {number}")
            }),
            _ => Err(format!(
                "a whole number of {unit} is expected, not `{value}`"
            )),
        }
    }

    fn read_time(&self, value: &SettingValue) -> Result<u32, String> {
        match value {
            SettingValue::Time(time) => {
                let nanos = i64::try_from(time.0).unwrap_or(i64::MAX);
                self.within(nanos).ok_or_else(|| {
                    let (min, max) = (Nanos(self.min.into()), Nanos(self.max.into()));
                    format!("from {min} to {max} is expected, not {time}")
                })
            }
            _ => Err("a time is expected, such as \"50ns\"".to_owned()),
        }
    }

    fn within(&self, number: i64) -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        (self.min..=self.max).contains(&number).then_some(number)
    }
}

/// Every parameter of the hardware model.
pub fn parameters() -> &'static [Parameter] {
    PARAMETERS
}

/// The longest time a parameter may have, ns.
const MAX_NANOS: u32 = 1_000_000;

/// A parameter in nanoseconds.
const fn nanos(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    field: fn(&mut Speed) -> &mut u32,
) -> Parameter {
    Parameter {
        name,
        unit: Unit::Nanos,
        min: 0,
        max: MAX_NANOS,
        about,
        source,
        field,
    }
}

/// A parameter in hundredths.
const fn hundredths(
    name: &'static str,
    about: &'static str,
    source: &'static str,
    (min, max): (u32, u32),
    field: fn(&mut Speed) -> &mut u32,
) -> Parameter {
    Parameter {
        name,
        unit: Unit::Hundredths,
        min,
        max,
        about,
        source,
        field,
    }
}

/// A parameter in cache lines.
const fn lines(
    name: &'static str,
    about: &'static str,
    field: fn(&mut Speed) -> &mut u32,
) -> Parameter {
    Parameter {
        name,
        unit: Unit::Lines,
        min: 0,
        max: 1_000,
        about,
        source: "run-queue, task and entity: 12 near, 30 far: A",
        field,
    }
}

/// A parameter in GB/s.
const fn bandwidth(
    name: &'static str,
    about: &'static str,
    field: fn(&mut Speed) -> &mut u32,
) -> Parameter {
    Parameter {
        name,
        unit: Unit::GbPerSecond,
        min: 1,
        max: 10_000,
        about,
        source: BANDWIDTH,
        field,
    }
}

const BANDWIDTH: &str = "STREAM (AnandTech: R): Xeon E5 up to 65, POWER8 90 GB/s a chip; four-socket E7 50 to 60, Milan 150 to 190 \
    a socket (M), client of two DDR4 channels (A); links: two QPI 30 to 38, xGMI 60 to 90, POWER8 30 GB/s (M, A)";
const CLOCK: &str = "5 % less with each active core beyond two, down to 20 % less, which is what counts as full speed (A); EPYC 7763 3.5 GHz \
    alone and near 3.2 with all cores (M); POWER8 under pHyp steady (A); a machine that is no preset steady, its clock not being known";
const THROUGHPUT: &str = "x86: hyper-threading gives 10 to 30 % to computation (AnandTech POWER8 review part 1, Intel, NERSC: R), \
    1.24 (1.05 to 1.5: A), Zen 1.3 (1.2 to 1.45: A); POWER8: 1.6 at least with 2 threads (IBM by AnandTech: R), \
    1.95 and 2.15 (1.9 to 2.6) with 4 and 8 (IBM rPerf ratios: M)";
const LINES: &str = "core-to-core-latency measurements (R): EPYC 7R13 10/23/107/197 ns, 2x Xeon E5-2695 v4 7.6/44/-/118 ns; \
    scaled for four sockets 8/50/-/130 ns (110 to 200: A) and from POWER7 for POWER8 (150 to 450 remote: A); \
    between last-level caches of a node where a machine has one only, and for clients: A";
const CACHES: &str = "Haswell 12 and 50 cycles, Rome and Milan 13 and 34 to 46 cycles, POWER8 13 cycles and 8 ns (AnandTech: R; Milan's L3: M); client: M";
const MEMORY: &str = "Haswell 90 to 96 and 140 to 146 ns (Molka, ICPP 2015: M; lmbench by AnandTech: R), four-socket E7 135 and 194 to 202 ns \
    (Intel Memory Latency Checker: R), EPYC one node a socket 96 to 135 and 180 to 220 ns (AnandTech: R; Milan: M), \
    POWER8 90 ns (AnandTech: R) and 1.56 times that (mean over eight nodes: A); client: M";
const NUMA: &str = "2 to 4 us to move a page of 4 KB, and 8 GB/s for what a larger one has more; the rest as a page fault and a page table entry cost: A";
const IDLE: &str = "drivers/idle/intel_idle.c: Broadwell (R) for servers, Skylake for clients (M); EPYC with C2 disabled as in the wakeup \
    bias tests, C1 1 us (A); POWER8 under pHyp: CEDE of cpuidle-pseries (M) in the place of C1";
const EXIT: &str = "0.5 to 1 of the driver's table: A; measured on Haswell-EP, 0.15 of it and 8 us more for the package (Schoene, Molka, \
    Werner, Computer Science R&D 2015: M), which no preset has yet";
const WAKE: &str = "0.8 to 2 us for the direct cost (Li et al., ExpCS 2007: M); wakeups: A, the serial one by the spacing of a schbench wave";

const SPREAD: &str = "no two calls meet the same caches, branch predictions and interrupts: 10 % (A); without it, programs that do \
    nothing but call keep in step with each other and with the ticks for ever";

const CHANNEL: &str = "pipe of 100 bytes 0.9 and 0.8 us (0.5 to 1.2: A), a whole ping-pong round 7.7 to 9.2 us on client Skylakes (R); TCP: 0.755 us and \
    0.218 ns a byte describe nine of netperf's message sizes on a Haswell within 10 % (D), which is 0.944 us and 0.273 ns at the clock without turbo, 0.24 us of them for its part in segments handed over (1.5 us \
    each, and the wakeup: A); the receiver's copy 10 GB/s: A; Unix \
    sockets between the two: A; the lock 0.3 us a pipe message: A";

static PARAMETERS: &[Parameter] = &[
    hundredths(
        "smt.2",
        "throughput of a core with 2 busy threads, relative to one",
        THROUGHPUT,
        (50, 200),
        |speed| &mut speed.smt_2,
    ),
    hundredths(
        "smt.4",
        "throughput of a core with 4 busy threads, relative to one",
        THROUGHPUT,
        (50, 400),
        |speed| &mut speed.smt_4,
    ),
    hundredths(
        "smt.8",
        "throughput of a core with 8 busy threads, relative to one",
        THROUGHPUT,
        (50, 800),
        |speed| &mut speed.smt_8,
    ),
    hundredths(
        "turbo.most",
        "clock while few cores of a package are active, relative to that of all",
        CLOCK,
        (100, 300),
        |speed| &mut speed.turbo_most,
    ),
    hundredths(
        "turbo.step",
        "how much of that is lost with each active core more",
        CLOCK,
        (0, 100),
        |speed| &mut speed.turbo_step,
    ),
    Parameter {
        name: "turbo.cores",
        unit: Unit::Cores,
        min: 1,
        max: 1_000,
        about: "active cores of a package up to which nothing is lost",
        source: CLOCK,
        field: |speed| &mut speed.turbo_cores,
    },
    nanos(
        "line.smt",
        "fetching a line modified by a thread of the same core",
        LINES,
        |speed| &mut speed.line.smt,
    ),
    nanos(
        "line.llc",
        "fetching a line modified by a core under the same last-level cache",
        LINES,
        |speed| &mut speed.line.llc,
    ),
    nanos(
        "line.node",
        "fetching a line modified under another last-level cache of the node",
        LINES,
        |speed| &mut speed.line.node,
    ),
    nanos(
        "line.remote",
        "fetching a line modified on another package",
        LINES,
        |speed| &mut speed.line.remote,
    ),
    nanos("cache.l2", "a hit in the L2", CACHES, |speed| {
        &mut speed.cache_l2
    }),
    nanos("cache.l3", "a hit in the L3", CACHES, |speed| {
        &mut speed.cache_l3
    }),
    nanos(
        "memory.local",
        "an access to memory of the same node",
        MEMORY,
        |speed| &mut speed.memory_local,
    ),
    nanos(
        "memory.remote",
        "an access to memory of another package, on average",
        MEMORY,
        |speed| &mut speed.memory_remote,
    ),
    bandwidth(
        "memory.bandwidth",
        "what a node's memory gives to all that ask",
        |speed| &mut speed.memory_bandwidth,
    ),
    bandwidth(
        "link.bandwidth",
        "what goes between a node and all others, each way",
        |speed| &mut speed.link_bandwidth,
    ),
    Parameter {
        name: "memory.page",
        unit: Unit::Kb,
        min: 4,
        max: 64,
        about: "a page of the machine's kernel",
        source: "4 KB on x86, 64 KB as distributions build for POWER",
        field: |speed| &mut speed.memory_page,
    },
    nanos(
        "numa.fault",
        "kernel time of a hinting fault",
        NUMA,
        |speed| &mut speed.numa_fault,
    ),
    nanos(
        "numa.migrate",
        "kernel time of moving a page to another node",
        NUMA,
        |speed| &mut speed.numa_migrate,
    ),
    nanos(
        "numa.scan",
        "kernel time of marking a page for a hinting fault",
        NUMA,
        |speed| &mut speed.numa_scan,
    ),
    hundredths(
        "refill.parallel",
        "cache lines under way at a time while a cold L2 fills",
        "2 to 3: A",
        (10, 10_000),
        |speed| &mut speed.refill_parallel,
    ),
    hundredths(
        "refill.stream",
        "cache lines under way at a time while a last-level cache fills",
        "8: A",
        (10, 10_000),
        |speed| &mut speed.refill_stream,
    ),
    nanos(
        "refill.tlb",
        "page walks after a move",
        "0.5 to 2 us: A",
        |speed| &mut speed.refill_tlb,
    ),
    Parameter {
        name: "refill.cold",
        unit: Unit::Nanos,
        min: 0,
        max: 1_000_000_000,
        about: "time after which others on the CPU have pushed out what a sleeper had in its caches",
        source: "some 10 ms: A",
        field: |speed| &mut speed.refill_cold,
    },
    nanos(
        "switch.direct",
        "a context switch, without what cold caches cost",
        WAKE,
        |speed| &mut speed.switch_direct,
    ),
    hundredths(
        "call.spread",
        "how far the time of a system call lies off its mean at most, either way",
        SPREAD,
        (0, 100),
        |speed| &mut speed.call_spread,
    ),
    nanos(
        "wake.plain",
        "the waker's time for one wakeup",
        WAKE,
        |speed| &mut speed.wake_plain,
    ),
    nanos(
        "wake.serial",
        "the waker's time for each of several futex wakeups in a row",
        WAKE,
        |speed| &mut speed.wake_serial,
    ),
    lines(
        "wake.lines_near",
        "lines that a wakeup moves below one last-level cache",
        |speed| &mut speed.wake_lines_near,
    ),
    lines(
        "wake.lines_far",
        "lines that a wakeup moves between last-level caches",
        |speed| &mut speed.wake_lines_far,
    ),
    nanos(
        "ipi.near",
        "an interrupt to a CPU of the same package",
        "0.5 to 1 us: A",
        |speed| &mut speed.ipi_near,
    ),
    nanos(
        "ipi.remote",
        "an interrupt to a CPU of another package",
        "1 to 2 us: A",
        |speed| &mut speed.ipi_remote,
    ),
    nanos("idle.c1.exit", "longest exit from C1", IDLE, |speed| {
        &mut speed.idle[0].exit
    }),
    nanos(
        "idle.c1.residency",
        "shortest stay in C1 that pays; 0 disables it",
        IDLE,
        |speed| &mut speed.idle[0].residency,
    ),
    nanos("idle.c1e.exit", "longest exit from C1E", IDLE, |speed| {
        &mut speed.idle[1].exit
    }),
    nanos(
        "idle.c1e.residency",
        "shortest stay in C1E that pays; 0 disables it",
        IDLE,
        |speed| &mut speed.idle[1].residency,
    ),
    nanos("idle.c3.exit", "longest exit from C3", IDLE, |speed| {
        &mut speed.idle[2].exit
    }),
    nanos(
        "idle.c3.residency",
        "shortest stay in C3 that pays; 0 disables it",
        IDLE,
        |speed| &mut speed.idle[2].residency,
    ),
    nanos("idle.c6.exit", "longest exit from C6", IDLE, |speed| {
        &mut speed.idle[3].exit
    }),
    nanos(
        "idle.c6.residency",
        "shortest stay in C6 that pays; 0 disables it",
        IDLE,
        |speed| &mut speed.idle[3].residency,
    ),
    hundredths(
        "idle.exit_share",
        "part of the longest exit that leaving an idle state takes",
        EXIT,
        (0, 100),
        |speed| &mut speed.idle_exit_share,
    ),
    nanos(
        "idle.package",
        "what leaving the deepest idle state takes longer where the whole package idled",
        EXIT,
        |speed| &mut speed.idle_package,
    ),
    nanos(
        "pipe.send",
        "the sender's time for a message through a pipe, without copying",
        CHANNEL,
        |speed| &mut speed.channel.pipe.send,
    ),
    nanos(
        "pipe.receive",
        "the receiver's time for a message through a pipe, without copying",
        CHANNEL,
        |speed| &mut speed.channel.pipe.receive,
    ),
    nanos(
        "pipe.copy_send",
        "the sender's time for 1 KB through a pipe",
        CHANNEL,
        |speed| &mut speed.channel.pipe.copy_send,
    ),
    nanos(
        "pipe.copy_receive",
        "the receiver's time for 1 KB through a pipe",
        CHANNEL,
        |speed| &mut speed.channel.pipe.copy_receive,
    ),
    nanos(
        "pipe.push",
        "the sender's time to hand a segment of messages over, where there are such",
        CHANNEL,
        |speed| &mut speed.channel.pipe.push,
    ),
    nanos(
        "pipe.lock",
        "how long a message through a pipe holds the lock that all its users take",
        CHANNEL,
        |speed| &mut speed.channel.pipe.lock,
    ),
    Parameter {
        source: "8 a pipe message, 35 over TCP: A",
        ..lines(
            "pipe.lines",
            "cache lines of a pipe that its receiver fetches from the sender, who fetches half as many back",
            |speed| &mut speed.channel.pipe.lines,
        )
    },
    nanos(
        "socket.send",
        "the sender's time for a message through a Unix socket, without copying",
        CHANNEL,
        |speed| &mut speed.channel.socket.send,
    ),
    nanos(
        "socket.receive",
        "the receiver's time for a message through a Unix socket, without copying",
        CHANNEL,
        |speed| &mut speed.channel.socket.receive,
    ),
    nanos(
        "socket.copy_send",
        "the sender's time for 1 KB through a Unix socket",
        CHANNEL,
        |speed| &mut speed.channel.socket.copy_send,
    ),
    nanos(
        "socket.copy_receive",
        "the receiver's time for 1 KB through a Unix socket",
        CHANNEL,
        |speed| &mut speed.channel.socket.copy_receive,
    ),
    nanos(
        "socket.push",
        "the sender's time to hand a segment of messages over, where there are such",
        CHANNEL,
        |speed| &mut speed.channel.socket.push,
    ),
    nanos(
        "socket.lock",
        "how long a message through a Unix socket holds the lock that all its users take",
        CHANNEL,
        |speed| &mut speed.channel.socket.lock,
    ),
    Parameter {
        source: "8 a pipe message, 35 over TCP: A",
        ..lines(
            "socket.lines",
            "cache lines of a Unix socket that its receiver fetches from the sender, who fetches half as many back",
            |speed| &mut speed.channel.socket.lines,
        )
    },
    nanos(
        "tcp.send",
        "the sender's time for a message through a TCP connection over loopback, without copying",
        CHANNEL,
        |speed| &mut speed.channel.tcp.send,
    ),
    nanos(
        "tcp.receive",
        "the receiver's time for a message through a TCP connection over loopback, without copying",
        CHANNEL,
        |speed| &mut speed.channel.tcp.receive,
    ),
    nanos(
        "tcp.copy_send",
        "the sender's time for 1 KB through a TCP connection over loopback",
        CHANNEL,
        |speed| &mut speed.channel.tcp.copy_send,
    ),
    nanos(
        "tcp.copy_receive",
        "the receiver's time for 1 KB through a TCP connection over loopback",
        CHANNEL,
        |speed| &mut speed.channel.tcp.copy_receive,
    ),
    nanos(
        "tcp.push",
        "the sender's time to hand a segment of messages over, where there are such",
        CHANNEL,
        |speed| &mut speed.channel.tcp.push,
    ),
    nanos(
        "tcp.lock",
        "how long a message through a TCP connection over loopback holds the lock that all its users take",
        CHANNEL,
        |speed| &mut speed.channel.tcp.lock,
    ),
    Parameter {
        source: "8 a pipe message, 35 over TCP: A",
        ..lines(
            "tcp.lines",
            "cache lines of a TCP connection over loopback that its receiver fetches from the sender, who fetches half as many back",
            |speed| &mut speed.channel.tcp.lines,
        )
    },
    nanos(
        "semaphore.send",
        "the sender's time for a message through a futex word, without copying",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.send,
    ),
    nanos(
        "semaphore.receive",
        "the receiver's time for a message through a futex word, without copying",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.receive,
    ),
    nanos(
        "semaphore.copy_send",
        "the sender's time for 1 KB through a futex word",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.copy_send,
    ),
    nanos(
        "semaphore.copy_receive",
        "the receiver's time for 1 KB through a futex word",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.copy_receive,
    ),
    nanos(
        "semaphore.push",
        "the sender's time to hand a segment of messages over, where there are such",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.push,
    ),
    nanos(
        "semaphore.lock",
        "how long a message through a futex word holds the lock that all its users take",
        CHANNEL,
        |speed| &mut speed.channel.semaphore.lock,
    ),
    Parameter {
        source: "8 a pipe message, 35 over TCP: A",
        ..lines(
            "semaphore.lines",
            "cache lines of a futex word that its receiver fetches from the sender, who fetches half as many back",
            |speed| &mut speed.channel.semaphore.lines,
        )
    },
];
