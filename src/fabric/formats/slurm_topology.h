// Slurm's topology.conf, also as sharp_cmd writes it: SwitchName=NAME with Nodes= and Switches=
// lists, brackets included (n[001-016,019]). There are names and who is on what, and nothing else:
//
// - Each host, and each pair of switches of which one or both name the other, is one cable. Real
//   trunks have more, so link counts are what the file tells, and bandwidth is not.
// - Names that hold a GUID ("S-0008f1050020369c", "0x155dfffd341941") give it; other nodes get
// made-up
//   ones by the file's order. Ports are numbered in the file's order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fabric/formats/format.h"

namespace weft {

bool looks_like_slurm_topology(std::string_view head);
Status read_slurm_topology(LineReader& lines, const ReadOptions& options, FabricBuilder& builder,
                           Warnings& warnings);

/// One element of a hostlist, "n[1-3]", as it stands and the names that it stands for.
struct HostlistItem {
  std::string_view text;
  std::vector<std::string> names;
};
/// "a,n[08-10],x[1,2]y[1-2]": zeros in front are kept as in the first number of a range. `left` is
/// how many names there may be, and is lowered by those found.
LineResult<std::vector<HostlistItem>> expand_hostlist(std::string_view text, std::size_t& left);

}  // namespace weft
