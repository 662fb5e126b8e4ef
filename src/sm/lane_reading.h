// Reads the tables of lanes that are planned and not known, of nodes that are in use: after a
// restart on a running fabric, so that only what differs is written.
#pragma once

#include <cstdint>
#include <vector>

#include "sm/desired.h"
#include "sm/held_tables.h"
#include "sm/smp_client.h"

namespace weft {

/// A table that cannot be read stays unknown, and is written. Switches that take one SMP for all
/// their SL2VL tables are asked until one differs from the plan: then all are written, and by that
/// one it shows whether they were.
class LaneReading final : public SmpWork {
 public:
  LaneReading(const Observed& observed, const Desired& desired, HeldTables& held, Mkey mkey);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

 private:
  /// The tables of the next node that has unknown ones; false where there are no more.
  bool next_node();

  const Observed& observed_;
  const Desired& desired_;
  HeldTables& held_;
  const Mkey mkey_;
  std::uint32_t node_ = 0;  // the one behind `wanted_`
  NodeLaneTables wanted_;   // those still to be asked for, of the node before
  bool at_once_ = false;    // its SL2VL is written at once, so one table that differs is enough
  // By NodeId.
  std::vector<bool> silent_;
  std::vector<bool> differs_;  // holds an SL2VL table other than the one planned
};

}  // namespace weft
