// Changes of partitions as the HTTP service takes and answers them.
#pragma once

#include <string_view>

#include "service/http_data.h"
#include "service/partition_order.h"

namespace weft::http_data {

/// "0x8010", "0x10" or "16", without its membership bit; numbers are read as partitions.conf has
/// them. Fails with kBadField.
Result<std::uint16_t> pkey_base(std::string_view text);

/// Of POST: {"pkey", "name", "ipoib", "members", "absent_ports"}, the first two needed; of PATCH:
/// {"add", "remove", "absent_ports"}. Members are {"guid", "membership"} or a GUID, a full member.
/// Fails with kBadField naming what is unknown, missing or wrong.
Result<PartitionOrder> new_partition(const Json& body);
Result<PartitionOrder> other_members(std::uint16_t base, const Json& body);

Json outcome(std::uint16_t base, const PartitionOutcome& outcome);

}  // namespace weft::http_data
