// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A YAML or JSON document as a tree with line numbers, parsed by libyaml (JSON is YAML). Aliases,
// which could multiply the size of the document, deep nesting, repeated keys, and several documents
// in one file are rejected.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace weft {

struct YamlNode {
  enum class Kind { kScalar, kList, kMap };
  Kind kind = Kind::kScalar;
  std::size_t line = 1;
  std::string text;                // text of a scalar
  std::vector<YamlNode> elements;  // elements of a list, or values of a map
  std::vector<std::string> keys;   // keys of a map

  /// The value of a key; null if the node is not a map or does not have the key.
  const YamlNode* find(std::string_view key) const;
};

inline constexpr std::size_t kYamlDepthMax = 64;
inline constexpr std::size_t kYamlKeysMax = 100;  // keys of a map, which are searched linearly
inline constexpr std::size_t kYamlNodesMax = 2'000'000;

/// Fails with kBadInput on invalid text, with "FILE:LINE: " and the reason, or "FILE: " for an
/// empty file.
Result<YamlNode> parse_yaml(LineReader& lines);

}  // namespace weft
