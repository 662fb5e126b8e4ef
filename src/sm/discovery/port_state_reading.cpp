// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/discovery/port_state_reading.h"

#include "sm/discovery/busy.h"
#include "sm/discovery/directed.h"

namespace weft {
namespace {

/// Changes from INIT to ACTIVE are not changes of the link: the manager or data from the peer cause
/// them.
bool is_change_of_link(PortState before, PortState now) {
  constexpr auto kHighest = static_cast<PortState>(5);  // ActiveDefer
  if (now < PortState::kDown || now > kHighest) return false;
  const bool was_up = before >= PortState::kInit;
  return (now >= PortState::kInit) != was_up || now < before;
}

}  // namespace

void PortStateMemory::note_agreement(Guid sw, std::uint8_t block) {
  if (disagreeing_.erase({sw, block}) > 0) doubtful_.answered(sw);
}

bool PortStateMemory::note_disagreement(Guid sw, std::uint8_t block, const SmpData& data,
                                        TimeNs now) {
  const auto [known, is_first] = disagreeing_.try_emplace({sw, block}, data);
  if (is_first) return true;
  if (known->second != data) {
    known->second = data;
    return true;
  }
  if (!doubtful_.is_due(sw, now)) return false;
  doubtful_.failed(sw, now);
  return true;
}

PortStateReading::PortStateReading(const Observed& observed, PortStateMemory& memory, TimeNs now)
    : observed_(observed), memory_(memory), now_(now) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const ObservedNode& seen = observed.nodes[s];
    if (!has_port_state_table(seen.ports[0])) continue;
    const NodeId sw(s);
    if (!memory.is_due(observed.fabric.node(sw).node_guid, now)) continue;
    for (std::uint8_t b = 0; b < port_state_blocks(seen.info.port_count); ++b)
      blocks_.push_back({sw, b});
  }
}

bool PortStateReading::next(Smp& request, std::uint32_t& number) {
  if (at_ == blocks_.size()) return false;
  const Block& block = blocks_[at_];
  fill_directed_request(request, Method::kGet, kSwitchPortStateTable,
                        port_states_modifier(block.number),
                        observed_.nodes[block.sw.value()].path());
  number = at_++;
  return true;
}

std::string PortStateReading::first_change(const Block& block, const PortStateBlock& states) const {
  const ObservedNode& seen = observed_.nodes[block.sw.value()];
  const std::size_t first = block.number * PortStateBlock::kPorts;
  for (std::size_t i = 0; i < PortStateBlock::kPorts && first + i < seen.ports.size(); ++i) {
    const std::size_t port = first + i;
    if (port == 0 || !seen.answered[port]) continue;
    if (is_change_of_link(seen.ports[port].state, states.states[i]))
      return fmt::format(
          "{} port {}: port state {}, before {}", describe(observed_.fabric.node(block.sw)), port,
          port_state_text(states.states[i]), port_state_text(seen.ports[port].state));
  }
  return {};
}

std::string PortStateReading::answered(std::uint32_t number, const Smp& answer) {
  if (is_busy(answer)) return {};  // requested again in the next light sweep
  const Block& block = blocks_[number];
  const Guid sw = guid_of(block);
  if (answer.status != mad_status::kGood) {
    memory_.failed(sw, now_);
    return {};
  }
  memory_.answered(sw);
  std::string change = first_change(block, decode_port_state_block(answer.data));
  if (change.empty()) {
    memory_.note_agreement(sw, block.number);
  } else if (!memory_.note_disagreement(sw, block.number, answer.data, now_)) {
    change.clear();
  }
  return change;
}

void PortStateReading::failed(std::uint32_t number) {
  memory_.failed(guid_of(blocks_[number]), now_);
}

}  // namespace weft
