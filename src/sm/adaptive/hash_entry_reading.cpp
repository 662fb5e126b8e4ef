// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/hash_entry_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ib/adaptive_unconfirmed.h"
#include "routes/adaptive.h"
#include "sm/discovery/directed.h"

namespace weft {

HashEntryReading::HashEntryReading(const Observed& observed, ArMemory& known)
    : observed_(observed), known_(known) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const ArHeld* const found = known.find(observed.nodes[s].info.node_guid);
    if (found == nullptr || !std::exchange(held(s).has_foreign_entries, false)) continue;
    const unsigned top =
        std::min<unsigned>(observed.nodes[s].switch_info.linear_fdb_top, kLidUnicastLast.value());
    for (unsigned block = 0; block <= top / ArLftBlock::kEntries; ++block)
      wanted_.push_back({s, static_cast<std::uint16_t>(block)});
  }
}

bool HashEntryReading::next(Smp& request, std::uint64_t& cookie) {
  while (asked_ < wanted_.size() && skipped_.contains(wanted_[asked_].sw)) ++asked_;
  if (asked_ == wanted_.size()) return false;
  const Block& block = wanted_[asked_];
  fill_directed_request(request, Method::kGet, kArForwardingTable,
                        ar_unconfirmed::forwarding_table_modifier(block.block),
                        observed_.nodes[block.sw].path());
  cookie = asked_++;
  return true;
}

void HashEntryReading::answered(std::uint64_t cookie, const Smp& answer) {
  const std::uint32_t sw = wanted_[cookie].sw;
  if (answer.status != mad_status::kGood) {
    skipped_.insert(sw);
    return;
  }
  const ArLftBlock block = decode_ar_lft_block(answer.data);
  held(sw).hash_entries +=
      static_cast<std::uint32_t>(std::ranges::count_if(block.entries, [](const ArLftEntry& entry) {
        return static_cast<ArState>(entry.state) == ArState::kHash;
      }));
}

void HashEntryReading::failed(std::uint64_t cookie, const Error&) {
  skipped_.insert(wanted_[cookie].sw);
}

std::string hash_entry_warning(const Fabric& fabric, const std::set<std::uint32_t>& switches,
                               ArMemory& known) {
  std::uint64_t entries = 0;
  std::vector<SwitchId> affected;
  for (const std::uint32_t s : switches) {
    const Guid guid = fabric.node(SwitchId(s)).node_guid;
    if (known.find(guid) == nullptr) continue;
    const std::uint32_t count = std::exchange(known.at(guid).hash_entries, 0u);
    entries += count;
    if (count > 0) affected.push_back(SwitchId(s));
  }
  if (affected.empty()) return {};
  return fmt::format(
      "adaptive routing: {} entries with hash-based forwarding (state {}) of another subnet "
      "manager "
      "at {} switches, for example {}, are replaced",
      entries, name(ArState::kHash), affected.size(), describe(fabric.node(affected.front())));
}

}  // namespace weft
