// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cache of values of PortInfo that ports do not keep: a Set carried another value than the response
// to it shows. The same value is not Set again as long as the port shows what it responded, and its
// link has not been down. Without it every sweep would Set every port of such a device.
//
// Only values that neither addresses, nor protection, nor the MTU and VLs of a link depend on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ib/ids.h"
#include "ib/port_info.h"
#include "sm/observed.h"

namespace weft {

class HeldPorts {
 public:
  /// `wanted`: PortInfo of a Set; `answer`: of the response to it.
  void remember(Guid node, PortNum port, const PortInfo& wanted, const PortInfo& answer);

  /// `wanted` with the values of `is`, the port as last read, in place of those that it does not
  /// keep.
  PortInfo without_unkept(Guid node, PortNum port, const PortInfo& is, PortInfo wanted) const;

  /// Whether a port has such values.
  bool knows(Guid node, PortNum port) const { return count_ > 0 && find(node, port) != nullptr; }
  /// The number of ports with such values.
  std::size_t count() const { return count_; }

  /// The first of them in the order of the fabric, with its values; for messages.
  std::string example(const Fabric& fabric) const;

  void forget(Guid node);
  void forget_all();
  /// Drops absent nodes, and ports with links that are or were down.
  void distrust(const Observed& observed);

 private:
  static constexpr std::size_t kFields = 11;
  struct Unkept {
    std::array<std::uint8_t, kFields> wanted{}, answered{};
    std::uint16_t fields = 0;  // a bit for each that is not kept; 0: nothing known
    PortState state{};         // in the response
  };
  using Ports = std::vector<Unkept>;  // by port number

  static std::array<std::uint8_t, kFields> values_of(const PortInfo& info);
  static std::array<std::uint8_t*, kFields> places_in(PortInfo& info);
  const Unkept* find(Guid node, PortNum port) const;
  void drop(Unkept& port);

  std::unordered_map<Guid, Ports> nodes_;
  std::size_t count_ = 0;
};

}  // namespace weft
