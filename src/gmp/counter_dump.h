// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counters as text, in the two forms of OpenSM's event database.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gmp/counter_store.h"

namespace weft {

/// Name of a counter in dump and database: "symbol_err_cnt".
std::string_view dump_name(Counter counter);

/// Counters in a readable form: several lines for each port.
std::string counters_text(const CounterStore& store);
/// Counters in a form for programs: for each node with ports a heading, then a line for each port;
/// tabs separate the columns.
std::string counters_table(const CounterStore& store);

/// Argument of `print_counters` and `print_errors`: all nodes, or the nodes with a name or GUID;
/// all their ports, or the ports with one number.
struct CounterFilter {
  std::string node;  // empty: all nodes
  std::optional<PortNum> port;
};
/// Parses NODE, NODE:PORT or :PORT; an empty NODE means all nodes. A text after the last colon that
/// is no port number belongs to NODE.
CounterFilter parse_counter_filter(std::string_view text);

/// As counters_text(), for matching ports; none if no node matches.
std::optional<std::string> counters_text(const CounterStore& store, const CounterFilter& filter);
/// As counters_text(), with only the error counters that are not 0.
std::optional<std::string> errors_text(const CounterStore& store, const CounterFilter& filter);

}  // namespace weft
