// The published subnet with what questions to it need: nodes and ports in the order of their GUIDs,
// who may see whom, and what a packet meets at each port. Built once for a snapshot, then const.
// What a PathRecord needs lies close together: at ten thousand hosts a path costs what memory
// costs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ib/sa_records.h"
#include "sa/aliases.h"
#include "sa/options.h"
#include "sm/sweep_report.h"

namespace weft {

class SaView {
 public:
  /// `aliases`, where there are any, outlives the view and may change.
  SaView(std::shared_ptr<const Snapshot> snapshot, const SaOptions& options,
         const sa::Aliases* aliases = nullptr);

  const Snapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const Snapshot> shared_snapshot() const { return snapshot_; }
  const Fabric& fabric() const { return snapshot_->fabric; }
  const ObservedNode& observed(NodeId node) const { return snapshot_->nodes[node.value()]; }
  const SaOptions& options() const { return options_; }

  /// In OpenSM's order of node GUIDs.
  std::span<const NodeId> nodes() const { return nodes_; }
  /// Those that hold LIDs, in the same order of port GUIDs.
  std::span<const EndportId> endports() const { return endports_; }

  /// The port of a switch by which the first of the shortest ways from the manager comes: what its
  /// ports' LocalPortNum says to who asks by that way, whichever way the manager happened to take.
  PortNum way_in(SwitchId sw) const { return ways_in_[sw.value()]; }

  /// The endport whose LID is that of a node's port: on a switch that of its port 0. kNoEndport
  /// where the port has none.
  EndportId endport_of_port(NodeId node, PortNum port) const;
  /// The base LID that speaks for a port, 0 where there is none.
  Lid lid_of_port(NodeId node, PortNum port) const;
  Gid gid(EndportId endport) const;
  /// Whether a GID is of this subnet, by its prefix or as a link-local one.
  bool is_local(const Gid& gid) const;
  /// The holder of a GID of this subnet, be it of an alias.
  std::optional<EndportId> find(const Gid& gid) const;

  /// The P_Key table of a port as far as it is known.
  std::span<const Pkey> pkeys(PortId port) const;
  std::span<const Pkey> pkeys(EndportId endport) const {
    return pkeys(fabric().endport(endport).port);
  }
  /// Whether an endport is in a partition, as a full or a limited member.
  bool is_member(EndportId endport, Pkey pkey) const;
  /// Whether two endports may talk: a partition has both as members, one of them a full one.
  bool share_partition(EndportId a, EndportId b) const;
  /// The lowest P_Key by which they do, as `a` holds it.
  std::optional<Pkey> common_pkey(EndportId a, EndportId b) const;

  /// What a path meets at a port: the code of its rate, what that carries, and its MTU.
  struct Limits {
    std::uint8_t rate = 2;
    std::uint8_t mtu = 5;
    std::uint16_t data_rate = 20;
    void narrow(const Limits& other) {
      if (other.data_rate < data_rate)
        std::tie(rate, data_rate) = std::pair(other.rate, other.data_rate);
      mtu = std::min(mtu, other.mtu);
    }
  };
  const Limits& limits(PortId port) const { return limits_[port.value()]; }

  /// Where a cable leads, and what both of its ends let through.
  struct Cable {
    PortId peer = kNoPort;
    NodeId node;  // the peer's
    Limits limits;
  };
  const Cable& cable(PortId port) const { return cables_[port.value()]; }

 private:
  /// What most questions want of an endport, in one place.
  struct Holder {
    Guid guid;
    std::uint32_t pkey_table = 0;  // equal tables have equal numbers
    bool has_lid = false;
  };
  static constexpr std::size_t kTablesCompared = 64;

  /// By a port's own GUID; kNoEndport where it is nobody's.
  EndportId find(Guid guid) const;
  void index_holders();
  void index_cables();
  void find_ways_in();
  std::optional<Pkey> compare_pkeys(EndportId a, EndportId b) const;

  std::shared_ptr<const Snapshot> snapshot_;
  const SaOptions options_;
  const sa::Aliases* aliases_;
  std::vector<NodeId> nodes_;
  std::vector<EndportId> endports_;
  std::vector<PortNum> ways_in_;                     // by SwitchId
  std::vector<Limits> limits_;                       // by PortId
  std::vector<Cable> cables_;                        // by PortId
  std::vector<Holder> holders_;                      // by EndportId
  std::vector<std::pair<Guid, EndportId>> by_guid_;  // hashed, open addressing; kNoEndport: free
  std::size_t tables_ = 0;                           // P_Key tables that differ
  /// By the numbers of two tables; empty where there are too many tables.
  std::vector<std::optional<Pkey>> common_;
};

/// Whether two P_Keys are of one partition, whatever the membership; 0 is of none.
bool same_partition(Pkey a, Pkey b);

/// OpenSM compares GUIDs as they lie on the wire, read as numbers of a little-endian machine: the
/// last byte counts most. Tables of records come in this order.
constexpr std::uint64_t opensm_order(Guid guid) {
  std::uint64_t turned = 0;
  for (std::uint64_t rest = guid.value(), i = 0; i < 8; ++i, rest >>= 8)
    turned = turned << 8 | (rest & 0xFF);
  return turned;
}

/// Whether a port with one table may talk to a port with the other.
bool match_pkeys(Pkey a, Pkey b);

/// Of the P_Keys by which the holder of `mine` may talk to that of `theirs`, and which are allowed,
/// the one with the lowest base, as OpenSM has it.
template <class Allowed>
std::optional<Pkey> lowest_common_pkey(std::span<const Pkey> mine, std::span<const Pkey> theirs,
                                       Allowed allowed) {
  const auto base = [](Pkey pkey) { return pkey.value() & kPkeyBaseMask; };
  std::optional<Pkey> lowest;
  for (const Pkey own : mine)
    if ((!lowest || base(own) < base(*lowest)) && allowed(own) &&
        std::ranges::any_of(theirs, [&](Pkey other) { return match_pkeys(own, other); }))
      lowest = own;
  return lowest;
}

}  // namespace weft
