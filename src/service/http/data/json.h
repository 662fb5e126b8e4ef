// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Parts of the JSON documents of the HTTP service, which are pure functions of the published state.
// openapi.json describes the members of the documents.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fabric/fabric.h"
#include "ib/sa_records.h"

namespace weft::http_data {

using Json = nlohmann::ordered_json;

/// A range of a list.
struct Page {
  std::size_t offset = 0;
  std::size_t limit = 1000;
};

std::string hex(Guid guid);
std::string hex(Gid gid);
std::string hex(Pkey pkey);

/// JSON of the node, its name and the number of a port.
Json end_of(const Fabric& fabric, const Port& port);
/// Adds width, speed and data rate of the port's link.
void add_rate(const Port& port, Json& json);

/// The JSON as text; bytes that are not valid UTF-8 are replaced.
std::string text(const Json& json);

}  // namespace weft::http_data
