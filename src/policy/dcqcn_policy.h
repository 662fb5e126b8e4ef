// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DCQCN settings of devices by port group, in congestion_control_policy_file. A setting states
// values of some fields; the other fields keep the values of the device. Examples of each
// paragraph:
//   dcqcn-switch
//     group: spines
//     enable: on
//     averaging-weight: 4
//     averaging-time: 10
//     profile-step: 8
//   end-dcqcn-switch
//   dcqcn-port
//     group: spine-ports
//     kilobytes: on
//     profile-1: 100 1000 50
//     sls-1: 0-3
//   end-dcqcn-port
//   dcqcn-ca
//     group: compute
//     notify: on
//     react: on
//     per-plane: on
//   end-dcqcn-ca
//   dcqcn-reaction-point
//     group: compute
//     least-rate: 100
//   end-dcqcn-reaction-point
//   dcqcn-notification-point
//     group: compute
//     cnp-interval: 4
//     cnp-sl: 3
//   end-dcqcn-notification-point
// The format is Weft's own.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "ib/gmps/dcqcn.h"
#include "policy/policy_paragraphs.h"
#include "policy/port_groups.h"

namespace weft {

/// The forms of the paragraphs above.
extern const std::array<ParagraphForm, 5> kDcqcnForms;

/// The fields of one paragraph, by attribute.
struct FiledDcqcnSetting {
  std::string group;
  std::map<std::uint16_t, DcqcnFields> attributes{};
  bool operator==(const FiledDcqcnSetting&) const = default;
};

/// Converts a paragraph of kDcqcnForms. Adds a message to `problems` for each value out of range,
/// for an SL with two profiles, and for a paragraph without values.
FiledDcqcnSetting read_dcqcn_setting(const Paragraph& paragraph, Problems& problems);

/// The fields to set at a device, by attribute and modifier.
using DcqcnSettings = std::map<std::pair<std::uint16_t, std::uint32_t>, DcqcnFields>;

/// The settings of the endports that the groups contain: CA ports, and port 0 of switches, which
/// includes the settings of the other ports of the switch. For a field that several paragraphs set,
/// the last one applies.
std::map<EndportId, DcqcnSettings> dcqcn_settings(const std::vector<FiledDcqcnSetting>& filed,
                                                  const PortGroups& groups, const Fabric& fabric);

/// The settings that disable DCQCN, for all CA ports and switches.
std::map<EndportId, DcqcnSettings> disabled_dcqcn_settings(const Fabric& fabric);

}  // namespace weft
