// Runs before the page's program: takes the stored theme, and tells what is wrong if the program cannot start.
(() => {
  try {
    const theme = JSON.parse(localStorage.getItem("teeter.theme"));
    if (["light", "dark", "contrast"].includes(theme)) document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: the system's theme stands.
  }

  const reason = (error) => {
    if (location.protocol === "file:") {
      return "A page opened from a file may not load its program. Serve the folder over http, as `cargo xtask serve` does.";
    }
    if (typeof WebAssembly !== "object") {
      return "This browser has no WebAssembly, or it is switched off. Teeter needs it.";
    }
    return `The program could not go on: ${error}`;
  };

  const fail = (error) => {
    const screen = document.getElementById("failure");
    if (!screen || !screen.hidden) return;
    document.getElementById("failure-what").textContent = reason(error);
    document.getElementById("failure-link").value = location.href;
    document.getElementById("app").hidden = true;
    document.getElementById("start").hidden = true;
    screen.hidden = false;
  };

  // Once the page is there, only the death of its program is worth a screen of its own.
  const fatal = (error) => error instanceof WebAssembly.RuntimeError || !document.getElementById("app")?.hasChildNodes();
  addEventListener("unhandledrejection", (event) => fatal(event.reason) && fail(event.reason));
  addEventListener("error", (event) => event.error && fatal(event.error) && fail(event.error));
})();
