// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/adaptive.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> kNames{"bounded", "free", "static"};

}  // namespace

std::string_view name(ArState state) { return kNames[static_cast<std::size_t>(state)]; }

std::optional<ArState> find_ar_state(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ArState>(found - kNames.begin());
}

std::uint16_t ArTables::add_group(SwitchId sw, const PortMask& ports) {
  auto& groups = groups_[sw.value()];
  CHECK(groups.size() < kArGroupsMax);
  groups.push_back(ports);
  return static_cast<std::uint16_t>(groups.size() - 1);
}

void ArTables::set(SwitchId sw, Lid lid, ArEntry entry) {
  CHECK(lid <= top_);
  CHECK(entry.state == ArState::kStatic || entry.group < groups_[sw.value()].size());
  auto& row = rows_[sw.value()];
  if (row.empty()) {
    if (entry.state == ArState::kStatic) return;
    row.assign(top_.value() + std::size_t{1}, pack({}));
  }
  if (entry.state == ArState::kStatic) entry.group = 0;
  row[lid.value()] = pack(entry);
}

void ArTables::clear(SwitchId sw) {
  groups_[sw.value()].clear();
  rows_[sw.value()].clear();
  if (!notifications_.empty()) notifications_[sw.value()] = {};
}

bool ArTables::operator==(const ArTables& other) const {
  if (top_ != other.top_ || groups_ != other.groups_ || notifications_ != other.notifications_)
    return false;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const auto& row = rows_[s];
    const auto& others = other.rows_[s];
    if (row == others) continue;
    if (!row.empty() && !others.empty()) return false;
    const auto is_static = [](std::uint16_t word) { return word == pack({}); };
    if (!std::ranges::all_of(row, is_static) || !std::ranges::all_of(others, is_static))
      return false;
  }
  return true;
}

ArCount count(const ArTables& tables) {
  ArCount result;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchId sw(s);
    if (!tables.is_set(sw)) continue;
    std::uint64_t entries = 0;
    for (std::uint32_t lid = 0; lid <= tables.top().value(); ++lid)
      if (tables.entry(sw, Lid(static_cast<std::uint16_t>(lid))).state != ArState::kStatic)
        ++entries;
    if (entries == 0) continue;
    const std::uint64_t groups = tables.groups(sw).size();
    ++result.switches;
    result.entries += entries;
    result.groups += groups;
    result.groups_max = std::max(result.groups_max, groups);
  }
  return result;
}

}  // namespace weft
