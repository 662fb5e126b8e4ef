// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/keys/known_keys.h"

#include <algorithm>

#include "sm/keys/port_key.h"

namespace weft {
namespace {

void add(std::vector<Mkey>& keys, Mkey key) {
  if (keys.size() < KnownKeys::kTriedMax && std::ranges::find(keys, key) == keys.end())
    keys.push_back(key);
}

DirectedPath path_of(const Smp& request) {
  DirectedPath path;
  path.count = std::min<std::uint8_t>(request.hop_count, kHopsMax);
  std::copy_n(request.initial_path.begin() + 1, path.count, path.hops.begin() + 1);
  return path;
}

}  // namespace

std::string unlock_advice(const PortInfo& info) {
  if (info.mkey_lease_period_s == 0)
    return "its M_Key is unknown, and its lease never ends: put the key into the file guid2mkey, "
           "or reset the node";
  return fmt::format("its M_Key is unknown; protection ends when its lease of {} s expires",
                     info.mkey_lease_period_s);
}

void KnownKeys::recall(const KeyMemory& keys, NeighborMemory neighbors, const KeyMemory& others) {
  by_guid_ = keys;
  others_ = others;
  neighbors_ = std::move(neighbors);
  std::map<Mkey, std::size_t> counts;
  for (const KeyMemory* memory : {&keys, &others})
    for (const auto& [guid, key] : *memory)
      if (key != Mkey(0)) ++counts[key];
  frequent_.clear();
  for (const auto& [key, count] : counts) frequent_.push_back(key);
  std::ranges::stable_sort(frequent_, std::ranges::greater{},
                           [&](Mkey key) { return counts.at(key); });
  any_ = !frequent_.empty();
}

/// Key 0 is no separate candidate: a port without a key accepts every key.
void KnownKeys::add_known(std::vector<Mkey>& keys, Guid port) const {
  const auto known = by_guid_.find(port);
  if (known != by_guid_.end() && known->second != Mkey(0)) add(keys, known->second);
  if (!is_per_port()) return;
  add(keys, derive_mkey(seed_.view(), port));
  const auto other = others_.find(port);
  if (other != others_.end() && other->second != Mkey(0)) add(keys, other->second);
}

void KnownKeys::add_others(std::vector<Mkey>& keys) const {
  add(keys, configured_);
  if (is_per_port()) return;
  for (const Mkey key : frequent_) add(keys, key);
}

std::vector<Mkey> KnownKeys::candidates(const CableEnd& near) const {
  std::vector<Mkey> keys;
  const bool is_own_port = near.guid == Guid(0);
  if (is_own_port && own_ != Guid(0)) add_known(keys, own_);
  if (const auto far = neighbor(near)) add_known(keys, far->guid);
  add_others(keys);
  return keys;
}

std::vector<Mkey> KnownKeys::candidates(Guid port, Mkey answered_key) const {
  std::vector<Mkey> keys{answered_key};
  add_known(keys, port);
  add_others(keys);
  return keys;
}

std::optional<CableEnd> KnownKeys::neighbor(const CableEnd& near) const {
  const auto found = neighbors_.find(near);
  if (found == neighbors_.end()) return std::nullopt;
  return found->second;
}

void KnownKeys::forget_paths() {
  by_path_.clear();
  guesses_.clear();
}

void KnownKeys::bind_paths(std::span<const PathEnd> ends) {
  by_path_.clear();
  for (const PathEnd& end : ends) bind(end.path, of(end.port));
}

void KnownKeys::bind(const DirectedPath& path, Mkey key) {
  if (!in_use()) return;
  by_path_[path] = key;
  guesses_.erase(path);
}

void KnownKeys::guess(const DirectedPath& path, std::vector<Mkey> keys) {
  if (!in_use()) return;
  by_path_.erase(path);
  guesses_[path] = std::move(keys);
}

void KnownKeys::learn(Guid port, const DirectedPath& path, Mkey key) {
  by_guid_[port] = key;
  any_ = any_ || key != Mkey(0);
  bind(path, key);
}

Mkey KnownKeys::of(Guid port) const {
  const auto known = by_guid_.find(port);
  if (known != by_guid_.end()) return known->second;
  return is_per_port() ? derive_mkey(seed_.view(), port) : configured_;
}

Mkey KnownKeys::held_by(Guid port) const {
  const auto known = by_guid_.find(port);
  return known == by_guid_.end() ? Mkey(0) : known->second;
}

Mkey KnownKeys::key_for(const Smp& request, unsigned tries) const {
  if (request.mgmt_class != MgmtClass::kSmpDirected) return request.mkey;
  // The own port has its own key. With a key for each port, other ports get no key before their
  // paths are known.
  const Mkey unknown = is_per_port() ? Mkey(0) : configured_;
  if (by_path_.empty() && guesses_.empty() && changing_.empty())
    return request.hop_count == 0 && own_ != Guid(0) ? of(own_) : unknown;
  const DirectedPath path = path_of(request);
  if (const auto guess = guesses_.find(path); guess != guesses_.end())
    return guess->second[(tries - 1) % guess->second.size()];
  if (tries % 2 == 0 && request.method == Method::kSet &&
      request.attribute == AttributeId::kPortInfo)
    if (const auto next = changing_.find(path); next != changing_.end()) return next->second;
  const auto known = by_path_.find(path);
  return known == by_path_.end() ? unknown : known->second;
}

}  // namespace weft
