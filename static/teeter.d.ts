// Types of teeter.js: the element <teeter-playground> and its programming interface.

/** A scenario, as static/schema/scenario.json describes it. */
export type Scenario = { teeter: 1 } & Record<string, unknown>;

/** How the runs stand. */
export interface Metrics {
  /** Simulated time that all kernels have reached, seconds. */
  time_s: number;
  /** Whether every run is over. */
  finished: boolean;
  /** For each kernel its name and its result so far (as `teeter run --json` has it), `null` before there is one. */
  kernels: [name: string, result: Record<string, unknown> | null][];
}

/** What comes with each event of the element. */
export interface Events {
  /** The figure hears. */
  ready: { version: string; apis: number[] };
  /** The reader or the page changed the scenario; its link in the playground. */
  change: { link: string };
  /** New figures, at most four times a second. */
  metrics: Metrics;
  /** Something could not be done; `code`: message, scenario, link, set, run. */
  error: { code: string; message: string };
}

/** Version 1 of the interface. Every promise is rejected with the reason if the figure cannot do it. */
export interface Api {
  /** Shows a link (or its fragment, `#p=lu-group`), or a whole scenario. */
  load(what: string | Scenario): Promise<void>;
  run(): Promise<void>;
  pause(): Promise<void>;
  /** Begins again at time 0. */
  restart(): Promise<void>;
  /** Pauses, and shows a moment of the run that has been, seconds. */
  seek(t: number): Promise<void>;
  /**
   * Sets a tunable of every kernel by its dotted name (`domain.NUMA.imbalance_pct`), or a place of the document by
   * its JSON Pointer (`/run/seed`). While the simulation runs, a tunable is written into its script at that moment.
   */
  set(path: string, value: string | number | boolean | null): Promise<void>;
  getScenario(): Promise<Scenario>;
  getLink(): Promise<string>;
  getMetrics(): Promise<Metrics>;
  /** Hears an event; call what it returns to hear it no longer. */
  on<Name extends keyof Events>(name: Name, heard: (detail: Events[Name]) => void): () => void;
}

/**
 * `<teeter-playground>`. Attributes: `preset`, `link` or `scenario` (else a `<script type="application/json">` within),
 * `theme` (auto, light, dark, contrast), `controls` (none, play, params, full), `panels` (machine, timeline, threads, throughput,
 * comparison, decisions), `knobs` (dotted names), `readonly`, `run` (visible, 1, 0), `speed`, `height` (auto, pixels),
 * `title`, `src` (another playground's address).
 */
export class TeeterPlayground extends HTMLElement {
  api(version?: 1): Api;
}

declare global {
  interface HTMLElementTagNameMap {
    "teeter-playground": TeeterPlayground;
  }
}
