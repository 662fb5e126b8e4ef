// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/input/job_file.h"

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "jobs/input/lined_json.h"
#include "jobs/job_fields.h"

namespace weft::jobs {
namespace {

constexpr std::size_t kJobFileMax = 64 << 20;

class JobFile {
 public:
  JobFile(const std::string& path, Workload& workload) : path_(path), workload_(workload) {}

  Status read(const LinedJson& top) {
    if (top.kind != LinedJson::Kind::kObject)
      return wrong(top, "found no object, expected one with \"jobs\"");
    for (const auto& [key, value] : top.members)
      if (auto status = read_top(key, value); !status) return status;
    for (const auto& [key, value] : top.members) {
      if (key != "jobs") continue;
      for (std::size_t i = 0; i < value.items.size(); ++i)
        if (auto status = read_job(value.items[i], fmt::format("jobs[{}]", i)); !status)
          return status;
      if (!value.items.empty()) return {};
      return wrong(value, "jobs: found none, expected one or more");
    }
    return wrong(top, "the key \"jobs\" is missing");
  }

 private:
  Status wrong(const LinedJson& at, const std::string& text) const {
    return fail(Code::kBadInput, "{}:{}: {}", path_, at.line, text);
  }
  std::string where(const LinedJson& at, const std::string& object) const {
    return fmt::format("{}:{}: {}", path_, at.line, object);
  }

  Result<std::vector<Field>> fields_of(const LinedJson& object, const std::string& name) const {
    if (object.kind != LinedJson::Kind::kObject)
      return fail(Code::kBadInput, "{}: found no object, expected one", where(object, name));
    std::vector<Field> fields;
    for (const auto& [key, value] : object.members) {
      if (!value.is_scalar())
        return fail(Code::kBadInput, "{}: {}: found an object or array, expected a value",
                    where(value, name), key);
      fields.push_back({key, value.text, where(value, name)});
    }
    return fields;
  }

  Status read_top(const std::string& key, const LinedJson& value) {
    const bool is_list = key == "jobs" || key == "background" || key == "failures";
    if (!is_list) {
      if (!value.is_scalar())
        return wrong(value, fmt::format("{}: found an object or array, expected a value", key));
      return set_default({key, value.text, fmt::format("{}:{}", path_, value.line)}, defaults_);
    }
    if (value.kind != LinedJson::Kind::kArray)
      return wrong(value, fmt::format("{}: found no array, expected one", key));
    for (std::size_t i = 0; i < value.items.size() && key != "jobs"; ++i) {
      const std::string name = fmt::format("{}[{}]", key, i);
      const auto fields = fields_of(value.items[i], name);
      if (!fields) return forward(fields);
      if (auto status = read_other(*fields, where(value.items[i], name), key); !status)
        return status;
    }
    return {};
  }

  Status read_other(const std::vector<Field>& fields, const std::string& at,
                    const std::string& key) {
    if (key == "background") {
      auto spec = background_of(fields, at);
      if (!spec) return forward(spec);
      workload_.background.push_back(std::move(*spec));
      return {};
    }
    auto spec = failure_of(fields, at);
    if (!spec) return forward(spec);
    workload_.failures.push_back(std::move(*spec));
    return {};
  }

  Status read_job(const LinedJson& object, const std::string& name) {
    const auto fields = fields_of(object, name);
    if (!fields) return forward(fields);
    auto job = job_of(*fields, where(object, name), defaults_);
    if (!job) return forward(job);
    workload_.jobs.push_back(std::move(*job));
    return {};
  }

  std::string path_;
  Workload& workload_;
  JobSpec defaults_;
};

Status add_spec(const std::string& argument, Workload& workload) {
  const auto fields = fields_of_spec(argument);
  if (!fields) return forward(fields);
  auto job = job_of(*fields, fmt::format("--job {}", weft::quoted(argument)), {});
  if (!job) return forward(job);
  workload.jobs.push_back(std::move(*job));
  return {};
}

/// Whether the text is GOAL text, in which num_ranks precedes the first brace.
bool is_goal(std::string_view text) {
  const std::size_t at = text.find("num_ranks");
  const std::size_t brace = text.find('{');
  return at != std::string_view::npos && at < brace;
}

Status add_jobs(const std::string& text, const std::string& path, Workload& workload) {
  const auto json = parse_lined_json(text, path);
  if (!json) return forward(json);
  return JobFile(path, workload).read(*json);
}

Status add_file(const std::string& path, Workload& workload) {
  const auto text = read_file(path, kJobFileMax);
  if (!text) return forward(text);
  if (is_goal(*text)) {
    const std::string where = fmt::format("--job {}", weft::quoted(path));
    const std::vector<Field> fields{{"work", "goal", where}, {"file", path, where}};
    auto job = job_of(fields, where, {});
    if (!job) return forward(job);
    workload.jobs.push_back(std::move(*job));
    return {};
  }
  return add_jobs(*text, path, workload);
}

}  // namespace

Result<Workload> parse_job_file(const std::string& text, const std::string& path) {
  Workload workload;
  if (auto status = add_jobs(text, path, workload); !status) return forward(status);
  return workload;
}

Result<Workload> read_workload(std::span<const std::string> arguments) {
  Workload workload;
  for (const std::string& argument : arguments) {
    std::error_code ignored;
    const Status status = std::filesystem::exists(argument, ignored) ? add_file(argument, workload)
                                                                     : add_spec(argument, workload);
    if (!status) return forward(status);
  }
  return workload;
}

}  // namespace weft::jobs
