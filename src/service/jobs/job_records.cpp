// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/jobs/job_records.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

namespace weft {
namespace {

using RecordJson = nlohmann::json;

std::int64_t nanoseconds_of(WallTime at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

WallTime at_nanoseconds(std::int64_t time) {
  return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(time)));
}

bool has_form(const RecordJson& json) {
  const auto has = [&](const char* member, auto is_valid) {
    const auto found = json.find(member);
    return found != json.end() && is_valid(*found);
  };
  const auto is_text = [](const RecordJson& value) { return value.is_string(); };
  const auto is_array = [](const RecordJson& value) { return value.is_array(); };
  const auto is_time = [](const RecordJson& value) { return value.is_number_integer(); };
  return json.is_object() && has("id", is_text) && has("name", is_text) && has("user", is_text) &&
         has("hosts", is_array) && has("begun", is_time) && has("baseline", is_array) &&
         has("ended", [&](const RecordJson& value) { return value.is_null() || is_time(value); });
}

bool is_baseline(const RecordJson& item) {
  return item.is_array() && item.size() == 4 &&
         std::ranges::all_of(item,
                             [](const RecordJson& value) { return value.is_number_unsigned(); });
}

}  // namespace

std::string job_record(const Job& job) {
  RecordJson baseline = RecordJson::array();
  for (const auto& [port, counts] : job.baseline)
    baseline.push_back({port.first.value(), port.second.value(), counts.sent_bytes, counts.errors});
  const RecordJson json{
      {"id", job.id},
      {"name", job.name},
      {"user", job.user},
      {"hosts", job.hosts},
      {"begun", nanoseconds_of(job.begun)},
      {"ended", job.ended ? RecordJson(nanoseconds_of(*job.ended)) : RecordJson(nullptr)},
      {"baseline", std::move(baseline)}};
  return json.dump(-1, ' ', true, RecordJson::error_handler_t::replace);
}

std::optional<Job> job_of_record(std::string_view text) {
  const RecordJson json = RecordJson::parse(text, nullptr, false);
  if (!has_form(json)) return std::nullopt;
  Job job;
  job.id = json["id"].get<std::string>();
  job.name = json["name"].get<std::string>();
  job.user = json["user"].get<std::string>();
  for (const RecordJson& host : json["hosts"]) {
    if (!host.is_string()) return std::nullopt;
    job.hosts.push_back(host.get<std::string>());
  }
  job.begun = at_nanoseconds(json["begun"].get<std::int64_t>());
  if (!json["ended"].is_null()) job.ended = at_nanoseconds(json["ended"].get<std::int64_t>());
  for (const RecordJson& item : json["baseline"]) {
    if (!is_baseline(item) || item[1].get<std::uint64_t>() > 255) return std::nullopt;
    job.baseline[{Guid(item[0].get<std::uint64_t>()), PortNum(item[1].get<std::uint8_t>())}] = {
        item[2].get<std::uint64_t>(), item[3].get<std::uint64_t>()};
  }
  return job;
}

}  // namespace weft
