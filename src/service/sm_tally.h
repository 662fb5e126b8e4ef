// What a manager has done since it began, added up from sweep to sweep: what metrics ask for and
// the manager itself has no use for.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "service/histogram.h"
#include "sm/subnet_manager.h"

namespace weft {

inline constexpr std::array<double, 14> kSweepBounds{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                                                     1,     2.5,  5,     10,   30,  60,   300};

struct SmTally {
  /// Whole fabrics; what had changed; what clients asked for, trees only.
  enum Kind { kHeavy, kLocal, kMulticast };
  static constexpr std::array<std::string_view, 3> kKindNames{"heavy", "local", "multicast"};

  std::array<std::uint64_t, 3> sweeps{};
  std::uint64_t failed = 0;  // of all: the subnet was not up
  std::uint64_t light = 0;
  std::array<Histogram, 3> seconds{Histogram(kSweepBounds), Histogram(kSweepBounds),
                                   Histogram(kSweepBounds)};
  std::map<std::string, std::uint64_t> fallbacks;  // engines that did not serve, by name
  std::uint64_t table_blocks_written = 0;
  std::uint64_t route_runs = 0;  // sweeps that found routes anew
  /// The last full sweep, neither incremental nor about multicast groups only; null: none ended.
  std::shared_ptr<const SweepReport> full;
  std::uint64_t full_number = 0;  // of it
  bool operator==(const SmTally&) const = default;
};

/// Follows a manager from step to step; at no cost where nothing has ended.
class SmTallying {
 public:
  void look(const SubnetManager& sm);
  const SmTally& tally() const { return tally_; }

 private:
  void add(SmTally::Kind kind, const SweepReport& report);

  SmTally tally_;
  std::uint64_t sweeps_ = 0;
  std::uint64_t regroupings_ = 0;
};

}  // namespace weft
