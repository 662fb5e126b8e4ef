// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Common parts of the JSON documents of the HTTP service. The documents are pure functions of the
// published state. openapi.json describes their members.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fabric/fabric.h"
#include "ib/sa_records.h"

namespace weft::http_data {

using Json = nlohmann::ordered_json;

/// The part of a list that a request selects.
struct Page {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

std::string hex(Guid guid);
std::string hex(Gid gid);
std::string hex(Pkey pkey);

/// JSON of a port: GUID and name of its node, and port number.
Json end_of(const Fabric& fabric, const Port& port);
/// Adds width, speed and data rate of the port's link.
void add_rate(const Port& port, Json& json);

/// The JSON as text; bytes that are not valid UTF-8 are replaced.
std::string text(const Json& json);

}  // namespace weft::http_data
