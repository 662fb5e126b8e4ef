// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which device kinds answer a vendor-specific attribute. Of a kind that has not answered, only one
// device is queried at a time. If this device does not answer, no device of the kind is queried
// during a pause. So a kind without the attribute causes one timeout for each pause, and after a
// lost answer the kind is queried again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "ib/node_info.h"
#include "sm/pauses.h"

namespace weft {

class AnsweringKinds {
 public:
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor id, device id
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  /// Whether the kind has never answered and is in a pause.
  bool is_silent(const NodeInfo& node, TimeNs now) const {
    return !answering_.contains(kind(node)) && !is_due(node, now);
  }
  /// Whether the kind is not in a pause. The pause begins when a device of the kind does not
  /// answer, even if other devices of the kind do.
  bool is_due(const NodeInfo& node, TimeNs now) const { return pauses_.is_due(kind(node), now); }
  /// Whether the device may be queried now; marks the query as pending. True for a kind that has
  /// answered. False while a query to another device of the kind is pending. False if this device
  /// was the last without an answer and `waiting` has another device of the kind. `node_of` returns
  /// the node of an entry of `waiting`.
  template <class Waiting, class NodeOf>
  bool begin(const NodeInfo& node, const Waiting& waiting, NodeOf node_of) {
    if (answering_.contains(kind(node))) return true;
    const auto last = last_silent_.find(kind(node));
    const bool was_last = last != last_silent_.end() && last->second == node.node_guid;
    if (was_last && std::ranges::any_of(waiting, [&](const auto& entry) {
          return are_alike(node, node_of(entry));
        }))
      return false;
    return probed_.insert(kind(node)).second;
  }
  void answered(const NodeInfo& node) {
    answering_.insert(kind(node));
    pauses_.answered(kind(node));
    probed_.erase(kind(node));
  }
  /// Call when a device did not answer. Begins a pause of the kind, unless it is already in a
  /// pause.
  void note_silence(const NodeInfo& node, TimeNs now) {
    if (is_due(node, now)) pauses_.failed(kind(node), now);
    last_silent_[kind(node)] = node.node_guid;
    probed_.erase(kind(node));
  }
  /// Sort key of a device: devices of a kind are queried in the order of GUIDs, beginning after the
  /// last device without an answer.
  std::uint64_t query_order(const NodeInfo& node) const {
    const auto last = last_silent_.find(kind(node));
    return node.node_guid.value() - (last == last_silent_.end() ? 0 : last->second.value()) - 1;
  }
  /// Discards the pending queries, because they will not be answered.
  void forget_probes() { probed_.clear(); }
  void end_pauses() { pauses_ = {}; }

 private:
  /// Whether two different nodes are of the same kind.
  static bool are_alike(const NodeInfo& a, const NodeInfo& b) {
    return kind(a) == kind(b) && a.node_guid != b.node_guid;
  }

  std::set<Kind> answering_;
  Pauses<Kind> pauses_;
  std::map<Kind, Guid> last_silent_;
  std::set<Kind> probed_;  // kinds with a pending query
};

}  // namespace weft
