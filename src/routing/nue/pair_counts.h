// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How many shortest paths an order allows to each pair of switches two or three hops apart. The
// pairs without a path and those with at most one are also kept as rows of bits, by destination and
// by source: an arc matters to hardly any others.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::nue {

class PairCounts {
 public:
  /// Paths of a pair that can be counted.
  static constexpr std::uint32_t kPathsMost = (1u << 14) - 1;

  /// A bit for each switch at the other end.
  struct Row {
    const std::uint64_t* none = nullptr;  // pairs of three hops without a path
    const std::uint64_t* few = nullptr;   // these and those with a single path
  };

  void resize(std::uint32_t switches) {
    switches_ = switches;
    words_ = (switches + 63) / 64;
    cells_.assign(std::size_t{switches} * switches, 0);
  }
  bool empty() const { return cells_.empty(); }
  std::size_t words() const { return words_; }
  /// The pair counts; it is two or three hops apart.
  void include(std::uint32_t from, std::uint32_t to, bool three) {
    cell(from, to) = three ? kThree : kTwo;
  }
  bool counts(std::uint32_t from, std::uint32_t to) const { return cell(from, to) != 0; }

  void clear_paths() {
    for (Cell& cell : cells_) cell = static_cast<Cell>(cell & ~kPathsMost);
  }
  /// One more allowed path, if the pair counts and has so many hops; index_rows() must follow.
  void count(std::uint32_t from, std::uint32_t to, bool three) {
    Cell& of = cell(from, to);
    of = static_cast<Cell>(of + ((of & kThree) == (three ? kThree : kTwo) ? 1 : 0));
  }
  void index_rows();

  /// The same afterwards, one path more or less.
  void change(std::uint32_t from, std::uint32_t to, bool three, bool more) {
    Cell& of = cell(from, to);
    if ((of & kThree) != (three ? kThree : kTwo)) return;
    const std::uint32_t paths = of & kPathsMost;
    of = static_cast<Cell>(more ? of + 1 : of - 1);
    if (paths < (more ? 2u : 3u)) flip(from, to, three, more ? paths : paths - 1);
  }

  /// Does the pair count, is it so far apart, and do so many paths serve it?
  bool has(std::uint32_t from, std::uint32_t to, bool three, std::uint32_t paths) const {
    return cell(from, to) == (three ? kThree : kTwo) + paths;
  }
  Row to(std::uint32_t destination, bool three) const {
    return row(by_destination_, destination, three);
  }
  Row from(std::uint32_t source, bool three) const { return row(by_source_, source, three); }

 private:
  /// Hops in the upper bits if the pair counts, else 0; allowed paths in the lower bits.
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
  /// The bit that tells `paths` (0 or 1) from one more.
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
  std::vector<std::uint64_t> by_source_;       // likewise
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
