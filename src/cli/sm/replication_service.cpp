// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/replication_service.h"

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "base/text.h"
#include "sa/dump/dump.h"
#include "service/config/options.h"
#include "service/replication/takeover.h"
#include "sm/election/election.h"
#include "sm/partitions/partition_edit.h"

namespace weft::cli {
namespace {

using replication::Records;

constexpr TimeNs kPartitionsInterval = std::chrono::seconds(1);
constexpr unsigned kReplacedMode = 0600;
constexpr const char* kPartitionKey = "file";

std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// Tells terms apart, also those of one manager that was restarted; no result depends on it.
std::string new_epoch() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Records lid_records(const LidMemory& lids) {
  Records records;
  for (const auto& [guid, range] : lids)
    records.emplace_hint(records.end(), hex(guid), guid2lid_line(guid, range));
  return records;
}

Records key_records(const KeyMemory& keys) {
  Records records;
  for (const auto& [guid, key] : keys)
    records.emplace_hint(records.end(), hex(guid), guid2mkey_line(guid, key));
  return records;
}

Records neighbor_records(const NeighborMemory& neighbors) {
  Records records;
  for (const auto& [near, far] : neighbors)
    records.emplace(fmt::format("{}:{:03}", hex(near.guid), near.port.value()),
                    neighbors_line(near, far));
  return records;
}

Records port_records(const std::set<SubnetManager::RegisteredPort>& ports) {
  Records records;
  for (const auto& port : ports) {
    const std::string text =
        fmt::format("{} {} {}", hex(port.port), hex(port.node), port.num.value());
    records.emplace(text, text);
  }
  return records;
}

/// Lines of port_records(); malformed ones are dropped: their ports register again.
std::set<SubnetManager::RegisteredPort> registered_ports_of(const Records& records) {
  std::set<SubnetManager::RegisteredPort> ports;
  for (const auto& [key, text] : records) {
    const auto words = split_words(text);
    if (words.size() != 3) continue;
    const auto port = parse_c_number<std::uint64_t>(words[0]);
    const auto node = parse_c_number<std::uint64_t>(words[1]);
    const auto num = parse_number<std::uint8_t>(words[2]);
    if (port && node && num) ports.insert({Guid(*port), Guid(*node), PortNum(*num)});
  }
  return ports;
}

/// Whether the file can be read without a warning.
bool is_sound(replication::Part part, const std::string& path) {
  std::vector<std::string> warnings;
  const bool is_read = part == replication::Part::kLids ? read_guid2lid(path, warnings).has_value()
                       : part == replication::Part::kMkeys
                           ? read_guid2mkey(path, warnings).has_value()
                           : read_neighbors(path, warnings).has_value();
  return is_read && warnings.empty();
}

/// Replaces a file by a text that its reader accepts.
Status replace_sound(replication::Part part, const std::string& path, const std::string& text) {
  const std::string next = path + ".replicated";
  if (auto written = write_file(next, text, kReplacedMode); !written) return written;
  std::error_code error;
  if (!is_sound(part, next)) {
    std::filesystem::remove(next, error);
    return fail(Code::kBadInput, "{}: the copy of the master is malformed: the file stays", path);
  }
  std::filesystem::rename(next, path, error);
  if (error) return fail(Code::kEnvironment, "{}: {}", path, error.message());
  return {};
}

FileState state_of(const std::string& path) {
  FileState state{path, {}, {}};
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return state;
  state.size = size;
  state.written = std::filesystem::last_write_time(path, error);
  return state;
}

}  // namespace

ReplicationService::ReplicationService(std::shared_ptr<replication::Replication> replication,
                                       SmBoard& board, SubnetAdministration& administration,
                                       std::string cache_dir)
    : replication_(std::move(replication)),
      board_(board),
      administration_(administration),
      cache_dir_(std::move(cache_dir)) {
  replication_->on_confirmed = [this](std::uint64_t version) { administration_.confirm(version); };
  replication_->on_hold = [this](std::chrono::milliseconds most) {
    administration_.hold_answers(most);
  };
  replication_->start();
  administration_.replicate([this](sa::Registrations all) {
    Records records;
    for (sa::DumpRecord& record : all.records)
      records.emplace_hint(records.end(), std::move(record.key), std::move(record.text));
    replication_->post(Part::kRegistrations, std::move(records), all.version);
  });
  link_.emplace(*replication_, settings(), cache_dir_.empty() ? "" : cache_dir_ + "/replica.json");
  kept_version_ = replication_->copy(0).version;
}

void ReplicationService::end() {
  replication_->close();
  link_.reset();
}

void ReplicationService::step(SubnetManager& sm) {
  if (const auto own = sm.own_guid()) link_->set_guid(*own);
  const SmState before = std::exchange(state_, sm.state());
  if (before != state_) change_state(sm, before);
  if (state_ == SmState::kStandby) keep_files(sm);
  if (state_ != SmState::kMaster || !sm.snapshot()) return;
  if (!leads_) lead(sm);
  post_subnet(sm);
  post_partitions(sm);
  post_settings(sm);
}

void ReplicationService::change_state(SubnetManager& sm, SmState before) {
  if (leads_ && state_ != SmState::kMaster) {
    leads_ = false;
    replication_->step_down();
  }
  if (state_ == SmState::kStandby) {
    replication_->follow();
    administration_.inherit(nullptr);
    sm.inherit_registrations({});
  }
  const bool takes_over = state_ == SmState::kDiscovering || state_ == SmState::kMaster;
  if (before == SmState::kStandby && takes_over) take_over(sm);
}

// ---- Master

void ReplicationService::lead(const SubnetManager& sm) {
  leads_ = true;
  posted_sweeps_ = 0;
  posted_settings_.clear();
  posted_partitions_.reset();
  next_partitions_ = TimeNs{0};
  replication_->lead(sm.own_guid().value_or(Guid(0)), new_epoch());
  replication_->post(Part::kPartitions, {});  // until the file is the active one
}

void ReplicationService::post_subnet(const SubnetManager& sm) {
  if (posted_sweeps_ == sm.heavy_sweeps()) return;
  posted_sweeps_ = sm.heavy_sweeps();
  replication_->post(Part::kLids, lid_records(sm.lids()));
  replication_->post(Part::kMkeys, key_records(sm.m_keys()));
  replication_->post(Part::kNeighbors, neighbor_records(sm.neighbors()));
  replication_->post(Part::kPorts, port_records(sm.registered_ports()));
}

/// The file as far as it is active: an edit counts from SIGHUP on.
void ReplicationService::post_partitions(const SubnetManager& sm) {
  if (clock_.now() < next_partitions_) return;
  next_partitions_ = clock_.now() + kPartitionsInterval;
  const std::string path = active_partition_file(settings());
  const FileState state = state_of(path);
  if (posted_partitions_ == state) return;
  std::string text;
  if (state.size) {
    auto read = read_file(path, replication::kTextMax);
    std::vector<std::string> warnings;
    const auto file =
        read ? parse_partitions(*read, path, warnings) : Result<PartitionFile>(forward(read));
    if (file && !same_rules(*file, sm.partitions())) return;
    if (!file && posted_partitions_) return;
    if (!file) log::error("replication: partitions are not copied: {}", file.error().message);
    if (file) text = std::move(*read);
  }
  posted_partitions_ = state;
  replication_->post(Part::kPartitions,
                     text.empty() ? Records{} : Records{{kPartitionKey, std::move(text)}});
}

void ReplicationService::post_settings(const SubnetManager& sm) {
  Records records{{"sweeping", sm.is_sweeping() ? "on" : "off"},
                  {"log_flags", fmt::format("0x{:02x}", settings().log_flags)}};
  std::string text = records["sweeping"] + records["log_flags"];
  if (posted_settings_ == text) return;
  posted_settings_ = std::move(text);
  replication_->post(Part::kSettings, std::move(records));
}

// ---- Standby

void ReplicationService::keep_files(SubnetManager& sm) {
  const Copy copy = replication_->copy(kept_version_);
  const auto leader = sm.leader();
  if (copy.version == kept_version_ || !leader || leader->guid != copy.manager) return;
  kept_version_ = copy.version;
  bool changed = false;
  for (const auto& [part, name] :
       {std::pair(Part::kLids, "guid2lid"), std::pair(Part::kMkeys, "guid2mkey"),
        std::pair(Part::kNeighbors, "neighbors")})
    changed = keep_file(copy, part, name) || changed;
  if (changed) sm.recall_files();
  keep_partitions(sm, copy);
}

bool ReplicationService::keep_file(const Copy& copy, Part part, const std::string& name) {
  std::string& kept = kept_[static_cast<std::size_t>(part)];
  const std::string& checksum = copy.checksums[static_cast<std::size_t>(part)];
  if (cache_dir_.empty() || kept == checksum) return false;
  kept = checksum;
  const std::string text = replication_->copied_text(part, "\n\n");
  Status done = make_directory(cache_dir_);
  if (done) done = replace_sound(part, cache_dir_ + "/" + name, text);
  if (!done) log::error("replication: {}", done.error().message);
  return done.has_value();
}

/// The partition file of this manager becomes that of the master; the first replaced file is kept.
void ReplicationService::keep_partitions(SubnetManager& sm, const Copy& copy) {
  std::string& kept = kept_[static_cast<std::size_t>(Part::kPartitions)];
  const std::string& checksum = copy.checksums[static_cast<std::size_t>(Part::kPartitions)];
  if (kept == checksum) return;
  kept = checksum;
  const std::string text = replication_->copied_text(Part::kPartitions, "");
  const std::string path = changed_partition_file(settings());
  if (text.empty() || path.empty()) return;
  const std::string active = active_partition_file(settings());
  std::error_code error;
  const auto held = std::filesystem::exists(active, error)
                        ? read_file(active, replication::kTextMax)
                        : Result<std::string>(std::string());
  if (held && *held == text) return;
  std::vector<std::string> warnings;
  const auto file = parse_partitions(text, path, warnings);
  Status done = file ? Status() : forward(file);
  const std::string aside = path + ".before-replication";
  if (done && held && !held->empty() && !std::filesystem::exists(aside, error))
    done = write_file(aside, *held);
  if (done) done = make_directory(std::filesystem::path(path).parent_path());
  if (done) done = replace_file(path, text);
  if (!done) return log::error("replication: {}: {}", path, done.error().message);
  log::info("replication: {} is now that of the master", path);
  if (reload) reload(sm);
}

// ---- Takeover

void ReplicationService::take_over(SubnetManager& sm) {
  const Copy copy = replication_->copy(0);
  const auto leader = sm.leader();
  administration_.inherit(nullptr);
  sm.inherit_registrations({});
  if (copy.version == 0 || !leader || copy.manager != leader->guid)
    return log::info("replication: no copy of the state of {}: clients have to register again",
                     leader ? hex(leader->guid) : "the previous master");
  auto saved = sa::read_dump(LineReader::over(replication_->copied_text(Part::kRegistrations, ""),
                                              "copied registrations"));
  if (!saved)
    return log::error("replication: {}: clients have to register again", saved.error().message);
  sm.set_multicast_groups(sa::filed_groups_of(*saved));
  sm.set_alias_guids(sa::alias_guids_of(*saved));
  log::info("replication: taking over {} groups, {} subscriptions and {} services of {}",
            saved->groups.size(), saved->subscriptions.size(), saved->services.size(),
            hex(copy.manager));
  administration_.inherit(std::make_shared<const sa::Saved>(std::move(*saved)));
  take_over_settings();
  const std::string why =
      replication::reason_incomplete(copy, replication::Replication::Time(leader->alive_at));
  if (why.empty())
    return sm.inherit_registrations(registered_ports_of(replication_->copied(Part::kPorts)));
  log::warn("replication: {}: later registrations may be missing: clients have to register again",
            why);
}

void ReplicationService::take_over_settings() {
  const Records records = replication_->copied(Part::kSettings);
  const auto of = [&](const char* name) {
    const auto found = records.find(name);
    return found == records.end() ? std::string() : found->second;
  };
  if (of("sweeping") == "off")
    log::warn("replication: the previous master had sweeping off; this one sweeps");
  const auto flags = parse_c_number<std::uint8_t>(of("log_flags"));
  if (flags && *flags != settings().log_flags)
    board_.add_request({SmRequest::Kind::kLogFlags, *flags, SmRequest::By::kConsole});
}

}  // namespace weft::cli
