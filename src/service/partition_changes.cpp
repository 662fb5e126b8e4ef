// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/partition_changes.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "service/config/options.h"
#include "sm/election/election.h"

namespace weft {
namespace {

constexpr std::size_t kFileMax = std::size_t{64} << 20;
constexpr std::string_view kNotMaster =
    "only the master can change partitions, and this manager is ";

std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// Error message for a GUID that is no port; lists the ports of the node if it is a node GUID.
std::string unknown_port(const Fabric& fabric, Guid guid) {
  std::string text = hex(guid) + " is no port of this fabric";
  if (const auto node = fabric.find_node(guid)) {
    text += fmt::format(" but the node {}, which has the ports", describe(fabric.node(*node)));
    for (const Endport& endport : fabric.endports())
      if (endport.node == *node) text += " " + hex(fabric.port(endport.port).guid);
    return text;
  }
  return text + "; set absent_ports to accept it";
}

/// Checks that the ports to add are on the fabric, and that the manager's own port stays a full
/// member of the default partition.
Status check_ports(const PartitionOrder& order, const Snapshot& snapshot) {
  const Fabric& fabric = snapshot.fabric;
  const Guid own = fabric.port(fabric.endport(snapshot.sm).port).guid;
  for (const PartitionChange::Wanted& wanted : order.change.set) {
    if (!order.absent_ports && !fabric.find_endport(wanted.port) &&
        snapshot.vports.find(wanted.port) == nullptr)
      return fail(Code::kUsage, "{}", unknown_port(fabric, wanted.port));
    if (order.change.base == kDefaultPkeyBase && wanted.port == own &&
        wanted.membership == Membership::kLimited)
      return fail(Code::kBadInput,
                  "{} is the subnet manager's own port: as a limited member of the default "
                  "partition it cannot communicate with other limited members",
                  hex(own));
  }
  return {};
}

std::string describe_change(const PartitionChange& change, const std::string& name) {
  const std::string partition = fmt::format("0x{:04x} '{}'", change.base, name);
  switch (change.kind) {
    case PartitionChange::Kind::kCreate:
      return fmt::format("{} created with {} ports", partition, change.set.size());
    case PartitionChange::Kind::kDelete:
      return partition + " deleted";
    case PartitionChange::Kind::kFlags:
      return partition + ": flags changed";
    case PartitionChange::Kind::kMembers:
      break;
  }
  return fmt::format("{}: {} ports set, {} removed", partition, change.set.size(),
                     change.remove.size());
}

}  // namespace

struct PartitionChanges::Prepared {
  std::string path;      // path of the active file
  bool exists = false;   // whether the active file exists
  PartitionFile before;  // content of the active file
  EditedPartitions edited;
  PartitionsChanged occurrence;
};

namespace {

Result<std::optional<std::string>> text_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::optional<std::string>();
  auto text = read_file(path, kFileMax);
  if (!text) return forward(text);
  if (std::filesystem::file_size(path, error) != text->size())
    return fail(Code::kBadInput, "{}: is compressed or being written, expected plain text", path);
  return std::optional(std::move(*text));
}

/// Writes the partition file. Creates the folder if it is missing.
Status write_changed(const std::string& path, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty())
    if (auto status = make_directory(folder); !status) return status;
  return replace_file(path, text);
}

}  // namespace

Result<PartitionOutcome> PartitionChanges::carry_out(const PartitionOrder& order,
                                                     const SmBoard::Posted& posted) {
  const std::lock_guard lock(change_mutex_);
  const auto snapshot = posted.snapshot;
  if (posted.status.state != SmState::kMaster)
    return fail(Code::kRejected, "{}{}", kNotMaster, name(posted.status.state));
  if (!snapshot) return fail(Code::kTimeout, "no fabric data yet: no sweep has completed");
  Prepared prepared;
  prepared.path = active_partition_file(*posted.settings);
  if (prepared.path.empty())
    return fail(Code::kRejected, "no partition file: partition_config_file is empty");
  if (const auto status = check_ports(order, *snapshot); !status) return forward(status);
  const auto text = text_of_file(prepared.path);
  if (!text) return forward(text);
  prepared.exists = text->has_value();
  const IncludesPort includes = [&](MemberKind kind, Guid port) {
    return includes_port(kind, port, snapshot->fabric, snapshot->sm, snapshot->vports);
  };
  auto edited = order.update
                    ? update_partitions(*text, prepared.path, order.change, *order.update, includes)
                    : edit_partitions(*text, prepared.path, order.change, includes);
  if (!edited) return forward(edited);
  prepared.edited = std::move(*edited);
  std::vector<std::string> warnings;  // ignored: the manager logged them when it read the file
  auto before = prepared.exists ? parse_partitions(**text, prepared.path, warnings)
                                : Result<PartitionFile>(partitions_without_file());
  if (!before) return forward(before);
  prepared.before = std::move(*before);
  prepared.occurrence = {order.change.base, describe_change(order.change, prepared.edited.name)};

  PartitionOutcome outcome;
  outcome.name = prepared.edited.name;
  outcome.changed = prepared.edited.changed;
  if (const auto status = check(prepared, outcome); !status) return forward(status);
  if (!outcome.changed) {
    outcome.applied = true;
    return outcome;
  }
  if (const auto written =
          write_changed(changed_partition_file(*posted.settings), prepared.edited.text);
      !written)
    return forward(written);
  outcome.file_created = !prepared.exists;
  apply(prepared, outcome);
  return outcome;
}

/// Checks the change against the state of the manager, on its thread, between sweeps. Sets the
/// number of changed ports and nodes in `outcome`.
Status PartitionChanges::check(const Prepared& prepared, PartitionOutcome& outcome) {
  const auto verdict = std::make_shared<Status>();
  const auto found = std::make_shared<PartitionOutcome>(outcome);
  // Capture copies, because the task may outlive this call.
  Task task = [verdict, found, path = prepared.path, before = prepared.before,
               after = prepared.edited.file](SubnetManager& sm) {
    if (sm.state() != SmState::kMaster) {
      *verdict = fail(Code::kRejected, "{}{}", kNotMaster, name(sm.state()));
      return true;
    }
    if (!sm.at_rest()) return false;
    if (!same_rules(sm.partitions(), before)) {
      *verdict =
          fail(Code::kBadInput,
               "{}: differs from the active partitions: send SIGHUP to the manager first", path);
      return true;
    }
    if (!found->changed) return true;
    const SubnetManager::PkeyForecast forecast = sm.forecast_partitions(after);
    if (!forecast.shortages.empty())
      *verdict = fail(Code::kBadInput, "{}", forecast.shortages.front());
    found->ports = forecast.ports;
    found->nodes = forecast.nodes.size();
    return true;
  };
  if (!await(std::move(task), timeouts_.rest, true))
    return fail(Code::kTimeout,
                "the manager is busy with a sweep, or ends: nothing was changed, try again");
  if (!*verdict) return *verdict;
  outcome = *found;
  return {};
}

/// Applies the change to the manager and sets `outcome`. The partition file is written already, so
/// the change is final; if the manager is busy, it applies the change later.
void PartitionChanges::apply(const Prepared& prepared, PartitionOutcome& outcome) {
  const auto reached = std::make_shared<PartitionOutcome>(outcome);
  std::optional<std::uint64_t> begun;
  Task task = [this, reached, begun, after = prepared.edited.file,
               occurrence = prepared.occurrence](SubnetManager& sm) mutable {
    if (sm.state() != SmState::kMaster) {
      reached->error =
          fmt::format("written to the file, not applied: {}{}", kNotMaster, name(sm.state()));
      return true;
    }
    if (begun) {
      if (sm.updates() == *begun) return false;
      reached->applied = sm.last_report().up;
      reached->error = sm.last_report().error;
      return true;
    }
    if (!sm.at_rest()) return false;
    if (same_rules(sm.partitions(), after)) {  // a reload by SIGHUP has applied the rules
      reached->applied = sm.last_report().up;
      reached->error = sm.last_report().error;
      return true;
    }
    begun = sm.updates();
    sm.set_partitions(std::move(after), std::move(occurrence));
    if (on_change) on_change(sm.partitions());
    return false;
  };
  if (await(std::move(task), timeouts_.applied, false)) {
    outcome = *reached;
    if (!outcome.applied && outcome.error.empty()) outcome.error = "the manager has stopped";
  } else {
    outcome.error = "written to the file, but not completely applied yet: the manager is busy";
  }
}

/// Queues a task and waits for it. Returns false if the timeout ends first; with `withdraw`, the
/// task is removed. After end(), returns false only with `withdraw`.
bool PartitionChanges::await(Task task, std::chrono::milliseconds timeout, bool withdraw) {
  std::unique_lock lock(mutex_);
  if (ended_) return !withdraw;
  tasks_.push_back(std::move(task));
  const std::size_t number = ++begun_;
  pending_ = true;
  const bool done = done_.wait_for(lock, timeout, [&] { return finished_ >= number || ended_; });
  if (done && finished_ >= number) return true;
  if (ended_) return !withdraw;
  if (withdraw) {
    tasks_.pop_back();  // the last task is this task, because calls are serialized
    --begun_;
  }
  return false;
}

void PartitionChanges::step(SubnetManager& sm) {
  if (!pending_) return;
  {
    const std::lock_guard lock(mutex_);
    while (!tasks_.empty() && tasks_.front()(sm)) {
      tasks_.erase(tasks_.begin());
      ++finished_;
    }
    pending_ = !tasks_.empty();
  }
  done_.notify_all();
}

void PartitionChanges::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    tasks_.clear();
  }
  done_.notify_all();
}

}  // namespace weft
