// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The published subnet, indexed for queries: nodes and ports in order of GUIDs, partition
// membership, and the properties of each port. A view is built once for each snapshot and is then
// constant, except for the alias GUIDs. Data of PathRecords are compact, because cache misses
// dominate their cost at ten thousand hosts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
  /// `aliases` may be null; otherwise it must outlive the view and may change.
  SaView(std::shared_ptr<const Snapshot> snapshot, const SaOptions& options,
         const sa::Aliases* aliases = nullptr);
  /// Makes a view without aliases, on any thread: compares the ports with those of `before`, which
  /// may be null.
  static std::shared_ptr<SaView> make_after(const SaView* before,
                                            std::shared_ptr<const Snapshot> snapshot,
                                            const SaOptions& options);
  /// Sets the aliases as in the constructor; call before the view is used.
  void set_aliases(const sa::Aliases* aliases) { aliases_ = aliases; }

  /// Whether subnet prefix, endports, LIDs, P_Key tables and virtual ports equal those of `other`;
  /// false if the views were not compared (make_after).
  bool has_same_ports(const SaView& other) const { return ports_ == other.ports_; }

  const Snapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const Snapshot> shared_snapshot() const { return snapshot_; }
  const Fabric& fabric() const { return snapshot_->fabric; }
  const ObservedNode& observed(NodeId node) const { return snapshot_->nodes[node.value()]; }
  const SaOptions& options() const { return options_; }

  /// All nodes, in OpenSM's order of node GUIDs.
  std::span<const NodeId> nodes() const { return nodes_; }
  /// Endports with LIDs, in OpenSM's order of port GUIDs.
  std::span<const EndportId> endports() const { return endports_; }

  /// The ingress port of a switch on the first shortest path from the manager. PortInfo of the
  /// switch reports this port as LocalPortNum, whatever path discovery used.
  PortNum entry_port(SwitchId sw) const { return entry_ports_[sw.value()]; }

  /// The endport with the LID of a node's port: for a port of a switch, port 0. kNoEndport if the
  /// port has no endport.
  EndportId endport_of_port(NodeId node, PortNum port) const;
  /// The base LID of a port (for a port of a switch, of port 0); 0 if no LID is assigned.
  Lid lid_of_port(NodeId node, PortNum port) const;
  Gid gid(EndportId endport) const;
  /// Whether the prefix of a GID is the subnet prefix or the link-local prefix.
  bool is_local(const Gid& gid) const;
  /// The endport with a GID of this subnet: the GID of the endport, of an alias or of one of its
  /// virtual ports, present or absent. Empty if no endport with a LID has this GID. If several
  /// ports of a CA have the GID, as plane ports may have, the port in the plane of `near`.
  std::optional<EndportId> find(const Gid& gid, EndportId near = kNoEndport) const;

  /// The endport with this LID, or with a virtual port that has it as its own LID; kNoEndport if
  /// the LID is not assigned.
  EndportId endport_of(Lid lid) const;
  /// The LID of an endport that has the same entries in the tables: the LID itself, or for the
  /// own LID of a virtual port the LID of its endport.
  Lid routed_lid(Lid lid) const;
  /// The virtual port with this own LID.
  std::optional<Guid> vport_with(Lid lid) const { return snapshot_->vport_lids.at(lid); }

  /// The port to which a GID of this subnet belongs, and whether the GID is that of the port, of an
  /// alias or of a virtual port.
  struct Identity {
    enum class Kind : std::uint8_t { kPort, kAlias, kVport };
    EndportId endport = kNoEndport;
    std::span<const Pkey> pkeys;  // of the virtual port (absent: none), or of the port
    /// The LID of a virtual port if it differs from those of the endport; otherwise 0.
    Lid own_lid{};
    Kind kind = Kind::kPort;
    bool is_absent = false;  // a virtual port that may reappear (sm/observed_vports.h)
  };
  /// `near`: as in find().
  std::optional<Identity> identify(const Gid& gid, EndportId near = kNoEndport) const;
  /// All ports with a LID of the CA of an endport that have its GUID: several only if plane ports
  /// have the same GUID.
  std::vector<EndportId> ports_with_guid_of(EndportId endport) const;
  /// Whether plane ports of a CA have the same GUID.
  bool has_shared_guids() const { return !parts_.empty(); }
  /// The first port of `from` and the first of `to` with links in one plane: in the plane of
  /// `near`, or else in the first plane, by the order of `from`, with ports of both. Empty if there
  /// is no such plane. Requires has_shared_guids().
  std::optional<std::pair<EndportId, EndportId>> in_common_plane(std::span<const EndportId> from,
                                                                 std::span<const EndportId> to,
                                                                 EndportId near) const;

  /// The P_Keys in the table that the manager programs at a port; none if the manager does not
  /// program the table. The P_Keys of a CA port include the P_Keys of its virtual ports.
  std::span<const Pkey> pkeys(PortId port) const;
  std::span<const Pkey> pkeys(EndportId endport) const {
    return pkeys(fabric().endport(endport).port);
  }
  /// The P_Keys of an endport without the P_Keys of its virtual ports.
  std::span<const Pkey> own_pkeys(EndportId endport) const;
  /// Whether an endport or one of its virtual ports is a full or limited member of a partition.
  bool is_member(EndportId endport, Pkey pkey) const;
  /// Whether two endports may communicate: both are members of a partition, and at least one is a
  /// full member. The P_Keys of a virtual port count as P_Keys of the endport.
  bool share_partition(EndportId a, EndportId b) const;
  /// Whether an endport and a port with these P_Keys may communicate.
  bool share_partition(EndportId a, std::span<const Pkey> b) const;
  /// The lowest P_Key by which two endports may communicate without their virtual ports, with the
  /// membership bit of `a`. Empty if there is none.
  std::optional<Pkey> common_pkey(EndportId a, EndportId b) const;

  /// Rate code, MTU code and data rate (100 Mbit/s) of a port.
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

  /// The other end of the cable at a port, and the lower limits of both ends.
  struct Cable {
    PortId peer = kNoPort;
    NodeId node;  // node of the peer
    Limits limits;
  };
  const Cable& cable(PortId port) const { return cables_[port.value()]; }

 private:
  /// Data of an endport that most queries need.
  struct Holder {
    Guid guid;
    std::uint32_t pkey_table = 0;  // equal tables have equal numbers
    bool has_lid = false;
  };
  static constexpr std::size_t kTablesCompared = 64;
  static constexpr auto kNoPart = std::numeric_limits<std::uint32_t>::max();

  /// The endport with this port GUID, or port 0 of the switch with this node GUID; kNoEndport if
  /// there is none.
  EndportId find(Guid guid) const;
  /// The port in the plane of `near` with the GUID of an endport; the first port with this GUID and
  /// a LID if there is none. Without `near`, the endport itself if it has a LID.
  EndportId in_plane_of(EndportId endport, EndportId near) const;
  /// The connected part of the fabric to which an endport is cabled: a plane, if the fabric has
  /// planes. kNoPart if it is not cabled to a switch.
  std::uint32_t part_of(EndportId endport) const;
  void find_shared_guids();
  void index_holders();
  void index_cables();
  void find_entry_ports();
  std::optional<Pkey> compare_pkeys(EndportId a, EndportId b) const;
  std::optional<Pkey> physical_common_pkey(EndportId a, EndportId b) const;
  bool are_equal_ports(const SaView& other) const;
  bool are_equal_vports(const SaView& other) const;

  std::shared_ptr<const Snapshot> snapshot_;
  const SaOptions options_;
  const sa::Aliases* aliases_;
  std::shared_ptr<const bool> ports_ = std::make_shared<const bool>();  // shared if ports are equal
  std::vector<NodeId> nodes_;
  std::vector<EndportId> endports_;
  std::vector<PortNum> entry_ports_;  // by SwitchId
  std::vector<Limits> limits_;        // by PortId
  std::vector<Cable> cables_;         // by PortId
  std::vector<Holder> holders_;       // by EndportId
  std::vector<std::uint32_t> parts_;  // connected_parts(); empty if no ports share their GUID
  std::vector<std::pair<Guid, EndportId>> by_guid_;  // hashed, open addressing; kNoEndport: free
  std::size_t tables_ = 0;                           // number of distinct P_Key tables
  /// Common P_Key by the numbers of two tables; empty if there are too many tables.
  std::vector<std::optional<Pkey>> common_;
};

/// Whether two P_Keys belong to the same partition; the membership bits may differ. P_Key 0
/// belongs to no partition.
bool same_partition(Pkey a, Pkey b);

/// Key of OpenSM's order of GUIDs: their wire bytes read as a little-endian number, so that the
/// last byte is the most significant. Tables of records are in this order.
constexpr std::uint64_t opensm_order(Guid guid) {
  std::uint64_t turned = 0;
  for (std::uint64_t rest = guid.value(), i = 0; i < 8; ++i, rest >>= 8)
    turned = turned << 8 | (rest & 0xFF);
  return turned;
}

/// Whether a port with these P_Keys is a full or limited member of a partition.
bool is_member(std::span<const Pkey> pkeys, Pkey pkey);

/// Whether ports with these two P_Keys may communicate.
bool match_pkeys(Pkey a, Pkey b);

/// The allowed P_Key of `mine` with the lowest base that matches one of `theirs`, as in OpenSM.
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
