// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Number of shortest paths that an order allows for each pair of switches at two or three hops. The
// pairs without a path, and the pairs with at most one, are also stored as rows of bits by
// destination and by source, because hardly any other pairs depend on a single arc.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::nue {

class PairCounts {
 public:
  /// Maximum number of paths of a pair.
  static constexpr std::uint32_t kPathsMost = (1u << 14) - 1;

  /// A bit for each switch at the other end of a pair.
  struct Row {
    const std::uint64_t* none = nullptr;  // pairs without a path
    const std::uint64_t* few = nullptr;   // pairs with at most one path
  };

  void resize(std::uint32_t switches) {
    switches_ = switches;
    words_ = (switches + 63) / 64;
    cells_.assign(std::size_t{switches} * switches, 0);
  }
  bool empty() const { return cells_.empty(); }
  std::size_t words() const { return words_; }
  /// Includes a pair: at three hops if `three`, else at two hops.
  void include(std::uint32_t from, std::uint32_t to, bool three) {
    cell(from, to) = three ? kThree : kTwo;
  }
  bool counts(std::uint32_t from, std::uint32_t to) const { return cell(from, to) != 0; }

  void clear_paths() {
    for (Cell& cell : cells_) cell = static_cast<Cell>(cell & ~kPathsMost);
  }
  /// Adds an allowed path if the pair is included and has this number of hops. Call index_rows()
  /// after all calls.
  void count(std::uint32_t from, std::uint32_t to, bool three) {
    Cell& of = cell(from, to);
    of = static_cast<Cell>(of + ((of & kThree) == (three ? kThree : kTwo) ? 1 : 0));
  }
  void index_rows();

  /// After index_rows(): adds or removes an allowed path, and updates the rows.
  void change(std::uint32_t from, std::uint32_t to, bool three, bool more) {
    Cell& of = cell(from, to);
    if ((of & kThree) != (three ? kThree : kTwo)) return;
    const std::uint32_t paths = of & kPathsMost;
    of = static_cast<Cell>(more ? of + 1 : of - 1);
    if (paths < (more ? 2u : 3u)) flip(from, to, three, more ? paths : paths - 1);
  }

  /// True if the pair is included, has this number of hops, and has `paths` allowed paths.
  bool has(std::uint32_t from, std::uint32_t to, bool three, std::uint32_t paths) const {
    return cell(from, to) == (three ? kThree : kTwo) + paths;
  }
  Row to(std::uint32_t destination, bool three) const {
    return row(by_destination_, destination, three);
  }
  Row from(std::uint32_t source, bool three) const { return row(by_source_, source, three); }

 private:
  /// Upper bits: hops of the pair, 0 if it is not included. Lower bits: number of allowed paths.
  using Cell = std::uint16_t;
  static constexpr unsigned kHopsShift = 14;
  static constexpr Cell kTwo = 2u << kHopsShift;
  static constexpr Cell kThree = 3u << kHopsShift;

  Cell& cell(std::uint32_t from, std::uint32_t to) {
    return cells_.data()[std::size_t{to} * switches_ + from];
  }
  Cell cell(std::uint32_t from, std::uint32_t to) const {
    return cells_.data()[std::size_t{to} * switches_ + from];
  }
  std::size_t row_begin(std::uint32_t sw, bool three) const {
    return (2 * std::size_t{sw} + (three ? 0 : 1)) * 2 * words_;
  }
  Row row(const std::vector<std::uint64_t>& rows, std::uint32_t sw, bool three) const {
    const std::uint64_t* const none = rows.data() + row_begin(sw, three);
    return {none, none + words_};
  }
  /// Flips the bit that differs between `paths` (0 or 1) and one path more.
  void flip(std::uint32_t from, std::uint32_t to, bool three, std::uint32_t paths) {
    const std::size_t plane = paths == 0 ? 0 : words_;
    by_destination_.data()[row_begin(to, three) + plane + from / 64] ^= std::uint64_t{1}
                                                                        << from % 64;
    by_source_.data()[row_begin(from, three) + plane + to / 64] ^= std::uint64_t{1} << to % 64;
  }

  std::uint32_t switches_ = 0;
  std::size_t words_ = 0;
  std::vector<Cell> cells_;                    // by destination and source
  std::vector<std::uint64_t> by_destination_;  // by switch: Row for three hops, then for two
  std::vector<std::uint64_t> by_source_;       // by switch as source: the same rows
};

inline void PairCounts::index_rows() {
  by_destination_.assign(4 * words_ * switches_, 0);
  by_source_.assign(by_destination_.size(), 0);
  const Cell* cell = cells_.data();
  for (std::uint32_t to = 0; to < switches_; ++to)
    for (std::uint32_t from = 0; from < switches_; ++from, ++cell) {
      if (*cell == 0 || (*cell & kPathsMost) > 1) continue;
      const bool three = *cell >= kThree;
      flip(from, to, three, 1);
      if ((*cell & kPathsMost) == 0) flip(from, to, three, 0);
    }
}

}  // namespace weft::nue
