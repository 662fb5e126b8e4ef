// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the planes of ports that announce HierarchyInfo; other ports get no request. A device is
// first queried about one port. Once it answers, it is queried about its other ports and the
// attributes of the node, and about port 0 if it is a switch. Known ports are read again only when
// their link is new, or when the device reports a change. Of these devices, switches that announce
// ExtendedPortInfo are queried whether their ports are fabric-management (FNM) ports: first about
// one port, and after its answer about the others.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sm/devices/general_info.h"
#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/pauses.h"
#include "sm/planes/plane_memory.h"

namespace weft {

class PlaneReading final : public SmpWork {
 public:
  /// Devices that did not answer are queried again after a pause. `only`: GUIDs of the nodes to
  /// query; without it all nodes. All other arguments must outlive this object.
  PlaneReading(const Observed& observed, const PlanarDevices& known,
               AnnouncedCapabilities& announced, PlanePauses& pauses, TimeNs now,
               const std::optional<std::set<Guid>>& only = std::nullopt);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  /// True if nothing is to be read.
  bool is_empty() const { return queries_.empty() && general_info_.is_empty(); }
  /// The devices of this observation that announce HierarchyInfo. Adds warnings about devices that
  /// did not answer HierarchyInfo or ExtendedPortInfo, and about invalid answers.
  PlanarDevices take(std::vector<std::string>& warnings) &&;

 private:
  enum class Kind : std::uint8_t { kHierarchy, kCapabilities, kExtendedNode, kExtendedPort };
  struct Query {
    Kind kind{};
    std::uint32_t device = 0;  // index in devices_
    std::uint8_t port = 0;
    std::uint8_t block = 0;  // of HierarchyInfo
  };
  struct Device {
    NodeId node;
    PlanarDevice facts;
    std::vector<std::uint8_t> wanted;  // ports to read; port 0 of a switch last
    std::map<std::uint8_t, std::vector<HierarchyInfo>> blocks{};  // by port: blocks that were read
    std::vector<std::uint8_t> fnm_wanted{};  // ports of which ExtendedPortInfo is read
    std::uint8_t port = 0;                   // port by which the node is queried
    bool answers = false;
    bool failed = false;  // the device gets no more requests about planes
    bool has_unread_fnm_ports = false;
  };
  static std::uint64_t cookie_of(const Query& query);
  static Query of_cookie(std::uint64_t cookie);

  void add_device(NodeId node, const PlanarDevices& known, bool is_queried);
  void ask_all(std::uint32_t device);
  void ask_node(std::uint32_t device);
  void on_failure(const Query& query, const std::string& why);
  void on_hierarchy(const Query& query, const Smp& answer);
  void on_place(const Query& query, const HierarchyInfo& first);
  /// Whether the query is about a position only, without which all planes are known.
  static bool is_optional(const Query& query) { return query.block > 0 || query.port == 0; }
  void on_capabilities(std::uint32_t device, const DeviceCapabilities& announced);
  void on_extended_port(const Query& query, const Smp& answer);
  void on_no_extended_port(const Query& query, const std::string& why);
  std::uint32_t index_of(NodeId node) const;

  const Observed& observed_;
  const AnnouncedCapabilities& announced_;
  GeneralInfoQueries general_info_;
  PlanePauses& pauses_;
  const TimeNs now_;
  std::vector<Device> devices_;  // by ascending NodeId
  std::deque<Query> queries_;
  std::vector<std::string> warnings_;
};

/// Checks that the two ends of each link are in the same plane or in no plane, and that all
/// switches of one network state the same plane. Adds the first deviations to `warnings`, and the
/// number of the others.
PlaneReport check_planes(const Observed& observed, const PlanarDevices& devices,
                         std::vector<std::string>& warnings);

}  // namespace weft
