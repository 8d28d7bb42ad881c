// The engine without the page, to compare with: `teeter`, which TEETER_CLI names.

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const TEETER = process.env.TEETER_CLI ?? fileURLToPath(new URL("../../target/debug/teeter", import.meta.url));

const teeter = async (...args) => (await promisify(execFile)(TEETER, args, { maxBuffer: 1 << 28 })).stdout;

/** The result of running the scenario of a link, as `teeter run --json` prints it. */
export async function run(link) {
  return JSON.parse(await teeter("run", link, "--json"));
}

/** The digests of a link's runs, one a kernel. */
export async function digests(link) {
  return (await run(link)).runs.map((run) => run.digest);
}

/** The scenario that a link holds, as `teeter link decode` prints it. */
export async function decode(link) {
  return JSON.parse(await teeter("link", "decode", link));
}

/**
 * The series of a link's runs: a map from each kernel to its samples, objects by the names of the columns.
 * What a task does not report is NaN.
 */
export async function series(link) {
  const directory = await mkdtemp(path.join(tmpdir(), "teeter-"));
  try {
    const file = path.join(directory, "series.csv");
    await teeter("run", link, "--json", "--series", file);
    const [head, ...lines] = (await readFile(file, "utf8")).trim().split("\n");
    const names = head.split(",");
    const samples = lines.map((line) => {
      const cells = line.split(",").map((cell, column) => [names[column], cell]);
      return Object.fromEntries(
        cells.map(([name, cell]) => [name, name === "kernel" ? cell : cell === "" ? Number.NaN : Number(cell)]),
      );
    });
    return grouped(samples);
  } finally {
    await rm(directory, { recursive: true });
  }
}

function grouped(samples) {
  const groups = new Map();
  for (const sample of samples) {
    groups.set(sample.kernel, [...(groups.get(sample.kernel) ?? []), sample]);
  }
  return groups;
}

/** The decisions of a link's runs that pass a filter, as `teeter decisions --json` prints them. */
export async function decisions(link, filter) {
  const lines = await teeter("decisions", link, "--where", filter, "--json");
  return lines.trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}
