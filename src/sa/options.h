// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options of the subnet administration. An option that is also a key of opensm.conf has the default
// of OpenSM.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ib/rates.h"
#include "ib/sm_info.h"
#include "policy/tenants.h"
#include "sa/paths/prefix_routes.h"
#include "sa/rmpp.h"

namespace weft {
namespace sa {
struct Saved;
}

struct PartitionSl {
  std::uint16_t base = 0;  // the P_Key without its membership bit
  Sl sl;
  bool operator==(const PartitionSl&) const = default;
};

/// Rights of requests without sa_key (trust.h).
struct EnhancedTrust {
  bool enabled = false;
  bool untrusted_proxy_requests = true;  // joins, leaves and services of other ports
  bool untrusted_guid_info = true;       // requests for the requester's own alias GUIDs
  bool guid_info_by_vf = true;           // also requests with an alias GUID as source
};

/// Limits on the registrations of one port; 0: no limit.
struct SaQuotas {
  std::size_t groups = 512;  // memberships that the port requested, for itself or for other ports
  std::size_t services = 256;
  std::size_t subscriptions = 64;
};

inline constexpr SmKey kPublicSaKey{1};  // the default, here and in OpenSM

struct SaOptions {
  SmKey sa_key = kPublicSaKey;   // requests with this SM_Key are trusted; 0: none is trusted
  bool trust_public_key = true;  // also trust the public default key of other ports
  EnhancedTrust trust;
  SaQuotas quotas;
  std::shared_ptr<const Tenants> tenants;  // null: alias GUIDs and groups without limit
  std::uint64_t rate_threshold = 0;        // requests of a port in 100 ms; 0: no limit
  bool check_source_gid = false;           // a GRH must have a GID of the port with the source LID
  std::uint64_t subnet_prefix = 0xFE80000000000000;
  std::uint8_t subnet_timeout = 18;  // packet life time between two ports: 4.096 us * 2^n
  std::vector<PrefixRoute> prefix_routes;
  /// SL of paths in a partition, with QoS; QoS policy, routes or request may override it.
  std::vector<PartitionSl> partition_sls;

  std::uint8_t max_rate_enum = 26;           // highest rate code in answers
  std::uint8_t virt_default_hop_limit = 2;   // for paths with a virtual port at an end
  std::uint8_t aguid_default_hop_limit = 1;  // for paths with an alias GUID at an end
  bool virt_record_extension = false;  // records of virtual ports with LIDs of their own in tables
  std::uint8_t sm_assigned_guid = 0;   // byte of assigned alias GUIDs; differs by manager

  /// Drops subscriptions and services of ports that left the fabric, and all subscriptions and
  /// services when mastership returns without replication of the registrations.
  bool drop_event_subscriptions = false;

  // Multicast groups
  bool disable_multicast = false;  // groups can be joined, but have no trees
  bool validate_ip_groups = true;  // new groups must have the parameters of their broadcast group
  bool validate_joins = true;      // parameters in a join must match the group
  bool consolidate_ipv6_snm = false;  // solicited-node groups of a scope and P_Key share a LID
  std::uint8_t default_mcg_mtu = 0;   // code for new groups without a requested MTU; 0: the port's
  std::uint8_t default_mcg_rate = 0;  // code for new groups without a rate; 0, 1: the port's
  bool qos = false;                   // groups of partitions use the SL of the partition file
  std::vector<Lid> reserved_mlids;    // not assigned to SA groups; sorted

  /// Registrations saved by an earlier manager (dump.h), restored with the first published subnet.
  std::shared_ptr<const sa::Saved> saved;

  RmppOptions rmpp{.receiving_max = 4096, .receiving_of_port = 8};
  std::size_t answer_max = std::size_t{64} << 20;  // bytes of an answer that is not made in slices
};

}  // namespace weft
