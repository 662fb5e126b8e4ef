// Hosts by what people call them: name, label or GUID.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "congestion/routed_network.h"

namespace weft {

class HostNames {
 public:
  static constexpr std::uint32_t kSeveral = 0xFFFFFFFE;

  /// The network must outlive this.
  explicit HostNames(const RoutedNetwork& network);

  /// The host of that name; else of that label, else of that GUID in hexadecimal. kSeveral where it
  /// is the label or GUID of several, RoutedNetwork::kNone where nobody is called so.
  std::uint32_t find(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  std::unordered_map<std::uint64_t, std::uint32_t> guids_;
};

}  // namespace weft
