// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events of the manager as values, queued until the event writer takes them. This file accesses no
// files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ib/ids.h"
#include "ib/sm_info.h"

namespace weft {

struct SweepBegun {
  std::string reason;
  bool operator==(const SweepBegun&) const = default;
};

struct SweepEnded {
  bool up = false;
  std::string error;  // why the subnet is not up
  bool operator==(const SweepEnded&) const = default;
};

struct StateEntered {
  SmState before;
  SmState after;
  bool operator==(const StateEntered&) const = default;
};

struct TrapReceived {
  Lid from;
  std::uint16_t number = 0;
  std::string what;
  bool operator==(const TrapReceived&) const = default;
};

/// Partitions were changed by request, between two sweeps.
struct PartitionsChanged {
  std::uint16_t base = 0;  // P_Key without membership bit
  std::string what;
  bool operator==(const PartitionsChanged&) const = default;
};

/// Another manager was found, is gone or stopped answering, or changed its SMInfo, LID or node.
struct ManagerNoticed {
  enum class What : std::uint8_t { kAppeared, kGone, kChanged };
  What what = What::kAppeared;
  Guid node;
  std::string name;  // name of the node
  PortNum port;
  Lid lid;
  std::uint8_t priority = 0;
  SmState state = SmState::kNotActive;
  bool operator==(const ManagerNoticed&) const = default;
};

/// A port became unhealthy, or healthy again.
struct PortHealthChanged {
  bool is_unhealthy = false;
  Guid node;         // node of the port; 0: it has not answered yet
  std::string name;  // name of the node
  PortNum port;
  Guid peer;  // the switch at the other end
  std::string peer_name;
  PortNum peer_port;
  std::string what;  // "flapping: isolate", "marked as healthy"
  bool operator==(const PortHealthChanged&) const = default;
};

/// A switch recovered its port.
struct PortRecovered {
  Guid node;         // the switch
  std::string name;  // name of the switch
  PortNum port;
  Guid peer;  // node at the other end; 0: unknown
  std::string peer_name;
  PortNum peer_port;
  bool operator==(const PortRecovered&) const = default;
};

/// Load-aware routing changes the routes.
struct RoutesRebalanced {
  std::string what;  // link loads and gain
  bool operator==(const RoutesRebalanced&) const = default;
};

using Occurrence =
    std::variant<SweepBegun, SweepEnded, StateEntered, TrapReceived, PartitionsChanged,
                 ManagerNoticed, PortHealthChanged, PortRecovered, RoutesRebalanced>;

/// A queue of events in order of occurrence; events beyond the limit are dropped and counted.
class Occurrences {
 public:
  static constexpr std::size_t kMax = 4096;

  template <class Fact>
  void add(Fact fact) {
    if (kept_.size() < kMax) {
      kept_.emplace_back(std::in_place_type<Fact>, std::move(fact));
    } else {
      ++lost_;
    }
  }
  std::vector<Occurrence> take() { return std::exchange(kept_, {}); }
  bool empty() const { return kept_.empty(); }
  std::size_t lost() const { return lost_; }

 private:
  std::vector<Occurrence> kept_;
  std::size_t lost_ = 0;
};

}  // namespace weft
