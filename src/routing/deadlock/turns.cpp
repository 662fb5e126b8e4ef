// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/deadlock/turns.h"

#include "base/check.h"

namespace weft {

Turns::Turns(const Fabric& fabric, unsigned lanes) : begin_{0} {
  const std::size_t count = std::size_t{fabric.channel_count()} * lanes;
  begin_.reserve(count + 1);
  first_out_.reserve(count);
  reverse_.reserve(count);
  for (const Channel& channel : fabric.channels()) {
    const auto outs = static_cast<std::uint32_t>(fabric.channels_from(channel.to).size());
    for (unsigned lane = 0; lane < lanes; ++lane) {
      begin_.push_back(begin_.back() + outs * lanes);
      first_out_.push_back(fabric.first_channel(channel.to).value() * lanes);
      reverse_.push_back(channel.reverse.value() * lanes + lane);
    }
  }
}

TurnSet::TurnSet(const Turns& turns) : turns_(&turns), row_{0} {
  row_.reserve(turns.channel_count() + std::size_t{1});
  for (std::uint32_t c = 0; c < turns.channel_count(); ++c)
    row_.push_back(row_.back() + (turns.outs(c) + 63) / 64);
  words_.assign(row_.back(), 0);
}

void TurnSet::add(const TurnSet& other) {
  CHECK(words_.size() == other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

std::vector<std::uint32_t> TurnSet::order() const {
  std::vector<std::uint32_t> waiting(turns_->channel_count(), 0);
  const auto each = [&](std::uint32_t channel, const auto& body) {
    each_out(channel, [&](std::uint32_t out) {
      body(out);
      return true;
    });
  };
  for (std::uint32_t c = 0; c < turns_->channel_count(); ++c)
    each(c, [&](std::uint32_t out) { ++waiting[out]; });
  std::vector<std::uint32_t> sorted;
  sorted.reserve(turns_->channel_count());
  for (std::uint32_t c = 0; c < turns_->channel_count(); ++c)
    if (waiting[c] == 0) sorted.push_back(c);
  for (std::size_t head = 0; head < sorted.size(); ++head)
    each(sorted[head], [&](std::uint32_t out) {
      if (--waiting[out] == 0) sorted.push_back(out);
    });
  return sorted;
}

}  // namespace weft
