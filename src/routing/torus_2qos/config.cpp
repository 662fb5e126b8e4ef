// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "routing/torus_2qos/config.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace weft {
namespace {

using Words = std::vector<std::string_view>;

// The number of unicast LIDs, because every switch needs a LID.
constexpr std::uint64_t kSwitchesMax = 49151;
constexpr std::string_view kKeywords =
    "torus, mesh, xp_link, yp_link, zp_link, xm_link, ym_link, zm_link, x_dateline, y_dateline, "
    "z_dateline, next_seed, portgroup_max_ports, port_order or max_changes";

std::optional<unsigned> dimension_of(char letter) {
  const auto found = std::ranges::find(kDimensionNames, letter);
  if (found == kDimensionNames.end()) return std::nullopt;
  return static_cast<unsigned>(found - kDimensionNames.begin());
}

class Parser {
 public:
  explicit Parser(LineReader reader) : reader_(std::move(reader)) { config_.path = reader_.path(); }

  Result<TorusConfig> parse() {
    std::string_view line;
    while (true) {
      const auto more = reader_.next(line);
      if (!more) return forward(more);
      if (!*more) break;
      const Words words = split_words(line);
      if (words.empty() || words[0].starts_with('#')) continue;
      if (const auto status = take(words); !status) return forward(status);
    }
    if (!shaped_) return wrong("the end of the file", "torus or mesh and three radices");
    if (const auto status = end_seed(); !status) return forward(status);
    return std::move(config_);
  }

 private:
  template <class... Args>
  tl::unexpected<Error> wrong(std::string_view found, fmt::format_string<Args...> wanted,
                              Args&&... args) const {
    // The line number is 0 for an empty file.
    const std::size_t line = std::max<std::size_t>(reader_.line_number(), 1);
    return fail(Code::kBadInput, "{}:{}: found {}, expected {}", config_.path, line, found,
                fmt::format(wanted, std::forward<Args>(args)...));
  }
  static std::string shown(const Words& words, std::size_t index) {
    return index < words.size() && !words[index].starts_with('#') ? quoted(words[index])
                                                                  : "the end of the line";
  }

  Status take(const Words& words) {
    const std::string_view keyword = words[0];
    if (keyword == "torus" || keyword == "mesh") return shape(words);
    if (!shaped_) return wrong(shown(words, 0), "torus or mesh as the first keyword");
    if (keyword == "next_seed") return next_seed();
    if (keyword == "portgroup_max_ports") return number(words, 254, config_.portgroup_max_ports, 1);
    if (keyword == "max_changes") return number(words, 1'000'000, config_.max_changes, 0);
    if (keyword == "port_order") return port_order(words);
    const auto dimension = dimension_of(keyword[0]);
    const std::string_view rest = keyword.substr(1);
    if (dimension && rest == "p_link") return link(words, *dimension, true);
    if (dimension && rest == "m_link") return link(words, *dimension, false);
    if (dimension && rest == "_dateline") return dateline(words, *dimension);
    return wrong(shown(words, 0), "{}", kKeywords);
  }

  Status shape(const Words& words) {
    if (shaped_)
      return wrong(shown(words, 0), "only one torus or mesh line: the first is on line {}",
                   shape_line_);
    std::uint64_t switches = 1;
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      std::string_view text = d + 1 < words.size() ? words[d + 1] : std::string_view();
      config_.mesh[d] = words[0] == "mesh";
      if (const auto end = text.find_last_of("mMtT"); !text.empty() && end == text.size() - 1) {
        config_.mesh[d] = text[end] == 'm' || text[end] == 'M';
        text.remove_suffix(1);
      }
      const auto radix = parse_number<unsigned>(text);
      if (!radix || *radix == 0 || *radix > kSwitchesMax)
        return wrong(shown(words, d + 1),
                     "the {} radix: 1 to {}, with an optional suffix m (mesh) or t (torus)",
                     kDimensionNames[d], kSwitchesMax);
      config_.radix[d] = *radix;
      switches *= *radix;
    }
    if (switches < 2 || switches > kSwitchesMax)
      return wrong(fmt::format("{} switches", switches), "2 to {}", kSwitchesMax);
    shaped_ = true;
    shape_line_ = reader_.line_number();
    begin_seed();
    return {};
  }

  Status number(const Words& words, unsigned most, unsigned& value, unsigned least) const {
    const auto given = words.size() > 1 ? parse_c_number<unsigned>(words[1]) : std::nullopt;
    if (!given || *given < least || *given > most)
      return wrong(shown(words, 1), "a number from {} to {} after {}", least, most, words[0]);
    value = *given;
    return {};
  }

  Status port_order(const Words& words) {
    std::vector<PortNum> order;
    for (std::size_t i = 1; i < words.size() && !words[i].starts_with('#'); ++i) {
      const auto port = parse_c_number<unsigned>(words[i]);
      if (!port || *port > 254) return wrong(shown(words, i), "port numbers from 0 to 254");
      const PortNum num(static_cast<std::uint8_t>(*port));
      if (std::ranges::find(order, num) == order.end()) order.push_back(num);
    }
    if (order.empty()) return wrong("no port", "port numbers from 0 to 254 after port_order");
    config_.port_order = std::move(order);
    return {};
  }

  Status link(const Words& words, unsigned dimension, bool up) {
    std::array<Guid, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) {
      const auto guid =
          i + 1 < words.size() ? parse_number<std::uint64_t>(words[i + 1], 16) : std::nullopt;
      if (!guid || *guid == 0)
        return wrong(shown(words, i + 1), "two switch GUIDs in hex after {}", words[0]);
      ends[i] = Guid(*guid);
    }
    TorusSeed& seed = config_.seeds.back();
    Guid& place = (up ? seed.plus : seed.minus)[dimension];
    const Guid opposite = (up ? seed.minus : seed.plus)[dimension];
    if (config_.radix[dimension] == 1)
      return wrong(shown(words, 0), "no link in a dimension with radix 1 (line {}: {})",
                   shape_line_, kDimensionNames[dimension]);
    if (place != Guid()) return wrong(shown(words, 0), "a link that is not in this seed yet");
    if (ends[0] == ends[1]) return wrong("a link from a switch to itself", "two switches");
    if (seed.origin != Guid() && ends[0] != seed.origin)
      return wrong(shown(words, 1), "the first switch of the seed's other links, 0x{:016x}",
                   seed.origin.value());
    const bool pair = config_.radix[dimension] == 2 && opposite == ends[1];
    const auto is_taken = [&](const auto& side) {
      return std::ranges::find(side, ends[1]) != side.end();
    };
    if (!pair && (is_taken(seed.plus) || is_taken(seed.minus)))
      return wrong(shown(words, 2), "a switch that is not named in another direction of this seed");
    seed.origin = ends[0];
    place = ends[1];
    return {};
  }

  Status dateline(const Words& words, unsigned dimension) {
    const auto position = words.size() > 1 ? parse_number<int>(words[1]) : std::nullopt;
    if (!position) return wrong(shown(words, 1), "a whole number after {}", words[0]);
    config_.seeds.back().dateline[dimension] = *position;
    return {};
  }

  void begin_seed() {
    config_.seeds.emplace_back();
    config_.seeds.back().line = reader_.line_number();
  }

  Status next_seed() {
    if (const auto status = end_seed(); !status) return forward(status);
    begin_seed();
    return {};
  }

  /// Fails unless the seed names a link in each dimension with radix 2 or more, and both links in a
  /// torus dimension with radix 4. A ring of four switches could otherwise be a square of two
  /// dimensions.
  Status end_seed() const {
    const TorusSeed& seed = config_.seeds.back();
    for (unsigned d = 0; d < kTorusDimensions; ++d) {
      const char name = kDimensionNames[d];
      const bool up = seed.plus[d] != Guid();
      const bool down = seed.minus[d] != Guid();
      if (config_.radix[d] > 1 && !up && !down)
        return wrong(
            fmt::format("no {0}p_link or {0}m_link in the seed of line {1}", name, seed.line),
            "one of them, since the {} radix is {}", name, config_.radix[d]);
      if (config_.radix[d] == 4 && !config_.mesh[d] && !(up && down))
        return wrong(
            fmt::format("no {}{}_link in the seed of line {}", name, up ? 'm' : 'p', seed.line),
            "both {0}p_link and {0}m_link, since the {0} radix is 4", name);
    }
    return {};
  }

  LineReader reader_;
  TorusConfig config_;
  bool shaped_ = false;
  std::size_t shape_line_ = 0;
};

}  // namespace

Result<TorusConfig> parse_torus_config(LineReader reader) {
  return Parser(std::move(reader)).parse();
}

Result<TorusConfig> read_torus_config(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  return parse_torus_config(std::move(*reader));
}

}  // namespace weft
