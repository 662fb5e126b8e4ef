// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/gmp_managers.h"

#include <future>

#include "gmp/addresses.h"
#include "gmp/performance_console.h"

namespace weft::cli {
namespace {

constexpr std::chrono::seconds kAnswerMax{5};
constexpr std::chrono::seconds kCountersMax{2};

template <class Manager, class Options, class... More>
std::unique_ptr<ManagerHost<Manager>> host(GmpTransport* transport, const Clock& clock,
                                           bool own_thread, const Options& options,
                                           const More&... more) {
  if (transport == nullptr) return nullptr;
  auto hosted = std::make_unique<ManagerHost<Manager>>(
      std::make_unique<Manager>(*transport, clock, options, more...), *transport);
  if (own_thread) hosted->start();
  return hosted;
}

/// Calls `what` with each host that is not null.
template <class... Hosts, class What>
void for_each(What what, Hosts&... hosts) {
  ((hosts ? what(*hosts) : void()), ...);
}

}  // namespace

GmpManagers::GmpManagers(const GmpTransports& transports, const Clock& clock, bool own_threads,
                         const GmpOptions& options)
    : own_threads_(own_threads),
      performance_(
          host<PerformanceManager>(transports.counters, clock, own_threads, options.performance)),
      congestion_meter_(transports.congestion == nullptr ? nullptr
                                                         : std::make_shared<CongestionMeter>()),
      congestion_(host<CongestionManager>(transports.congestion, clock, own_threads,
                                          options.congestion, congestion_meter_)),
      vendor_keys_(host<KeysOf<KeyedClass::kVendor>>(transports.vendor_keys, clock, own_threads,
                                                     options.vendor_keys)),
      node_keys_(host<KeysOf<KeyedClass::kNodeToNode>>(transports.node_keys, clock, own_threads,
                                                       options.node_keys)) {}

void GmpManagers::report_errors_to(std::function<void(std::vector<ErrorRise>)> take) {
  if (!performance_) return;
  performance_->post([take = std::move(take)](auto& manager) { manager.on_errors = take; });
}

void GmpManagers::report_readings_to(decltype(PerformanceManager::on_reading) take) {
  if (!performance_) return;
  performance_->post([take = std::move(take)](auto& manager) { manager.on_reading = take; });
}

void GmpManagers::step(const SubnetManager& sm) {
  if (auto snapshot = sm.snapshot(); snapshot != published_) {
    const auto publish = [&](auto& hosted) {
      hosted.post([snapshot](auto& manager) { manager.publish(snapshot); });
    };
    for_each(publish, performance_);
    // For the other managers, a snapshot begins a round, which discards outstanding requests. So
    // these managers receive only the snapshots that require a round.
    if (begins_round(published_.get(), snapshot.get()))
      for_each(publish, congestion_, vendor_keys_, node_keys_);
    published_ = std::move(snapshot);
  }
  if (!own_threads_)
    for_each([](auto& hosted) { hosted.step(); }, performance_, congestion_, vendor_keys_,
             node_keys_);
}

SmBoard::PerformanceHandler GmpManagers::performance_handler() {
  if (!performance_) return nullptr;
  return [this](std::vector<std::string> words) -> std::string {
    auto answer = std::make_shared<std::promise<std::string>>();
    auto result = answer->get_future();
    performance_->post([answer, words = std::move(words)](PerformanceManager& manager) {
      answer->set_value(answer_console(manager, words));
    });
    if (result.wait_for(kAnswerMax) == std::future_status::ready) return result.get();
    return "The performance manager has not responded yet\n";
  };
}

namespace {

PortCountsTable counts_of(const CounterStore& store) {
  auto table = std::make_shared<std::vector<PortCounts>>();
  for (const auto& [guid, node] : store.nodes())
    for (const auto& [number, port] : node.ports)
      if (node.active) table->push_back({guid, number, port.total, port.data_read});
  return table;
}

}  // namespace

std::function<PortCountsTable()> GmpManagers::counters_source() {
  if (!performance_) return nullptr;
  return [this]() -> PortCountsTable {
    auto answer = std::make_shared<std::promise<PortCountsTable>>();
    auto result = answer->get_future();
    performance_->post(
        [answer](PerformanceManager& manager) { answer->set_value(counts_of(manager.store())); });
    return result.wait_for(kCountersMax) == std::future_status::ready ? result.get() : nullptr;
  };
}

void GmpManagers::set_options(const GmpOptions& options) {
  const auto set = [](auto& hosted, const auto& changed) {
    if (hosted) hosted->post([changed](auto& manager) { manager.set_options(changed); });
  };
  set(performance_, options.performance);
  set(congestion_, options.congestion);
  set(vendor_keys_, options.vendor_keys);
  set(node_keys_, options.node_keys);
}

}  // namespace weft::cli
