// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of partitions from the bodies and paths of UFM's REST interface. The functions fail with
// kBadField; the message contains the unknown, missing or invalid JSON member. Members of
// partitions may be GUIDs that no port has yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/fabric.h"
#include "service/http/data/json.h"
#include "service/partition_order.h"

namespace weft::ufm {

using http_data::Json;

/// Parses "0x00A1", "0xa1" or "a1" and clears the membership bit.
Result<std::uint16_t> pkey_base(std::string_view text);
/// The P_Key as text, such as "0xa1".
std::string pkey_text(std::uint16_t base);

/// POST /resources/pkeys: adds members. {"pkey", "guids", "membership" or "memberships", "index0",
/// "ip_over_ib", "partition_name"}; the partition is created if it is missing.
Result<PartitionOrder> members_to_add(const Json& body);
/// PUT /resources/pkeys: replaces all members. The body is that of members_to_add().
Result<PartitionOrder> all_members(const Json& body);
/// POST /resources/pkeys/add: creates a partition without members. {"pkey", "partition_name",
/// "ip_over_ib", "index0", "mtu_limit", "rate_limit", "service_level"}
Result<PartitionOrder> empty_partition(const Json& body);
/// PUT /resources/pkeys/qos_conf: sets MTU, rate and SL. {"pkey", "mtu_limit", "rate_limit",
/// "service_level"}
Result<PartitionOrder> qos_change(const Json& body);
/// POST /actions/remove_guids_from_pkey: removes members. {"pkey", "guids"}
Result<PartitionOrder> members_to_remove(const Json& body);
/// DELETE /resources/pkeys/PKEY, /PKEY/guids/GUID,.. and /PKEY/hosts/HOST,..: deletes a partition
/// or removes members. `rest`: the path after pkeys/. Fails with kUsage for another path or an
/// unknown host.
Result<PartitionOrder> removal(std::string_view rest, const Fabric& fabric);
/// POST /resources/pkeys/hosts: adds the ports of all adapters of the hosts. {"hosts_names",
/// "pkey", "membership", "index0", "ip_over_ib"}. Fails with kUsage for an unknown host.
Result<PartitionOrder> hosts_to_add(const Json& body, const Fabric& fabric);

}  // namespace weft::ufm
