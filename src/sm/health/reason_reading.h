// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of the light sweep that reads ExtendedPortInfo of switch ports, for the reasons for
// which switches consider their ports unhealthy. Only switches that announce ExtendedPortInfo, and
// fast recovery or port recovery policies, get requests for it. A switch is first queried about one
// port, and about its other ports once it answers. The event that a port was recovered is cleared
// on switches with port recovery policies.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sm/devices/general_info.h"
#include "sm/discovery/smp_work.h"
#include "sm/health/port_health.h"
#include "sm/observed.h"
#include "sm/pauses.h"

namespace weft {

/// Kept from sweep to sweep.
struct ReasonMemory {
  std::set<Guid> to_read;  // switches that the next light sweeps read
  std::set<Guid> known;    // switches that were in to_read
  DevicePauses pauses;     // switches that did not answer, or answered with an error status
};

class ReasonReading final : public SmpWork {
 public:
  /// Maximum number of switches of which one light sweep reads all ports, so that it ends soon.
  static constexpr std::size_t kSwitchesMax = 64;

  /// Reads all ports of switches in `memory.to_read`, and the ports with `reports`. All arguments
  /// must outlive this object.
  ReasonReading(const Observed& observed, ReasonMemory& memory, const PortHealth::Reports& reports,
                AnnouncedCapabilities& announced, TimeNs now);

  bool next(Smp& request, std::uint64_t& cookie) override;  // cookies are below 2^32
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  struct Report {
    NodeId sw;
    PortNum port;
    std::optional<HealthCondition> condition;  // nullopt: the port is healthy
  };
  const std::vector<Report>& reports() const { return reports_; }
  /// Ports that were recovered since the event was last cleared.
  struct Recovered {
    NodeId sw;
    PortNum port;
  };
  const std::vector<Recovered>& recovered() const { return recovered_; }
  /// Messages about switches that did not answer.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// To be called at the end: switches with ports that were not read stay in the memory.
  void conclude();

 private:
  struct Device {
    NodeId node;
    std::vector<PortNum> ports;  // ports to read
    std::size_t sent = 0;        // number of ports that were queried
    std::size_t answered = 0;
    bool reads_all = false;
    bool has_policies = false;  // the switch announces port recovery policies
    bool ended = false;         // the switch gets no more requests
  };
  struct Query {
    std::uint32_t device = 0;  // index in devices_
    PortNum port;
  };
  Guid guid(const Device& device) const {
    return observed_.nodes[device.node.value()].info.node_guid;
  }
  void add(Guid sw, const std::set<PortNum>& ports);
  void begin(std::uint32_t device, const DeviceCapabilities& announced);
  std::uint32_t index_of(std::uint64_t cookie) const;
  void clear_event(const Query& query, SmpData data);
  void on_failure(std::uint32_t device, const std::string& why);

  const Observed& observed_;
  ReasonMemory& memory_;
  const AnnouncedCapabilities& announced_;
  GeneralInfoQueries general_info_;
  const TimeNs now_;
  std::vector<Device> devices_;
  std::deque<std::uint32_t> ready_;  // devices that may be queried now
  std::vector<Query> sent_;          // by cookie
  struct Clearing {
    Query query;
    SmpData data{};
  };
  std::deque<Clearing> clearings_;  // events to be cleared
  std::vector<Report> reports_;
  std::vector<Recovered> recovered_;
  std::vector<std::string> warnings_;
};

/// The condition of a reason; nullopt if the port is healthy, and for reasons without a definition.
std::optional<HealthCondition> condition_of(std::span<const std::byte, kSmpDataSize> data);

}  // namespace weft
