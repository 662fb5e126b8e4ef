// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/counters.h"

#include <string>
#include <utility>

#include "service/error_sum.h"

namespace weft::http_data {
namespace {

Json counters_json(const CounterValues& values, std::size_t count, bool zeros) {
  Json json = Json::object();
  for (std::size_t i = 0; i < count; ++i)
    if (zeros || values[i] > 0) json[std::string(name(counter_at(i)))] = values[i];
  return json;
}

}  // namespace

Json errors(const Fabric& fabric, const PortCountsTable& counted) {
  Json list = Json::array();
  if (counted)
    for (const PortCounts& port : *counted) {
      const std::uint64_t sum = errors_of(port.total);
      if (sum == 0) continue;
      const auto node = fabric.find_node(port.node);
      list.push_back({{"node", hex(port.node)},
                      {"name", node ? fabric.node(*node).description : ""},
                      {"port", port.port.value()},
                      {"errors", sum},
                      {"counters", counters_json(port.total, kErrorCounterCount, false)}});
    }
  return {{"counted", counted != nullptr}, {"ports", std::move(list)}};
}

Json counters(Guid node, const PortCountsTable& counted) {
  Json list = Json::array();
  if (counted)
    for (const PortCounts& port : *counted)
      if (port.node == node)
        list.push_back({{"port", port.port.value()},
                        {"errors", errors_of(port.total)},
                        {"counters", counters_json(port.total, kCounterCount, true)}});
  return {{"counted", counted != nullptr}, {"ports", std::move(list)}};
}

Json all_counters(const PortCountsTable& counted, Page page) {
  Json list = Json::array();
  const std::size_t total = counted ? counted->size() : 0;
  for (std::size_t i = page.offset; i < total && list.size() < page.limit; ++i) {
    const PortCounts& port = (*counted)[i];
    list.push_back({{"node", hex(port.node)},
                    {"port", port.port.value()},
                    {"read_at", port.read_at},
                    {"sent_bytes", port.total[index(Counter::kXmitData)] * kBytesOfData},
                    {"received_bytes", port.total[index(Counter::kRcvData)] * kBytesOfData},
                    {"wait_ticks", port.total[index(Counter::kXmitWait)]},
                    {"errors", errors_of(port.total)}});
  }
  return {{"counted", counted != nullptr},
          {"total", total},
          {"offset", page.offset},
          {"ports", std::move(list)}};
}

}  // namespace weft::http_data
