// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, test } from "vitest";
import { csv, matches, type Column } from "../src/tables/rows";

describe("matches", () => {
  test.each([
    ["leaf-10", "LEAF", true], ["leaf-10", "", true], ["leaf-10", "spine", false], [12, ">5", true], [12, "> 12", false], [12, ">=12", true], [12, "<12", false],
    [12, "<=12", true], [12, "=1", false], [12, "1", true], [0.5, "<0.75", true], [null, "x", false], [null, ">0", false], ["> 5", ">", true], [true, "yes", true], ["12", ">5", false],
  ])("%j by %j is %s", (value, filter, wanted) => expect(matches(value, filter)).toBe(wanted));
});

describe("csv", () => {
  const columns: Column<{ name: string; n: number | null }>[] = [
    { id: "name", title: "Name", value: ({ name }) => name, show: () => "not this" }, { id: "n", title: "Number", value: ({ n }) => n, numeric: true },
  ];
  test("has a line of ids and a line for each row", () => expect(csv(columns, [{ name: "a", n: 1 }, { name: "", n: null }])).toBe("name,n\r\na,1\r\n,\r\n"));
  test("quotes separators, quotes and line ends", () => expect(csv(columns, [{ name: 'a,"b"\nc', n: -2 }])).toBe('name,n\r\n"a,""b""\nc",-2\r\n'));
  test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx"])("keeps a spreadsheet from computing %j", (name) => expect(csv(columns, [{ name, n: 0 }]).split("\r\n")[1]).toMatch(/^"?'/));
});
