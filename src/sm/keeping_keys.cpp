// M_Keys across restarts. A manager that is killed while it changes keys must regain access: before
// the first change, the new keys are written to a file beside guid2mkey, which is removed once
// guid2mkey has the active keys.
#include <filesystem>

#include "base/file.h"
#include "base/log.h"
#include "sm/subnet_manager.h"

namespace weft {
namespace {

constexpr std::string_view kKeys = "guid2mkey";
constexpr std::string_view kKeysToCome = "guid2mkey.changing";
constexpr std::string_view kNeighbors = "neighbors";

}  // namespace

void SubnetManager::recall_keys() {
  keys_.configure(options_.m_key);
  if (options_.cache_dir.empty()) return;
  std::vector<std::string> warnings;
  auto keys = read_guid2mkey(cache_path(kKeys), warnings);
  const auto to_come = read_guid2mkey(cache_path(kKeysToCome), warnings);
  auto neighbors = read_neighbors(cache_path(kNeighbors), warnings);
  for (const std::string& warning : warnings) log::warn("{}", warning);
  if (!keys) {
    keys_may_be_kept_ = false;
    return log::warn("cannot read the M_Keys of earlier runs: {}", keys.error().message);
  }
  if (!warnings.empty()) {  // keeps a copy of the damaged file for repair
    const auto aside = keep_aside(cache_path(kKeys));
    keys_may_be_kept_ = aside.has_value();
    log::warn("{}", aside ? fmt::format("{}: damaged, copied to {}", cache_path(kKeys), *aside)
                          : aside.error().message);
  }
  if (neighbors) neighbors_on_disk_ = *neighbors;
  keys_on_disk_ = *keys;
  if (options_.m_key_lookup)
    keys_.recall(*keys, neighbors_on_disk_, to_come ? *to_come : KeyMemory{});
}

/// A port must not get a key that is in no file.
void SubnetManager::announce_keys() {
  keys_again_at_ = TimeNs::max();
  if (options_.cache_dir.empty() || (*plan_)[Phase::kKeys].empty()) return;
  KeyMemory to_come;
  for (const Op& op : (*plan_)[Phase::kKeys]) {
    const PortId port =
        desired_->fabric.port_id(NodeId(op.node), PortNum(static_cast<std::uint8_t>(op.index)));
    to_come[desired_->fabric.port(port).guid] = options_.m_key;
  }
  if (const auto status = write_keys_to_come(to_come); !status) {
    warn("M_Keys are not changed, because they cannot be saved: " + status.error().message);
    (*plan_)[Phase::kKeys].clear();
    keys_to_come_ = std::move(to_come);
    keys_again_at_ = clock_.now() + kRetryAfter;
  }
}

Status SubnetManager::write_keys_to_come(const KeyMemory& keys) const {
  if (auto status = make_directory(options_.cache_dir); !status) return status;
  return write_guid2mkey(cache_path(kKeysToCome), keys);
}

/// Retries after a write error, such as a full disk: until then ports stay unprotected.
void SubnetManager::try_keys_again() {
  keys_again_at_ = clock_.now() + kRetryAfter;
  if (!write_keys_to_come(keys_to_come_)) return;
  keys_again_at_ = TimeNs::max();
  request_heavy_sweep("M_Keys can be saved again");
}

void SubnetManager::keep_keys() {
  if (options_.cache_dir.empty()) return;
  const NeighborMemory neighbors = neighbors_of(desired_->fabric);
  Status status = make_directory(options_.cache_dir);
  KeyMemory keys = keys_.memory();
  keys.insert(keys_on_disk_.begin(), keys_on_disk_.end());  // of absent ports
  if (status && keys_may_be_kept_ && keys != keys_on_disk_) {
    status = write_guid2mkey(cache_path(kKeys), keys);
    if (status) keys_on_disk_ = std::move(keys);
  }
  if (status && neighbors != neighbors_on_disk_) {
    status = write_neighbors(cache_path(kNeighbors), neighbors);
    if (status) neighbors_on_disk_ = neighbors;
  }
  if (!status) return warn("M_Keys are not saved for later runs: " + status.error().message);
  // A Set without an answer may have taken effect.
  std::error_code ignored;
  if (keys_may_be_kept_ && report_.applied.complete())
    std::filesystem::remove(cache_path(kKeysToCome), ignored);
}

}  // namespace weft
