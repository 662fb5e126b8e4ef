// Targets for Prometheus' file_sd: exporters that run on hosts, with the leaf that each is on as a
// label.
#pragma once

#include <string>

#include "exports/groups.h"

namespace weft {

/// A JSON array of {targets, labels}: a group for each leaf or unit of leaves. `port` stands behind
/// each host's name.
std::string prometheus_targets(const HostGroups& groups, unsigned port);

}  // namespace weft
