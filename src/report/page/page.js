// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The page: selection of the run, figures of all runs, and highlighting in the drawing.
const served = data.runs.map((run, i) => i).filter((i) => data.runs[i].served);
const state = { run: served.length ? served[0] : -1, measure: 0 };
let drawing = null, explorer = null;

const isDark = () => document.documentElement.dataset.theme === "dark";

// Highlights links, [{cable, back}], and switches with a text, [{sw, text}].
function mark(channels, named) {
  byId("unmark").hidden = !channels;
  drawing.mark({ channels: channels || [], switches: (named || []).map(({ sw }) => sw), texts: (named || []).map(({ text }) => text) });
}

function card(what, value, more, className) {
  const made = element("div", undefined, "card");
  made.append(element("span", what, "what"), element("b", value, className));
  for (const line of more) made.append(element("p", line));
  return made;
}

function verdictOf(run) {
  const verified = run.verify;
  if (!verified) return { text: "not verified", good: null };
  if (verified.unreachable > 0) return { text: `${plural(verified.unreachable, "pair")} of hosts not connected`, good: false };
  if (verified.loops > 0) return { text: `${plural(verified.loops, "forwarding loop")}`, good: false };
  if (verified.credit_loops > 0) return { text: "can deadlock", good: false };
  return { text: "sound", good: true };
}

function cards() {
  const run = data.runs[state.run], verified = run.verify, verdict = verdictOf(run), quality = run.quality;
  const list = [
    card("fabric", data.layout.about, [`${plural(data.fabric.switches, "switch", "switches")}, ${plural(data.fabric.cas, "host")}, ${plural(data.fabric.links, "cable")}`]),
    card("routed by", run.name, [plural(run.vls, "virtual lane") + (run.vls_needed < run.vls ? `, ${run.vls_needed} needed` : ""), ...run.notes]),
  ];
  const proof = card("verdict", (verdict.good === null ? "" : verdict.good ? "✓ " : "✗ ") + verdict.text, [], verdict.good === null ? "" : verdict.good ? "good" : "bad");
  proof.id = "verdict";
  if (verified) {
    proof.append(element("p", verified.unreachable ? `${count(verified.pairs - verified.unreachable)} of ${count(verified.pairs)} pairs connected` : `all ${count(verified.pairs)} pairs of hosts connected`));
    proof.append(element("p", verified.credit_loops ? `credit loop over ${plural(verified.credit_loop.length, "channel")}` : `no credit loop among ${count(verified.dependencies)} dependencies`));
    if (verified.credit_loop.length) {
      const button = element("button", "show the loop");
      button.type = "button";
      button.id = "show-loop";
      button.addEventListener("click", () => { mark(verified.credit_loop); drawing.whole(); byId("drawing").scrollIntoView({ behavior: "smooth" }); });
      proof.append(button);
    }
  }
  list.push(proof,
    card("effective bisection", `${(100 * quality.ebb).toFixed(1)}%`, [`of the full bandwidth, random pairs of hosts (± ${(100 * quality.ebb_error).toFixed(1)}%)`, `${(100 * quality.alltoall).toFixed(1)}% if all send to all`]),
    card("paths", `${quality.hops_max} hops at most`, [`${quality.hops_mean.toFixed(2)} on average`, quality.nonminimal ? `${count(quality.nonminimal)} longer than shortest` : "all as short as can be"]),
    card("load of cables", `${count(quality.link_load_max)} at most`, [`${count(Math.round(quality.link_load_mean * 10) / 10)} on average, deviation ${count(Math.round(quality.link_load_sd * 10) / 10)}`]));
  byId("cards").replaceChildren(...list);
}

function yes(good, text) {
  return element("span", `${good ? "✓" : "✗"} ${text}`, good ? "good" : "bad");
}

// Columns of the comparison: heading, cell of a run, and sort value (less is better).
const columns = [
  ["deadlock-free", (run) => (!run.verify ? "not verified" : yes(!run.verify.credit_loops, run.verify.credit_loops ? `no: credit loop of ${run.verify.credit_loop.length}` : "yes"))],
  ["all hosts connected", (run) => (!run.verify ? "not verified" : yes(!run.verify.unreachable, run.verify.unreachable ? `${count(run.verify.unreachable)} pairs not` : "yes"))],
  ["virtual lanes", (run) => run.vls, (run) => run.vls],
  ["effective bisection", (run) => run.quality.ebb.toFixed(3), (run) => -run.quality.ebb],
  ["all to all", (run) => run.quality.alltoall.toFixed(3), (run) => -run.quality.alltoall],
  ["simulated bandwidth", (run) => (run.traffic.length ? run.traffic[0].bandwidth.mean.toFixed(3) : "–"), (run) => (run.traffic.length ? -run.traffic[0].bandwidth.mean : 0)],
  ["load, most", (run) => count(run.quality.link_load_max), (run) => run.quality.link_load_max],
  ["mean", (run) => run.quality.link_load_mean.toFixed(1)],
  ["deviation", (run) => run.quality.link_load_sd.toFixed(1), (run) => run.quality.link_load_sd],
  ["hops, most", (run) => run.quality.hops_max, (run) => run.quality.hops_max],
  ["mean", (run) => run.quality.hops_mean.toFixed(2), (run) => run.quality.hops_mean],
  ["longer than shortest", (run) => count(run.quality.nonminimal), (run) => run.quality.nonminimal],
];

function runColour(i) { return data.palette.runs[i % data.palette.runs.length]; }

function compare() {
  const used = columns.filter(([head]) => head !== "simulated bandwidth" || served.some((i) => data.runs[i].traffic.length));
  const head = element("tr");
  head.append(element("th", "routed by"), ...used.map(([text], i) => element("th", text, i < 2 ? "" : "num")));
  byId("runs").tHead.replaceChildren(head);
  const rows = data.runs.map((run, i) => {
    const row = element("tr"), name = element("td"), swatch = element("span", undefined, "swatch");
    row.dataset.run = i;
    swatch.style.background = runColour(i);
    name.append(swatch, run.name);
    row.append(name);
    if (!run.served) {
      const why = element("td", `does not route this fabric: ${run.reason}`, "bad");
      why.colSpan = used.length;
      row.append(why);
      return row;
    }
    used.forEach(([, cell, rank], c) => {
      const made = element("td", undefined, c < 2 ? "" : "num");
      made.append(cell(run));
      if (rank && served.length > 1 && served.some((j) => rank(data.runs[j]) > rank(run)) && served.every((j) => rank(data.runs[j]) >= rank(run))) made.classList.add("best");
      row.append(made);
    });
    row.addEventListener("click", () => choose(i));
    return row;
  });
  byId("runs").tBodies[0].replaceChildren(...rows);
}

function tabs() {
  byId("engines").replaceChildren(...data.runs.map((run, i) => {
    const tab = element("button", run.name);
    tab.type = "button";
    tab.setAttribute("role", "tab");
    tab.dataset.run = i;
    tab.disabled = !run.served;
    if (!run.served) tab.title = run.reason;
    tab.addEventListener("click", () => choose(i));
    return tab;
  }));
}

// One scale for all runs makes their drawings comparable.
function mostOf(measure) {
  let most = 0;
  for (const i of served) {
    const list = measures(data.runs[i]);
    if (measure < list.length) for (const value of list[measure].values) most = Math.max(most, value);
  }
  return most;
}

function colour() {
  const list = measures(data.runs[state.run]), chosen = list[Math.min(state.measure, list.length - 1)];
  const most = mostOf(list.indexOf(chosen));
  byId("measure").replaceChildren(...list.map((measure, i) => new Option(measure.name, i, false, measure === chosen)));
  byId("scale").style.background = `linear-gradient(to right, ${WeftDrawing.loadSteps(isDark()).join(", ")})`;
  byId("most").textContent = `${count(most)} ${chosen.unit}`;
  drawing.colour(chosen.values, chosen.unit, most, isDark());
}

function choose(run) {
  state.run = run;
  for (const tab of byId("engines").children) tab.setAttribute("aria-selected", String(Number(tab.dataset.run) === run));
  for (const row of byId("runs").tBodies[0].rows) row.classList.toggle("chosen", Number(row.dataset.run) === run);
  mark(null);
  cards();
  colour();
  explorer.reset();
}

function whatIf() {
  const rows = data.what_if.rows;
  byId("what-if").hidden = rows.length === 0;
  if (!rows.length) return;
  byId("what-if-of").textContent = `Single failures, rerouted by ${data.what_if.engine}; worst first. Click a row to mark the failed cables in the drawing.`;
  const timed = rows.some((row) => row.seconds > 0);
  if (!timed) byId("failures").tHead.rows[0].lastElementChild.remove();
  byId("failures").tBodies[0].replaceChildren(...rows.map((failure, i) => {
    const row = element("tr");
    row.dataset.row = i;
    row.append(element("td", String(i + 1)), element("td", failure.name));
    for (const text of [count(failure.pairs_cut), count(failure.pairs_lost), failure.routed === false ? "no routes" : `${(100 * failure.ebb_left).toFixed(1)}%`, count(failure.blocks), count(failure.vls)]) row.append(element("td", text, "num"));
    if (timed) row.append(element("td", failure.seconds.toFixed(3), "num"));
    row.addEventListener("click", () => {
      for (const other of row.parentElement.rows) other.classList.toggle("chosen", other === row);
      const ends = failure.cables.length === 1 ? [cables.a[failure.cables[0]], cables.b[failure.cables[0]]] : [];
      mark(failure.cables.map((cable) => ({ cable, back: false, both: true })), ends.map((sw) => ({ sw, text: switches.name[sw] })));
      byId("drawing").scrollIntoView({ behavior: "smooth" });
    });
    return row;
  }));
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  if (drawing) colour();
}

function start() {
  setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
  byId("subtitle").textContent = `${data.input} · ${data.layout.about} · ${plural(data.fabric.switches, "switch", "switches")}, ${plural(data.fabric.cas, "host")}`;
  byId("foot").textContent = `Made by ${data.program}. This file is complete and loads nothing from elsewhere.`;
  byId("hint").textContent = `Filled dots are switches with hosts, rings those without. Drag to move, turn the wheel to zoom, point at an element for its data; keys: arrows, + and -, 0 for all, n and N for switches, c and C for the links of a switch.${data.layout.boxed ? " Each box stands for as many switches as it says: click it, or zoom in, to see them." : ""}`;
  tabs();
  compare();
  whatIf();
  byId("theme").addEventListener("click", () => setTheme(!isDark()));
  if (state.run < 0) {
    byId("cards").replaceChildren(card("routed by", "none", ["No engine routes this fabric: see below."], "bad"));
    for (const id of ["drawing", "explorer", "plots"]) byId(id).hidden = true;
    return;
  }
  drawing = new WeftDrawing.Drawing(data, Array.from(hostsAt), byId("canvas"), byId("tip"));
  explorer = new Explorer(state);
  new Finder(byId("find-switch"), switchCount, (i) => ({ text: switches.name[i], more: `LID ${switches.lid[i]}, ${switches.guid[i]}`, search: `${switches.name[i]} ${switches.guid[i]} ${switches.lid[i]}` }), (i) => { drawing.find(i); byId("unmark").hidden = false; });
  byId("measure").addEventListener("change", (event) => { state.measure = Number(event.target.value); colour(); });
  byId("whole").addEventListener("click", () => drawing.whole());
  byId("unmark").addEventListener("click", () => mark(null));
  choose(state.run);
}

start();
document.documentElement.dataset.ready = "yes";
