// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gmp/counter_dump.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, kCounterCount> kDumpNames{
    "symbol_err_cnt",     "link_err_recover",
    "link_downed",        "rcv_err",
    "rcv_rem_phys_err",   "rcv_switch_relay_err",
    "xmit_discards",      "xmit_constraint_err",
    "rcv_constraint_err", "link_integrity_err",
    "buf_overrun_err",    "vl15_dropped",
    "xmit_wait",          "xmit_data",
    "rcv_data",           "xmit_pkts",
    "rcv_pkts",           "unicast_xmit_pkts",
    "unicast_rcv_pkts",   "multicast_xmit_pkts",
    "multicast_rcv_pkts"};

std::string time_text(std::time_t time) {
  std::tm parts{};
  localtime_r(&time, &parts);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%a %b %e %H:%M:%S %Y", &parts);
  return std::string(text.data(), size);
}

/// The value with a unit: "4.219KB" for data, which is counted in words of 4 bytes, else "1.465K".
std::string text_with_unit(std::uint64_t value, bool data) {
  constexpr std::string_view kUnits = "KMGTPE";
  double scaled = static_cast<double>(value) * (data ? 4 : 1);
  std::size_t unit = 0;
  for (; scaled >= 1024 && unit < kUnits.size(); ++unit) scaled /= 1024;
  return fmt::format("{:.3f}{}{}", scaled, unit == 0 ? "" : kUnits.substr(unit - 1, 1),
                     data ? "B" : "");
}

bool counts_bytes(Counter counter) {
  return counter == Counter::kXmitData || counter == Counter::kRcvData;
}

template <class... Args>
void put_line(std::string& text, fmt::format_string<Args...> form, Args&&... args) {
  fmt::format_to(std::back_inserter(text), form, std::forward<Args>(args)...);
}

void put_head(std::string& text, Guid guid, const NodeTally& node, PortNum num,
              const PortTally& port) {
  put_line(text, "\"{}\" 0x{:x} active {} port {}\n", node.name, guid.value(),
           node.active ? "TRUE" : "FALSE", num.value());
  put_line(text, "     {:<20} : {}\n", "Last Reset", time_text(port.last_reset));
  put_line(text, "     {:<20} : {}\n", "Last Error Update", time_text(port.errors_read));
}

void put_port(std::string& text, Guid guid, const NodeTally& node, PortNum num,
              const PortTally& port) {
  put_head(text, guid, node, num, port);
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    if (i == kErrorCounterCount)
      put_line(text, "     {:<20} : {}\n", "Last Data Update", time_text(port.data_read));
    put_line(text, "     {:<20} : {}", kDumpNames[i], port.total[i]);
    if (counts_errors(counter_at(i)))
      text += '\n';
    else
      put_line(text, " ({})\n", text_with_unit(port.total[i], counts_bytes(counter_at(i))));
  }
}

void put_errors(std::string& text, Guid guid, const NodeTally& node, PortNum num,
                const PortTally& port) {
  bool any = false;
  for (std::size_t i = 0; i < kErrorCounterCount; ++i) {
    if (port.total[i] == 0) continue;
    if (!any) put_head(text, guid, node, num, port);
    any = true;
    put_line(text, "     {:<20} : {}\n", kDumpNames[i], port.total[i]);
  }
}

template <class Put>
std::optional<std::string> text_of_matching_ports(const CounterStore& store,
                                                  const CounterFilter& filter, Put put_one) {
  std::string text;
  bool found = filter.node.empty();
  const auto wanted = parse_c_number<std::uint64_t>(filter.node);
  for (const auto& [guid, node] : store.nodes()) {
    const bool named = node.name == filter.node || (wanted && *wanted == guid.value());
    if (!filter.node.empty() && !named) continue;
    found = true;
    for (const auto& [num, port] : node.ports)
      if (!filter.port || *filter.port == num) put_one(text, guid, node, num, port);
  }
  return found ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::string_view dump_name(Counter counter) { return kDumpNames[index(counter)]; }

std::string counters_text(const CounterStore& store) {
  return *text_of_matching_ports(store, CounterFilter{}, put_port);
}

std::string counters_table(const CounterStore& store) {
  std::string text;
  for (const auto& [guid, node] : store.nodes()) {
    if (node.ports.empty()) continue;
    text += "\nName\tGUID\tActive\tPort\tLast Reset\tLast Error Update\tLast Data Update";
    for (std::size_t i = 0; i < kCounterCount; ++i)
      put_line(
          text, "\t{}",
          counter_at(i) == Counter::kLocalLinkIntegrityErrors ? "link_int_err" : kDumpNames[i]);
    text += '\n';
    for (const auto& [num, port] : node.ports) {
      put_line(text, "{}\t0x{:x}\t{}\t{}\t{}\t{}\t{}", node.name, guid.value(),
               node.active ? "TRUE" : "FALSE", num.value(), time_text(port.last_reset),
               time_text(port.errors_read), time_text(port.data_read));
      for (const std::uint64_t total : port.total) put_line(text, "\t{}", total);
      text += '\n';
    }
  }
  return text;
}

CounterFilter parse_counter_filter(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos)
    if (const auto port = parse_c_number<std::uint8_t>(text.substr(colon + 1)))
      return {std::string(text.substr(0, colon)), PortNum(*port)};
  return {std::string(text), std::nullopt};
}

std::optional<std::string> counters_text(const CounterStore& store, const CounterFilter& filter) {
  return text_of_matching_ports(store, filter, put_port);
}

std::optional<std::string> errors_text(const CounterStore& store, const CounterFilter& filter) {
  return text_of_matching_ports(store, filter, put_errors);
}

}  // namespace weft
