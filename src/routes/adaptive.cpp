// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routes/adaptive.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 4> kNames{"bounded", "free", "static", "hash"};

std::uint64_t count_entries(const ArTables& tables, SwitchId sw) {
  if (!tables.is_set(sw)) return 0;
  std::uint64_t entries = 0;
  const std::size_t lids = tables.top().value() + std::size_t{1};
  for (std::size_t first = 0; first < lids; first += kLftBlock) {
    const std::size_t in_block = std::min(kLftBlock, lids - first);
    if (const auto all = tables.block_entry(sw, first / kLftBlock)) {
      entries += all->state != ArState::kStatic ? in_block : 0;
      continue;
    }
    for (std::size_t lid = first; lid < first + in_block; ++lid)
      if (tables.entry(sw, Lid(static_cast<std::uint16_t>(lid))).state != ArState::kStatic)
        ++entries;
  }
  return entries;
}

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

void ArTables::take_memory(Row& row) const {
  if (row.blocks.empty()) row.blocks.assign(top_.value() / kLftBlock + std::size_t{1}, pack({}));
}

std::optional<ArEntry> ArTables::block_entry(SwitchId sw, std::size_t block) const {
  const auto& blocks = rows_[sw.value()].blocks;
  if (block >= blocks.size()) return ArEntry{};
  if ((blocks[block] & Row::kListed) != 0) return std::nullopt;
  return unpack(blocks[block]);
}

void ArTables::set(SwitchId sw, Lid lid, ArEntry entry) {
  CHECK(lid <= top_);
  CHECK(entry.state == ArState::kStatic || entry.group < groups_[sw.value()].size());
  if (entry.state == ArState::kStatic) entry.group = 0;
  Row& row = rows_[sw.value()];
  if (row.blocks.empty() && entry.state == ArState::kStatic) return;
  take_memory(row);
  std::uint16_t& of_block = row.blocks[lid.value() / kLftBlock];
  if ((of_block & Row::kListed) == 0) {
    if (of_block == pack(entry)) return;
    const std::size_t place = row.listed.size() / kLftBlock;
    row.listed.insert(row.listed.end(), kLftBlock, of_block);
    of_block = static_cast<std::uint16_t>(Row::kListed | place);
  }
  row.listed[(of_block & ~Row::kListed) * kLftBlock + lid.value() % kLftBlock] = pack(entry);
}

void ArTables::set_block(SwitchId sw, std::size_t block, ArEntry entry) {
  CHECK(block <= top_.value() / kLftBlock);
  CHECK(entry.state == ArState::kStatic || entry.group < groups_[sw.value()].size());
  if (entry.state == ArState::kStatic) entry.group = 0;
  Row& row = rows_[sw.value()];
  take_memory(row);
  std::uint16_t& of_block = row.blocks[block];
  if ((of_block & Row::kListed) == 0) {
    of_block = pack(entry);
    return;
  }
  const auto place = static_cast<std::ptrdiff_t>((of_block & ~Row::kListed) * kLftBlock);
  std::fill_n(row.listed.begin() + place, kLftBlock, pack(entry));
}

void ArTables::divide(SwitchId sw, std::vector<GroupDivision> divisions) {
  const auto& groups = groups_[sw.value()];
  CHECK(divisions.size() == groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const PortMask& second = divisions[g].second;
    CHECK((second & ~groups[g]).none() && (second.none() || second != groups[g]));
  }
  divisions_.resize(groups_.size());
  divisions_[sw.value()] = std::move(divisions);
}

unsigned ArTables::add_private_table() {
  CHECK(private_.size() < kPrivateTablesMax);
  if (private_.empty()) selection_ = TableSelection(switch_count());
  private_.emplace_back(switch_count(), top_);
  return static_cast<unsigned>(private_.size());
}

void ArTables::select_table(SwitchId sw, PortNum in, Sl sl, unsigned number) {
  CHECK(number < table_count());
  selection_.set(sw, in, sl, number);
}

void ArTables::clear_private_tables(SwitchId sw) {
  for (ArTables& table : private_) table.clear(sw);
  if (has_private_tables()) selection_.clear(sw);
}

void ArTables::clear(SwitchId sw) {
  clear_private_tables(sw);
  groups_[sw.value()].clear();
  if (!divisions_.empty()) divisions_[sw.value()].clear();
  rows_[sw.value()] = {};
  if (!notifications_.empty()) notifications_[sw.value()] = {};
}

bool ArTables::equal_rows(const Row& one, const Row& other) const {
  for (std::size_t lid = 0; lid <= top_.value(); ++lid) {
    const Lid each(static_cast<std::uint16_t>(lid));
    const auto word = [&](const Row& row) {
      return row.blocks.empty() ? pack({}) : row.word(each);
    };
    if (word(one) != word(other)) return false;
  }
  return true;
}

bool ArTables::operator==(const ArTables& other) const {
  if (top_ != other.top_ || groups_ != other.groups_ || notifications_ != other.notifications_ ||
      numbers_ != other.numbers_ || selection_ != other.selection_ || private_ != other.private_)
    return false;
  for (std::size_t s = 0; s < rows_.size(); ++s) {
    const SwitchId sw(static_cast<std::uint32_t>(s));
    if (!std::ranges::equal(divisions(sw), other.divisions(sw))) return false;
    const bool same_form =
        rows_[s].blocks == other.rows_[s].blocks && rows_[s].listed == other.rows_[s].listed;
    if (!same_form && !equal_rows(rows_[s], other.rows_[s])) return false;
  }
  return true;
}

ArCount count(const ArTables& tables) {
  ArCount result;
  result.private_tables = tables.table_count() - 1;
  for (std::uint32_t s = 0; s < tables.switch_count(); ++s) {
    const SwitchId sw(s);
    std::uint64_t entries = 0, groups = 0;
    for (unsigned table = 0; table < tables.table_count(); ++table) {
      const std::uint64_t of_table = count_entries(tables.table(table), sw);
      entries += of_table;
      groups += of_table == 0 ? 0 : tables.table(table).groups(sw).size();
    }
    if (tables.has_private_tables() && tables.selection().is_set(sw)) ++result.private_switches;
    if (entries == 0) continue;
    ++result.switches;
    result.entries += entries;
    result.groups += groups;
    result.groups_max = std::max(result.groups_max, groups);
  }
  return result;
}

}  // namespace weft
