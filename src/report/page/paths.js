// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path explorer: two choosers of hosts, and the hops of the path between them.
const kListed = 40;  // maximum number of matches listed

// An input field that lists the items matching its text. `items` has {text, more, search} by number.
class Finder {
  constructor(place, size, item, picked) {
    this.input = place.querySelector("input");
    this.list = place.querySelector("ul");
    this.size = size;
    this.item = item;
    this.picked = picked;
    this.input.setAttribute("role", "combobox");
    this.list.setAttribute("role", "listbox");
    this.input.addEventListener("input", () => this.open());
    this.input.addEventListener("focus", () => { this.input.select(); this.open(); });
    this.input.addEventListener("blur", () => { this.list.hidden = true; });
    this.input.addEventListener("keydown", (event) => this.key(event));
  }

  open() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter((word) => word);
    this.found = [];
    this.at = 0;
    for (let i = 0; i < this.size && this.found.length < kListed; ++i) {
      const text = this.item(i).search.toLowerCase();
      if (words.every((word) => text.includes(word))) this.found.push(i);
    }
    const rows = this.found.map((i, at) => {
      const { text, more } = this.item(i), row = element("li", text || "(no name)");
      row.dataset.item = i;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(at === 0));
      row.append(element("small", more));
      row.addEventListener("pointerdown", (event) => { event.preventDefault(); this.pick(i); });
      return row;
    });
    if (!rows.length) rows.push(element("li", "nothing matches", "none"));
    this.list.replaceChildren(...rows);
    this.list.hidden = false;
  }

  key(event) {
    if (event.key === "Escape") this.list.hidden = true;
    if (this.list.hidden || !this.found.length) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.at = (this.at + (event.key === "ArrowDown" ? 1 : this.found.length - 1)) % this.found.length;
      [...this.list.children].forEach((row, i) => row.setAttribute("aria-selected", String(i === this.at)));
      this.list.children[this.at].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.pick(this.found[this.at]);
      event.preventDefault();
    }
  }

  pick(i) {
    this.set(i);
    this.list.hidden = true;
    this.picked(i);
  }
  set(i) { this.input.value = this.item(i).text; }
}

class Explorer {
  constructor(state) {
    this.state = state;
    this.from = this.to = -1;
    const host = (i) => ({
      text: hosts.name[i], more: `LID ${hosts.lid[i]}, ${hosts.guid[i]}, at ${switches.name[hosts.sw[i]]}`,
      search: `${hosts.name[i]} ${hosts.guid[i]} ${hosts.lid[i]}`,
    });
    this.finders = {};
    for (const end of ["from", "to"])
      this.finders[end] = new Finder(byId(end), hosts.name.length, host, (i) => { this[end] = i; this.show(); });
    byId("offset").addEventListener("change", () => this.show());
    byId("swap").addEventListener("click", () => {
      [this.from, this.to] = [this.to, this.from];
      for (const end of ["from", "to"])
        if (this[end] >= 0) this.finders[end].set(this[end]); else this.finders[end].input.value = "";
      this.show();
    });
    byId("example").addEventListener("click", () => {
      [this.from, this.to] = [0, hosts.name.length - 1];
      for (const end of ["from", "to"]) this.finders[end].set(this[end]);
      this.show();
    });
    this.reset();
  }

  // Shows the selected pair, if any, after another run was selected.
  reset() {
    const tables = data.runs[this.state.run].tables;
    const off = tables.too_large || hosts.name.length < 2;
    for (const end of ["from", "to"]) this.finders[end].input.disabled = off;
    byId("swap").disabled = byId("example").disabled = off;
    if (tables.too_large) this.say("The forwarding tables of this fabric are too large for this page: no path explorer (weft route -o DIR writes them as text).");
    else if (hosts.name.length < 2) this.say("The fabric has fewer than two hosts: no paths.");
    else this.show();
  }

  say(text, bad) {
    byId("path-state").textContent = text;
    byId("path-state").className = bad ? "bad" : "hint";
    byId("path").hidden = true;
  }

  async show() {
    if (this.from < 0 || this.to < 0) return;
    if (this.from === this.to) {
      mark(null);
      this.say("Source and destination are the same host: no path.");
      return;
    }
    const ways = 1 << hosts.lmc[this.to], offset = byId("offset");
    byId("lmc").hidden = ways === 1;
    if (offset.options.length !== ways || Number(offset.dataset.of) !== this.to) {
      offset.replaceChildren(...Array.from({ length: ways }, (_, i) => new Option(hosts.lid[this.to] + i, i)));
      offset.dataset.of = this.to;
    }
    const asked = `${this.state.run} ${this.from} ${this.to} ${offset.value}`;
    this.asked = asked;
    const path = await follow(this.state.run, this.from, this.to, Number(offset.value));
    if (this.asked === asked) this.table(path);
  }

  table(path) {
    const run = data.runs[this.state.run], good = path.end === "arrived";
    const rows = [this.row({ hop: "", at: hosts.name[this.from], more: `host, LID ${hosts.lid[this.from]}`, out: hosts.own_port[this.from], sl: path.sl })];
    path.hops.forEach((hop, i) => {
      const row = this.row({
        hop: i + 1, at: switches.name[hop.sw], more: `${switches.guid[hop.sw]}, LID ${switches.lid[hop.sw]}`, in: hop.inPort,
        out: hop.outPort === 255 ? "none" : hop.outPort, sl: path.sl, vl: hop.vl,
        load: hop.cable < 0 ? null : run.load[2 * hop.cable + (hop.back ? 1 : 0)],
      });
      row.dataset.switch = hop.sw;
      rows.push(row);
    });
    if (good) rows.push(this.row({ hop: "", at: hosts.name[this.to], more: `host, LID ${hosts.lid[this.to] + Number(byId("offset").value)}`, in: hosts.own_port[this.to], sl: path.sl }));
    const word = { arrived: `${plural(path.hops.length, "hop")}, service level ${path.sl}.`, "no route": "The last switch has no route for this LID: packets are dropped.", loop: "Forwarding loop: the tables return these packets to the same switch.", "not a cable to a switch": "The last switch sends these packets to a port without a link to a switch." }[path.end];
    this.say(word, !good);
    byId("path").tBodies[0].replaceChildren(...rows);
    byId("path").hidden = false;
    const ways = path.hops.filter((hop) => hop.cable >= 0);
    mark(ways, [{ sw: hosts.sw[this.from], text: `from ${hosts.name[this.from]}` }, { sw: path.hops[path.hops.length - 1].sw, text: good ? `to ${hosts.name[this.to]}` : path.end }]);
  }

  row(cells) {
    const row = element("tr"), text = (value) => (value === undefined || value === null ? "" : String(value));
    const at = element("td", cells.at || "(no name)");
    at.append(" ", element("small", cells.more));
    const load = element("td", cells.load === undefined || cells.load === null ? "" : count(cells.load), "num");
    const meter = element("td");
    if (cells.load > 0) {
      const bar = element("span", undefined, "meter"), fill = element("span"), most = data.runs[this.state.run].quality.link_load_max || 1;
      fill.style.width = `${100 * cells.load / most}%`;
      const steps = WeftDrawing.loadSteps(isDark());
      fill.style.background = steps[Math.round(cells.load / most * (steps.length - 1))];
      bar.title = `${Math.round(100 * cells.load / most)}% of the most loaded cable`;
      bar.append(fill);
      meter.append(bar);
    }
    row.append(element("td", text(cells.hop)), at, element("td", text(cells.in)), element("td", text(cells.out)), element("td", text(cells.sl)), element("td", text(cells.vl)), load, meter);
    return row;
  }
}
