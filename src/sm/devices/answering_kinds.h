// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which kinds of devices answer a vendor-specific attribute. Of a kind that has not answered yet,
// one device is queried at a time. If it does not answer, no device of the kind is queried until a
// pause has ended: a kind without the attribute costs one timeout for each pause, and a lost answer
// has no lasting effect.
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
  using Kind = std::pair<std::uint32_t, std::uint16_t>;  // vendor, device
  static Kind kind(const NodeInfo& node) { return {node.vendor_id, node.device_id}; }

  /// True during the pause of a kind that has never answered.
  bool is_silent(const NodeInfo& node, TimeNs now) const {
    return !answering_.contains(kind(node)) && !is_due(node, now);
  }
  /// False during the pause after a device of the kind did not answer, whether others did or not.
  bool is_due(const NodeInfo& node, TimeNs now) const { return pauses_.is_due(kind(node), now); }
  /// True if the device may be queried now. The query is then pending. False while the query to
  /// another device of the kind is pending, and if the device was silent last and `waiting` has
  /// another device of the kind, which is to be queried first. `node_of` gives the node of an
  /// entry.
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
  /// Several devices that do not answer in one pause count as one failure.
  void was_silent(const NodeInfo& node, TimeNs now) {
    if (is_due(node, now)) pauses_.failed(kind(node), now);
    last_silent_[kind(node)] = node.node_guid;
    probed_.erase(kind(node));
  }
  /// The order of devices of a kind, beginning after the one that was silent last.
  std::uint64_t turn(const NodeInfo& node) const {
    const auto last = last_silent_.find(kind(node));
    return node.node_guid.value() - (last == last_silent_.end() ? 0 : last->second.value()) - 1;
  }
  /// Discards the pending queries, which have no outcome.
  void forget_probes() { probed_.clear(); }
  void end_pauses() { pauses_ = {}; }

 private:
  /// Two nodes of one kind.
  static bool are_alike(const NodeInfo& a, const NodeInfo& b) {
    return kind(a) == kind(b) && a.node_guid != b.node_guid;
  }

  std::set<Kind> answering_;
  Pauses<Kind> pauses_;
  std::map<Kind, Guid> last_silent_;
  std::set<Kind> probed_;  // kinds with a pending query
};

}  // namespace weft
