// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topology of hosts as objects of Kubernetes: labels of nodes as topograph sets them, a Topology
// for Kueue that names these labels, and HyperNodes for Volcano. See docs/reference/export.md.
#pragma once

#include <string>
#include <string_view>

#include "exports/groups.h"

namespace weft {

struct KubernetesObjects {
  bool labels = true;
  bool kueue = true;
  bool volcano = true;
};

/// Returns a YAML stream. The label PREFIX/tier-0 is the unit of a node, tier-1 the group that
/// contains the unit, and so on up to the outermost group. All nodes have the same number of
/// labels.
std::string kubernetes_objects(const HostGroups& groups, std::string_view prefix,
                               KubernetesObjects objects);

/// Whether the text is valid before the '/' of a label: a DNS name in lower case of at most 253
/// characters.
bool is_label_prefix(std::string_view text);
/// The text if it is a valid value of a label; else "x" and its FNV-1a hash of 64 bits in
/// hexadecimal.
std::string label_value(std::string_view text);

}  // namespace weft
