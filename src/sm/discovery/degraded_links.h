// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Degraded links: links with a width or speed below the best that both ends have enabled, from
// PortInfo. If an end shows no enabled widths or speeds, the supported values apply.
#pragma once

#include <string>
#include <vector>

#include "sm/observed.h"

namespace weft {

/// By ChannelId of observed.fabric, with the same value for both directions: true if the active
/// width or speed is less than the best that both ends have enabled.
std::vector<bool> degraded_channels(const Observed& observed);

/// All degraded links, those of hosts included: names of both ends, active and possible width and
/// speed.
std::vector<std::string> degraded_links(const Observed& observed);

/// Whether the link between two ports is degraded.
bool is_degraded_link(const ObservedNode& a, PortNum a_port, const ObservedNode& b, PortNum b_port);

/// The active data rate of a link, divided by the best rate that both ends have enabled; at most 1,
/// and 1 if unknown.
double rate_share(const ObservedNode& a, PortNum a_port, const ObservedNode& b, PortNum b_port);

}  // namespace weft
