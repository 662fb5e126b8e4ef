// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "jobs/job_fields.h"

#include <algorithm>

#include "base/text.h"

namespace weft::jobs {
namespace {

template <class Spec>
struct Key {
  std::string_view name;
  std::string_view expected;
  bool (*set)(Spec&, std::string_view);
};

template <class T, class Value>
bool assign(T& target, const std::optional<Value>& value) {
  if (!value) return false;
  target = static_cast<T>(*value);
  return true;
}

bool assign_count(std::uint32_t& target, std::string_view text, std::uint32_t maximum) {
  const auto value = parse_number<std::uint32_t>(text);
  if (!value || *value == 0 || *value > maximum) return false;
  target = *value;
  return true;
}

bool assign_placement(PlacementSpec& placement, std::string_view text) {
  constexpr std::array kKinds{
      std::pair{"packed", PlacementKind::kPacked}, std::pair{"random", PlacementKind::kRandom},
      std::pair{"fragmented", PlacementKind::kFragmented}, std::pair{"rail", PlacementKind::kRail}};
  for (const auto& [name, kind] : kKinds) {
    if (text != name) continue;
    placement.kind = kind;
    return true;
  }
  return false;
}

bool assign_hosts(JobSpec& job, std::string_view text) {
  job.placement.kind = PlacementKind::kListed;
  job.placement.hosts = text;
  return !text.empty();
}

bool assign_hop_latency(JobSpec& job, std::string_view text) {
  constexpr Picoseconds kSecond = 1'000'000'000'000;
  const auto time = parse_time(text);
  if (!time || *time > kSecond) return false;
  job.hop_latency = *time;
  return true;
}

constexpr std::string_view kSize = "a whole number of bytes such as 4096, 64kB or 1GiB";
constexpr std::string_view kTime = "a time such as 0, 250ns or 1.5us";
constexpr std::string_view kRate = "a rate such as 400Gb/s or 450GB/s";
constexpr std::string_view kGroup = "a number of ranks from 1 to 1048576";
constexpr std::string_view kFew = "a number from 1 to 4096";
constexpr std::uint32_t kRanksMax = 1 << 20;

using J = JobSpec;
using V = std::string_view;

/// Keys of every kind of work.
constexpr std::array kCommonKeys{
    Key<J>{"name", "a name", [](J& j, V v) { return j.name = v, !v.empty(); }},
    Key<J>{"placement", "packed, random, fragmented or rail",
           [](J& j, V v) { return assign_placement(j.placement, v); }},
    Key<J>{"hosts", "a hostlist such as n[01-16], or file:PATH", &assign_hosts},
    Key<J>{"fragment", kFew, [](J& j, V v) { return assign_count(j.placement.fragment, v, 4096); }},
    Key<J>{"ranks_per_host", kFew,
           [](J& j, V v) { return assign_count(j.placement.ranks_per_host, v, 4096); }},
    Key<J>{"server_hosts", kFew,
           [](J& j, V v) { return assign_count(j.placement.server_hosts, v, 4096); }},
    Key<J>{"seed", "a number",
           [](J& j, V v) {
             j.seed = parse_number<std::uint64_t>(v);
             return j.seed.has_value();
           }},
    Key<J>{"start", kTime, [](J& j, V v) { return assign(j.start, parse_time(v)); }},
    Key<J>{"start_up", kTime, [](J& j, V v) { return assign(j.start_up, parse_time(v)); }},
    Key<J>{"hop_latency", "a time up to 1s such as 0 or 100ns", &assign_hop_latency},
    Key<J>{"local_rate", kRate, [](J& j, V v) { return assign(j.local_rate, parse_rate(v)); }},
};
/// Keys of collectives. Pipelines have the first two keys, training the other keys, and Chakra
/// traces `channels` and `chunk`.
constexpr std::array kCollectiveKeys{
    Key<J>{"ranks", kGroup, [](J& j, V v) { return assign_count(j.ranks, v, kRanksMax); }},
    Key<J>{"bytes", kSize, [](J& j, V v) { return assign(j.bytes, parse_bytes(v)); }},
    Key<J>{"channels", "a number from 1 to 64",
           [](J& j, V v) { return assign_count(j.channels, v, 64); }},
    Key<J>{"chunk", kSize,
           [](J& j, V v) { return assign(j.chunk, parse_bytes(v)) && j.chunk > 0; }},
    Key<J>{"zipf", "a number from 0 to 4",
           [](J& j, V v) { return assign(j.zipf, parse_decimal(v)) && j.zipf <= 4; }},
    Key<J>{"pxn", "true or false", [](J& j, V v) { return assign(j.pxn, parse_boolean(v)); }},
};
constexpr std::array kTrainingKeys{
    Key<J>{"tensor", kGroup,
           [](J& j, V v) { return assign_count(j.training.tensor, v, kRanksMax); }},
    Key<J>{"pipeline", kGroup,
           [](J& j, V v) { return assign_count(j.training.pipeline, v, kRanksMax); }},
    Key<J>{"data", kGroup, [](J& j, V v) { return assign_count(j.training.data, v, kRanksMax); }},
    Key<J>{"expert", kGroup,
           [](J& j, V v) { return assign_count(j.training.expert, v, kRanksMax); }},
    Key<J>{"layers", kFew, [](J& j, V v) { return assign_count(j.training.layers, v, 4096); }},
    Key<J>{"tensor_bytes", kSize,
           [](J& j, V v) { return assign(j.training.tensor_bytes, parse_bytes(v)); }},
    Key<J>{"expert_bytes", kSize,
           [](J& j, V v) { return assign(j.training.expert_bytes, parse_bytes(v)); }},
    Key<J>{"pipeline_bytes", kSize,
           [](J& j, V v) { return assign(j.training.pipeline_bytes, parse_bytes(v)); }},
    Key<J>{"gradient_bytes", kSize,
           [](J& j, V v) { return assign(j.training.gradient_bytes, parse_bytes(v)); }},
};
/// Keys of both pipelines and training.
constexpr std::array kStageKeys{
    Key<J>{"micro_batches", kFew,
           [](J& j, V v) { return assign_count(j.training.micro_batches, v, 4096); }},
    Key<J>{"forward", kTime, [](J& j, V v) { return assign(j.training.forward, parse_time(v)); }},
    Key<J>{"backward", kTime,
           [](J& j, V v) {
             j.training.backward = parse_time(v);
             return j.training.backward.has_value();
           }},
};
/// Keys of all kinds of work except traces.
constexpr std::array kRepeatKeys{
    Key<J>{"repeat", kFew, [](J& j, V v) { return assign_count(j.repeat, v, 4096); }},
};
constexpr std::array kTraceKeys{
    Key<J>{"file", "a file name", [](J& j, V v) { return j.file = v, !v.empty(); }},
};

constexpr std::array kBackgroundKeys{
    Key<BackgroundSpec>{"load", "a number above 0, up to 1",
                        [](BackgroundSpec& b, V v) {
                          return assign(b.load, parse_decimal(v)) && b.load > 0 && b.load <= 1;
                        }},
    Key<BackgroundSpec>{"flows", "a number from 1 to 64",
                        [](BackgroundSpec& b, V v) { return assign_count(b.flows, v, 64); }},
    Key<BackgroundSpec>{"hosts", "idle or all",
                        [](BackgroundSpec& b, V v) {
                          b.all_hosts = v == "all";
                          return v == "all" || v == "idle";
                        }},
};
constexpr std::array kFailureKeys{
    Key<FailureSpec>{"time", kTime,
                     [](FailureSpec& f, V v) { return assign(f.time, parse_time(v)); }},
    Key<FailureSpec>{"cables", kFew,
                     [](FailureSpec& f, V v) { return assign_count(f.cables, v, 4096); }},
    Key<FailureSpec>{"repair", kTime,
                     [](FailureSpec& f, V v) {
                       f.repair = parse_time(v);
                       return f.repair.has_value();
                     }},
};

bool is_collective(Work work) { return work < Work::kPipeline; }

/// The keys of a kind of work.
std::vector<Key<JobSpec>> keys_of(Work work) {
  std::vector<Key<JobSpec>> keys;
  const auto add = [&](const auto& more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (is_collective(work)) add(kCollectiveKeys);
  if (work == Work::kPipeline) add(std::span(kCollectiveKeys).first(2));
  if (work == Work::kTraining) {
    add(std::span(kCollectiveKeys).subspan(2));
    add(kTrainingKeys);
  }
  if (work == Work::kPipeline || work == Work::kTraining) add(kStageKeys);
  if (work == Work::kGoal || work == Work::kChakra)
    add(kTraceKeys);
  else
    add(kRepeatKeys);
  if (work == Work::kChakra) add(std::span(kCollectiveKeys).subspan(2, 2));
  add(kCommonKeys);
  return keys;
}

template <class Keys>
std::string names_of(const Keys& keys) {
  std::string names;
  for (const auto& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
  return names;
}

template <class Spec, class Keys>
Status set_field(const Field& field, const Keys& keys, Spec& spec) {
  for (const auto& key : keys) {
    if (key.name != field.key) continue;
    if (key.set(spec, field.value)) return {};
    return fail(Code::kBadInput, "{}: {}: found {}, expected {}", field.where, field.key,
                weft::quoted(field.value), key.expected);
  }
  return fail(Code::kBadInput, "{}: found the key {}, expected one of {}", field.where,
              weft::quoted(field.key), names_of(keys));
}

Status refuse_repeated(std::span<const Field> fields) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (fields[i].key == fields[j].key)
        return fail(Code::kBadInput, "{}: found the key {} twice", fields[i].where,
                    weft::quoted(fields[i].key));
  return {};
}

/// Sets the work and the algorithm of "allreduce:ring", or the work of "allreduce".
Status set_work(const Field& field, JobSpec& job) {
  const std::string_view text = field.value;
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::string names;
  for (const WorkKind& kind : work_kinds()) {
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
    if (kind.name != name) continue;
    job.work = kind.work;
    job.algorithm = kind.algorithms[0].algorithm;
    if (colon == std::string_view::npos) return {};
    std::string algorithms;
    for (const AlgorithmName& algorithm : kind.algorithms) {
      if (algorithm.algorithm == Algorithm::kNone) continue;
      if (algorithm.name == text.substr(colon + 1)) {
        job.algorithm = algorithm.algorithm;
        return {};
      }
      algorithms += (algorithms.empty() ? "" : ", ") + std::string(algorithm.name);
    }
    return fail(Code::kBadInput, "{}: found the algorithm {} of {}, expected {}", field.where,
                weft::quoted(text.substr(colon + 1)), name,
                algorithms.empty() ? "none" : algorithms);
  }
  return fail(Code::kBadInput, "{}: found the work {}, expected one of {}", field.where,
              weft::quoted(name), names);
}

Status check_job(const JobSpec& job, std::span<const Field> fields) {
  const auto given = [&](std::string_view key) {
    return std::ranges::find(fields, key, &Field::key) != fields.end();
  };
  const auto requires_key = [&](std::string_view key) {
    return fail(Code::kBadInput, "{}: the key \"{}\" is missing", job.where, key);
  };
  if (is_collective(job.work) && job.work != Work::kBarrier && !given("bytes"))
    return requires_key("bytes");
  if (job.work == Work::kPipeline && !given("bytes")) return requires_key("bytes");
  if ((job.work == Work::kGoal || job.work == Work::kChakra) && !given("file"))
    return requires_key("file");
  if (given("hosts") && given("placement"))
    return fail(Code::kBadInput, "{}: found both \"hosts\" and \"placement\", expected one of them",
                job.where);
  if (job.zipf > 0 && job.work != Work::kAllToAll && job.work != Work::kTraining)
    return fail(Code::kBadInput, "{}: zipf: found with {}, expected only with alltoall or training",
                job.where, job.text);
  const TrainingSpec& training = job.training;
  if (training.data % training.expert != 0)
    return fail(Code::kBadInput, "{}: expert: found {}, expected a divisor of data, which is {}",
                job.where, training.expert, training.data);
  if (std::uint64_t{training.tensor} * training.pipeline * training.data > kRanksMax)
    return fail(Code::kBadInput, "{}: found {} ranks, expected at most {}", job.where,
                std::uint64_t{training.tensor} * training.pipeline * training.data, kRanksMax);
  return {};
}

}  // namespace

Result<std::vector<Field>> fields_of_spec(const std::string& spec) {
  const std::string where = fmt::format("--job {}", weft::quoted(spec));
  std::vector<Field> fields;
  std::size_t begin = 0;
  for (std::size_t depth = 0, i = 0; i <= spec.size(); ++i) {
    if (i < spec.size() && spec[i] == '[') ++depth;
    if (i < spec.size() && spec[i] == ']' && depth > 0) --depth;
    if (i < spec.size() && (spec[i] != ',' || depth > 0)) continue;
    const std::string part = spec.substr(begin, i - begin);
    if (begin == 0) {
      fields.push_back({"work", part, where});
    } else {
      const std::size_t equals = part.find('=');
      if (equals == std::string::npos)
        return fail(Code::kBadInput, "{}: found {}, expected KEY=VALUE", where, weft::quoted(part));
      fields.push_back({part.substr(0, equals), part.substr(equals + 1), where});
    }
    begin = i + 1;
  }
  return fields;
}

Result<JobSpec> job_of(std::span<const Field> fields, const std::string& where,
                       const JobSpec& defaults) {
  JobSpec job = defaults;
  job.where = where;
  if (auto status = refuse_repeated(fields); !status) return forward(status);
  const auto work = std::ranges::find(fields, "work", &Field::key);
  if (work == fields.end()) return fail(Code::kBadInput, "{}: the key \"work\" is missing", where);
  job.text = work->value;
  job.name = work->value;
  if (auto status = set_work(*work, job); !status) return forward(status);
  const auto keys = keys_of(job.work);
  for (const Field& field : fields) {
    if (field.key == "work") continue;
    if (auto status = set_field(field, keys, job); !status) return forward(status);
  }
  if (auto status = check_job(job, fields); !status) return forward(status);
  return job;
}

Result<BackgroundSpec> background_of(std::span<const Field> fields, const std::string& where) {
  BackgroundSpec spec;
  spec.where = where;
  if (auto status = refuse_repeated(fields); !status) return forward(status);
  for (const Field& field : fields)
    if (auto status = set_field(field, kBackgroundKeys, spec); !status) return forward(status);
  return spec;
}

Result<FailureSpec> failure_of(std::span<const Field> fields, const std::string& where) {
  FailureSpec spec;
  spec.where = where;
  if (auto status = refuse_repeated(fields); !status) return forward(status);
  for (const Field& field : fields)
    if (auto status = set_field(field, kFailureKeys, spec); !status) return forward(status);
  return spec;
}

Status set_default(const Field& field, JobSpec& defaults) {
  return set_field(field, std::span(kCommonKeys).last(3), defaults);
}

std::string jobs_help() {
  std::string text = "Jobs (--job WORK[:ALGORITHM][,KEY=VALUE...]):\n";
  for (const WorkKind& kind : work_kinds()) {
    std::string algorithms;
    for (const AlgorithmName& algorithm : kind.algorithms)
      if (algorithm.algorithm != Algorithm::kNone)
        algorithms += (algorithms.empty() ? ": " : ", ") + std::string(algorithm.name);
    text += fmt::format("  {:<14} {}{}\n", kind.name, kind.summary, algorithms);
  }
  return text;
}

}  // namespace weft::jobs
