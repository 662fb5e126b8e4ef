// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/routes/dump_folder.h"

#include <filesystem>
#include <initializer_list>

#include "routes/dump/write.h"
#include "sm/dumps.h"

namespace weft::cli {
namespace {

/// Path of the first of `names` that exists in the folder; empty if none does.
std::string first_of(const std::string& folder, std::initializer_list<std::string_view> names) {
  std::error_code ignored;
  for (const std::string_view name : names)
    if (const std::string path = fmt::format("{}/{}", folder, name);
        std::filesystem::exists(path, ignored))
      return path;
  return {};
}

}  // namespace

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

Result<DumpFolder> find_dumps(const std::string& folder) {
  DumpFolder found{.fabric = first_of(folder, {kFabricFile, "opensm-subnet.lst"}),
                   .lfts = first_of(folder, {"opensm-lfts.dump", "opensm.fdbs"}),
                   .psl = first_of(folder, {kPathSlFile}),
                   .slvl = first_of(folder, {"opensm-sl2vl.dump", "weft.slvl"}),
                   .adaptive = first_of(folder, {kAdaptiveFile}),
                   .mfts = first_of(folder, {"opensm.mcfdbs"}),
                   .multicast_sl = first_of(folder, {kMulticastSlFile}),
                   .groups = first_of(folder, {kGroupsFile})};
  if (found.fabric.empty())
    return fail(Code::kBadInput,
                "{}: no fabric file in this folder: expected {} or opensm-subnet.lst", folder,
                kFabricFile);
  if (found.lfts.empty())
    return fail(Code::kBadInput,
                "{}: no forwarding tables in this folder: expected opensm-lfts.dump or opensm.fdbs",
                folder);
  return found;
}

}  // namespace weft::cli
