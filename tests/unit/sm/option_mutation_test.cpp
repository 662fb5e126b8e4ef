// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Damaged option files. A file of words is read by a second, simpler reader too: the file is
// refused with file and line exactly if that reader refuses it, and is otherwise read with the same
// result. Damaged tables differ in at most as many entries as lines were changed, if no changed
// line names a switch. No accepted file causes a forwarding loop, except tables read as `lfts`.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "base/file.h"
#include "policy/routing_inputs.h"
#include "routes/dump/write.h"
#include "routing/engine.h"
#include "support/mutated.h"
#include "support/temp_dir.h"
#include "support/tiny.h"
#include "verify/verify.h"

namespace weft {
namespace {

//  A triangle of switches with a host each
Fabric triangle() {
  return Tiny(3).link(0, 1).link(1, 2).link(2, 0).hosts(0).hosts(1).hosts(2).build();
}

/// The lines of a file of words in a normalized form, with decimal numbers, as
/// docs/reference/routing-options.md defines them. Empty if a line is wrong.
using Plain = std::optional<std::vector<std::string>>;
using PlainLine = std::vector<std::string>;
using PlainRule = std::function<std::optional<std::string>(const PlainLine&)>;

std::optional<std::uint64_t> plain_number(std::string word, bool is_hex) {
  const bool has_prefix = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  if (has_prefix) word.erase(0, 2);
  const std::uint64_t base = is_hex || has_prefix ? 16 : 10;
  std::uint64_t value = 0;
  if (word.empty()) return std::nullopt;
  for (const char c : word) {
    const std::size_t digit =
        std::string("0123456789abcdef")
            .find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
    if (digit >= base || value > (UINT64_MAX - digit) / base) return std::nullopt;
    value = value * base + digit;
  }
  return value;
}

struct PlainRange {
  std::uint64_t least, most;
};
/// Rule for "GUID N N ..": a GUID, then one number in each range. The last `optional` numbers may
/// be missing.
PlainRule guid_and(std::vector<PlainRange> ranges, std::size_t optional = 0) {
  return [=](const PlainLine& words) -> std::optional<std::string> {
    const auto guid = plain_number(words[0], true);
    if (!guid || *guid == 0) return std::nullopt;
    if (words.size() > ranges.size() + 1 || words.size() + optional < ranges.size() + 1)
      return std::nullopt;
    std::string text = std::to_string(*guid);
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto value = plain_number(words[i], false);
      if (!value || *value < ranges[i - 1].least || *value > ranges[i - 1].most)
        return std::nullopt;
      text += " " + std::to_string(*value);
    }
    return text;
  };
}

/// Rule for "GUID PORT PORT ..", with no port twice.
std::optional<std::string> guid_and_ports(const PlainLine& words) {
  const auto line = guid_and(std::vector<PlainRange>(words.size() - 1, {1, 254}))(words);
  std::set<std::uint64_t> ports;
  for (std::size_t i = 1; i < words.size(); ++i)
    ports.insert(plain_number(words[i], false).value_or(0));
  return words.size() > 1 && ports.size() == words.size() - 1 ? line : std::nullopt;
}

Plain read_plainly(const std::string& text, const PlainRule& rule) {
  std::vector<std::string> normalized;
  std::istringstream file(text);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    const PlainLine all{std::istream_iterator<std::string>(words), {}};
    if (all.empty()) continue;
    const auto one = rule(all);
    if (!one) return std::nullopt;
    normalized.push_back(*one);
  }
  return normalized;
}

/// The lines of a file, in any order.
std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::istringstream file(text);
  for (std::string line; std::getline(file, line);) lines.insert(line);
  return lines;
}

class DamagedOptions : public testing::Test {
 protected:
  /// Routes the fabric with inputs that a reader accepted, and verifies the routes.
  void route_with(const RoutingInputs& inputs, const char* engine,
                  std::vector<std::string>& warnings, std::uint64_t seed) {
    const RoutingOptions options = resolve(inputs, fabric_, warnings);
    const auto routes = find_engine(engine)->run(fabric_, options);
    ASSERT_TRUE(routes) << seed;
    routes_ = *routes;
    if (inputs.lfts) return;
    const Verdict verdict = verify(fabric_, *routes, {.threads = 1});
    ASSERT_EQ(verdict.loops, 0u) << seed;
    ASSERT_TRUE(inputs.lid_matrix || verdict.ca_to_ca.all()) << seed;
  }
  /// Reads many mutations of a text, and routes with those that are accepted. `read` returns inputs
  /// or an error; `check` compares the result with the text.
  template <class Read, class Check>
  void damage(const std::string& text, const char* engine, const Read& read, const Check& check) {
    const std::string path = dir_ / "options";
    unsigned accepted = 0, refused = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      Rng rng(seed);
      const std::string content = seed == 0 ? text : damaged_copy(text, rng);
      ASSERT_TRUE(write_file(path, content));
      RoutingInputs inputs;
      std::vector<std::string> warnings;
      const Status status = read(path, inputs, warnings);
      if (!status) {
        ++refused;
        ASSERT_NE(seed, 0u) << status.error().message;
        ASSERT_EQ(status.error().code, Code::kBadInput) << seed;
        ASSERT_TRUE(status.error().message.starts_with(path)) << status.error().message;
      } else {
        ++accepted;
        route_with(inputs, engine, warnings, seed);
      }
      if (HasFatalFailure()) return;
      check(content, status ? &inputs : nullptr, seed);
    }
    EXPECT_GT(accepted, 10u);
    EXPECT_GT(refused, 10u);
  }
  /// Calls damage() for a file of words. `normalized` converts an accepted line to the form of the
  /// rule.
  template <class Member, class Reader, class Normalized>
  void damage_words(const std::string& text, const char* engine, Reader reader, Member member,
                    const PlainRule& rule, const Normalized& normalized) {
    damage(text, engine, into(reader, member),
           [&](const std::string& content, const RoutingInputs* inputs, std::uint64_t seed) {
             const Plain plain = read_plainly(content, rule);
             EXPECT_EQ(inputs != nullptr, plain.has_value()) << seed << ":\n" << content;
             if (inputs == nullptr || !plain) return;
             std::vector<std::string> read;
             for (const auto& each : inputs->*member) read.push_back(normalized(each));
             EXPECT_EQ(read, *plain) << seed;
           });
  }
  /// If all lines with names of switches are unchanged, a damaged table differs from the original
  /// in at most as many entries as lines were changed.
  auto compares_tables(const std::string& text) {
    const Lfts whole = find_engine("minhop")->run(fabric_, {})->lfts;
    return [=, this](const std::string& content, const RoutingInputs* inputs, std::uint64_t seed) {
      if (inputs == nullptr) return;
      const auto before = lines_of(text), after = lines_of(content);
      std::vector<std::string> changed;
      std::ranges::set_symmetric_difference(before, after, std::back_inserter(changed));
      const bool names_switch = std::ranges::any_of(changed, [](const std::string& line) {
        return line.find_first_of(":#") == std::string::npos || line.find("guid") != line.npos ||
               line.find("witch") != line.npos;
      });
      std::size_t differing = 0;
      for (std::uint32_t s = 0; s < fabric_.switch_count(); ++s)
        for (unsigned lid = 1; lid <= fabric_.lid_top().value(); ++lid) {
          const Lid l(static_cast<std::uint16_t>(lid));
          const PortNum port = routes_.lfts.port(SwitchId(s), l);
          differing += port != whole.port(SwitchId(s), l);
          EXPECT_TRUE(port == kNoRoute || port.value() <= fabric_.node(SwitchId(s)).port_count)
              << seed << " port " << port.value();
        }
      if (!names_switch) {
        EXPECT_LE(differing, changed.size()) << seed;
      }
      if (seed == 0) {
        EXPECT_EQ(differing, 0u);
      }
    };
  }
  /// Adapts a reader without warnings, which stores its result in a member of the inputs.
  template <class Reader, class Member>
  static auto into(Reader reader, Member member) {
    return [reader, member](const std::string& path, RoutingInputs& inputs,
                            std::vector<std::string>&) -> Status {
      auto found = reader(path);
      if (!found) return forward(found);
      inputs.*member = std::move(*found);
      return {};
    };
  }
  std::string dump(void (*write)(const Fabric&, const Routes&, const Append&)) const {
    std::string text;
    write(fabric_, *find_engine("minhop")->run(fabric_, {}),
          [&](std::string_view part) { text += part; });
    return text;
  }
  const Fabric fabric_ = triangle();
  Routes routes_;  // routes with the last accepted file
  TempDir dir_;
};

std::string number_text(std::uint64_t number) { return " " + std::to_string(number); }
std::string guid_text(Guid guid) { return std::to_string(guid.value()); }

TEST_F(DamagedOptions, IgnoredPortsAreReadAsByThePlainReader) {
  damage_words("# hosts\n0x10001\n0x10010 1\n0x102 3\n", "minhop", &read_ignored_ports,
               &RoutingInputs::ignored, guid_and({{1, 254}}, 1), [](const FiledPort& port) {
                 return guid_text(port.guid) + (port.port ? number_text(port.port->value()) : "");
               });
}

TEST_F(DamagedOptions, HopWeightsAreReadAsByThePlainReader) {
  for (const char* engine : {"minhop", "updn"})
    damage_words("0x100 1 7\n0x101 2 255 # slow\n0x102 1 1\n", engine, &read_hop_weights,
                 &RoutingInputs::hop_weights, guid_and({{1, 254}, {1, 255}}),
                 [](const FiledWeight& weight) {
                   return guid_text(weight.guid) + number_text(weight.port.value()) +
                          number_text(weight.weight);
                 });
}

TEST_F(DamagedOptions, NodeWeightsAreReadAsByThePlainReader) {
  damage_words("0x10001 100\n0x10011 0 # quiet\n0x10021 7\n", "minhop", &read_node_weights,
               &RoutingInputs::node_weights, guid_and({{0, 1'000'000}}),
               [](const FiledNodeWeight& weight) {
                 return guid_text(weight.guid) + number_text(weight.weight);
               });
}

TEST_F(DamagedOptions, PortOrdersAreReadAsByThePlainReader) {
  damage_words("0x100 2 1\n0x101 1 2 3\n", "minhop", &read_port_orders, &RoutingInputs::port_orders,
               guid_and_ports, [](const FiledPortOrder& order) {
                 std::string text = guid_text(order.guid);
                 for (const PortNum port : order.ports) text += number_text(port.value());
                 return text;
               });
}

TEST_F(DamagedOptions, SwitchIdsAreReadAsByThePlainReader) {
  damage_words("0x100 3\n0x101 2\n0x102 0x1\n", "updn", &read_switch_ids,
               &RoutingInputs::switch_ids, guid_and({{0, UINT64_MAX}}),
               [](const FiledSwitchId& id) { return guid_text(id.guid) + number_text(id.id); });
}

TEST_F(DamagedOptions, TablesDifferOnlyInDamagedLines) {
  for (const auto write : {&write_lfts, &write_fdbs})
    damage(
        dump(write), "file",
        [](const std::string& path, RoutingInputs& inputs, std::vector<std::string>& warnings) {
          auto found = read_filed_lfts(path, warnings);
          if (!found) return Status(forward(found));
          inputs.lfts = std::move(*found);
          return Status();
        },
        compares_tables(dump(write)));
}

TEST_F(DamagedOptions, AcceptedLidMatricesCauseNoLoops) {
  damage(
      dump(&write_lid_matrix), "file",
      [](const std::string& path, RoutingInputs& inputs, std::vector<std::string>& warnings) {
        auto found = read_lid_matrix(path, warnings);
        if (!found) return Status(forward(found));
        inputs.lid_matrix = std::move(*found);
        return Status();
      },
      [&](const std::string&, const RoutingInputs* inputs, std::uint64_t seed) {
        if (inputs != nullptr && seed == 0) {
          EXPECT_EQ(routes_.lfts, find_engine("minhop")->run(fabric_, {})->lfts);
        }
      });
}

}  // namespace
}  // namespace weft
