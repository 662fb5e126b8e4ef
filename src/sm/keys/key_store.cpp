// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/keys/key_store.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/files/cached_file.h"
#include "base/log.h"

namespace weft {
namespace {

std::string key_file(const std::string& cache_dir) { return cache_dir + "/guid2mkey"; }
std::string announced_key_file(const std::string& cache_dir) {
  return cache_dir + "/guid2mkey.changing";
}

Status write_announced_keys(const std::string& cache_dir, const KeyMemory& keys) {
  if (auto status = make_directory(cache_dir); !status) return status;
  return write_guid2mkey(announced_key_file(cache_dir), keys);
}

}  // namespace

void KeyStore::recall(const std::string& cache_dir, bool lookup) {
  if (cache_dir.empty()) return;
  const std::string path = key_file(cache_dir);
  std::vector<std::string> warnings;
  auto keys = read_guid2mkey(path, warnings);
  const bool is_damaged = !warnings.empty();
  const auto announced = read_guid2mkey(announced_key_file(cache_dir), warnings);
  neighbors_.forget();
  const NeighborMemory& neighbors = neighbors_.recall(cache_dir, warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!keys) {
    may_overwrite_ = false;
    return log::warn("cannot read the M_Keys of earlier runs: {}", keys.error().message);
  }
  if (is_damaged) {  // keeps a copy of the damaged file for repair
    const auto aside = copy_damaged(path);
    may_overwrite_ = aside.has_value();
    log::warn("{}", aside ? fmt::format("{}: damaged, copied to {}", path, *aside)
                          : aside.error().message);
  }
  if (!announced) log::warn("cannot read the announced M_Keys: {}", announced.error().message);
  keys_on_disk_ = *keys;
  if (lookup) keys_.recall(*keys, neighbors, announced ? *announced : KeyMemory{});
}

Status KeyStore::announce(KeyMemory announced, const std::string& cache_dir, TimeNs now) {
  retry_at_ = TimeNs::max();
  if (cache_dir.empty() || announced.empty()) return {};
  auto status = write_announced_keys(cache_dir, announced);
  if (status) return status;
  announced_ = std::move(announced);
  retry_at_ = now + kRetryAfter;
  return status;
}

bool KeyStore::retry(const std::string& cache_dir, TimeNs now) {
  retry_at_ = now + kRetryAfter;
  if (!write_announced_keys(cache_dir, announced_)) return false;
  retry_at_ = TimeNs::max();
  return true;
}

KeyMemory KeyStore::all() const {
  KeyMemory keys = keys_.memory();
  keys.insert(keys_on_disk_.begin(), keys_on_disk_.end());
  return keys;
}

Status KeyStore::save(const Fabric& fabric, const std::string& cache_dir, bool complete) {
  if (cache_dir.empty()) return {};
  for (const std::string& warning : neighbors_.replace(cache_dir, neighbors_of(fabric)))
    log::warn("{}", warning);
  Status status = make_directory(cache_dir);
  KeyMemory keys = all();
  if (status && may_overwrite_ && keys != keys_on_disk_) {
    status = write_guid2mkey(key_file(cache_dir), keys);
    if (status) keys_on_disk_ = std::move(keys);
  }
  if (!status) return status;
  // Otherwise the file is kept: a Set without an answer may have set an announced key.
  std::error_code ignored;
  if (may_overwrite_ && complete) std::filesystem::remove(announced_key_file(cache_dir), ignored);
  return {};
}

}  // namespace weft
