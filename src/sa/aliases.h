// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Alias GUIDs of ports, as set by clients. A GUID is assigned to at most one port, as its own GUID
// or as an alias.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "fabric/fabric.h"
#include "sm/lids/alias_guids.h"
#include "sm/observed_vports.h"

namespace weft::sa {

class Aliases {
 public:
  /// The aliases by GUID of the physical or virtual port, without ports that never had an alias.
  /// Blocks without aliases remain as long as the port exists, so that the manager clears its
  /// GUIDInfo table.
  const AliasGuids& all() const { return by_port_; }
  /// The GUID of the port that has the alias; nullopt if there is none.
  std::optional<Guid> port_of(Guid alias) const;
  /// The alias of a port at an index; 0 if there is none.
  Guid at(Guid port, std::size_t index) const;

  /// An alias of 0 deletes the entry. The alias must not be assigned to another port.
  void set(Guid port, std::size_t index, Guid alias);
  /// Returns a new alias GUID: OpenFabrics' OUI, the byte `manager`, which must differ between
  /// managers, and the next free number. Returns 0 if all numbers are in use.
  Guid make(std::uint8_t manager);
  /// Deletes the aliases of ports that are neither in the fabric nor virtual ports, present or
  /// absent, and aliases that are now the own GUID of a port.
  void follow(const Fabric& fabric, const Vports& vports = {});
  void clear();

  /// A number that increases with each change.
  std::uint64_t version() const { return version_; }

 private:
  AliasGuids by_port_;
  std::map<Guid, Guid> ports_;  // GUIDs of ports, by alias
  std::uint32_t made_ = 0;      // the last number that was used
  std::uint64_t version_ = 0;
};

}  // namespace weft::sa
