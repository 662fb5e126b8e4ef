// What the manager tells as it goes: facts as values, for whoever writes events. It keeps them
// until they are taken, and touches no file for it.
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
  std::string error;  // why it is not up
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

/// Between two sweeps, as somebody asked for.
struct PartitionsChanged {
  std::uint16_t base = 0;  // P_Key without membership bit
  std::string what;
  bool operator==(const PartitionsChanged&) const = default;
};

/// Another manager was found, does not answer any more, or says something else of itself.
struct ManagerNoticed {
  enum class What : std::uint8_t { kAppeared, kGone, kChanged };
  What what = What::kAppeared;
  Guid node;
  std::string name;  // of the node
  PortNum port;
  Lid lid;
  std::uint8_t priority = 0;
  SmState state = SmState::kNotActive;
  bool operator==(const ManagerNoticed&) const = default;
};

using Occurrence = std::variant<SweepBegun, SweepEnded, StateEntered, TrapReceived,
                                PartitionsChanged, ManagerNoticed>;

/// In the order in which they came; those beyond the limit are counted and lost.
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
