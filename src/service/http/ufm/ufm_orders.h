// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Changes of partitions from the bodies and paths of UFM's REST interface. All fail with kBadField
// naming the member that is unknown, missing or invalid. Members may be GUIDs that no port has yet.
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

/// "0x00A1", "0xa1" or "a1"; the membership bit is ignored.
Result<std::uint16_t> pkey_base(std::string_view text);
/// "0xa1", as in answers.
std::string pkey_text(std::uint16_t base);

/// POST /resources/pkeys: {"pkey", "guids", "membership" or "memberships", "index0", "ip_over_ib",
/// "partition_name"}; the partition is created if it is missing.
Result<PartitionOrder> members_to_add(const Json& body);
/// PUT /resources/pkeys: the same; other members are removed.
Result<PartitionOrder> all_members(const Json& body);
/// POST /resources/pkeys/add: {"pkey", "partition_name", "ip_over_ib", "index0", "mtu_limit",
/// "rate_limit", "service_level"}; a new partition without members.
Result<PartitionOrder> empty_partition(const Json& body);
/// PUT /resources/pkeys/qos_conf: {"pkey", "mtu_limit", "rate_limit", "service_level"}
Result<PartitionOrder> quality(const Json& body);
/// POST /actions/remove_guids_from_pkey: {"pkey", "guids"}
Result<PartitionOrder> members_to_remove(const Json& body);
/// DELETE /resources/pkeys/PKEY, /PKEY/guids/GUID,.. and /PKEY/hosts/HOST,..; `rest`: after pkeys/.
Result<PartitionOrder> removal(std::string_view rest, const Fabric& fabric);
/// POST /resources/pkeys/hosts: {"hosts_names", "pkey", "membership", "index0", "ip_over_ib"}: the
/// ports of all adapters of the hosts. Fails with kUsage for an unknown host.
Result<PartitionOrder> hosts_to_add(const Json& body, const Fabric& fabric);

}  // namespace weft::ufm
