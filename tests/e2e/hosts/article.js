// An author's page: the playground's element, from wherever `?home=` says, and a record of what it told.
const home = new URLSearchParams(location.search).get("home");
window.told = [];
for (const name of ["ready", "change", "metrics", "error"]) {
  addEventListener(name, (event) => window.told.push([event.target.id, name, event.detail]), true);
}
await import(`${home}static/teeter.js`);
