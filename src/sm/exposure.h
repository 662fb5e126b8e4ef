// Whether packets may wait for each other in a circle while routes change: the dependencies of old
// and new tables together, as packets meet them that take some hops by the old and others by the
// new ones. Judged by the verifier's graph. docs/transitions.md explains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "routes/routes.h"
#include "sm/held_tables.h"
#include "sm/transition.h"

namespace weft {

class ExposureJudge {
 public:
  /// More entries of tables than this are not followed one by one.
  static constexpr std::uint64_t kEntriesMax = 16'000'000;

  /// What the switches hold is `held`; service levels and SL2VL of before are those of `before`.
  ExposureJudge(const Fabric& fabric, const HeldTables& held, const Routes& wanted,
                const RoutesBefore& before, unsigned threads);

  enum class Tables : std::uint8_t { kOld, kNew, kBoth };

  /// True where all entries, old and new, lead packets up and then down between hosts' switches and
  /// the rest: then no mixture has a cycle, on whichever lanes. Cheap, and true on trees.
  bool is_up_and_down() const;
  bool too_large() const;
  /// True where somebody knows the service levels of before.
  bool knows_lanes() const { return before_.routes != nullptr; }
  bool lanes_change() const;
  /// Pairs of a switch with hosts and a LID.
  std::uint64_t sl_changes() const;

  /// Channels and lanes that are on cycles. `tables` by block. With `lanes_too` packets use SLs and
  /// maps of before and of now, else of before.
  std::uint64_t channels_on_cycles(std::span<const Tables> tables, bool lanes_too) const;

 private:
  struct Scratch;
  bool is_of_host(Lid lid) const;
  PortNum old_port(std::uint32_t sw, Lid lid) const;
  void follow(Lid lid, Tables tables, bool lanes_too, Scratch& scratch) const;
  unsigned vls() const;
  std::vector<std::uint8_t> sls(SwitchId source, Lid lid, bool lanes_too) const;

  const Fabric& fabric_;
  const Routes& wanted_;
  const RoutesBefore before_;
  const unsigned threads_;
  std::vector<const HeldTable*> held_;  // by switch
  std::vector<SwitchId> old_id_;        // by switch: in the fabric of before
};

}  // namespace weft
