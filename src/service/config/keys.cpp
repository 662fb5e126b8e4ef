// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The list of all keys, from the schema in keys.def.
#include <vector>

#include "gmp/congestion_text.h"
#include "routing/reweight/parameter.h"
#include "service/config/alarm_settings.h"
#include "service/config/key.h"
#include "service/http_options.h"
#include "service/replication/peers.h"
#include "sm/election/peers.h"
#include "sm/keys/port_key.h"
#include "sm/options.h"
#include "sm/qos/qos.h"

namespace weft {
namespace {

using S = Settings;
using enum Applies;

constexpr std::string_view kReadOnlyTitle = "Options of OpenSM 5.24";

template <auto parse>
Status check_with(std::string_view text) {
  const auto value = parse(text);
  return value ? Status() : forward(value);
}

/// The title of a section or the definition of a key.
struct Row {
  std::string_view title{};
  Key key{};
};

#define KEY(id, kind, when, help, ...) \
  {.key = {.name = #id, .value = kind, .applies = when, .about = help __VA_OPT__(, ) __VA_ARGS__}},

constexpr Row kRows[] = {
#define SECTION(text) {.title = text},
#define FLAG(id, value, when, ...) KEY(id, Flag{&S::id}, when, __VA_ARGS__)
#define NUMBER(id, value, least, most, when, ...) \
  KEY(id, (Number{&S::id, least, most}), when, __VA_ARGS__)
#define HEX(id, value, digits, most, when, ...) \
  KEY(id, (Number{&S::id, 0, most, digits}), when, __VA_ARGS__)
#define TEXT(id, value, when, ...) KEY(id, Text{&S::id}, when, __VA_ARGS__)
#define CHECKED_TEXT(id, value, parser, when, ...) \
  KEY(id, (CheckedText{&S::id, check_with<parser>}), when, __VA_ARGS__)
#define CHOICE(id, value, words, when, ...) KEY(id, (Choice{&S::id, words}), when, __VA_ARGS__)
#define BY_SL(id, most, when, ...) KEY(id, (NumberBySl{&S::id, most}), when, __VA_ARGS__)
#define UNSUPPORTED(id, values, why, ...) KEY(id, (Unsupported{values, why}), kLive, __VA_ARGS__)
#define ALIAS(id, other, values, ...) KEY(id, (Alias{#other, values}), kLive, __VA_ARGS__)
#include "service/config/keys.def"
};

#undef KEY

struct Table {
  std::vector<Key> keys;
  std::vector<Section> sections;  // spans of `keys`
};

Table make_table() {
  Table table;
  for (const Row& row : kRows)
    if (row.title.empty()) table.keys.push_back(row.key);
  const Key* next = table.keys.data();
  for (const Row& row : kRows) {
    if (!row.title.empty()) {
      table.sections.push_back({row.title, {next, 0}, row.title != kReadOnlyTitle});
      continue;
    }
    std::span<const Key>& keys = table.sections.back().keys;
    keys = {keys.data(), keys.size() + 1};
    ++next;
  }
  return table;
}

}  // namespace

std::span<const Section> sections() {
  static const Table table = make_table();
  return table.sections;
}

const Settings& default_settings() {
  static const Settings settings;
  return settings;
}

}  // namespace weft
