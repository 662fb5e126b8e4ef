// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/adaptive/ar_table_reading.h"

#include "sm/adaptive/ar_blocks.h"
#include "sm/adaptive/private_blocks.h"
#include "sm/discovery/directed.h"

namespace weft {

ArTableReading::ArTableReading(const Observed& observed, ArMemory& known)
    : observed_(observed), known_(known) {
  for (std::uint32_t s = 0; s < observed.fabric.switch_count(); ++s) {
    const ArHeld* const held = known.find(observed.nodes[s].info.node_guid);
    if (held == nullptr || !held->in_doubt) continue;
    for (std::size_t t = 0; t < kArTables; ++t)
      for (std::size_t block = 0; block < held->tables[t].size(); ++block)
        if (held->tables[t][block] != 0)
          wanted_.push_back({s, static_cast<ArStep>(t), static_cast<std::uint16_t>(block)});
  }
}

std::uint64_t& ArTableReading::digest_of(const Block& block) {
  ArHeld& held = known_.at(observed_.nodes[block.sw].info.node_guid);
  return held.tables[static_cast<std::size_t>(block.table)][block.block];
}

bool ArTableReading::next(Smp& request, std::uint64_t& cookie) {
  if (asked_ == wanted_.size()) return false;
  const Block& block = wanted_[asked_];
  fill_directed_request(request, Method::kGet, ar_attribute(block.table),
                        ar_modifier(block.table, block.block), observed_.nodes[block.sw].path());
  cookie = asked_++;
  return true;
}

void ArTableReading::answered(std::uint64_t cookie, const Smp& answer) {
  const Block& block = wanted_[cookie];
  std::uint64_t& digest = digest_of(block);
  const SmpData held = as_written(block.table, answer.data);
  if (answer.status != mad_status::kGood || ar_digest(held) != digest) digest = 0;
}

void ArTableReading::failed(std::uint64_t cookie, const Error&) { digest_of(wanted_[cookie]) = 0; }

void ArTableReading::conclude() { known_.settle(); }

}  // namespace weft
