// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A transport that corrupts one answer.
#pragma once

#include <optional>

#include "ib/node_info.h"
#include "ib/smp.h"
#include "ib/transport.h"

namespace weft {

/// Corrupts the port GUID in the first answer to NodeInfo that has the GUID `victim`.
class CorruptingWire final : public SmpTransport {
 public:
  CorruptingWire(SmpTransport& wire, Guid victim) : wire_(wire), victim_(victim) {}

  Status send(const Smp& smp) override { return wire_.send(smp); }
  std::optional<Smp> receive() override {
    auto smp = wire_.receive();
    if (!smp || is_done_ || smp->attribute != AttributeId::kNodeInfo) return smp;
    auto info = decode_node_info(smp->data);
    if (!info || info->port_guid != victim_) return smp;
    info->port_guid = Guid(victim_.value() ^ 0xE400F1000000);
    smp->data = encode(*info);
    is_done_ = true;
    return smp;
  }
  void wait_until(TimeNs deadline) override { wire_.wait_until(deadline); }

 private:
  SmpTransport& wire_;
  Guid victim_;
  bool is_done_ = false;
};

}  // namespace weft
