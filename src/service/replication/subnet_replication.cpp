// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/replication/subnet_replication.h"

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "service/replication/takeover.h"
#include "sm/adaptive/group_number_file.h"
#include "sm/keys/key_files.h"
#include "sm/lids/guid2lid.h"
#include "sm/load/weight_file.h"

namespace weft::replication {

/// A part that a standby stores in a separate file.
struct FiledPart {
  Part part;
  const char* file;
  /// Whether the file can be read without a warning.
  bool (*is_valid)(const std::string& path);
};

namespace {

constexpr unsigned kReplacedMode = 0600;
/// Time after which a standby without a request, such as OpenSM, counts as a standby that copies
/// nothing.
constexpr std::chrono::seconds kCopyBegins{10};

/// Interval of the search for unknown standbys that copy the state; shortest and longest pause
/// between queries to such a standby.
constexpr std::chrono::milliseconds kSearchInterval{100};
constexpr std::chrono::milliseconds kStandbyQueryPause{1000};
constexpr std::chrono::milliseconds kStandbyQueryPauseMax{16'000};

std::string hex(Guid guid) { return fmt::format("0x{:016x}", guid.value()); }

/// A random identifier of a term; no result depends on its value.
std::string random_epoch() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

Records lid_records(const LidMemory& lids) {
  Records records;
  for (const auto& [key, range] : lids) {
    const std::string number =
        key.port == PortNum(0) ? "" : fmt::format(" {:03}", key.port.value());
    records.emplace_hint(records.end(), hex(key.guid) + number, guid2lid_line(key, range));
  }
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

Records weight_records(const WeightMemory& weights) {
  Records records;
  for (const MeasuredWeight& weight : weights)
    records.emplace(hex(weight.port), weight_line(weight));
  return records;
}

Records group_number_records(const GroupNumberMemory& numbers) {
  Records records;
  for (const auto& [guid, switch_numbers] : numbers)
    records.emplace(hex(guid), group_number_line(guid, switch_numbers));
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

/// The ports in lines of port_records(). Drops malformed lines, because such a port only has to
/// register again.
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

template <auto read>
bool reads_without_warning(const std::string& path) {
  std::vector<std::string> warnings;
  return read(path, warnings).has_value() && warnings.empty();
}

constexpr FiledPart kFiledParts[] = {
    {Part::kLids, kGuid2Lid.file, reads_without_warning<read_guid2lid>},
    {Part::kMkeys, "guid2mkey", reads_without_warning<read_guid2mkey>},
    {Part::kNeighbors, "neighbors", reads_without_warning<read_neighbors>},
    {Part::kWeights, kGuid2Weight.file, reads_without_warning<read_weights>},
    {Part::kGroupNumbers, kGuid2ArGroup.file, reads_without_warning<read_group_numbers>},
};

/// Replaces a file by the text. Fails with kBadInput, and keeps the file, if the reader of the file
/// does not accept the text without a warning. Fails with kEnvironment if the file cannot be
/// written. Creates no file for an empty text.
Status replace_sound(const FiledPart& filed, const std::string& path, const std::string& text) {
  std::error_code unreadable;
  if (text.empty() && !std::filesystem::exists(path, unreadable)) return {};
  const std::string next = path + ".replicated";
  if (auto written = write_file(next, text, kReplacedMode); !written) return written;
  std::error_code error;
  if (!filed.is_valid(next)) {
    std::filesystem::remove(next, error);
    return fail(Code::kBadInput, "{}: the copy of the master is malformed: the file is unchanged",
                path);
  }
  std::filesystem::rename(next, path, error);
  if (error)
    return fail(Code::kEnvironment, "cannot rename {} to {}: {}", next, path, error.message());
  return {};
}

}  // namespace

SubnetReplication::SubnetReplication(Replication& replication, std::string cache_dir)
    : new_epoch(random_epoch),
      replication_(replication),
      cache_dir_(std::move(cache_dir)),
      kept_version_(replication.copy(0).version) {}

void SubnetReplication::step(SubnetManager& sm) {
  if (!std::exchange(has_set_check_, true))
    sm.set_successor_check([this](Guid standby) { return may_succeed(standby); });
  const SmState before = std::exchange(state_, sm.state());
  if (before != state_) change_state(sm, before);
  if (state_ == SmState::kStandby) {
    const Copy copy = replication_.copy(kept_version_);
    keep_files(sm, copy);
    query_polled_manager(sm, copy.lost);
  }
  if (state_ == SmState::kMaster) {
    watch_successors(sm);
    query_new_standbys(sm);
  }
  if (state_ != SmState::kMaster || !sm.snapshot()) return;
  if (!has_term_) begin_term(sm);
  post_subnet(sm);
}

void SubnetReplication::post(sa::Registrations all) {
  Records records;
  for (sa::DumpRecord& record : all.records)
    records.emplace_hint(records.end(), std::move(record.key), std::move(record.text));
  replication_.post(Part::kRegistrations, std::move(records), all.version);
}

void SubnetReplication::change_state(SubnetManager& sm, SmState before) {
  successors_.clear();
  unknown_standbys_.clear();
  if (has_term_ && state_ != SmState::kMaster) {
    has_term_ = false;
    replication_.end_term();
  }
  if (state_ == SmState::kStandby) {
    replication_.follow();
    inherit(nullptr);
    sm.inherit_registrations({});
  }
  const bool takes_over = state_ == SmState::kDiscovering || state_ == SmState::kMaster;
  if (before == SmState::kStandby && takes_over) take_over(sm);
}

void SubnetReplication::begin_term(const SubnetManager& sm) {
  has_term_ = true;
  posted_sweeps_ = 0;
  replication_.begin_term(sm.own_guid().value_or(Guid(0)), new_epoch());
  on_term_begun();
}

void SubnetReplication::post_subnet(const SubnetManager& sm) {
  if (posted_sweeps_ == sm.heavy_sweeps()) return;
  posted_sweeps_ = sm.heavy_sweeps();
  replication_.post(Part::kLids, lid_records(sm.lids()));
  replication_.post(Part::kMkeys, key_records(sm.m_keys()));
  replication_.post(Part::kNeighbors, neighbor_records(sm.neighbors()));
  replication_.post(Part::kWeights, weight_records(sm.measured_weights()));
  replication_.post(Part::kGroupNumbers, group_number_records(sm.group_numbers()));
  replication_.post(Part::kPorts, port_records(sm.registered_ports()));
}

void SubnetReplication::keep_files(SubnetManager& sm, const Copy& copy) {
  const auto polled = sm.polled_manager();
  if (copy.version == kept_version_ || !polled || polled->guid != copy.manager) return;
  kept_version_ = copy.version;
  bool changed = false;
  for (const FiledPart& filed : kFiledParts) changed = keep_file(copy, filed) || changed;
  if (changed) sm.recall_files();
  on_copy(sm, copy);
}

/// Queries the master on the fabric after the connection was lost, because the copy may be
/// incomplete if the master still runs. `lost`: time of the loss; empty: connected.
void SubnetReplication::query_polled_manager(SubnetManager& sm,
                                             std::optional<Replication::Time> lost) {
  const auto polled = sm.polled_manager();
  if (queried_for_ != lost) {
    queried_for_ = lost;
    queries_left_ = lost ? kQueries : 0;
    next_query_ = {};
  }
  const auto now = replication_.now();
  if (queries_left_ == 0 || now < next_query_ || !polled) return;
  if (Replication::Time(polled->alive_at) > *lost) {
    queries_left_ = 0;
    return;
  }
  --queries_left_;
  next_query_ = now + kQueryPause;
  sm.query_polled_manager();
}

bool SubnetReplication::keep_file(const Copy& copy, const FiledPart& filed) {
  std::string& kept = kept_[static_cast<std::size_t>(filed.part)];
  const std::string& checksum = copy.checksums[static_cast<std::size_t>(filed.part)];
  if (cache_dir_.empty() || kept == checksum) return false;
  kept = checksum;
  const std::string text = replication_.copied_text(filed.part, "\n\n");
  Status done = make_directory(cache_dir_);
  if (done) done = replace_sound(filed, cache_dir_ + "/" + filed.file, text);
  if (!done) log::error("replication: {}", done.error().message);
  return done.has_value();
}

void SubnetReplication::take_over(SubnetManager& sm) {
  const Copy copy = replication_.copy(0);
  const auto polled = sm.polled_manager();
  inherit(nullptr);
  sm.inherit_registrations({});
  if (copy.version == 0 || !polled || copy.manager != polled->guid)
    return log::info("replication: no copy of the state of {}: clients have to register again",
                     polled ? hex(polled->guid) : "the previous master");
  auto saved = sa::read_dump(
      LineReader::over(replication_.copied_text(Part::kRegistrations, ""), "copied registrations"));
  if (!saved)
    return log::error("replication: {}: clients have to register again", saved.error().message);
  sm.set_multicast_groups(sa::filed_groups_of(*saved));
  sm.set_alias_guids(sa::alias_guids_of(*saved));
  log::info("replication: taking over {} groups, {} subscriptions and {} services of {}",
            saved->groups.size(), saved->subscriptions.size(), saved->services.size(),
            hex(copy.manager));
  inherit(std::make_shared<const sa::Saved>(std::move(*saved)));
  on_take_over();
  const std::string why = reason_incomplete(copy, Replication::Time(polled->alive_at));
  if (why.empty()) {
    ++complete_takeovers_;
    return sm.inherit_registrations(registered_ports_of(replication_.copied(Part::kPorts)));
  }
  log::warn("replication: {}: later registrations may be missing: clients have to register again",
            why);
}

// ---- Handover to a standby of higher rank

bool SubnetReplication::has_state(Guid standby, Replication::Time met) const {
  return replication_.had_all_after(standby, met).value_or(replication_.now() - met >= kCopyBegins);
}

bool SubnetReplication::may_succeed(Guid standby) {
  const auto [at, is_new] = successors_.try_emplace(standby, Successor{replication_.now()});
  at->second.accepted = has_state(standby, at->second.met);
  if (is_new && !at->second.accepted)
    log::info("replication: no handover to standby {} of higher rank before it has the state",
              hex(standby));
  return at->second.accepted;
}

void SubnetReplication::watch_successors(SubnetManager& sm) {
  std::erase_if(successors_, [&](const auto& one) {
    return std::ranges::none_of(sm.others(), [&](const OtherManager& other) {
      return other.info.guid == one.first && !other.silent;
    });
  });
  for (auto& [guid, successor] : successors_)
    if (!successor.accepted && has_state(guid, successor.met)) {
      successor.accepted = true;
      sm.request_heavy_sweep("a standby of higher rank may become master");
    }
}

/// Queries standbys that copy the state but are not known as standbys, because they were starting
/// or absent at the last query of managers. Without a trap, the manager would find such a standby
/// only after the next light sweeps.
void SubnetReplication::query_new_standbys(SubnetManager& sm) {
  const auto now = replication_.now();
  if (now < next_search_) return;
  next_search_ = now + kSearchInterval;
  std::map<Guid, UnknownStandby> unknown;
  for (const Guid standby : replication_.standbys()) {
    const bool is_known = std::ranges::any_of(sm.others(), [&](const OtherManager& other) {
      return other.info.guid == standby && !other.silent && other.info.state == SmState::kStandby;
    });
    if (is_known) continue;
    const auto before = unknown_standbys_.find(standby);
    UnknownStandby query = before == unknown_standbys_.end()
                               ? UnknownStandby{now, kStandbyQueryPause}
                               : before->second;
    if (now >= query.next) {
      sm.query_manager(standby);
      query = {now + query.pause, std::min(2 * query.pause, kStandbyQueryPauseMax)};
    }
    unknown.emplace(standby, query);
  }
  unknown_standbys_ = std::move(unknown);
}

}  // namespace weft::replication
