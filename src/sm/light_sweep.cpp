#include "sm/light_sweep.h"

#include "ib/switch_info.h"
#include "sm/directed.h"

namespace weft {

bool LightSweep::next(Smp& request, std::uint64_t& cookie) {
  // A fabric without switches is one cable: its own port tells.
  const bool switches = observed_.fabric.switch_count() > 0;
  if (at_ >= (switches ? observed_.fabric.switch_count() : 1) || !change_.empty()) return false;
  const std::uint32_t node = switches ? at_ : observed_.self.value();
  request =
      directed_request(Method::kGet, switches ? AttributeId::kSwitchInfo : AttributeId::kPortInfo,
                       0, observed_.nodes[node].path, mkey_);
  cookie = node;
  ++at_;
  return true;
}

void LightSweep::answered(std::uint64_t cookie, const Smp& answer) {
  const auto node = static_cast<std::uint32_t>(cookie);
  const std::string who = describe(observed_.fabric.node(NodeId(node)));
  if (answer.status != mad_status::kGood) {
    change_ = fmt::format("{} answers with status 0x{:04x}", who, answer.status);
    return;
  }
  if (answer.attribute == AttributeId::kPortInfo) {
    const auto info = decode_port_info(answer.data);
    const PortState before = observed_.nodes[node].ports[observed_.self_port.value()].state;
    if (!info || info->state != before)
      change_ = fmt::format("the state of the port of {} changed", who);
    return;
  }
  const SwitchInfo info = *decode_switch_info(answer.data);
  const SwitchInfo& before = observed_.nodes[node].switch_info;
  if (info.port_state_change) {
    change_ = fmt::format("{} reports a port state change", who);
  } else if (info.linear_fdb_top != before.linear_fdb_top) {
    change_ = fmt::format("{} was reset: its LinearFDBTop is {}, not {}", who, info.linear_fdb_top,
                          before.linear_fdb_top);
  }
}

void LightSweep::failed(std::uint64_t cookie, const Smp&) {
  change_ =
      fmt::format("{} does not answer",
                  describe(observed_.fabric.node(NodeId(static_cast<std::uint32_t>(cookie)))));
}

}  // namespace weft
