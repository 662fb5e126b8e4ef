// The parameters of a generator's spec: which there are, their ranges and defaults, and their
// values.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fabric/generators/drawing.h"

namespace weft {

struct Parameter {
  std::string_view key;
  std::string_view summary;
  std::uint64_t minimum = 0;
  std::uint64_t maximum = 0;
  std::uint64_t standard =
      0;  // where the spec does not say; may lie outside the range to mean "not given"
};

/// Values after parsing: every declared key has one.
class Parameters {
 public:
  unsigned get(std::string_view key) const;
  std::uint64_t wide(std::string_view key) const;
  bool given(std::string_view key) const { return given_.contains(std::string(key)); }
  /// The AxBxC part; empty where there is none.
  const std::vector<unsigned>& dimensions() const { return dimensions_; }
  /// A value that is a list AxBxC, such as m=4x4x4.
  const std::vector<unsigned>& list(std::string_view key) const;

 private:
  friend Result<Parameters> parse_parameters(std::string_view spec, std::size_t begin,
                                             std::span<const Parameter> own);
  std::map<std::string, std::uint64_t, std::less<>> values_;
  std::map<std::string, std::vector<unsigned>, std::less<>> lists_;
  std::map<std::string, bool, std::less<>> given_;
  std::vector<unsigned> dimensions_;
  std::string speed_ = "EDR";
  std::string width_ = "4x";

 public:
  LinkSpeed speed() const { return *parse_link_speed(speed_); }
  LinkWidth width() const { return *parse_link_width(width_); }
};

/// The parameters that every generator takes: fail, dead, seed, connected, radix.
std::span<const Parameter> common_parameters();

/// Parses what follows the generator's name, from column `begin` of the spec.
Result<Parameters> parse_parameters(std::string_view spec, std::size_t begin,
                                    std::span<const Parameter> own);

}  // namespace weft
