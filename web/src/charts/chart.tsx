// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A chart of values over time (uPlot). For screen readers, the label of the chart states the largest value of
// each line and the time of this value.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useDark } from "../theme";
import { dayAndTime } from "../words";

export interface Line {
  title: string;
  values: number[];
}

const kHeight = 180;
const kColours = ["--line-1", "--line-2"]; // variables of style.css
const kDashes = [[], [6, 4]]; // so that lines can be distinguished without colours

const round = (value: number): string => Number(value.toPrecision(3)).toLocaleString("en-US");

/** `step`: seconds between two ticks. */
function tickText(time: number, step: number): string {
  const date = new Date(1000 * time);
  if (step >= 86_400) return date.toLocaleDateString("en-GB", { day: "numeric", month: "short" });
  return date.toLocaleTimeString("en-GB", step >= 60 ? { hour: "2-digit", minute: "2-digit" } : {});
}

/** Text with the largest value of each line, and the time of this value. */
function summary(times: number[], lines: Line[], unit: string): string {
  return lines.map(({ title, values }) => {
    const most = Math.max(0, ...values), at = times[values.indexOf(most)];
    return `${title}: at most ${round(most)} ${unit}${most > 0 && at !== undefined ? ` at ${dayAndTime(1000 * at)}` : ""}`;
  }).join("; ");
}

export function Chart({ title, unit, times, lines, bars = false }: { title: string; unit: string; times: number[]; lines: Line[]; bars?: boolean }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null), plot = useRef<uPlot | null>(null), dark = useDark();
  useEffect(() => {
    const place = frame.current;
    if (!place) return;
    const style = getComputedStyle(document.documentElement), colour = (name: string): string => style.getPropertyValue(name).trim();
    const axis: uPlot.Axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const made = new uPlot({
      width: Math.max(200, place.clientWidth), height: kHeight, cursor: { y: false }, legend: { live: true },
      scales: { y: { range: (_, __, most) => [0, Math.max(most, 1e-9) * 1.05] } },
      axes: [{ ...axis, space: 80, values: (_, ticks, __, ___, step) => ticks.map((tick) => tickText(tick, step)) }, { ...axis, size: 64, values: (_, ticks) => ticks.map(round) }],
      series: [{ label: "time", value: (_, time) => (time === null ? "" : dayAndTime(1000 * time)) }, ...lines.map((line, i): uPlot.Series => {
        const stroke = colour(kColours[i % kColours.length] ?? "");
        return {
          label: line.title, stroke, width: 1.5, dash: kDashes[i % kDashes.length] ?? [], points: { show: false }, value: (_, value) => (value === null ? "" : `${round(value)} ${unit}`),
          ...(bars ? { fill: stroke } : {}), ...(stepped ? { paths: stepped } : {}),
        };
      })],
    }, [times, ...lines.map(({ values }) => values)], place);
    plot.current = made;
    const observer = new ResizeObserver(([entry]) => { if (entry) made.setSize({ width: Math.max(200, entry.contentRect.width), height: kHeight }); });
    observer.observe(place);
    return () => { observer.disconnect(); made.destroy(); plot.current = null; };
  }, [dark, unit, bars, lines.length, lines.map(({ title }) => title).join()]);
  useEffect(() => plot.current?.setData([times, ...lines.map(({ values }) => values)]), [times]);
  return (
    <figure class="chart" data-points={times.length}>
      <figcaption>{title}, {unit}</figcaption>
      <div ref={frame} role="img" aria-label={`${title}. ${summary(times, lines, unit)}`} />
    </figure>
  );
}
