// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/partitions/partition_update.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace weft {
namespace {

class UpdateSteps {
 public:
  UpdateSteps(const std::optional<std::string>& text, const std::string& path,
              const PartitionChange& change, const PartitionUpdate& update,
              const IncludesPort& includes_port)
      : path_(path), change_(change), update_(update), includes_port_(includes_port) {
    now_.text = text ? *text : std::string(kPartitionsWithoutFile);
  }

  Result<EditedPartitions> run() {
    const std::string before = now_.text;
    std::vector<std::string> warnings;
    auto file = parse_partitions(now_.text, path_, warnings);
    if (!file) return forward(file);
    now_.file = std::move(*file);
    for (const auto step : {&UpdateSteps::prepare, &UpdateSteps::set_flags,
                            &UpdateSteps::set_members, &UpdateSteps::delete_empty})
      if (auto status = (this->*step)(); !status) return forward(status);
    now_.changed = now_.text != before;
    return std::move(now_);
  }

 private:
  /// Calls `take` for each definition of the partition in the text. The first partition of the file
  /// is implicit, so it is skipped.
  template <class Take>
  void for_each_definition(Take take) const {
    for (std::size_t i = 1; i < now_.file.partitions.size(); ++i)
      if (now_.file.partitions[i].base == change_.base) take(now_.file.partitions[i]);
  }
  bool exists() const {
    bool found = change_.base == kDefaultPkeyBase;
    for_each_definition([&](const FiledPartition&) { found = true; });
    return found;
  }
  Status edit(const PartitionChange& change) {
    auto edited = edit_partitions(now_.text, path_, change, includes_port_);
    if (!edited) return forward(edited);
    now_ = std::move(*edited);
    return {};
  }
  PartitionChange step(PartitionChange::Kind kind) const {
    PartitionChange change;
    change.kind = kind;
    change.base = change_.base;
    return change;
  }

  Status prepare() {
    has_partition_ = exists();
    if (has_partition_) {
      for_each_definition([&](const FiledPartition& partition) {
        if (now_.name.empty()) now_.name = partition.name;
      });
      if (!update_.must_be_new) return {};
      return fail(Code::kBadInput, "{}: partition 0x{:04x} exists: '{}'", path_, change_.base,
                  now_.name);
    }
    if (!update_.creates) {
      if (change_.set.empty() && !change_.remove.empty()) return {};
      return fail(Code::kUsage, "{}: no partition 0x{:04x}", path_, change_.base);
    }
    PartitionChange created = step(PartitionChange::Kind::kCreate);
    created.name = change_.name;
    created.ipoib = change_.ipoib;
    has_partition_ = true;
    return edit(created);
  }

  Status set_flags() {
    if (!has_partition_ || update_.flags == PartitionChange::Flags{}) return {};
    PartitionChange flags = step(PartitionChange::Kind::kFlags);
    flags.flags = update_.flags;
    return edit(flags);
  }

  Status set_members() {
    if (!has_partition_) return {};
    PartitionChange members = step(PartitionChange::Kind::kMembers);
    members.set = change_.set;
    std::unordered_set<Guid> kept, named;
    bool has_keyword = false;
    for (const PartitionChange::Wanted& wanted : change_.set) kept.insert(wanted.port);
    std::vector<Guid> others;  // members that are not in `set`
    for_each_definition([&](const FiledPartition& partition) {
      for (const FiledMember& member : partition.members) {
        has_keyword = has_keyword || member.kind != MemberKind::kGuid;
        if (member.kind != MemberKind::kGuid || !named.insert(member.guid).second) continue;
        if (!kept.contains(member.guid)) others.push_back(member.guid);
      }
    });
    if (update_.replaces && has_keyword)
      return fail(Code::kBadInput,
                  "{}: partition 0x{:04x} has members by keyword or port group: edit the file, and "
                  "send SIGHUP",
                  path_, change_.base);
    for (const Guid port : change_.remove)
      if (named.contains(port) || may_be_keyword_member(port)) members.remove.push_back(port);
    if (update_.replaces) members.remove = std::move(others);
    has_removed_ = !members.remove.empty();
    if (members.set.empty() && !has_removed_) return {};
    return edit(members);
  }

  /// Whether the port is a member by a keyword, or may be a member by a port group or by the
  /// implicit rules of the default partition. In this case edit() refuses to remove the port, and
  /// names the reason.
  bool may_be_keyword_member(Guid port) const {
    if (change_.base == kDefaultPkeyBase) return true;
    bool found = false;
    for_each_definition([&](const FiledPartition& partition) {
      for (const FiledMember& member : partition.members)
        if (member.kind == MemberKind::kGroup ||
            (member.kind != MemberKind::kGuid && includes_port_(member.kind, port) == true))
          found = true;
    });
    return found;
  }

  Status delete_empty() {
    if (!has_removed_ || !update_.deletes_empty || change_.base == kDefaultPkeyBase) return {};
    bool is_empty = true;
    for_each_definition([&](const FiledPartition& partition) {
      is_empty = is_empty && partition.members.empty() && partition.groups.empty();
    });
    return is_empty ? edit(step(PartitionChange::Kind::kDelete)) : Status();
  }

  const std::string& path_;
  const PartitionChange& change_;
  const PartitionUpdate& update_;
  const IncludesPort& includes_port_;
  EditedPartitions now_;
  bool has_partition_ = false;
  bool has_removed_ = false;
};

}  // namespace

Result<EditedPartitions> update_partitions(const std::optional<std::string>& text,
                                           const std::string& path, const PartitionChange& change,
                                           const PartitionUpdate& update,
                                           const IncludesPort& includes_port) {
  return UpdateSteps(text, path, change, update, includes_port).run();
}

}  // namespace weft
