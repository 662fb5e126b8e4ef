// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/replication_service.h"

#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "base/text.h"
#include "service/config/options.h"
#include "service/jobs/job_book.h"
#include "sm/partitions/partition_edit.h"

namespace weft::cli {
namespace {

using replication::Records;

constexpr TimeNs kPartitionsInterval = std::chrono::seconds(1);
constexpr TimeNs kJobsInterval = std::chrono::seconds(1);
constexpr const char* kPartitionFileRecord = "file";

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
    : replication_(std::move(replication)), board_(board), administration_(administration) {
  replication_->on_confirmed = [this](std::uint64_t version) { administration_.confirm(version); };
  replication_->on_hold = [this](std::chrono::milliseconds most) {
    administration_.hold_answers(most);
  };
  replication_->start();
  link_.emplace(*replication_, settings(), cache_dir.empty() ? "" : cache_dir + "/replica.json");
  if (!settings().history_file.empty())
    history_.emplace(*replication_, link_->peers(), settings().history_file);
  subnet_.emplace(*replication_, std::move(cache_dir));
  subnet_->inherit = [this](std::shared_ptr<const sa::Saved> saved) {
    administration_.inherit(std::move(saved));
  };
  subnet_->on_term_begun = [this] { begin_term(); };
  subnet_->on_copy = [this](SubnetManager& sm, const Copy& copy) { keep_partitions(sm, copy); };
  subnet_->on_take_over = [this] {
    take_over_settings();
    board_.jobs->restore(replication_->copied(Part::kJobs));
  };
  administration_.replicate([this](sa::Registrations all) { subnet_->post(std::move(all)); });
}

void ReplicationService::end() {
  replication_->close();
  history_.reset();
  link_.reset();
}

void ReplicationService::step(SubnetManager& sm) {
  if (const auto own = sm.own_guid()) link_->set_guid(*own);
  subnet_->step(sm);
  if (!subnet_->has_term()) return;
  post_partitions(sm);
  post_settings(sm);
  post_jobs();
}

// ---- Master

void ReplicationService::begin_term() {
  posted_settings_.clear();
  posted_partitions_.reset();
  next_partitions_ = next_jobs_ = TimeNs{0};
  posted_jobs_.reset();
  // Standbys are answered after every part was posted; post_partitions() posts the active file.
  replication_->post(Part::kPartitions, {});
}

/// Posts the active partition file: an edited file is posted once SIGHUP has made it active.
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
                     text.empty() ? Records{} : Records{{kPartitionFileRecord, std::move(text)}});
}

void ReplicationService::post_settings(const SubnetManager& sm) {
  Records records{{"sweeping", sm.is_sweeping() ? "on" : "off"},
                  {"log_flags", fmt::format("0x{:02x}", settings().log_flags)}};
  std::string text = records["sweeping"] + records["log_flags"];
  if (posted_settings_ == text) return;
  posted_settings_ = std::move(text);
  replication_->post(Part::kSettings, std::move(records));
}

void ReplicationService::post_jobs() {
  const std::uint64_t version = board_.jobs->version();
  if (posted_jobs_ == version || clock_.now() < next_jobs_) return;
  next_jobs_ = clock_.now() + kJobsInterval;
  posted_jobs_ = version;
  replication_->post(Part::kJobs, board_.jobs->records());
}

// ---- Standby

/// Replaces the partition file of this manager with that of the master; keeps the first replaced
/// file.
void ReplicationService::keep_partitions(SubnetManager& sm, const Copy& copy) {
  std::string& kept = kept_partitions_;
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
  const std::string backup = path + ".before-replication";
  if (done && held && !held->empty() && !std::filesystem::exists(backup, error))
    done = write_file(backup, *held);
  if (done) done = make_directory(std::filesystem::path(path).parent_path());
  if (done) done = replace_file(path, text);
  if (!done) return log::error("replication: {}: {}", path, done.error().message);
  log::info("replication: {} replaced with the file of the master", path);
  if (reload) reload(sm);
}

// ---- Takeover

void ReplicationService::take_over_settings() {
  const Records records = replication_->copied(Part::kSettings);
  const auto value_of = [&](const char* name) {
    const auto found = records.find(name);
    return found == records.end() ? std::string() : found->second;
  };
  if (value_of("sweeping") == "off")
    log::warn(
        "replication: sweeping was off at the previous master: this manager does not copy this "
        "setting");
  const auto flags = parse_c_number<std::uint8_t>(value_of("log_flags"));
  if (flags && *flags != settings().log_flags)
    board_.add_request({SmRequest::Kind::kLogFlags, *flags, SmRequest::By::kConsole});
}

}  // namespace weft::cli
