// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tenants_policy_file: the virtual GUIDs that may be used on each physical port, and the maximum
// number of multicast groups of a tenant.
//   tenant
//     name: red
//     physical-guids: 0x0002c90000000101, 0x0002c90000000102
//     virtual-guids: 0x100-0x1ff, 0x300
//     multicast-groups: 100
//   end-tenant
// The headers of NVIDIA's OpenSM have the option and the content of the file, but not its format:
// this format is Weft's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ib/ids.h"

namespace weft {

struct Tenant {
  std::string name;
  std::size_t groups_max = 0;  // multicast groups with a member of the tenant; 0: no limit
};

class Tenants {
 public:
  std::vector<Tenant> all;

  /// The index of the tenant with a physical port or a virtual GUID.
  std::optional<std::uint32_t> of_port(Guid port) const;
  std::optional<std::uint32_t> of_virtual(Guid guid) const;
  /// The tenant with this physical port or virtual GUID.
  std::optional<std::uint32_t> of(Guid guid) const;
  /// Whether a virtual or alias GUID may be used on a physical port: both belong to the same
  /// tenant, or neither belongs to a tenant.
  bool may_use(Guid guid, Guid port) const { return of_virtual(guid) == of_port(port); }

  /// Return false, without a change, if another tenant has the port or any tenant has a GUID of the
  /// range.
  bool add_port(Guid port, std::uint32_t tenant);
  bool add_virtual(Guid first, Guid last, std::uint32_t tenant);

 private:
  struct Range {
    Guid last;
    std::uint32_t tenant = 0;
  };
  std::map<Guid, std::uint32_t> ports_;
  std::map<Guid, Range> virtuals_;  // by first GUID; ranges do not overlap
};

/// Reads the tenants. Fails with kEnvironment if the file cannot be read; with kBadInput, with all
/// errors in the message: an unknown qualifier, a missing or duplicate name, a malformed GUID,
/// range or number, a physical GUID of two tenants, ranges of virtual GUIDs that overlap.
Result<std::shared_ptr<const Tenants>> read_tenants(const std::string& path);

}  // namespace weft
