// Alias GUIDs of ports, as clients asked for them. A GUID is one port's: its own, or an alias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "fabric/fabric.h"
#include "sm/alias_guids.h"

namespace weft::sa {

class Aliases {
 public:
  /// By port; those that never had one are not there. Blocks stay until the port is gone, so that
  /// it is told of the GUIDs that it loses.
  const AliasGuids& all() const { return by_port_; }
  /// The port's own GUID.
  std::optional<Guid> port_of(Guid alias) const;
  Guid at(Guid port, std::size_t index) const;

  /// 0: none. The GUID must be nobody else's.
  void set(Guid port, std::size_t index, Guid alias);
  /// The next of those that this manager makes: OpenFabrics' OUI, the byte that tells managers
  /// apart, and a number. 0 where all are given away.
  Guid make(std::uint8_t manager);
  /// Ports that are gone take theirs with them.
  void follow(const Fabric& fabric);
  void clear();

  /// Grows with each change.
  std::uint64_t version() const { return version_; }

 private:
  AliasGuids by_port_;
  std::map<Guid, Guid> ports_;  // by alias
  std::uint32_t made_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace weft::sa
