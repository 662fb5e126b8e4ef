// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/group_file.h"

#include <algorithm>
#include <map>

#include "fabric/port_guids.h"
#include "policy/option_file.h"

namespace weft {
namespace {

constexpr std::string_view kSend = "send";

std::vector<EndportId> find_ports(const std::vector<Guid>& guids, const std::string& place,
                                  const Fabric& fabric, std::vector<std::string>& warnings) {
  std::vector<EndportId> found;
  for (const Guid guid : guids) {
    const auto endports = find_endports(fabric, guid);
    found.insert(found.end(), endports.begin(), endports.end());
    if (endports.empty())
      warnings.push_back(
          fmt::format("{}: port GUID 0x{:016x} is not in this fabric", place, guid.value()));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

Result<std::vector<FiledGroup>> read_groups(const std::string& path) {
  std::vector<FiledGroup> groups;
  std::map<Lid, std::string> seen;
  const auto status = read_option_file(path, [&](const OptionLine& line) -> Status {
    const auto mlid = line.number(0, kLidMulticastFirst.value(), kLidMulticastLast.value(),
                                  "a multicast LID from 0xC000 to 0xFFFE");
    if (!mlid) return forward(mlid);
    FiledGroup group{Lid(static_cast<std::uint16_t>(*mlid)), {}, {}, line.place()};
    const auto [before, is_new] = seen.emplace(group.mlid, group.place);
    if (!is_new)
      return line.wrong(0, "a multicast LID that no earlier line has; see " + before->second);
    bool only_send = false;
    for (std::size_t word = 1; word < line.size(); ++word) {
      if (!only_send && line.word(word) == kSend) {
        only_send = true;
        continue;
      }
      const auto guid = line.guid(word, "a port GUID in hex, or 'send' once");
      if (!guid) return forward(guid);
      (only_send ? group.senders : group.members).push_back(*guid);
    }
    if (group.members.empty()) return line.wrong(1, "the port GUID of a member in hex");
    groups.push_back(std::move(group));
    return {};
  });
  if (!status) return forward(status);
  return groups;
}

std::vector<MulticastGroup> resolve_groups(const std::vector<FiledGroup>& groups,
                                           const Fabric& fabric,
                                           std::vector<std::string>& warnings) {
  std::vector<MulticastGroup> result;
  for (const FiledGroup& filed : groups) {
    MulticastGroup group{filed.mlid, find_ports(filed.members, filed.place, fabric, warnings),
                         find_ports(filed.senders, filed.place, fabric, warnings)};
    std::erase_if(group.senders,
                  [&](EndportId id) { return std::ranges::binary_search(group.members, id); });
    if (!group.members.empty()) result.push_back(std::move(group));
  }
  std::ranges::sort(result, {}, &MulticastGroup::mlid);
  return result;
}

}  // namespace weft
