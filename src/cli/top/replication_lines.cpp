// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/top/replication_lines.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "base/printable.h"

namespace weft::cli {
namespace {

constexpr double kMsPerSecond = 1000;

std::string changes_lacking(const Json& of) {
  const auto missing = of.value("missing", std::uint64_t{0});
  return fmt::format("lacks {} change{}", missing, missing == 1 ? "" : "s");
}

std::string standby_line(const Json& standby) {
  const std::string place =
      printable(fmt::format("{} ({})", standby.value("guid", ""), standby.value("address", "")));
  if (standby.value("in_step", false))
    return fmt::format("replication: standby {} has the whole state", place);
  return fmt::format("replication: standby {} {}, last request {:.1f} s ago", place,
                     changes_lacking(standby), standby.value("silence_ms", 0.0) / kMsPerSecond);
}

std::string copy_line(const Json& copy) {
  const Json lag = copy.value("lag_ms", Json());
  const std::string since = lag.is_number()
                                ? fmt::format("lag {:.1f} s", lag.get<double>() / kMsPerSecond)
                                : std::string("not complete since the start");
  const std::string error = copy.value("error", "");
  return printable(fmt::format("replication: the copy of {} {}, {}{}{}", copy.value("peer", ""),
                               copy.value("in_step", false) ? "is complete" : changes_lacking(copy),
                               since, error.empty() ? "" : ": ", error));
}

}  // namespace

std::vector<std::string> replication_lines(const Json& replication) {
  if (!replication.is_object() || !replication.value("enabled", false)) return {};
  if (const Json copy = replication.value("copy", Json()); copy.is_object())
    return {copy_line(copy)};
  if (replication.value("role", "") != "source") return {};
  const Json standbys = replication.value("standbys", Json::array());
  if (standbys.empty()) return {"replication: no standby copies the state of this manager"};
  std::vector<std::string> lines;
  for (const Json& standby : standbys) lines.push_back(standby_line(standby));
  return lines;
}

}  // namespace weft::cli
