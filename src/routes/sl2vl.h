// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SLtoVL mapping: the virtual lane that packets of a service level use from an input port to an
// output port of a switch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

/// VL by SL. VL 15 drops the packets of the SL.
using SlMap = std::array<std::uint8_t, kSlCount>;

/// Maps SL i to VL i mod `vls`.
SlMap modulo_map(unsigned vls);

/// One map for the whole fabric, and other maps where an engine or the administrator requires them.
/// A fabric has few different maps: each is stored once, and a switch has an index into them for
/// each pair of input and output ports.
class Sl2Vl {
 public:
  Sl2Vl() : Sl2Vl(modulo_map(1)) {}
  explicit Sl2Vl(const SlMap& common) : maps_{common} {}

  Vl vl(SwitchId sw, PortNum in, PortNum out, Sl sl) const {
    return Vl(map(sw, in, out)[sl.value()]);
  }
  const SlMap& map(SwitchId sw, PortNum in, PortNum out) const {
    return maps_[sw.value() < squares_.size() ? squares_[sw.value()].at(in, out) : 0];
  }
  /// The map that CAs and routers use for packets that they send.
  const SlMap& common() const { return maps_.front(); }

  void set(SwitchId sw, PortNum in, PortNum out, const SlMap& map);
  /// Whether all pairs of ports use the common map, because set() was never called.
  bool uniform() const { return squares_.empty(); }
  /// The common map, then all maps that were set.
  std::span<const SlMap> maps() const { return maps_; }
  /// Sets an entry in every map.
  void set_everywhere(Sl sl, Vl vl);
  /// Whether the common maps are equal, and all pairs of ports have equal maps. The order of calls
  /// of set() has no effect.
  bool operator==(const Sl2Vl& other) const;

 private:
  struct Square {
    unsigned ports = 0;                  // ports 0 to ports - 1
    std::vector<std::uint32_t> indices;  // into maps_, by input, then by output
    std::uint32_t at(PortNum in, PortNum out) const {
      return in.value() < ports && out.value() < ports ? indices[in.value() * ports + out.value()]
                                                       : 0;
    }
    void grow(unsigned to);
  };
  std::uint32_t index_of(const SlMap& map);

  std::vector<SlMap> maps_;      // the common map first
  std::vector<Square> squares_;  // by switch
};

}  // namespace weft
