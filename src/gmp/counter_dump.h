// Counters as text, in the two forms of OpenSM's event database.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gmp/counter_store.h"

namespace weft {

/// What the dump and the database call a counter: "symbol_err_cnt".
std::string_view dump_name(Counter counter);

/// For people: a block of lines a port.
std::string counters_text(const CounterStore& store);
/// For programs: a heading a node, then a line a port, with tabs between.
std::string counters_table(const CounterStore& store);

/// What `print_counters` and `print_errors` are asked about: all, a node by name or GUID, or a port
/// of it.
struct CounterFilter {
  std::string node;  // empty: all
  std::optional<PortNum> port;
};
/// NODE, NODE:PORT, or nothing.
CounterFilter parse_counter_filter(std::string_view text);

/// As counters_text(), of what the filter lets pass; nothing where no such node is known.
std::optional<std::string> counters_text(const CounterStore& store, const CounterFilter& filter);
/// Only what is not 0 among the errors.
std::optional<std::string> errors_text(const CounterStore& store, const CounterFilter& filter);

}  // namespace weft
