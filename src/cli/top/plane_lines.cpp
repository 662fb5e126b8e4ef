// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/top/plane_lines.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/printable.h"

namespace weft::cli {
namespace {

std::string plane_line(const Json& plane) {
  std::string line = fmt::format("plane {}: {}, {} of {} hosts", plane.value("plane", 0u),
                                 plane.value("state", ""), plane.value("hosts", 0u),
                                 plane.value("hosts_of_all", 0u));
  if (const auto aports = plane.value("aports_without_link", std::uint64_t{0}); aports > 0)
    line += fmt::format(", {} aggregated port{} without a link", aports, aports == 1 ? "" : "s");
  return printable(line);
}

}  // namespace

std::vector<std::string> plane_lines(const Json& planes) {
  std::vector<std::string> lines;
  if (!planes.is_object()) return lines;
  for (const Json& plane : planes.value("planes", Json::array()))
    lines.push_back(plane_line(plane));
  const Json devices = planes.value("devices", Json::object());
  if (const auto aports = devices.value("aports", std::uint64_t{0}); aports > 0)
    lines.push_back(fmt::format("{} aggregated ports, {} incomplete: /api/v1/aports lists them",
                                aports, devices.value("aports_incomplete", std::uint64_t{0})));
  for (const Json& deviation : planes.value("deviations", Json::array()))
    if (deviation.is_string()) lines.push_back(printable(deviation.get<std::string>()));
  for (const Json& finding : planes.value("fnm", Json::object()).value("findings", Json::array()))
    if (finding.is_object()) lines.push_back(printable(finding.value("text", std::string())));
  return lines;
}

}  // namespace weft::cli
