// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Columns of tables, and the text of values in cells, filters and CSV.
import type { ComponentChildren } from "preact";

export type Value = string | number | boolean | null | undefined;

export interface Column<Row> {
  id: string; // in the first line of CSV
  title: string;
  value: (row: Row) => Value;
  show?: (row: Row) => ComponentChildren; // default: the text of `value`
  numeric?: boolean;
}

export function textOf(value: Value): string {
  if (value === null || value === undefined) return "";
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value);
}

const kComparison = /^(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?)$/;

/** Whether a value matches a filter. A filter is a part of the text, in upper or lower case; for numbers also `>5`, `<=3` or `=0`. */
export function matches(value: Value, filter: string): boolean {
  const wanted = filter.trim();
  if (wanted === "") return true;
  const [, sign, limit] = kComparison.exec(wanted) ?? [];
  if (typeof value === "number" && sign !== undefined) {
    const n = Number(limit);
    return sign === "<" ? value < n : sign === ">" ? value > n : sign === "<=" ? value <= n : sign === ">=" ? value >= n : value === n;
  }
  return textOf(value).toLowerCase().includes(wanted.toLowerCase());
}

/** Spreadsheets evaluate text that begins with one of these characters as a formula. */
const kFormula = /^[=+\-@\t\r]/;

function field(value: Value): string {
  const text = textOf(value);
  if (typeof value === "number") return text;
  const safe = kFormula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns the rows as CSV (RFC 4180): a line with the ids of the columns, then a line for each row. */
export function csv<Row>(columns: Column<Row>[], rows: Row[]): string {
  const lines = [columns.map(({ id }) => field(id)), ...rows.map((row) => columns.map((column) => field(column.value(row))))];
  return lines.map((fields) => `${fields.join(",")}\r\n`).join("");
}
