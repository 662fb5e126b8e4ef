// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Discovery by directed routes from the manager's own port outward, pipelined: an answer may lead
// to further requests. It collects attributes; discovered.h checks that they are consistent.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "ib/ids.h"
#include "sm/discovery/discovered.h"
#include "sm/discovery/fdr10.h"
#include "sm/discovery/node_names.h"
#include "sm/discovery/smp_client.h"
#include "sm/keys/known_keys.h"

namespace weft {

/// Step it with an SmpClient until it is done, then take the result. A node that stops answering
/// gets no further requests. A node protected by an M_Key is tried with all its candidate keys; the
/// key that its PortInfo shows is stored in `keys`.
class Discovery final : public SmpWork {
 public:
  /// Only a master may clear PortStateChange of switches; otherwise it stays set and is recorded in
  /// SwitchInfo (see change_clearing.h).
  Discovery(KnownKeys& keys, bool clears_changes);
  /// Begins with a known fabric and queries only the switches in `doubtful` (by index) and new
  /// nodes behind their ports. A link with a port that was and is ACTIVE has not been down: only a
  /// manager sets a port to ACTIVE. Paths in `known` must be bound to their keys.
  Discovery(KnownKeys& keys, bool clears_changes, Discovered known,
            const std::vector<std::uint32_t>& doubtful);
  /// Replaces node descriptions by these names. `names` must outlive this.
  void use_names(const NodeNames& names) { names_ = &names; }

  /// Reads FDR10 from devices that may support it. `devices` must outlive this; null: none are
  /// queried.
  void query_fdr10(Fdr10Devices* devices) { fdr10_ = devices; }

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// Switches at the other end of links found down: their known path may have used the link.
  const std::set<Guid>& in_doubt() const { return in_doubt_; }
  /// The fabric as found. Fails with kEnvironment when the manager's own port does not answer.
  Result<Observed> result() &&;

 private:
  struct Query {
    AttributeId attribute{};
    std::uint32_t node = 0;    // node queried; for NodeInfo the node on the near side of the cable
    std::uint8_t port = 0;     // PortInfo: which; NodeInfo: the near port, kOwnNode for the first
    bool set = false;          // SwitchInfo: clears PortStateChange
    std::uint8_t attempt = 0;  // index into the candidate keys
    bool extended = false;     // PortInfo: with SMSupportExtendedSpeeds
  };
  static constexpr std::uint8_t kOwnNode = 255;

  static std::uint64_t cookie_of(const Query& query);
  static Query query_of(std::uint64_t cookie);
  DirectedPath path_of(const Query& query) const;
  DiscoveredNode& node(std::uint32_t index) { return found_.nodes[index]; }
  std::string near_port(const Query& query) const;
  bool is_agent_port(const Query& query) const;
  Guid agent_of(const Query& query) const;
  std::vector<Mkey> keys_for(const Query& query) const;
  void take_key(const Query& query);
  bool try_next_key(Query query);
  bool on_agent_port_info(const Query& query, const PortInfo& info);
  std::string locked_out(const Query& query) const;

  static std::uint32_t modifier_of(const Query& query);
  void enqueue(AttributeId attribute, std::uint32_t node, std::uint8_t port = 0);
  void on_node_info(const Query& query, const Smp& answer);
  void on_port_info(const Query& query, const Smp& answer);
  void on_extended_speeds(const Query& query, const Smp& answer);
  bool on_no_extended_speeds(Query query, const std::string& what, bool invalid);
  bool may_hide_extended_speeds(const Query& query, const PortInfo& info) const;
  bool is_second_read(const Query& query) const;
  void query_fdr10(const Query& query);
  static void on_description(DiscoveredNode& node, const Smp& answer);
  void on_extended_port_info(const Query& query, const Smp& answer);
  void on_no_extended_port_info(const Query& query, bool silent);
  bool is_pointless(const Query& query) const;
  void on_switch_info(const Query& query, const Smp& answer);
  void query_ports(std::uint32_t node);
  void on_bad(const Query& query, const std::string& what, bool silent);
  void retry_later(const Query& query, std::string name, bool silent);
  void silence(const Query& query, const std::string& what, bool silent);
  std::uint32_t add_node(const NodeInfo& info, const DirectedPath& path);
  bool is_same_node(std::uint32_t index, const NodeInfo& info) const;
  void requery_switch(std::uint32_t index);
  bool is_as_before(const Query& query, const PortInfo& before) const;
  void forget_neighbor(const Query& query);
  void record_neighbor(std::uint32_t index, const NodeInfo& info, const Query& query);
  void warn(std::string text) { found_.warnings.push_back(std::move(text)); }

  KnownKeys& keys_;
  const bool clears_changes_;
  const NodeNames* names_ = nullptr;
  Fdr10Devices* fdr10_ = nullptr;
  std::deque<Query> queries_;
  Discovered found_;
  std::set<Guid> in_doubt_;
  bool starts_known_ = false;  // started from a known fabric
  std::vector<bool> queried_;  // by index: the switch is queried in this discovery
  std::unordered_map<Guid, std::uint32_t> by_guid_;
  std::unordered_map<Guid, Mkey>
      answered_key_;  // by port GUID: the key that its NodeInfo request carried
  std::string own_failure_;
};

}  // namespace weft
