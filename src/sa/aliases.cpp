// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/aliases.h"

namespace weft::sa {
namespace {

constexpr std::uint64_t kOpenFabricsOui = 0x001405;
constexpr std::uint32_t kNumberMax = 0xFFFFFF;

}  // namespace

std::optional<Guid> Aliases::port_of(Guid alias) const {
  const auto found = ports_.find(alias);
  return found == ports_.end() ? std::nullopt : std::optional(found->second);
}

Guid Aliases::at(Guid port, std::size_t index) const {
  const auto found = by_port_.find(port);
  return found == by_port_.end() || index >= found->second.size() ? Guid(0) : found->second[index];
}

void Aliases::set(Guid port, std::size_t index, Guid alias) {
  const Guid before = at(port, index);
  if (before == alias) return;
  std::vector<Guid>& guids = by_port_[port];
  if (index >= guids.size())
    guids.resize((index / GuidInfo::kEntries + 1) * GuidInfo::kEntries, Guid(0));
  guids[index] = alias;
  ports_.erase(before);
  if (alias != Guid(0)) ports_[alias] = port;
  ++version_;
}

Guid Aliases::make(std::uint8_t manager) {
  for (std::uint32_t tries = 0; tries < kNumberMax; ++tries) {
    made_ = made_ % kNumberMax + 1;
    const Guid guid(kOpenFabricsOui << 40 | std::uint64_t{manager} << 32 | made_);
    if (!ports_.contains(guid)) return guid;
  }
  return Guid(0);
}

void Aliases::follow(const Fabric& fabric, const Vports& vports) {
  const auto is_gone = [&](Guid port) {
    return !fabric.find_endport(port) && !vports.owners().contains(port) &&
           !vports.absent().contains(port);
  };
  std::erase_if(ports_, [&](const auto& entry) { return is_gone(entry.second); });
  if (std::erase_if(by_port_, [&](const auto& entry) { return is_gone(entry.first); }) > 0)
    ++version_;
  for (auto& [port, guids] : by_port_)
    for (Guid& alias : guids)
      if (alias != Guid(0) && fabric.find_endport(alias)) {
        ports_.erase(alias);
        alias = Guid(0);
        ++version_;
      }
}

void Aliases::clear() {
  if (!by_port_.empty()) ++version_;
  by_port_.clear();
  ports_.clear();
}

}  // namespace weft::sa
