// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Slurm's topology.conf, also as sharp_cmd writes it: SwitchName=NAME with Nodes= and Switches=
// lists, brackets included (n[001-016,019]). The format contains names and attachments only:
//
// - Each host, and each pair of switches of which one or both name the other, becomes one cable.
//   The format has no parallel cables, so the fabric may have fewer links and less bandwidth than
//   the cluster.
// - A node has the GUID in its name ("S-0008f1050020369c", "0x155dfffd341941"), else a GUID that is
//   generated in file order. Ports are numbered in file order, ports to hosts before ports to
//   switches.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_slurm_topology(std::string_view head);
Status read_slurm_topology(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                           Warnings& warnings);

/// One element of a hostlist, "n[1-3]": its text and the names it denotes.
struct HostlistItem {
  std::string_view text;
  std::vector<std::string> names;
};
/// Expands "a,n[08-10],x[1,2]y[1-2]"; leading zeros are kept as in the first number of a range.
/// `left` is the number of names allowed, and is reduced by the number found.
LineResult<std::vector<HostlistItem>> expand_hostlist(std::string_view text, std::size_t& left);

}  // namespace weft
