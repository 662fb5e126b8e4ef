// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes targets for file_sd of Prometheus: exporters on hosts, with the leaf of each host, and its
// group if it has one, as labels.
#pragma once

#include <string>

#include "exports/groups.h"

namespace weft {

/// A JSON array of {targets, labels} objects, one for each leaf or unit of leaves. `port` is
/// appended to each host's name.
std::string prometheus_targets(const HostGroups& groups, unsigned port);

}  // namespace weft
