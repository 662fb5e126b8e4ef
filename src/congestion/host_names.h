// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds hosts by name, label or GUID.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "congestion/routed_network.h"

namespace weft {

class HostNames {
 public:
  static constexpr std::uint32_t kSeveral = 0xFFFFFFFE;

  /// The network must outlive this object.
  explicit HostNames(const RoutedNetwork& network);

  /// The host with the name `text`; else with this label, else with this GUID in hexadecimal.
  /// kSeveral if several hosts share the name, label or GUID found; RoutedNetwork::kNone if no host
  /// has it.
  std::uint32_t find(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::unordered_map<std::uint64_t, std::uint32_t> guids_;
};

}  // namespace weft
