// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/history_copier.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "service/history/history_piece.h"

namespace weft::cli {
namespace {

constexpr std::chrono::milliseconds kCompletePause{2000};  // pause before rows are requested again
constexpr std::chrono::milliseconds kPiecePause{20};  // pause in which the writer can use the file
constexpr std::chrono::milliseconds kErrorPause{5000};
constexpr std::size_t kPieceAnswerMax = std::size_t{16} << 20;

}  // namespace

HistoryCopier::HistoryCopier(replication::Replication& replication,
                             std::vector<ServerArgument> peers, std::string file)
    : replication_(replication), peers_(std::move(peers)), file_(std::move(file)) {
  thread_ = std::thread([this] { run(); });
}

void HistoryCopier::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (client_ != nullptr) client_->stop();
  }
  if (thread_.joinable()) thread_.join();
}

void HistoryCopier::set_client(ApiClient* client) {
  const std::lock_guard lock(mutex_);
  client_ = client;
  if (client_ != nullptr && stopping_) client_->stop();
}

void HistoryCopier::run() {
  while (!replication_.is_closed()) {
    replication_.wait_until_following(kCompletePause);
    if (!replication_.is_following()) continue;
    const replication::ReplicationStatus status = replication_.status();
    const auto master = std::ranges::find(peers_, status.peer, &ServerArgument::url);
    if (status.in_step && master != peers_.end()) copy_from(*master);
    replication_.pause(error_.empty() ? kCompletePause : kErrorPause);
  }
}

/// Copies until no rows follow, an error occurs, or this manager does not follow a master. Logs an
/// error that differs from the last one.
void HistoryCopier::copy_from(const ServerArgument& master) {
  auto client = ApiClient::open(master);
  Result<bool> complete = client ? Result<bool>(false) : forward(client);
  if (client) {
    set_client(&*client);
    while (complete && !*complete && replication_.is_following()) {
      complete = copy_piece(*client);
      replication_.pause(kPiecePause);
    }
    set_client(nullptr);
  }
  std::string error = complete ? "" : complete.error().message;
  if (!error.empty() && error != error_)
    log::warn("replication: the history is not copied: {}", error);
  error_ = std::move(error);
}

/// Returns true if the piece was the last one.
Result<bool> HistoryCopier::copy_piece(ApiClient& client) {
  const auto at = copied_position(file_);
  if (!at) return forward(at);
  const auto answer = client.get_text(
      fmt::format(
          "/api/v1/replication/history?source={}&event={}&sweep={}&counter_end={}&counter={}",
          at->source, at->event, at->sweep, at->counter_end, at->counter),
      kPieceAnswerMax);
  if (!answer) return forward(answer);
  const auto piece = decode_history_piece(*answer);
  if (!piece) return fail(piece.error().code, "{}: {}", client.server(), piece.error().message);
  if (const Status added = add_piece(file_, *piece); !added) return forward(added);
  return piece->is_complete;
}

}  // namespace weft::cli
