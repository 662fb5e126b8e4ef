#include "routing/shared/far_switches.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "routing/shared/destinations.h"
#include "routing/shared/ranks.h"

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
    std::vector<std::uint32_t> missing(part.size(), 0);  // paths from the switch
    parallel_for(
        part.size(), threads_,
        [&](std::size_t i) { for_each_missing(part, part[i], [&](SwitchId) { ++missing[i]; }); },
        16);
    if (std::ranges::all_of(missing, [](std::uint32_t count) { return count == 0; })) return;

    SwitchId hub = kNoSwitch;
    std::uint32_t least = 0;
    std::vector<bool> open(fabric_.switch_count(), false);  // somebody lacks a path to it
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (holds_cas(part[i]) && has_lid(part[i]) && (hub == kNoSwitch || missing[i] < least)) {
        hub = part[i];
        least = missing[i];
      }
      if (missing[i] > 0)
        for_each_missing(part, part[i], [&](SwitchId to) { open[to.value()] = true; });
    }
    if (hub != kNoSwitch) fill(part, lids_of(open, hub), lid_[hub.value()]);
  }

 private:
  /// LIDs behind these switches that the hub has a path to.
  std::vector<std::uint16_t> lids_of(const std::vector<bool>& switches, SwitchId hub) const {
    std::vector<std::uint16_t> lids;
    for (const Endport& port : fabric_.endports())
      if (port.sw != kNoSwitch && switches[port.sw.value()])
        for (unsigned offset = 0; offset < lid_count(port); ++offset)
          if (const Lid lid = lid_at(port, offset); lfts_.port(hub, lid) != kNoRoute)
            lids.push_back(lid.value());
    return lids;
  }

  void fill(std::span<const SwitchId> part, std::span<const std::uint16_t> lids, Lid like) {
    parallel_for(
        part.size(), threads_,
        [&](std::size_t i) {
          const auto row = lfts_.row(part[i]);
          for (const std::uint16_t lid : lids)
            if (row[lid] == kNoRoute.value()) row[lid] = row[like.value()];
        },
        16);
  }

  bool holds_cas(SwitchId sw) const { return !fabric_.endports_at(sw).empty(); }
  bool has_lid(SwitchId sw) const { return lid_[sw.value()] != kLidNone; }

  template <class Body>
  void for_each_missing(std::span<const SwitchId> part, SwitchId from, const Body& body) const {
    const auto row = std::as_const(lfts_).row(from);
    const bool asks = holds_cas(from);
    for (const SwitchId to : part)
      if (to != from && has_lid(to) && row[lid_[to.value()].value()] == kNoRoute.value() &&
          (asks || holds_cas(to)))
        body(to);
  }

  const Fabric& fabric_;
  const unsigned threads_;
  Lfts& lfts_;
  std::vector<Lid> lid_;  // by switch: one of those behind it, whose ways are all alike
};

}  // namespace

void connect_far_switches(const Fabric& fabric, unsigned threads, Lfts& lfts) {
  threads =
      threads_worth(std::uint64_t{fabric.switch_count()} * fabric.switch_count() / 4, threads);
  Connector connector(fabric, threads, lfts);
  for (const auto& part : components(fabric)) connector.connect(part);
}

}  // namespace weft
