// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/rng.h"

#include <numeric>

#include "base/check.h"

namespace weft {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

__extension__ using Wide = unsigned __int128;

}  // namespace

Rng::Rng(std::uint64_t seed) : seed_(seed) {
  std::uint64_t mixer = seed;
  for (auto& word : state_) word = splitmix64(mixer);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t bound) {
  CHECK(bound != 0);
  // Lemire's multiplication method; the loop rejects the few products that would make small values
  // more likely.
  Wide product = static_cast<Wide>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold)
      product = static_cast<Wide>(next()) * bound;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Rng::unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

Rng Rng::fork(std::uint64_t index) const {
  std::uint64_t mixer = seed_ ^ (0xd1342543de82ef95u * (index + 1));
  return Rng(splitmix64(mixer));
}

std::vector<std::uint32_t> Rng::permutation(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  shuffle(std::span(order));
  return order;
}

}  // namespace weft
