// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/load/weight_file.h"

#include <fmt/format.h>

#include <set>

#include "base/file.h"
#include "base/files/state_lines.h"
#include "base/text.h"
#include "policy/port_files.h"

namespace weft {
namespace {

Result<MeasuredWeight> parse_weight_line(std::string_view text) {
  const auto words = split_words(text);
  if (words.size() != 2)
    return fail(Code::kBadInput, "found {} words, expected GUID and weight", words.size());
  const auto guid = parse_number<std::uint64_t>(words[0], 16);
  if (!guid || *guid == 0)
    return fail(Code::kBadInput, "found '{}', expected a GUID in hex", words[0]);
  const auto weight = parse_number<std::uint32_t>(words[1], 10);
  if (!weight || *weight == 0 || *weight > kMeasuredWeightMax)
    return fail(Code::kBadInput, "found '{}', expected a weight from 1 to {}", words[1],
                kMeasuredWeightMax);
  return MeasuredWeight{Guid(*guid), *weight};
}

}  // namespace

Result<WeightMemory> read_weights(const std::string& path, std::vector<std::string>& warnings) {
  WeightMemory weights;
  std::set<Guid> found;
  const auto read = read_state_lines(
      path, kWeightWarningsMax, warnings, [&](std::string_view line) -> std::string {
        const auto weight = parse_weight_line(line);
        if (!weight) return weight.error().message;
        if (!found.insert(weight->port).second)
          return fmt::format("GUID 0x{:016x} is repeated", weight->port.value());
        weights.push_back(*weight);
        return {};
      });
  if (!read) return forward(read);
  return weights;
}

std::string weight_line(const MeasuredWeight& weight) {
  return fmt::format("0x{:016x} {}", weight.port.value(), weight.weight);
}

Status write_weights(const std::string& path, const WeightMemory& weights) {
  return write_file(path, [&](const auto& append) {
    for (const MeasuredWeight& weight : weights) append(weight_line(weight) + "\n");
  });
}

}  // namespace weft
