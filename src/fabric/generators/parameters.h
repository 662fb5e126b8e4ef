// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The parameters of a generator's spec: their names, ranges and defaults, and the values in a spec.
// All errors have the form "SPEC: column N: found WHAT, expected WHAT".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ib/enums.h"
#include "ib/ids.h"

namespace weft {

inline constexpr unsigned kSwitchPortsMax = kPortMax;

struct Parameter {
  /// Form of a value, with examples.
  enum class Kind {
    kNumber,  // 4
    kList,    // 4x4x4, or one number
    kRatio,   // 2, or 3:2
    kSpeed,   // EDR
    kWidth,   // 4x
  };

  std::string_view key;
  std::string_view summary;
  std::uint64_t minimum = 0;  // of a number, each number of a list, both sides of a ratio
  std::uint64_t maximum = 0;
  /// Default: a value, or words if it depends on other parameters ("k/2").
  std::string_view standard;
  Kind kind = Kind::kNumber;
};

/// The parameters that every generator accepts: planes, radix, fail, dead, connected, seed, speed,
/// width and so on.
std::span<const Parameter> common_parameters();

/// A:B is {A, B}.
struct Ratio {
  unsigned above = 1;
  unsigned below = 1;
};

/// The values of a spec. Requesting a key that the generator does not declare is a programming
/// error and aborts the program.
class Parameters {
 public:
  /// The value given, else the declared default, which must be a number.
  std::uint64_t number64(std::string_view key) const;
  unsigned number(std::string_view key) const { return static_cast<unsigned>(number64(key)); }
  unsigned number_or(std::string_view key, unsigned otherwise) const {
    return given(key) ? number(key) : otherwise;
  }
  bool given(std::string_view key) const { return at(key).given; }
  /// The leading sizes AxBxC; empty if the generator has none.
  const std::vector<unsigned>& dimensions() const { return dimensions_; }
  /// The list of a key; empty if the key is not given.
  const std::vector<unsigned>& list(std::string_view key) const { return at(key).list; }
  /// The ratio given, else 1:1.
  Ratio ratio(std::string_view key) const;
  LinkSpeed speed() const { return speed_; }  // EDR if not given
  LinkWidth width() const { return width_; }  // 4x if not given

  /// The error for an invalid value, at the column of `key`, or at the first parameter if the spec
  /// does not give the key or the error concerns no single key.
  tl::unexpected<Error> refuse(std::string_view key, std::string_view found,
                               std::string_view want) const;
  tl::unexpected<Error> refuse(std::string_view found, std::string_view want) const;

 private:
  friend class ParameterParser;
  struct Value {
    const Parameter* parameter = nullptr;
    bool given = false;
    std::size_t column = 0;  // column of the key, from 1
    std::uint64_t number = 0;
    Ratio ratio;
    std::vector<unsigned> list;
  };
  const Value& at(std::string_view key) const;

  std::string spec_;
  std::size_t first_column_ = 1;
  std::vector<Value> values_;
  std::vector<unsigned> dimensions_;
  LinkSpeed speed_ = LinkSpeed::kEdr;
  LinkWidth width_ = LinkWidth::k4x;
};

/// Parses the text after the generator's name and colon, from offset `begin` of the spec. Sizes
/// AxBxC, at most `dimensions_max` of them, must be first; with 0 there are none. Fails with
/// kUsage.
Result<Parameters> parse_parameters(std::string_view spec, std::size_t begin,
                                    std::span<const Parameter> own, unsigned dimensions_max);

/// The text of a parameter in --help: "hosts=N        hosts on each switch (0 to 250; default 1)".
std::string help_line(const Parameter& parameter);

}  // namespace weft
