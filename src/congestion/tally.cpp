// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "congestion/tally.h"

#include <algorithm>
#include <tuple>

#include "congestion/blob.h"

namespace weft {
namespace {

auto order_of(const RouteFailure& f) { return std::tuple(f.run, f.level, f.from, f.to, f.path); }

}  // namespace

void merge(Tally& into, const Tally& other) {
  into.ticks = std::max(into.ticks, other.ticks);
  into.connections += other.connections;
  into.dropped += other.dropped;
  for (const auto& [weight, bin] : other.weights) {
    WeightBin& merged = into.weights[weight];
    merged.connections += bin.connections;
    merged.volume += bin.volume;
  }
  const auto middle = static_cast<std::ptrdiff_t>(into.results.size());
  into.results.insert(into.results.end(), other.results.begin(), other.results.end());
  std::inplace_merge(into.results.begin(), into.results.begin() + middle, into.results.end(),
                     [](const RunResult& a, const RunResult& b) { return a.run < b.run; });
  if (into.channel_sum.size() < other.channel_sum.size())
    into.channel_sum.resize(other.channel_sum.size(), 0);
  for (std::size_t i = 0; i < other.channel_sum.size(); ++i)
    into.channel_sum[i] += other.channel_sum[i];
  into.failures.insert(into.failures.end(), other.failures.begin(), other.failures.end());
  std::ranges::sort(into.failures, {}, order_of);
  if (into.failures.size() > Tally::kFailuresMax) into.failures.resize(Tally::kFailuresMax);
}

std::vector<std::byte> Tally::to_bytes() const {
  BlobWriter blob;
  blob.value(ticks);
  blob.value(connections);
  blob.value(dropped);
  blob.value(static_cast<std::uint64_t>(weights.size()));
  for (const auto& [weight, bin] : weights) {
    blob.value(weight);
    blob.value(bin);
  }
  blob.array(results);
  blob.array(channel_sum);
  blob.array(failures);
  return blob.take();
}

Result<Tally> Tally::from_bytes(std::span<const std::byte> bytes) {
  BlobReader blob(bytes);
  Tally tally;
  std::uint64_t bins = 0;
  blob.value(tally.ticks);
  blob.value(tally.connections);
  blob.value(tally.dropped);
  blob.value(bins);
  for (std::uint64_t i = 0; i < bins && blob.good(); ++i) {
    Ticks weight = 0;
    WeightBin bin;
    blob.value(weight);
    blob.value(bin);
    tally.weights[weight] = bin;
  }
  blob.array(tally.results);
  blob.array(tally.channel_sum);
  blob.array(tally.failures);
  if (!blob.at_end())
    return fail(Code::kBadInput, "found {} bytes that are no tally of this version", bytes.size());
  return tally;
}

}  // namespace weft
