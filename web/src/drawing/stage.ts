// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A canvas with the drawing, and its pointer and keyboard input. The page and the report put it into their own frames.
import type { Colouring } from "./colours";
import { Driver } from "./driver";
import type { Model } from "./model";
import { Painter, type Hit, type Theme } from "./painter";

/** A switch, or with a port its link. */
export interface SwitchOrLink {
  guid: string;
  port?: number;
}

export interface Tip {
  x: number;
  y: number;
  words: string[];
}

export interface Frame {
  words: (hit: Hit) => string[];
  tip: (tip: Tip | null) => void;
  announce: (text: string) => void; // to screen readers
  open: (selected: SwitchOrLink) => void;
}

const kStep = 60;
const kClickMove = 4; // pixels; a pointer that moves farther drags

export function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement), colour = (name: string): string => style.getPropertyValue(name).trim();
  return { ink: colour("--ink"), soft: colour("--soft"), card: colour("--card"), mark: colour("--mark") };
}

export class Stage {
  readonly painter: Painter;
  readonly driver: Driver;
  private readonly ended = new AbortController();
  private readonly observer: ResizeObserver;
  private drag: { x: number; y: number; moved: boolean } | null = null;

  /** Keeps the view of `before` if the user changed that view and the layout has the same size. */
  constructor(readonly canvas: HTMLCanvasElement, readonly model: Model, colours: Colouring, public frame: Frame, before: Stage | null = null) {
    this.painter = new Painter(model, colours, themeNow());
    this.driver = new Driver(canvas, this.painter);
    if (before && before.model.width === model.width && before.model.height === model.height && !before.driver.untouched) {
      this.painter.view = before.painter.view;
      this.driver.untouched = false;
    }
    this.observer = new ResizeObserver(([entry]) => { if (entry) this.driver.resize(entry.contentRect.width, entry.contentRect.height); });
    if (canvas.parentElement) this.observer.observe(canvas.parentElement);
    this.listen();
  }

  stop(): void {
    this.ended.abort();
    this.observer.disconnect();
    this.driver.stop();
  }

  private listen(): void {
    const { canvas } = this, { signal } = this.ended;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.driver.zoom(Math.exp(-event.deltaY * 0.0015), ...this.place(event));
    }, { passive: false, signal });
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = this.place(event);
      this.drag = { x, y, moved: false };
      canvas.setPointerCapture(event.pointerId);
    }, { signal });
    canvas.addEventListener("pointermove", (event) => this.move(...this.place(event)), { signal });
    canvas.addEventListener("pointerup", (event) => {
      const clicked = this.drag && !this.drag.moved;
      this.drag = null;
      if (clicked) this.follow(this.painter.hit(...this.place(event)));
    }, { signal });
    canvas.addEventListener("pointerleave", () => this.frame.tip(null), { signal });
    canvas.addEventListener("keydown", (event) => this.key(event), { signal });
  }

  private place(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private move(x: number, y: number): void {
    const { drag } = this;
    if (!drag) {
      const words = this.frame.words(this.painter.hit(x, y));
      return this.frame.tip(words.length > 0 ? { x, y, words } : null);
    }
    if (!drag.moved && Math.hypot(x - drag.x, y - drag.y) < kClickMove) return;
    this.frame.tip(null);
    this.driver.pan(x - drag.x, y - drag.y);
    this.drag = { x, y, moved: true };
  }

  private openLink(i: number): void {
    const { a, aPort } = this.model.cable(i);
    this.frame.open({ guid: this.model.guid(a), port: aPort });
  }

  private follow(hit: Hit): void {
    const { model } = this;
    if (!hit) return;
    if ("sw" in hit) this.frame.open({ guid: model.guid(hit.sw) });
    else if ("box" in hit) {
      const box = model.boxes[hit.box];
      this.frame.tip(null);
      if (box) this.driver.open(box);
    } else if (!hit.boxes) this.openLink(model.trunks.members[model.trunks.begin[hit.line] ?? 0] ?? 0);
  }

  private announce(text: string): void {
    this.canvas.setAttribute("aria-label", `The fabric. ${text}`);
    this.frame.announce(text);
  }

  private focusSwitch(step: number): void {
    const { painter, model } = this;
    painter.focus = painter.focus < 0 ? (step > 0 ? 0 : model.count - 1) : (painter.focus + step + model.count) % model.count;
    painter.focusCable = null;
    this.driver.centre(painter.focus);
    this.announce(`At ${model.name(painter.focus)}.`);
  }

  private focusLink(step: number): void {
    const { painter, model } = this, cables = model.cablesOf(painter.focus), at = painter.focusCable === null ? -1 : cables.indexOf(painter.focusCable);
    const next = cables[at < 0 ? (step > 0 ? 0 : cables.length - 1) : (at + step + cables.length) % cables.length];
    if (next === undefined) return this.announce(`At ${model.name(painter.focus)}, which has no links to switches.`);
    const { a, aPort, b, bPort } = model.cable(next);
    painter.focusCable = next;
    this.driver.draw();
    this.announce(`At the link ${model.name(a)} port ${aPort} to ${model.name(b)} port ${bPort}.`);
  }

  private key(event: KeyboardEvent): void {
    const { driver, painter } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps: Record<string, [number, number]> = { ArrowLeft: [kStep, 0], ArrowRight: [-kStep, 0], ArrowUp: [0, kStep], ArrowDown: [0, -kStep] };
    const step = steps[event.key];
    if (step) driver.pan(...step);
    else if (event.key === "+" || event.key === "=") driver.zoom(1.25);
    else if (event.key === "-") driver.zoom(0.8);
    else if (event.key === "0") driver.whole();
    else if (event.key === "n" || event.key === "N") this.focusSwitch(event.key === "n" ? 1 : -1);
    else if ((event.key === "c" || event.key === "C") && painter.focus >= 0) this.focusLink(event.key === "c" ? 1 : -1);
    else if (event.key === "Enter" && painter.focus >= 0) {
      if (painter.focusCable !== null) this.openLink(painter.focusCable);
      else this.frame.open({ guid: this.model.guid(painter.focus) });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
