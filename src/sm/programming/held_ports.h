// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Cache of PortInfo values that ports do not store: the response to a Set showed another value than
// the Set carried. The same value is not Set again as long as the port returns the value of that
// response, and its link has not been down. Otherwise every sweep would Set every port of such a
// device.
//
// Applies only to values that do not affect addresses, protection, or the MTU and VLs of a link.
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
  /// Records the values that the port did not store. `wanted`: PortInfo of a Set; `answer`:
  /// PortInfo of its response.
  void remember(Guid node, PortNum port, const PortInfo& wanted, const PortInfo& answer);

  /// `wanted`, in which values that the port does not store are replaced by those of `is`, the
  /// PortInfo last read.
  PortInfo without_unstored(Guid node, PortNum port, const PortInfo& is, PortInfo wanted) const;

  /// Whether the port has values that it does not store.
  bool is_known(Guid node, PortNum port) const { return count_ > 0 && find(node, port) != nullptr; }
  /// The number of ports with values that they do not store.
  std::size_t count() const { return count_; }

  /// Text for messages: the first port with values that it does not store, in the order of the
  /// fabric, and these values.
  std::string example(const Fabric& fabric) const;

  void forget(Guid node);
  void forget_all();
  /// Drops absent nodes, and ports with a lower port state than in the response: their links were
  /// down.
  void distrust(const Observed& observed);

 private:
  static constexpr std::size_t kFields = 11;
  struct Unstored {
    std::array<std::uint8_t, kFields> wanted{}, answered{};
    std::uint16_t fields = 0;  // a bit for each value not stored; 0: none known
    PortState state{};         // port state in the response
  };
  using Ports = std::vector<Unstored>;  // by port number

  static std::array<std::uint8_t, kFields> values_of(const PortInfo& info);
  static std::array<std::uint8_t*, kFields> places_in(PortInfo& info);
  const Unstored* find(Guid node, PortNum port) const;
  void drop(Unstored& port);

  std::unordered_map<Guid, Ports> nodes_;
  std::size_t count_ = 0;
};

}  // namespace weft
