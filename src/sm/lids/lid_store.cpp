// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/lids/lid_store.h"

#include <set>

#include "base/file.h"

namespace weft {
namespace {

std::string lid_file(const std::string& cache_dir) { return cache_dir + "/guid2lid"; }

}  // namespace

LidMemory& LidStore::recall(const std::string& cache_dir, bool reassign,
                            std::vector<std::string>& warnings) {
  if (lids_) return *lids_;
  lids_.emplace();
  saved_.emplace();
  if (cache_dir.empty()) return *lids_;
  const std::string path = lid_file(cache_dir);
  std::vector<std::string> complaints;
  auto read = read_guid2lid(path, complaints);
  if (!read) {
    may_overwrite_ = false;
    warnings.push_back("cannot read the LIDs of earlier runs: " + read.error().message);
    return *lids_;
  }
  warnings.insert(warnings.end(), complaints.begin(), complaints.end());
  if (!reassign) lids_ = saved_ = std::move(*read);
  if (!complaints.empty()) keep_damaged_file(path, warnings);
  return *lids_;
}

/// A damaged file is replaced only after a copy under another name was made, so that it can be
/// repaired.
void LidStore::keep_damaged_file(const std::string& path, std::vector<std::string>& warnings) {
  const auto aside = keep_aside(path);
  may_overwrite_ = aside.has_value();
  saved_.reset();
  warnings.push_back(aside ? fmt::format("{}: damaged, copied to {}", path, *aside)
                           : aside.error().message);
}

void LidStore::adopt(const Fabric& fabric) {
  std::set<Guid> adopted;
  for (const Endport& endport : fabric.endports()) {
    const Guid guid = fabric.port(endport.port).guid;
    if (endport.lid != kLidNone && adopted.insert(guid).second)
      (*lids_)[guid] = {endport.lid, endport.lmc};
  }
}

void LidStore::save(const std::string& cache_dir, std::vector<std::string>& warnings) {
  if (cache_dir.empty() || saved_ == lids_) return;
  const std::string path = lid_file(cache_dir);
  if (!may_overwrite_) {
    warnings.push_back(
        fmt::format("LIDs are not saved for later runs: {} is left unchanged", path));
    return;
  }
  auto status = make_directory(cache_dir);
  if (status) status = write_guid2lid(path, *lids_);
  if (status) saved_ = lids_;
  if (!status) warnings.push_back("LIDs are not saved for later runs: " + status.error().message);
}

}  // namespace weft
