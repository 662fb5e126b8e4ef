// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/tables/remaining_switches.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routing/shapes/ranks.h"
#include "routing/tables/destinations.h"

namespace weft {
namespace {

class Connector {
 public:
  Connector(const Fabric& fabric, unsigned threads, Lfts& lfts)
      : fabric_(fabric), threads_(threads), lfts_(lfts), lid_(fabric.switch_count(), kLidNone) {
    for (const Endport& port : fabric.endports())
      if (port.sw != kNoSwitch && port.lid != kLidNone && lid_[port.sw.value()] == kLidNone)
        lid_[port.sw.value()] = port.lid;
  }

  void connect(std::span<const SwitchId> part) {
    std::vector<std::uint32_t> missing(part.size(), 0);  // by switch: missing paths
    parallel_for(
        part.size(), threads_,
        [&](std::size_t i) { for_each_missing(part, part[i], [&](SwitchId) { ++missing[i]; }); },
        16);
    if (std::ranges::all_of(missing, [](std::uint32_t count) { return count == 0; })) return;

    SwitchId hub = kNoSwitch;
    std::uint32_t least = 0;
    for (std::size_t i = 0; i < part.size(); ++i)
      if (has_cas(part[i]) && has_lid(part[i]) && (hub == kNoSwitch || missing[i] < least)) {
        hub = part[i];
        least = missing[i];
      }
    if (hub == kNoSwitch) return;
    std::vector<SwitchId> unreachable;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (missing[i] == 0) continue;
      unreachable.clear();
      for_each_missing(part, part[i], [&](SwitchId to) { unreachable.push_back(to); });
      for (const SwitchId to : unreachable) add_path(part[i], to, hub);
    }
  }

 private:
  /// Adds, for all LIDs of switch `to` and of its endports, a path from `from` toward the hub up to
  /// the first switch with an existing path. Switches on the added path get entries even if they
  /// need no path themselves.
  void add_path(SwitchId from, SwitchId to, SwitchId hub) {
    const auto add_paths_to = [&](const Endport& port) {
      for (unsigned offset = 0; offset < lid_count(port); ++offset)
        add_path(from, lid_at(port, offset), hub);
    };
    add_paths_to(fabric_.endport(Fabric::endport_of(to)));
    for (const EndportId id : fabric_.endports_at(to)) add_paths_to(fabric_.endport(id));
  }

  void add_path(SwitchId from, Lid lid, SwitchId hub) {
    const Lid hub_lid = lid_[hub.value()];
    if (lfts_.port(hub, lid) == kNoRoute) return;
    for (SwitchId at = from; lfts_.port(at, lid) == kNoRoute;) {
      const ChannelId out = fabric_.channel_at(at, lfts_.port(at, hub_lid));
      if (out == kNoChannel) return;  // the hub is unreachable too
      lfts_.set(at, lid, lfts_.port(at, hub_lid));
      at = fabric_.channel(out).to;
    }
  }

  bool has_cas(SwitchId sw) const { return !fabric_.endports_at(sw).empty(); }
  bool has_lid(SwitchId sw) const { return lid_[sw.value()] != kLidNone; }

  template <class Body>
  void for_each_missing(std::span<const SwitchId> part, SwitchId from, const Body& body) const {
    const auto row = std::as_const(lfts_).row(from);
    const bool sends = has_cas(from);
    for (const SwitchId to : part)
      if (to != from && has_lid(to) && row[lid_[to.value()].value()] == kNoRoute.value() &&
          (sends || has_cas(to)))
        body(to);
  }

  const Fabric& fabric_;
  const unsigned threads_;
  Lfts& lfts_;
  std::vector<Lid> lid_;  // by switch: a LID behind it; all such LIDs have equal paths
};

}  // namespace

void connect_remaining_switches(const Fabric& fabric, unsigned threads, Lfts& lfts) {
  threads =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.switch_count() / 4, threads);
  Connector connector(fabric, threads, lfts);
  for (const auto& part : switches_by_part(fabric)) connector.connect(part);
}

}  // namespace weft
