// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// qos-policy.conf: service level and limits by path query. The file is parsed once into names and
// numbers; qos_matcher.h resolves them on a fabric. The grammar is in docs/reference/qos.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

/// Numbers from `first` to `last`, both included.
struct NumberRange {
  std::uint64_t first = 0, last = 0;
  bool operator==(const NumberRange&) const = default;
};
using NumberRanges = std::vector<NumberRange>;
bool contains(const NumberRanges& ranges, std::uint64_t number);

struct QosPortGroup {
  std::string name;
  NumberRanges port_guids;
  std::vector<std::string> port_names;  // NODE DESCRIPTION/P<port number>
  std::vector<std::string> partitions;  // by name
  NumberRanges pkeys;                   // P_Keys of partitions, without membership bits
  bool all = false, cas = false, switches = false, routers = false, self = false;
  std::uint32_t line = 0;
  bool operator==(const QosPortGroup&) const = default;
};

/// SL and limits of a path. The codes of MTU, rate and packet life are those of PathRecord.
struct QosLevel {
  std::string name;  // empty: from a line of qos-ulps
  Sl sl;
  std::optional<std::uint8_t> mtu_limit, rate_limit, packet_life;
  NumberRanges pkeys;  // without membership bits; empty: any
  std::uint32_t line = 0;
  bool operator==(const QosLevel&) const = default;
};

/// Conditions on a query: each list that is not empty must have an element that the query matches.
struct QosMatchRule {
  std::vector<std::uint32_t> sources, destinations;  // indices of groups
  NumberRanges source_guids, destination_guids;      // for rules of qos-ulps
  NumberRanges pkeys;                                // without membership bits
  NumberRanges qos_classes, service_ids;
  std::uint32_t level = 0;
  std::uint32_t line = 0;
  bool operator==(const QosMatchRule&) const = default;
};

struct QosPolicy {
  std::string path;  // empty: there is no policy
  std::vector<QosPortGroup> groups;
  std::vector<QosLevel> levels;
  std::vector<QosMatchRule> rules;  // in matching order
  std::uint32_t default_level = 0;
  bool exists() const { return !levels.empty(); }
  bool operator==(const QosPolicy&) const = default;
};

/// A missing file gives an empty policy and a warning. Fails with kEnvironment if the file cannot
/// be opened, and with kBadInput "FILE:LINE:COLUMN: found .., expected .." on invalid input.
Result<QosPolicy> read_qos_policy(const std::string& path, std::vector<std::string>& warnings);
Result<QosPolicy> parse_qos_policy(std::string_view text, const std::string& path,
                                   std::vector<std::string>& warnings);

}  // namespace weft
