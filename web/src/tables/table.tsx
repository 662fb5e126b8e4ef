// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A table that can be sorted, filtered by column, paged and saved as CSV.
import {
  createTable, getCoreRowModel, getFilteredRowModel, getPaginationRowModel, getSortedRowModel, type ColumnDef, type SortDirection, type Table as Core,
  type TableState,
} from "@tanstack/table-core";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { arrows } from "../parts";
import { count, plural } from "../words";
import { csv, matches, textOf, type Column } from "./rows";

const kRowsShown = 100;

const kAriaSort: Record<SortDirection, "ascending" | "descending"> = { asc: "ascending", desc: "descending" };
const kArrow: Record<SortDirection, string> = { asc: " ▲", desc: " ▼" };

function useCore<Row>(rows: Row[], columns: Column<Row>[], keyOf: (row: Row) => string): Core<Row> {
  const defs = useMemo(() => columns.map((column): ColumnDef<Row> => ({
    id: column.id, accessorFn: (row) => column.value(row) ?? undefined, sortUndefined: "last", sortingFn: column.numeric ? "basic" : "alphanumeric",
    sortDescFirst: false, filterFn: (row, id, filter: string) => matches(row.getValue(id), filter),
  })), [columns]);
  const core = useMemo(() => createTable<Row>({
    data: [], columns: [], state: {}, onStateChange: () => {}, renderFallbackValue: null, getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(), getFilteredRowModel: getFilteredRowModel(), getPaginationRowModel: getPaginationRowModel(),
    initialState: { pagination: { pageIndex: 0, pageSize: kRowsShown } },
  }), []);
  const [state, set] = useState<TableState>(core.initialState);
  core.setOptions((old) => ({ ...old, data: rows, columns: defs, getRowId: keyOf, autoResetPageIndex: false, state, onStateChange: set }));
  return core;
}

function save(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  Object.assign(link, { href: address, download: `${name}.csv` });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

function Pages<Row>({ core, shown }: { core: Core<Row>; shown: number }): JSX.Element | null {
  if (shown <= kRowsShown) return null;
  const first = core.getState().pagination.pageIndex * kRowsShown;
  return (
    <div class="tools">
      <button type="button" disabled={!core.getCanPreviousPage()} onClick={() => core.previousPage()}>← previous</button>
      <span>rows {count(first + 1)} to {count(Math.min(shown, first + kRowsShown))}</span>
      <button type="button" disabled={!core.getCanNextPage()} onClick={() => core.nextPage()}>next →</button>
    </div>
  );
}

function Head<Row>({ core, columns }: { core: Core<Row>; columns: Column<Row>[] }): JSX.Element {
  return (
    <thead>
      <tr>{columns.map(({ id, title, numeric }) => {
        const column = core.getColumn(id), sorted = column?.getIsSorted() || null;
        return (
          <th key={id} scope="col" class={numeric ? "number" : ""} aria-sort={sorted ? kAriaSort[sorted] : "none"}>
            <button type="button" class="sort" data-column={id} onClick={() => column?.toggleSorting()}>{title}<span aria-hidden="true">{sorted ? kArrow[sorted] : ""}</span></button>
          </th>);
      })}</tr>
      <tr>{columns.map(({ id, title, numeric }) => (
        <td key={id} class={numeric ? "number" : ""}><input type="search" class="filter" data-filter-of={id} aria-label={`Filter by ${title}`} placeholder={numeric ? ">0" : "filter"} autocomplete="off"
          value={core.getColumn(id)?.getFilterValue() as string | undefined ?? ""}
          onInput={(event) => { core.getColumn(id)?.setFilterValue(event.currentTarget.value); core.setPageIndex(0); }} /></td>))}</tr>
    </thead>
  );
}

/** `name`: name of the CSV file, and end of the id of the element. `caption`: name of the table for screen readers. */
export function Table<Row>({ name, caption, rows, columns, keyOf, empty }: {
  name: string; caption: string; rows: Row[]; columns: Column<Row>[]; keyOf: (row: Row) => string; empty: string;
}): JSX.Element {
  const core = useCore(rows, columns, keyOf);
  const found = core.getSortedRowModel().rows;
  // The selected page may no longer exist, because rows were removed.
  const last = Math.max(0, core.getPageCount() - 1);
  if (core.getState().pagination.pageIndex > last) core.setPageIndex(last);
  return (
    <div class="table" id={`table-${name}`}>
      <div class="tools">
        <span role="status">{found.length === rows.length ? plural(rows.length, "row") : `${count(found.length)} of ${plural(rows.length, "row")}`}</span>
        <button type="button" class="csv" onClick={() => save(name, csv(columns, found.map(({ original }) => original)))}>Save as CSV</button>
        <Pages core={core} shown={found.length} />
      </div>
      {rows.length === 0 ? <p class="empty">{empty}</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label={`Table: ${caption}`} onKeyDown={arrows}><table>
          <Head core={core} columns={columns} />
          <tbody>{core.getRowModel().rows.map(({ id, original }) => (
            <tr key={id}>{columns.map((column) => (
              <td key={column.id} class={column.numeric ? "number" : ""}>{column.show ? column.show(original) : textOf(column.value(original))}</td>))}</tr>))}</tbody>
        </table>{found.length === 0 && <p class="soft">No matching rows.</p>}</div>)}
    </div>
  );
}
