// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The drawing with legend, tooltip and buttons. Calls `open` for the selected node or link.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useDark } from "../theme";
import { colouring, type Colouring, type Mode } from "./colours";
import { describe } from "./describe";
import type { Model } from "./model";
import type { Marks } from "./painter";
import { Stage, themeNow, type Frame, type SwitchOrLink, type Tip } from "./stage";

export interface DrawingProps {
  model: Model;
  mode: Mode;
  errors: Map<number, number>; // by cable
  marks: Marks;
  open: (selected: SwitchOrLink) => void;
}

function Legend({ colours }: { colours: Colouring }): JSX.Element {
  return (
    <div class="legend" id="legend">
      {colours.legend.map(({ colour, text }, i) => (
        // The first text of a scale is before its colour, the last after it.
        colours.mode === "load" && i === 0
          ? <span key={i} class="first">{text} <i style={{ background: colour }} /></span>
          : <span key={i} class={text ? "named" : ""}><i style={{ background: colour }} />{text}</span>))}
      <span class="soft named"><i class="dot filled" />with hosts</span><span class="soft named"><i class="dot" />without hosts</span>
    </div>
  );
}

export function Drawing({ model, mode, errors, marks, open }: DrawingProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null), stage = useRef<Stage | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const [announced, setAnnounced] = useState("");
  const dark = useDark();
  const colours = colouring(model, mode, dark, errors);
  const frame: Frame = { words: (hit) => describe(model, hit, { unit: "paths", errors, more: "click for details" }), tip: setTip, announce: setAnnounced, open };

  useEffect(() => {
    if (!canvas.current) return;
    const made = new Stage(canvas.current, model, colours, frame, stage.current);
    stage.current = made;
    return () => made.stop();
  }, [model]);

  useEffect(() => {
    if (stage.current) stage.current.frame = frame;
  });

  useEffect(() => {
    const painter = stage.current?.painter;
    if (!painter) return;
    painter.theme = themeNow();
    painter.colour(colours);
    painter.marks = marks;
    stage.current?.driver.draw();
    if (canvas.current) canvas.current.dataset["drawn"] = `${model.data.sweep} ${mode}`;
  }, [model, mode, dark, errors, marks]);

  const driver = (): Stage["driver"] | undefined => stage.current?.driver;
  return (
    <>
      <Legend colours={colours} />
      <div class="drawing">
        <canvas ref={canvas} id="canvas" tabIndex={0} role="application" aria-label={`The fabric: ${model.data.layout.about}`} />
        <div class="hidden" role="status" id="drawing-focus">{announced}</div>
        {tip && <div class="tip" id="tip" style={{ left: `${Math.min(tip.x + 14, (canvas.current?.clientWidth ?? 0) - 240)}px`, top: `${tip.y + 16}px` }}>
          {tip.words.map((line, i) => <div key={i}>{line}</div>)}</div>}
        <div class="zooms">
          <button type="button" onClick={() => driver()?.zoom(1.5)} aria-label="Zoom in">+</button>
          <button type="button" onClick={() => driver()?.zoom(1 / 1.5)} aria-label="Zoom out">−</button>
          <button type="button" onClick={() => driver()?.whole()} aria-label="Show all">all</button>
        </div>
      </div>
    </>
  );
}
