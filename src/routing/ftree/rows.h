// From hops to forwarding tables: which of its nearer neighbours a switch takes for each LID.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routes/lfts.h"
#include "routing/ftree/hops.h"
#include "routing/ftree/order.h"
#include "routing/ftree/tree.h"

namespace weft::ftree {

/// The closed form. Going up, LIDs of index j take the parent in slot (j / divider) mod width; the
/// LIDs of slots whose parent is missing, or farther, are dealt out to the good ones in turn.
/// (Gliksberg et al., "High-quality fault resiliency in fat trees", IEEE Micro 2020, number the
/// parents that are left instead; here LIDs of sound parents stay.) Going down where several
/// children lead on, they take the one in the slot that they would go up by. Cables of one group
/// take turns by the next digits.
class Rows {
 public:
  Rows(const Tree& tree, const Destinations& destinations);

  /// Entries of one switch for the columns from `first` on that `hops` has been computed for. Rows
  /// of different switches may be filled by different threads.
  void fill(std::uint32_t sw, std::uint32_t first, std::uint32_t count, const Hops& hops,
            std::span<std::uint8_t> row) const;

 private:
  /// Digits of all entries for switches of one kind: (index / divider) mod (width * cables).
  struct Digits {
    std::uint32_t divider;
    std::uint32_t modulus;
    std::vector<std::uint8_t> of_entry;
  };

  std::span<const std::uint32_t> indices(std::uint32_t column) const {
    return std::span(destinations_.index)
        .subspan(destinations_.begin[column],
                 destinations_.begin[column + 1] - destinations_.begin[column]);
  }
  void climb();
  void fill_up(std::uint32_t sw, std::uint32_t column, std::span<const std::uint8_t> good,
               std::span<std::uint8_t> row) const;
  void fill_down(std::uint32_t sw, std::uint32_t column, std::span<const std::uint8_t> candidates,
                 std::span<std::uint8_t> row) const;

  const Tree& tree_;
  const Destinations& destinations_;
  std::vector<Digits> digits_;
  std::vector<std::uint16_t> digits_of_;            // by switch: index into digits_, or kIrregular
  std::vector<std::vector<std::uint32_t>> climbs_;  // by level above the holder, by entry: a switch
};

}  // namespace weft::ftree
