// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/congestion_policy.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "fabric/planes.h"
#include "policy/policy_paragraphs.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, 4> kAlgorithmNames{"name", "id", "version", "parameters"};
constexpr std::array<std::string_view, 3> kAlgorithmMandatory{"name", "id", "version"};
constexpr ParagraphForm kAlgorithmForm{"algorithm", kAlgorithmNames, kAlgorithmMandatory};
constexpr std::array<std::string_view, 7> kCongestionNames{"group", "planes", "algorithm", "sls",
                                                           "set",   "trace",  "counters"};
constexpr std::array<std::string_view, 3> kCongestionMandatory{"group", "algorithm", "sls"};
constexpr ParagraphForm kCongestionForm{"congestion-control", kCongestionNames,
                                        kCongestionMandatory};

/// Parses a version such as "1.2".
std::optional<std::pair<std::uint8_t, std::uint8_t>> parse_version(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 2) return std::nullopt;
  const auto major = parse_number<std::uint8_t>(parts[0]);
  const auto minor = parse_number<std::uint8_t>(parts[1]);
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

/// Parses "NAME VALUE [LEAST MOST]".
std::optional<CongestionParameter> parse_parameter(std::string_view text) {
  const auto words = split_words(text);
  if (words.size() != 2 && words.size() != 4) return std::nullopt;
  CongestionParameter parameter{.name = std::string(words[0])};
  const std::array into{&parameter.value, &parameter.least, &parameter.most};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto number = parse_c_number<std::uint32_t>(words[i]);
    if (!number) return std::nullopt;
    *into[i - 1] = *number;
  }
  if (parameter.value < parameter.least || parameter.value > parameter.most) return std::nullopt;
  return parameter;
}

void take_parameters(const Qualifier& at, CongestionAlgorithm& algorithm, Problems& problems) {
  for (const std::string_view text : split(at.value, ',')) {
    const auto parameter = parse_parameter(trim(text));
    if (!parameter)
      report(at, trim(text), "NAME VALUE, or NAME VALUE LEAST MOST with LEAST <= VALUE <= MOST",
             problems);
    else if (std::ranges::find(algorithm.parameters, parameter->name, &CongestionParameter::name) !=
             algorithm.parameters.end())
      report(at, parameter->name, "a name that is not in use", problems);
    else
      algorithm.parameters.push_back(*parameter);
  }
  if (algorithm.parameters.size() > PpccParameters::kValues)
    problems.push_back(fmt::format("{}: {}: found {}, expected at most {}", at.place, at.name,
                                   algorithm.parameters.size(), PpccParameters::kValues));
}

void take_algorithm(const Paragraph& paragraph, CongestionAlgorithms& into, Problems& problems) {
  const Qualifier& name = *paragraph.find("name");
  const Qualifier& id = *paragraph.find("id");
  const Qualifier& version = *paragraph.find("version");
  CongestionAlgorithm algorithm{.name = name.value};
  const auto number = parse_c_number<std::uint16_t>(id.value);
  const auto parts = parse_version(version.value);
  if (!number || *number == 0) report(id, id.value, "a number from 1 to 65535", problems);
  if (!parts) report(version, version.value, "MAJOR.MINOR, each from 0 to 255", problems);
  if (const Qualifier* parameters = paragraph.find("parameters"))
    take_parameters(*parameters, algorithm, problems);
  if (!number || !parts) return;
  algorithm.id = {*number, parts->first, parts->second};
  for (const CongestionAlgorithm& other : into) {
    if (other.name == name.value) report(name, name.value, "a name that is not in use", problems);
    if (other.id.id == *number && other.id.major == parts->first)
      report(id, id.value, "an id of no other algorithm with this major version", problems);
  }
  into.push_back(std::move(algorithm));
}

void take_values(const Qualifier& at, const CongestionAlgorithm& algorithm,
                 CongestionSetting& setting, Problems& problems) {
  for (const std::string_view text : split(at.value, ',')) {
    const auto words = split_words(text);
    const auto found = words.size() == 2
                           ? std::ranges::find(algorithm.parameters, words[0],
                                               [](const CongestionParameter& parameter) {
                                                 return std::string_view(parameter.name);
                                               })
                           : algorithm.parameters.end();
    if (found == algorithm.parameters.end()) {
      report(at, trim(text),
             fmt::format("NAME VALUE of a parameter of algorithm {}", weft::quoted(algorithm.name)),
             problems);
      continue;
    }
    const auto value = parse_c_number<std::uint32_t>(words[1]);
    if (value && *value >= found->least && *value <= found->most)
      setting.values[static_cast<std::size_t>(found - algorithm.parameters.begin())] = *value;
    else
      report(at, trim(text),
             fmt::format("{} with a number from {} to {}", found->name, found->least, found->most),
             problems);
  }
}

void take_on_off(const Paragraph& paragraph, std::string_view name, bool& into,
                 Problems& problems) {
  const Qualifier* found = paragraph.find(name);
  if (found == nullptr) return;
  into = found->value == "on";
  if (!into && found->value != "off") report(*found, found->value, "on or off", problems);
}

/// Parses numbers of planes such as "1, 3".
std::vector<std::uint32_t> take_planes(const Paragraph& paragraph, Problems& problems) {
  std::vector<std::uint32_t> planes;
  const Qualifier* at = paragraph.find("planes");
  if (at == nullptr) return planes;
  for (const std::string_view text : split(at->value, ',')) {
    const auto number = parse_number<std::uint8_t>(trim(text));
    if (number && *number > 0)
      planes.push_back(*number);
    else
      report(*at, trim(text), "numbers of planes from 1 to 255, such as 1, 3", problems);
  }
  return planes;
}

void take_setting(const Paragraph& paragraph, CongestionPolicy& policy, Problems& problems) {
  const Qualifier& group = *paragraph.find("group");
  const Qualifier& name = *paragraph.find("algorithm");
  const Qualifier& sls = *paragraph.find("sls");
  FiledCongestionSetting filed{
      .group = group.value, .planes = take_planes(paragraph, problems), .setting = {}};
  if (!policy.groups.has(group.value))
    problems.push_back(group.place + ": " + policy.groups.missing_text(group.value));
  const auto mask = parse_sls(sls.value);
  if (!mask) report(sls, sls.value, "SLs from 0 to 15, such as 0-3,8", problems);
  filed.setting.sls = mask.value_or(0);
  take_on_off(paragraph, "trace", filed.setting.traces, problems);
  take_on_off(paragraph, "counters", filed.setting.counts, problems);
  const auto algorithm =
      std::ranges::find(policy.algorithms, name.value, &CongestionAlgorithm::name);
  if (algorithm == policy.algorithms.end())
    return report(name, name.value, "an algorithm that a file in ppcc_algo_dir describes",
                  problems);
  filed.setting.algorithm = static_cast<std::uint32_t>(algorithm - policy.algorithms.begin());
  for (const CongestionParameter& parameter : algorithm->parameters)
    filed.setting.values.push_back(parameter.value);
  if (const Qualifier* values = paragraph.find("set"))
    take_values(*values, *algorithm, filed.setting, problems);
  policy.settings.push_back(std::move(filed));
}

void take_dcqcn_setting(const Paragraph& paragraph, CongestionPolicy& policy, Problems& problems) {
  FiledDcqcnSetting filed = read_dcqcn_setting(paragraph, problems);
  if (!policy.groups.has(filed.group))
    problems.push_back(paragraph.find("group")->place + ": " +
                       policy.groups.missing_text(filed.group));
  policy.dcqcn.push_back(std::move(filed));
}

/// Adds a setting to the settings of a port. First removes the SLs of the new setting from the
/// earlier settings, then the earlier settings that have no SL left or the same algorithm.
void overlay(const CongestionSetting& setting, std::vector<CongestionSetting>& settings) {
  std::erase_if(settings, [&](CongestionSetting& other) {
    other.sls = static_cast<std::uint16_t>(other.sls & ~setting.sls);
    return other.sls == 0 || other.algorithm == setting.algorithm;
  });
  settings.push_back(setting);
}

bool is_file(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The sorted paths of the regular files of a folder, except names that begin with a dot. For a
/// regular file, only its path.
Result<std::vector<std::string>> files_of(const std::string& folder) {
  std::vector<std::string> paths;
  if (is_file(folder)) return std::vector{folder};
  const std::unique_ptr<DIR, FolderCloser> open(::opendir(folder.c_str()));
  if (!open)
    return fail(Code::kEnvironment, "{}: {}", folder, std::generic_category().message(errno));
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string path = folder + "/" + std::data(entry->d_name);
    if (entry->d_name[0] != '.' && is_file(path)) paths.push_back(path);
  }
  std::ranges::sort(paths);
  return paths;
}

}  // namespace

Result<CongestionAlgorithms> read_congestion_algorithms(const std::string& folder) {
  const auto paths = files_of(folder);
  if (!paths) return forward(paths);
  CongestionAlgorithms algorithms;
  Problems problems;
  for (const std::string& path : *paths) {
    const auto paragraphs = read_paragraphs(path, kAlgorithmForm, problems);
    if (!paragraphs) return forward(paragraphs);
    for (const Paragraph& paragraph : *paragraphs) take_algorithm(paragraph, algorithms, problems);
  }
  if (const auto status = as_status(problems); !status) return forward(status);
  return algorithms;
}

Status read_congestion_policy(const std::string& path, CongestionPolicy& policy) {
  std::vector<ParagraphForm> forms{kCongestionForm};
  forms.insert(forms.end(), kDcqcnForms.begin(), kDcqcnForms.end());
  Problems problems;
  const auto paragraphs = read_paragraphs(path, forms, problems);
  if (!paragraphs) return forward(paragraphs);
  for (const Paragraph& paragraph : *paragraphs)
    if (paragraph.keyword == kCongestionForm.keyword)
      take_setting(paragraph, policy, problems);
    else
      take_dcqcn_setting(paragraph, policy, problems);
  return as_status(problems);
}

std::map<PortId, std::vector<CongestionSetting>> congestion_settings(const CongestionPolicy& policy,
                                                                     const Fabric& fabric,
                                                                     std::uint32_t planes_stated) {
  std::map<PortId, std::vector<CongestionSetting>> result;
  Planes planes;
  if (!std::ranges::all_of(policy.settings, &FiledCongestionSetting::applies_to_all_planes))
    planes = find_planes(fabric, planes_stated);
  for (const FiledCongestionSetting& filed : policy.settings)
    for (const EndportId id : endports_of_group(policy.groups, filed.group, fabric)) {
      const Endport& endport = fabric.endport(id);
      if (fabric.node(endport.node).type != NodeType::kCa) continue;
      const std::uint32_t plane = endport.sw == kNoSwitch ? 0 : planes.of(endport.sw);
      if (filed.applies_to_all_planes() || std::ranges::count(filed.planes, plane) != 0)
        overlay(filed.setting, result[endport.port]);
    }
  return result;
}

}  // namespace weft
