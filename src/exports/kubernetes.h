// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Topology of hosts as objects of Kubernetes: labels of nodes as topograph sets them, the Topology
// of Kueue that names these labels, and the HyperNodes of Volcano. docs/reference/export.md.
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

/// A YAML stream. The label PREFIX/tier-0 has the unit of a node, tier-1 the group around it, up to
/// the top; all nodes have the same number of labels.
std::string kubernetes_objects(const HostGroups& groups, std::string_view prefix,
                               KubernetesObjects objects);

/// Whether the text is valid before the '/' of a label: a DNS name in lower case, 253 characters at
/// most.
bool is_label_prefix(std::string_view text);
/// The text, or "x" and its FNV-1a hash of 64 bits in hexadecimal if it is no value of a label.
std::string label_value(std::string_view text);

}  // namespace weft
