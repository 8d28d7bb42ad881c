// <teeter-playground>: a scenario of Teeter as a figure in any page. A plain ES module, no bundler, no dependency.
//
//   <script type="module" src="https://…/static/teeter.js"></script>
//   <teeter-playground preset="lu-group" panels="machine,threads" controls="params">
//     <script type="application/json">{ "teeter": 1, … }</script>      instead of `preset`: readable, diffable
//     <img src="lu-group.svg" alt="…">                                 for print and for readers without scripts
//   </teeter-playground>
//
// The figure is an iframe: its style, its program and its storage are apart from the page's, and the page needs no
// more than `frame-src` in its policy. It is loaded when it comes near the screen, wears the page's theme, and is as
// high as its contents. Events: `ready`, `change`, `metrics`, `error`, each with `detail`. `element.api(1)` is
// the programming interface, described in teeter.d.ts.

const VERSION = 1;

/** Where the playground is: one directory above this file. */
const HOME = new URL("../", import.meta.url);

/** Attributes that are parameters of the view, in the link's own words. */
const VIEW = ["theme", "controls", "panels", "knobs", "readonly", "run", "speed"];
/** Attributes that say what is shown; the first of them that is there counts. */
const SHOWN = ["link", "preset", "scenario"];
const HEIGHT = { least: 120, most: 4000, first: 420 };
/** An answer that takes longer does not come, ms. */
const PATIENCE_MS = 20_000;

const STYLE = `
  :host { display: block; position: relative; color-scheme: inherit; }
  :host([hidden]) { display: none; }
  iframe { display: block; inline-size: 100%; border: 0; color-scheme: inherit; }
  .still { display: none; }
  @media print {
    .still.has { display: block; }
    .still.has + iframe { display: none; }
  }
`;

/** JSON as a link carries it. */
function payload(json) {
  const bytes = new TextEncoder().encode(json);
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `j1.${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/** The parameters of a link that say what to show: its view and the view's parameters left out. */
function shownBy(link) {
  const fragment = link.includes("#") ? link.slice(link.indexOf("#") + 1) : link;
  const [head, ...rest] = fragment.split("?");
  const parameters = rest.length > 0 && !/[=&]/.test(head) ? rest.join("?") : fragment;
  const says = (pair) => /^(p|s|k|set\.[^=]*|(\/|%2F)[^=]*)=/.test(pair);
  return parameters.split("&").filter(says).join("&");
}

class TeeterPlayground extends HTMLElement {
  static observedAttributes = [...VIEW, ...SHOWN, "height", "title", "src"];

  #frame = null;
  #ready = deferred();
  #asked = new Map();
  #next = 1;
  #hear = (event) => this.#take(event);

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  }

  connectedCallback() {
    addEventListener("message", this.#hear);
    // A parser that is still within the element has not read its JSON yet.
    if (document.readyState === "loading") {
      document.addEventListener("DOMContentLoaded", () => this.isConnected && this.#show(), { once: true });
    } else {
      this.#show();
    }
  }

  disconnectedCallback() {
    removeEventListener("message", this.#hear);
    this.#frame?.remove();
    this.#frame = null;
  }

  attributeChangedCallback(name, before, now) {
    if (!this.#frame || before === now) return;
    if (name === "theme") this.#tell({ type: "theme", theme: now ?? "auto" });
    else if (name === "title") this.#frame.title = this.#title();
    else if (name === "height") this.#resize(this.#frame.offsetHeight);
    else if (SHOWN.includes(name)) this.#tell({ type: "load", link: `#${this.#shown()}` });
    else this.#load();
  }

  /** The programming interface of a version; there is one so far. */
  api(version = VERSION) {
    if (version !== VERSION) throw new RangeError(`<teeter-playground> has no api(${version}), only api(${VERSION})`);
    const ask = (message) => this.#ask(message);
    return {
      load: (what) => ask({ type: "load", ...(typeof what === "string" ? { link: what } : { scenario: what }) }),
      run: () => ask({ type: "run" }),
      pause: () => ask({ type: "pause" }),
      restart: () => ask({ type: "restart" }),
      seek: (t) => ask({ type: "seek", t }),
      set: (path, value) => ask({ type: "set", path, value }),
      getScenario: () => ask({ type: "get", what: "scenario" }),
      getLink: () => ask({ type: "get", what: "link" }),
      getMetrics: () => ask({ type: "get", what: "metrics" }),
      on: (name, heard) => {
        const listener = (event) => heard(event.detail);
        this.addEventListener(name, listener);
        return () => this.removeEventListener(name, listener);
      },
    };
  }

  #show() {
    if (this.#frame) return;
    const still = document.createElement("slot");
    still.className = "still";
    if (this.querySelector("img, picture, svg, figure")) still.classList.add("has");
    const frame = document.createElement("iframe");
    frame.title = this.#title();
    frame.loading = "lazy";
    frame.allow = "fullscreen; clipboard-write";
    // Its own scripts and storage, links that open in a tab of their own; nothing of the page around it.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox");
    this.#frame = frame;
    this.#load();
    this.#resize(HEIGHT.first);
    this.shadowRoot.replaceChildren(still, frame);
  }

  #load() {
    this.#ready = deferred();
    this.#frame.src = this.#address();
  }

  #title() {
    return this.getAttribute("title") ?? "Teeter: a simulation of the Linux scheduler's load balancer";
  }

  #address() {
    const home = new URL(this.getAttribute("src") ?? HOME, document.baseURI);
    const view = VIEW.filter((name) => this.hasAttribute(name)).map(
      (name) => `${name}=${encodeURIComponent(this.getAttribute(name) || "1")}`,
    );
    return `${home.href.split("#")[0]}#embed?${[...view, this.#shown()].filter(Boolean).join("&")}`;
  }

  /** What is shown, as a link says it. */
  #shown() {
    const given = SHOWN.find((name) => this.hasAttribute(name));
    const value = given && this.getAttribute(given);
    if (given === "link") return shownBy(value);
    if (given === "preset") return `p=${encodeURIComponent(value)}`;
    if (given === "scenario") return `s=${payload(value)}`;
    const json = this.querySelector('script[type="application/json"]')?.textContent;
    return json ? `s=${payload(json)}` : "";
  }

  #resize(height) {
    const fixed = this.getAttribute("height") ?? "auto";
    const own = Math.min(Math.max(height, HEIGHT.least), HEIGHT.most);
    this.#frame.style.blockSize = /^\d+$/.test(fixed) ? `${fixed}px` : `${own}px`;
  }

  #tell(message) {
    this.#ready.promise.then(() => this.#frame?.contentWindow?.postMessage({ teeter: VERSION, ...message }, this.#origin()));
  }

  #ask(message) {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      // A figure that was never near the screen is not there to answer.
      if (this.#frame) this.#frame.loading = "eager";
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        reject(new Error(`the figure did not answer ${message.type}`));
      }, PATIENCE_MS);
      this.#asked.set(id, { resolve, reject, timer });
      this.#tell({ ...message, id });
    });
  }

  #origin() {
    return new URL(this.#frame.src).origin;
  }

  #take(event) {
    const said = event.data;
    if (!this.#frame || event.source !== this.#frame.contentWindow || event.origin !== this.#origin()) return;
    if (said?.teeter !== VERSION) return;
    const { teeter: _, type, ...detail } = said;
    const asked = detail.id !== undefined && this.#asked.get(detail.id);
    if (asked) {
      clearTimeout(asked.timer);
      this.#asked.delete(detail.id);
      if (type === "error") asked.reject(new Error(detail.message));
      else asked.resolve(detail.value ?? undefined);
      return;
    }
    if (type === "resize") this.#resize(detail.height);
    else if (["ready", "change", "metrics", "error"].includes(type)) {
      if (type === "ready") {
        // The figure answers to whom has spoken to it.
        if (!this.#ready.done) this.#frame.contentWindow.postMessage({ teeter: VERSION, type: "ping" }, this.#origin());
        this.#ready.done = true;
        this.#ready.resolve();
      }
      this.dispatchEvent(new CustomEvent(type, { detail }));
    }
  }
}

/** A promise to be kept from outside. */
function deferred() {
  const own = {};
  own.promise = new Promise((resolve) => {
    own.resolve = resolve;
  });
  return own;
}

if (!customElements.get("teeter-playground")) customElements.define("teeter-playground", TeeterPlayground);
export { TeeterPlayground };
