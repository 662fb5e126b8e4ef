#include "sm/held_tables.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "ib/modifiers.h"
#include "sm/directed.h"

namespace weft {

bool HeldTables::holds(Guid sw, std::size_t block, std::span<const std::uint8_t> bytes) const {
  const auto row = rows_.find(sw);
  if (row == rows_.end() || block >= row->second.known.size() || !row->second.known[block])
    return false;
  return std::memcmp(row->second.bytes.data() + block * kLftBlock, bytes.data(), kLftBlock) == 0;
}

void HeldTables::remember(Guid sw, std::size_t block, std::span<const std::uint8_t> bytes) {
  CHECK(bytes.size() == kLftBlock);
  Row& row = rows_[sw];
  if (block >= row.known.size()) {
    row.known.resize(block + 1, false);
    row.bytes.resize((block + 1) * kLftBlock);
  }
  std::ranges::copy(bytes, row.bytes.begin() + static_cast<std::ptrdiff_t>(block * kLftBlock));
  row.known[block] = true;
}

void HeldTables::forget(Guid sw, std::size_t block) {
  const auto row = rows_.find(sw);
  if (row != rows_.end() && block < row->second.known.size()) row->second.known[block] = false;
}

std::uint16_t HeldTables::expected_top(Guid sw) const {
  const auto row = rows_.find(sw);
  return row == rows_.end() ? std::uint16_t{0} : row->second.top;
}

TableReading::TableReading(const Observed& observed, HeldTables& held, Mkey mkey)
    : observed_(observed), held_(held), mkey_(mkey) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const Guid guid = observed.fabric.node(SwitchId(s)).node_guid;
    const std::uint16_t top = observed.nodes[s].switch_info.linear_fdb_top;
    if (held.knows(guid) && held.expected_top(guid) != top) held.forget(guid);
    // A switch without a top has no tables to speak of; a known one needs no reading.
    if (top == 0 || held.knows(guid)) continue;
    wanted_.push_back(SwitchId(s));
    held.expect_top(guid, top);
  }
}

bool TableReading::next(Smp& request, std::uint64_t& cookie) {
  if (at_ == wanted_.size()) return false;
  const SwitchId sw = wanted_[at_];
  const ObservedNode& node = observed_.nodes[sw.value()];
  request = directed_request(Method::kGet, AttributeId::kLinearForwardingTable,
                             modifier::linear_forwarding_table(static_cast<std::uint32_t>(block_)),
                             node.path, mkey_);
  cookie = std::uint64_t{sw.value()} << 32 | block_;
  if (++block_ > node.switch_info.linear_fdb_top / kLftBlock) {
    block_ = 0;
    ++at_;
  }
  return true;
}

void TableReading::answered(std::uint64_t cookie, const Smp& answer) {
  if (answer.status != mad_status::kGood) return;
  const Guid guid =
      observed_.fabric.node(SwitchId(static_cast<std::uint32_t>(cookie >> 32))).node_guid;
  std::array<std::uint8_t, kLftBlock> bytes{};
  std::memcpy(bytes.data(), answer.data.data(), bytes.size());
  held_.remember(guid, static_cast<std::uint32_t>(cookie), bytes);
}

void TableReading::failed(std::uint64_t, const Smp&) {}  // an unknown block is written anew

}  // namespace weft
