// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A transport that corrupts one answer.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "ib/node_info.h"
#include "ib/smp.h"
#include "ib/transport.h"

namespace weft {

class CorruptingWire final : public SmpTransport {
 public:
  /// Passes each answer to `corrupt` until `corrupt` has changed an answer, and therefore returns
  /// true.
  CorruptingWire(SmpTransport& wire, std::function<bool(Smp&)> corrupt)
      : wire_(wire), corrupt_(std::move(corrupt)) {}

  /// Corrupts the port GUID in the first answer to NodeInfo that has the GUID `guid`.
  CorruptingWire(SmpTransport& wire, Guid guid)
      : CorruptingWire(wire, [guid](Smp& smp) {
          if (smp.attribute != AttributeId::kNodeInfo) return false;
          auto info = decode_node_info(smp.data);
          if (!info || info->port_guid != guid) return false;
          info->port_guid = Guid(guid.value() ^ 0xE400F1000000);
          smp.data = encode(*info);
          return true;
        }) {}

  Status send(const Smp& smp) override { return wire_.send(smp); }
  std::optional<Smp> receive() override {
    auto smp = wire_.receive();
    if (smp && !is_done_) is_done_ = corrupt_(*smp);
    return smp;
  }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }
  bool take_link_change() override { return wire_.take_link_change(); }

 private:
  SmpTransport& wire_;
  std::function<bool(Smp&)> corrupt_;
  bool is_done_ = false;
};

}  // namespace weft
