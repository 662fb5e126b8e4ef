// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/vport_changes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace weft {
namespace {

constexpr unsigned kTries = 20;

class VportChanges : public std::enable_shared_from_this<VportChanges> {
 public:
  VportChanges(const EmulatedFabric& emulated, const VportChangeOptions& options)
      : rng_(options.seed),
        interval_(options.interval),
        until_(options.until),
        count_(options.count) {
    std::size_t vport_count = 0;
    for (const Endport& endport : emulated.fabric().endports()) {
      const auto* const vports = emulated.virtual_ports(endport.port);
      if (vports == nullptr) continue;
      hosts_.push_back(endport.port);
      vport_count += vports->vports.size() - 1;
    }
    removed_max_ = std::max<std::size_t>(vport_count / 4, 1);
  }

  void schedule_next(EmulatedFabric& emulated) {
    if (hosts_.size() < 2 || emulated.clock().now() + interval_ > until_) return;
    emulated.schedule(emulated.clock().now() + interval_,
                      [self = shared_from_this()](EmulatedFabric& fabric) {
                        self->change(fabric);
                        self->schedule_next(fabric);
                      });
  }

 private:
  struct Place {
    PortId host;
    std::uint16_t index = 0;
  };

  PortId any_host() { return hosts_[rng_.below(hosts_.size())]; }

  /// A random vport in use; none if kTries random selections found none.
  std::optional<Place> any_vport(const EmulatedFabric& emulated) {
    for (unsigned tries = 0; tries < kTries; ++tries) {
      const PortId host = any_host();
      const auto* vports = emulated.virtual_ports(host);
      const auto index = static_cast<std::uint16_t>(rng_.below(vports->info.vport_top + 1u));
      if (vports->is_up(index)) return Place{host, index};
    }
    return std::nullopt;
  }

  void change(EmulatedFabric& emulated) {
    const std::uint64_t kind = rng_.below(4);
    if (!removed_.empty() && (kind == 0 || (kind == 1 && removed_.size() == removed_max_))) {
      if (!emulated.add_vport(any_host(), removed_.back())) return;
      removed_.pop_back();
      return count_change();
    }
    const auto place = any_vport(emulated);
    if (!place) return;
    if (kind == 1) {
      removed_.push_back(emulated.virtual_ports(place->host)->identity(place->index));
      emulated.remove_vport(place->host, place->index);
    } else if (!emulated.move_vport(place->host, place->index, any_host())) {
      return;
    }
    count_change();
  }

  void count_change() {
    if (count_) ++*count_;
  }

  Rng rng_;
  const TimeNs interval_;
  const TimeNs until_;
  const std::shared_ptr<std::uint64_t> count_;  // may be null
  std::size_t removed_max_ = 0;
  std::vector<PortId> hosts_;
  std::vector<emulator::VirtualIdentity> removed_;  // identities of removed vports
};

}  // namespace

void schedule_vport_changes(EmulatedFabric& emulated, const VportChangeOptions& options) {
  std::make_shared<VportChanges>(emulated, options)->schedule_next(emulated);
}

}  // namespace weft
