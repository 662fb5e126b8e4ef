// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of the light sweep that reads SwitchPortStateTable, from switches that announce it. A
// port that changed its state is found even if its switch does not report PortStateChange. Other
// switches get no request for this attribute.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ib/vendor/port_states.h"
#include "sm/observed.h"
#include "sm/pauses.h"

namespace weft {

/// Blocks of SwitchPortStateTable that disagreed with PortInfo, and pauses before switches that did
/// not answer or answered with an error status are queried again; kept from sweep to sweep.
class PortStateMemory {
 public:
  bool is_due(Guid sw, TimeNs now) const { return silent_.is_due(sw, now); }
  void answered(Guid sw) { silent_.answered(sw); }
  void failed(Guid sw, TimeNs now) { silent_.failed(sw, now); }

  void note_agreement(Guid sw, std::uint8_t block);
  /// To be called with a block that disagrees with PortInfo. Returns true if the block requires a
  /// sweep. If the block still has the same content after a sweep, it requires a second sweep at
  /// once, and further sweeps only after pauses.
  bool note_disagreement(Guid sw, std::uint8_t block, const SmpData& data, TimeNs now);

 private:
  DevicePauses silent_;
  DevicePauses doubtful_;
  std::map<std::pair<Guid, std::uint8_t>, SmpData> disagreeing_;
};

class PortStateReading {
 public:
  /// All references must outlive this object.
  PortStateReading(const Observed& observed, PortStateMemory& memory, TimeNs now);

  /// Fills the next request and its number for answered() and failed(); false if all blocks were
  /// requested.
  bool next(Smp& request, std::uint32_t& number);
  /// Handles an answer. If the block requires a sweep, returns a message about the first port with
  /// a changed state; otherwise empty.
  std::string answered(std::uint32_t number, const Smp& answer);
  void failed(std::uint32_t number);
  NodeId switch_of(std::uint32_t number) const { return blocks_[number].sw; }

 private:
  struct Block {
    NodeId sw;
    std::uint8_t number = 0;
  };
  Guid guid_of(const Block& block) const { return observed_.fabric.node(block.sw).node_guid; }
  std::string first_change(const Block& block, const PortStateBlock& states) const;

  const Observed& observed_;
  PortStateMemory& memory_;
  const TimeNs now_;
  std::vector<Block> blocks_;
  std::uint32_t at_ = 0;
};

}  // namespace weft
