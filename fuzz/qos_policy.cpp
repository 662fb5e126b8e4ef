// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as qos-policy.conf, resolves the policy on a small fabric and queries it. Also
// reads the bytes as values of the QoS keys.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz_target.h"
#include "sm/qos/qos.h"
#include "sm/qos/qos_matcher.h"
#include "small_fabric.h"

WEFT_FUZZ_TARGET(qos_policy, data, size) {
  static const weft::Fabric fabric = small_fabric();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto table = weft::parse_vlarb(text); table && table->size() > 64) std::abort();
  if (const auto map = weft::parse_sl2vl(text))
    for (const std::uint8_t vl : *map)
      if (vl > 15) std::abort();
  std::vector<std::string> warnings;
  auto policy = weft::parse_qos_policy(text, "p", warnings);
  if (!policy) {
    if (!policy.error().message.starts_with("p:")) std::abort();
    return 0;
  }
  const weft::QosMatcher matcher(std::move(*policy), fabric, weft::EndportId(0),
                                 weft::partitions_without_file(), warnings);
  for (std::uint64_t number = 0; number < 8; ++number) {
    const weft::QosQuery query{weft::Guid(number), weft::Guid(0x10000 + number), weft::Pkey(0xFFFF),
                               0x10000 + number, static_cast<std::uint16_t>(number)};
    const weft::QosLevel* level = matcher.match(query);
    if (level == nullptr || level->sl.value() > 15) std::abort();
  }
  return 0;
}
