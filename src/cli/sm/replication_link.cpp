// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/replication_link.h"

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "service/replication/peers.h"
#include "service/replication/takeover.h"

namespace weft::cli {
namespace {

using std::chrono::milliseconds;

using replication::kSearchPause;
constexpr std::chrono::seconds kSavePause{2};
constexpr std::size_t kCopyAnswerMax = std::size_t{64} << 20;
constexpr std::size_t kCopyFileMax = std::size_t{1} << 30;
constexpr unsigned kCopyFileMode = 0600;

}  // namespace

std::vector<ServerArgument> replication_servers(const Settings& settings) {
  std::vector<ServerArgument> servers;
  const auto urls = parse_replication_peers(settings.replication_peers);
  for (const std::string& url : urls.value_or(std::vector<std::string>{}))
    servers.push_back({url, settings.replication_token_file, settings.replication_ca_file,
                       settings.replication_certificate_file, settings.replication_key_file});
  return servers;
}

ReplicationLink::ReplicationLink(replication::Replication& replication, const Settings& settings,
                                 std::string file)
    : replication_(replication), peers_(replication_servers(settings)), file_(std::move(file)) {
  load();
  thread_ = std::thread([this] { run(); });
}

void ReplicationLink::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (client_ != nullptr) client_->stop();
  }
  if (thread_.joinable()) thread_.join();
}

/// Reads the copy of an earlier run. A damaged copy is ignored, so that the state is copied again.
void ReplicationLink::load() {
  std::error_code ignored;
  if (file_.empty() || !std::filesystem::exists(file_, ignored)) return;
  const auto text = read_file(file_, kCopyFileMax);
  const Status loaded = text ? replication_.load(*text) : forward(text);
  if (!loaded) log::warn("{}: {}: the state is copied anew", file_, loaded.error().message);
  saved_version_ = replication_.copy(0).version;
}

void ReplicationLink::save(bool at_once) {
  const auto now = std::chrono::steady_clock::now();
  if (file_.empty() || (!at_once && now < next_save_)) return;
  const std::uint64_t version = replication_.copy(saved_version_).version;
  if (version == saved_version_) return;
  const std::string text = replication_.save();
  if (text.empty()) return;
  next_save_ = now + kSavePause;
  Status saved = make_directory(std::filesystem::path(file_).parent_path());
  if (saved) saved = write_file(file_, text, kCopyFileMode);
  if (!saved) return log::error("replication: {}", saved.error().message);
  saved_version_ = version;
}

void ReplicationLink::run() {
  while (!replication_.is_closed()) {
    replication_.wait_until_following(kSearchPause);
    if (!replication_.is_following() || guid_ == 0) continue;
    bool copied = false;
    for (const ServerArgument& peer : peers_) copied = copied || copy_from(peer);
    save(true);
    if (!copied) replication_.pause(kSearchPause);
  }
}

/// Copies until the connection is lost, an answer is invalid, or this manager does not follow a
/// master. Returns false if nothing was copied, for example because the peer is not the master.
bool ReplicationLink::copy_from(const ServerArgument& peer) {
  auto client = ApiClient::open(peer);
  if (!client) {
    replication_.lose(peer.url, client.error().message);
    return false;
  }
  client->set_read_timeout(replication::kAnswerTime);
  set_client(&*client);
  bool copied = false;
  while (replication_.is_following() && copy_once(*client)) {
    copied = true;
    save(false);
  }
  set_client(nullptr);
  return copied;
}

void ReplicationLink::set_client(ApiClient* client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
  if (client_ != nullptr && stopping_) client_->stop();
}

bool ReplicationLink::copy_once(ApiClient& client) {
  const auto at = replication_.position();
  const std::string path =
      fmt::format("/api/v1/replication/changes?standby=0x{:016x}&epoch={}&after={}&wait_ms={}",
                  guid_.load(), at.epoch, at.after, replication::kRequestWait.count());
  const auto answer = client.get_text(path, kCopyAnswerMax);
  if (!answer) {
    replication_.lose(client.server(), answer.error().message);
    return false;
  }
  const Status taken = replication_.take(client.server(), *answer);
  if (!taken) log::error("replication: {}: {}", client.server(), taken.error().message);
  return taken.has_value();
}

}  // namespace weft::cli
