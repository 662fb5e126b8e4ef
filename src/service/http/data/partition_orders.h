// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON of the HTTP endpoints that change partitions.
#pragma once

#include <string_view>

#include "base/result.h"
#include "service/http/data/json.h"
#include "service/partition_order.h"

namespace weft::http_data {

/// Parses "0x8010", "0x10" or "16" (the syntax of partitions.conf) and clears the membership bit.
/// Fails with kBadField.
Result<std::uint16_t> pkey_base(std::string_view text);

/// Parses the body of POST: {"pkey", "name", "ipoib", "members", "absent_ports"}; "pkey" and "name"
/// are required. An item of "members" is {"guid", "membership"}, or a GUID for a full member. Fails
/// with kBadField; the message contains the unknown, missing or invalid JSON member.
Result<PartitionOrder> new_partition(const Json& body);
/// Parses the body of PATCH: {"add", "remove", "absent_ports"}. Items of "add" and errors are as in
/// new_partition().
Result<PartitionOrder> member_change(std::uint16_t base, const Json& body);

Json outcome(std::uint16_t base, const PartitionOutcome& outcome);

}  // namespace weft::http_data
