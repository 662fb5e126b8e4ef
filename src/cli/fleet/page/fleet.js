// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shows the documents of the service of `weft fleet`. All texts are untrusted: they are only text nodes.
"use strict";

const byId = (id) => document.getElementById(id);
const kInterval = 5000;

function fill(id, headings, rows) {
  const head = document.createElement("tr");
  for (const text of headings) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  const lines = rows.map(({ cells, bad }) => {
    const row = document.createElement("tr");
    if (bad) row.className = "bad";
    for (const text of cells) row.insertCell().textContent = text ?? "";
    return row;
  });
  byId(id).replaceChildren(head, ...lines);
}

async function get(path) {
  const token = sessionStorage.getItem("token");
  const answer = await fetch(path, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
  byId("login").hidden = answer.status !== 401;
  const json = await answer.json();
  if (!answer.ok) throw new Error(json.error);
  return json;
}

function age(seconds) {
  if (seconds === null) return "never";
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const place = (it) =>
  [it.name, it.port === undefined ? "" : `port ${it.port}`, it.peer_name ? `- ${it.peer_name} port ${it.peer_port}` : ""].filter(Boolean).join(" ");

function showManagers(fleet) {
  byId("summary").textContent =
    `${fleet.total} managers, ${fleet.unreachable} unreachable, ${fleet.not_ready} not ready, ${fleet.unacknowledged} alarms not acknowledged`;
  fill(
    "managers",
    ["Manager", "State", "Hosts", "Switches", "Links", "Engine", "Alarms", "Age of data"],
    fleet.managers.map((it) => ({
      cells: [
        it.name,
        !it.reachable ? `unreachable: ${it.error}` : it.ready ? it.state : `${it.state}, not ready: ${it.reason}`,
        it.hosts, it.switches, it.links, it.engine, it.reads_counters ? it.alarms : "not read", age(it.age_seconds),
      ],
      bad: !it.reachable || !it.ready,
    })),
  );
}

async function refresh() {
  try {
    showManagers(await get("api/v1/fleet"));
    const { alarms } = await get("api/v1/fleet/alarms");
    fill(
      "alarms",
      ["Severity", "Manager", "Port", "Measure", "Raised", "Acknowledged"],
      alarms.map((it) => ({
        cells: [it.severity, it.manager, place(it), it.text, it.raised, it.acknowledged ? it.comment || "yes" : "no"],
        bad: !it.acknowledged,
      })),
    );
    const { events } = await get("api/v1/fleet/events?limit=200");
    fill(
      "events",
      ["Time", "Manager", "Event", "Place", "Details"],
      events.reverse().map((it) => ({ cells: [it.time, it.manager, it.event, place(it), it.text ?? it.link ?? it.reason ?? ""] })),
    );
  } catch (error) {
    byId("summary").textContent = `No answer from the service: ${error.message}. The data below may be old.`;
  }
  setTimeout(refresh, kInterval);
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", byId("token").value);
  byId("login").hidden = true;
});

byId("search").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const found = await get(`api/v1/fleet/search?q=${encodeURIComponent(byId("text").value)}`);
    fill("found", ["Manager", "Name", "Type", "GUID"], [
      ...found.nodes.map((it) => ({ cells: [it.manager, it.name, it.type, it.guid] })),
      ...found.unreachable.map((it) => ({ cells: [it.manager, `not searched: ${it.error}`, "", ""], bad: true })),
    ]);
  } catch (error) {
    fill("found", ["Search"], [{ cells: [error.message], bad: true }]);
  }
});

refresh();
