// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/election/manager_list.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace weft {
namespace {

using What = ManagerNoticed::What;

void report_manager(What what, const OtherManager& other, Occurrences& occurrences) {
  constexpr std::array<std::string_view, 3> kWords{
      "another subnet manager", "is gone or does not answer", "subnet manager changed"};
  const auto how = static_cast<std::size_t>(what);
  const std::string manager = fmt::format("{}, port GUID 0x{:016x}, LID {}, priority {}, {}",
                                          other.name, other.info.guid.value(), other.lid.value(),
                                          other.info.priority, name(other.info.state));
  if (what == What::kGone) {
    log::info("the subnet manager at {} {}", manager, kWords[how]);
  } else {
    log::info("{}: {}", kWords[how], manager);
  }
  occurrences.add(ManagerNoticed{what, other.node, other.description, other.port, other.lid,
                                 other.info.priority, other.info.state});
}

/// The manager in the list that answered with this GUID; null if there is none.
const OtherManager* find_answering(const std::vector<OtherManager>& managers, Guid guid) {
  const auto found = std::ranges::find_if(managers, [&](const OtherManager& manager) {
    return !manager.silent && manager.info.guid == guid;
  });
  return found == managers.end() ? nullptr : &*found;
}

bool changed(const OtherManager& before, const OtherManager& now) {
  return before.info.state != now.info.state || before.lid != now.lid ||
         before.info.priority != now.info.priority || before.node != now.node;
}

}  // namespace

void ManagerList::update(std::vector<OtherManager> now, Occurrences& occurrences) {
  for (const OtherManager& other : now) {
    if (other.silent) continue;
    const OtherManager* before = find_answering(all_, other.info.guid);
    if (before == nullptr) {
      report_manager(What::kAppeared, other, occurrences);
    } else if (changed(*before, other)) {
      report_manager(What::kChanged, other, occurrences);
    }
  }
  for (const OtherManager& old : all_)
    if (!old.silent && find_answering(now, old.info.guid) == nullptr)
      report_manager(What::kGone, old, occurrences);
  all_ = std::move(now);
}

void ManagerList::update(const SmInfo& info, Occurrences& occurrences) {
  std::vector<OtherManager> now = all_;
  for (OtherManager& other : now)
    if (other.info.guid == info.guid) other.info = info;
  update(std::move(now), occurrences);
}

void ManagerList::update_silent(const std::vector<OtherManager>& answers,
                                Occurrences& occurrences) {
  std::vector<OtherManager> now = all_;
  for (OtherManager& other : now) {
    const auto answer = std::ranges::find(answers, other.name, &OtherManager::name);
    other.silent = answer == answers.end();
    if (!other.silent) other.info = answer->info;
  }
  for (const OtherManager& answer : answers)
    if (std::ranges::find(all_, answer.name, &OtherManager::name) == all_.end())
      now.push_back(answer);
  update(std::move(now), occurrences);
}

}  // namespace weft
