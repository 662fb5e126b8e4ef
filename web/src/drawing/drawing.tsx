// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The canvas with pointer, keys and tooltip. Calls `open` for the selected node or link.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useDark } from "../theme";
import { plural, count } from "../words";
import { colouring, type Colouring, type Mode } from "./colours";
import { Driver } from "./driver";
import type { Model } from "./model";
import { Painter, type Hit, type Marks, type Theme } from "./painter";

export interface DrawingProps {
  model: Model;
  mode: Mode;
  errors: Map<number, number>; // by cable
  marks: Marks;
  open: (what: { guid: string; port?: number }) => void;
}

const kStep = 60;

function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement), colour = (name: string): string => style.getPropertyValue(name).trim();
  return { ink: colour("--ink"), soft: colour("--soft"), card: colour("--card"), mark: colour("--mark") };
}

/** Description of the item under the pointer. */
function describe(model: Model, hit: Hit, errors: Map<number, number>): string[] {
  if (!hit) return [];
  if ("sw" in hit) return [model.name(hit.sw), model.guid(hit.sw), `LID ${model.data.switches.lid[hit.sw]}, ${plural(model.hosts(hit.sw), "host")}`, "click for details"];
  if ("box" in hit) {
    const box = model.boxes[hit.box];
    return box ? [`${box.label || "box"}: ${plural(box.switches, "switch", "switches")}, ${plural(box.hosts, "host")}`, "click to zoom in"] : [];
  }
  const lines = hit.boxes ? model.strands : model.trunks, begin = lines.begin[hit.line] ?? 0, end = lines.begin[hit.line + 1] ?? 0;
  const name = (spot: number): string => (hit.boxes ? model.boxes[spot]?.label || "box" : model.name(spot));
  const head = `${name(lines.a[hit.line] ?? 0)} – ${name(lines.b[hit.line] ?? 0)}`;
  const members = lines.members.subarray(begin, end);
  let most = 0, wrong = 0;
  for (const member of members) {
    const cable = model.cable(member);
    most = Math.max(most, cable.there, cable.back);
    wrong += errors.get(member) ?? 0;
  }
  const first = model.cable(members[0] ?? 0);
  const words = [head, members.length === 1 ? `ports ${first.aPort} and ${first.bPort}, ${first.rate}, ${first.state}` : plural(members.length, "link")];
  words.push(members.length === 1 ? `${count(first.there)} paths there, ${count(first.back)} back` : `${count(most)} paths on the most loaded`);
  if (wrong > 0) words.push(plural(wrong, "error"));
  if (!hit.boxes) words.push("click for details");
  return words;
}

function Legend({ colours }: { colours: Colouring }): JSX.Element {
  return (
    <div class="legend" id="legend">
      {colours.legend.map(({ colour, text }, i) => (
        // The first text of a scale is before its colour, the last after it.
        colours.mode === "load" && i === 0
          ? <span key={i} class="first">{text} <i style={{ background: colour }} /></span>
          : <span key={i} class={text ? "named" : ""}><i style={{ background: colour }} />{text}</span>))}
      <span class="soft named"><i class="dot filled" />with hosts</span><span class="soft named"><i class="dot" />without</span>
    </div>
  );
}

export function Drawing({ model, mode, errors, marks, open }: DrawingProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null), frame = useRef<HTMLDivElement>(null), driver = useRef<Driver | null>(null);
  const [tip, setTip] = useState<{ x: number; y: number; words: string[] } | null>(null);
  const [said, setSaid] = useState("");
  const dark = useDark();
  const colours = colouring(model, mode, dark, errors);

  useEffect(() => {
    if (!canvas.current || !frame.current) return;
    const old = driver.current?.painter;
    const painter = new Painter(model, colours, themeNow());
    const made = new Driver(canvas.current, painter);
    // Keeps the view if the layout is unchanged.
    if (old && old.model.width === model.width && old.model.height === model.height && driver.current && !driver.current.untouched) {
      painter.view = old.view;
      made.untouched = false;
    }
    driver.current = made;
    const observer = new ResizeObserver(([entry]) => { if (entry) made.resize(entry.contentRect.width, entry.contentRect.height); });
    observer.observe(frame.current);
    return () => { observer.disconnect(); made.stop(); };
  }, [model]);

  useEffect(() => {
    const painter = driver.current?.painter;
    if (!painter) return;
    painter.theme = themeNow();
    painter.colour(colours);
    painter.marks = marks;
    driver.current?.draw();
    if (canvas.current) canvas.current.dataset["drawn"] = `${model.data.sweep} ${mode}`;
  }, [model, mode, dark, errors, marks]);

  const follow = (hit: Hit): void => {
    const d = driver.current;
    if (!hit || !d) return;
    if ("sw" in hit) open({ guid: model.guid(hit.sw) });
    else if ("box" in hit) { const box = model.boxes[hit.box]; if (box) d.open(box); }
    else if (!hit.boxes) {
      const cable = model.cable(model.trunks.members[model.trunks.begin[hit.line] ?? 0] ?? 0);
      open({ guid: model.guid(cable.a), port: cable.aPort });
    }
  };

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let drag: { x: number; y: number; moved: boolean } | null = null;
    const at = (event: MouseEvent): [number, number] => {
      const box = element.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      driver.current?.zoom(Math.exp(-event.deltaY * 0.0015), ...at(event));
    };
    const down = (event: PointerEvent): void => {
      const [x, y] = at(event);
      drag = { x, y, moved: false };
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      const [x, y] = at(event), d = driver.current;
      if (!d) return;
      if (!drag) {
        const words = describe(model, d.painter.hit(x, y), errors);
        setTip(words.length > 0 ? { x, y, words } : null);
        return;
      }
      if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < 4) return;
      setTip(null);
      d.pan(x - drag.x, y - drag.y);
      drag = { x, y, moved: true };
    };
    const up = (event: PointerEvent): void => {
      const clicked = drag && !drag.moved;
      drag = null;
      if (clicked && driver.current) follow(driver.current.painter.hit(...at(event)));
    };
    const leave = (): void => setTip(null);
    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointerleave", leave);
    return () => {
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointerleave", leave);
    };
  }, [model, errors, open]);

  const say = (text: string): void => {
    canvas.current?.setAttribute("aria-label", `The fabric. ${text}`);
    setSaid(text);
  };
  const focusSwitch = (d: Driver, step: number): void => {
    d.painter.focus = d.painter.focus < 0 ? (step > 0 ? 0 : model.count - 1) : (d.painter.focus + step + model.count) % model.count;
    d.painter.focusCable = null;
    d.centre(d.painter.focus);
    say(`At ${model.name(d.painter.focus)}.`);
  };
  const focusCable = (d: Driver, step: number): void => {
    const cables = model.cablesOf(d.painter.focus), at = d.painter.focusCable === null ? -1 : cables.indexOf(d.painter.focusCable);
    const next = cables[at < 0 ? (step > 0 ? 0 : cables.length - 1) : (at + step + cables.length) % cables.length];
    if (next === undefined) return say(`At ${model.name(d.painter.focus)}, which has no links to switches.`);
    const { a, aPort, b, bPort } = model.cable(next);
    d.painter.focusCable = next;
    d.draw();
    say(`At the link ${model.name(a)} port ${aPort} to ${model.name(b)} port ${bPort}.`);
  };

  const keys = (event: JSX.TargetedKeyboardEvent<HTMLCanvasElement>): void => {
    const d = driver.current;
    if (!d || event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, [number, number]> = { ArrowLeft: [kStep, 0], ArrowRight: [-kStep, 0], ArrowUp: [0, kStep], ArrowDown: [0, -kStep] };
    const step = steps[event.key];
    if (step) d.pan(...step);
    else if (event.key === "+" || event.key === "=") d.zoom(1.25);
    else if (event.key === "-") d.zoom(0.8);
    else if (event.key === "0") d.whole();
    else if (event.key === "n" || event.key === "N") focusSwitch(d, event.key === "n" ? 1 : -1);
    else if ((event.key === "c" || event.key === "C") && d.painter.focus >= 0) focusCable(d, event.key === "c" ? 1 : -1);
    else if (event.key === "Enter" && d.painter.focus >= 0) {
      const cable = d.painter.focusCable === null ? null : model.cable(d.painter.focusCable);
      open(cable ? { guid: model.guid(cable.a), port: cable.aPort } : { guid: model.guid(d.painter.focus) });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <>
      <Legend colours={colours} />
      <div class="drawing" ref={frame}>
        <canvas ref={canvas} id="canvas" tabIndex={0} role="application" aria-label={`The fabric: ${model.data.layout.about}`} onKeyDown={keys} />
        <div class="hidden" role="status" id="drawing-focus">{said}</div>
        {tip && <div class="tip" id="tip" style={{ left: `${Math.min(tip.x + 14, (frame.current?.clientWidth ?? 0) - 240)}px`, top: `${tip.y + 16}px` }}>
          {tip.words.map((line, i) => <div key={i}>{line}</div>)}</div>}
        <div class="zooms">
          <button type="button" onClick={() => driver.current?.zoom(1.5)} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => driver.current?.zoom(1 / 1.5)} aria-label="Zoom out">−</button>
          <button type="button" onClick={() => driver.current?.whole()} aria-label="Show all">all</button>
        </div>
      </div>
    </>
  );
}
