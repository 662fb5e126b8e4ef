// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which kinds of devices answer a vendor-specific attribute. If no device of a kind has answered
// yet, only one of them is queried at a time. If a kind does not answer, it is not queried again,
// so that it costs one timeout.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "ib/node_info.h"

namespace weft {

class AnsweringKinds {
 public:
  bool is_silent(const NodeInfo& node) const { return silent_.contains(kind(node)); }
  /// True if the device may be queried now.
  bool begin(const NodeInfo& node) {
    return answering_.contains(kind(node)) || probed_.insert(kind(node)).second;
  }
  void answered(const NodeInfo& node) {
    answering_.insert(kind(node));
    probed_.erase(kind(node));
  }
  void was_silent(const NodeInfo& node) {
    if (!answering_.contains(kind(node))) silent_.insert(kind(node));
    probed_.erase(kind(node));
  }
  /// Discards the pending queries, which have no outcome.
  void forget_probes() { probed_.clear(); }

 private:
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor, device
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  std::set<Kind> answering_;
  std::set<Kind> silent_;
  std::set<Kind> probed_;  // kinds with a pending query
};

}  // namespace weft
