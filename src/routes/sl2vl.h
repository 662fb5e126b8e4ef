// SLtoVL mapping: which virtual lane a packet of a service level takes from an input to an output
// port of a switch.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "fabric/fabric.h"
#include "ib/ids.h"

namespace weft {

/// VL by SL. VL 15 means that packets of the SL are dropped there.
using SlMap = std::array<std::uint8_t, kSlCount>;

/// SL i on VL i mod `vls`.
SlMap modulo_map(unsigned vls);

/// One map for the whole fabric, and others where an engine or the administrator needs them.
class Sl2Vl {
 public:
  Sl2Vl() : common_(modulo_map(1)) {}
  explicit Sl2Vl(const SlMap& common) : common_(common) {}

  Vl vl(SwitchId sw, PortNum in, PortNum out, Sl sl) const {
    return Vl(map(sw, in, out)[sl.value()]);
  }
  const SlMap& map(SwitchId sw, PortNum in, PortNum out) const;
  /// The map that end nodes use for what they inject.
  const SlMap& common() const { return common_; }

  void set(SwitchId sw, PortNum in, PortNum out, const SlMap& map);
  bool uniform() const { return special_.empty(); }
  bool operator==(const Sl2Vl&) const = default;

 private:
  using Key = std::array<std::uint32_t, 3>;
  SlMap common_;
  std::map<Key, SlMap> special_;
};

}  // namespace weft
