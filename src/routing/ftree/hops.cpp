#include "routing/ftree/hops.h"

#include <algorithm>

#include "base/parallel.h"

namespace weft::ftree {
namespace {

/// into[i] becomes the lesser of itself and one more than from[i], where kFar stays kFar.
void relax(std::uint8_t* __restrict into, const std::uint8_t* __restrict from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto more = static_cast<std::uint8_t>(from[i] + (from[i] != Hops::kFar));
    into[i] = std::min(into[i], more);
  }
}

/// What is not kFar in `prefer` stays so in `into`.
void keep(std::uint8_t* __restrict into, const std::uint8_t* __restrict prefer, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) into[i] = prefer[i] != Hops::kFar ? prefer[i] : into[i];
}

constexpr std::size_t kGrain = 8;

}  // namespace

void Hops::compute(std::span<const std::uint32_t> destinations, unsigned threads) {
  columns_ = destinations.size();
  std::vector<std::uint32_t> column(tree_.size(), static_cast<std::uint32_t>(columns_));
  for (std::uint32_t i = 0; i < columns_; ++i) column[destinations[i]] = i;

  for (std::uint32_t s = 0; s < tree_.size(); ++s) {
    std::fill_n(&down_[s * stride_], columns_, kFar);
    std::fill_n(&all_[s * stride_], columns_, kFar);
    if (column[s] < columns_) down_[s * stride_ + column[s]] = all_[s * stride_ + column[s]] = 0;
  }
  const auto layers = tree_.layers();
  for (const auto& layer : layers)
    parallel_for(
        layer.size(), threads,
        [&](std::size_t i) {
          std::uint8_t* mine = &down_[layer[i] * stride_];
          for (const Group& group : tree_.down(layer[i]))
            relax(mine, &down_[group.to * stride_], columns_);
        },
        kGrain);
  for (std::size_t l = layers.size(); l-- > 0;)
    parallel_for(
        layers[l].size(), threads,
        [&](std::size_t i) {
          std::uint8_t* mine = &all_[layers[l][i] * stride_];
          for (const Group& group : tree_.up(layers[l][i]))
            relax(mine, &all_[group.to * stride_], columns_);
          keep(mine, &down_[layers[l][i] * stride_], columns_);
        },
        kGrain);
}

}  // namespace weft::ftree
