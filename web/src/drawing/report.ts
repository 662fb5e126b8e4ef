// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The drawing of a report (weft report). The report contains it as plain JavaScript, which `web/drawing` builds.
import { loads, loadSteps } from "./colours";
import { describe } from "./describe";
import { Model, type DrawingData } from "./model";
import type { Hit, Marks } from "./painter";
import { Stage, themeNow, type Tip } from "./stage";

interface ReportData {
  layout: DrawingData["layout"];
  switches: Omit<DrawingData["switches"], "hosts">;
  cables: Omit<DrawingData["cables"], "there" | "back" | "state" | "states">;
}

class Drawing {
  readonly stage: Stage;
  private readonly model: Model;
  private unit = "";

  /** `hosts`: their number by switch. `tip`: the element of the tooltip. */
  constructor(data: ReportData, hosts: number[], canvas: HTMLCanvasElement, private readonly tip: HTMLElement) {
    const none = data.cables.a.map(() => 0);
    this.model = new Model({
      sweep: 0, engine: "", layout: data.layout, switches: { ...data.switches, hosts },
      cables: { ...data.cables, there: none, back: none, state: none, states: [] },
    });
    this.stage = new Stage(canvas, this.model, loads(this.model, false), {
      words: (hit) => this.describe(hit), tip: (shown) => this.show(shown), announce: () => undefined, open: () => undefined,
    });
  }

  describe(hit: Hit): string[] { return describe(this.model, hit, { unit: this.unit, errors: new Map(), more: "" }); }

  private show(shown: Tip | null): void {
    const { tip } = this, { width, height } = this.stage.painter;
    tip.hidden = !shown;
    if (!shown) return;
    tip.replaceChildren(...shown.words.map((line) => Object.assign(document.createElement("div"), { textContent: line })));
    const { x, y } = shown, { offsetWidth: w, offsetHeight: h } = tip;
    tip.style.left = `${Math.max(4, x + 14 + w > width ? x - w - 10 : x + 14)}px`;
    tip.style.top = `${Math.max(4, y + 14 + h > height ? y - h - 10 : y + 14)}px`;
  }

  /** `values`: two for each link, one for each direction. `most`: the end of the scale. */
  colour(values: number[], unit: string, most: number, dark: boolean): void {
    const { cables } = this.model.data;
    cables.there = cables.a.map((_, i) => values[2 * i] ?? 0);
    cables.back = cables.a.map((_, i) => values[2 * i + 1] ?? 0);
    this.unit = unit;
    this.stage.painter.theme = themeNow();
    this.stage.painter.colour(loads(this.model, dark, most));
    this.stage.driver.draw();
  }

  /** Highlights links and switches. Shows the whole fabric if none of them is in the view. */
  mark(marks: Marks): void {
    const { painter, driver } = this.stage;
    painter.marks = marks;
    if (!painter.hasVisibleMarks()) driver.whole();
    driver.draw();
  }

  whole(): void { this.stage.driver.whole(); }

  find(sw: number): void {
    this.stage.driver.centre(sw);
    this.mark({ channels: [], switches: [sw] });
  }
}

// For the scripts of the report.
Object.assign(globalThis, { WeftDrawing: { Drawing, loadSteps } });
