// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "copy_network.h"

#include <fmt/format.h>

#include <utility>

#include "service/replication/takeover.h"

namespace weft::simulation {
namespace {

using std::chrono::milliseconds;

using replication::kAnswerTime;
using replication::kRequestWait;
using replication::kSearchPause;

}  // namespace

void CopyNetwork::step() {
  while (!messages_.empty() && messages_.begin()->first <= now()) {
    const auto message = std::move(messages_.begin()->second);
    messages_.erase(messages_.begin());
    message();
  }
  for (Copier& copier : copiers_) step(copier);
}

void CopyNetwork::repair() {
  rates_ = {};
  interrupted_until_ = {};
}

void CopyNetwork::close(Copier& copier) {
  copier.connection = copier.request = 0;
  copier.next = now() + kSearchPause;
}

void CopyNetwork::lose(Copier& copier, const std::string& reason) {
  ++counts_.broken;
  copier.process->replication()->lose(fmt::format("manager {}", copier.peer), reason);
  close(copier);
  copier.peer = (copier.peer + 1) % copiers_.size();
}

void CopyNetwork::step(Copier& copier) {
  if (!copier.process->runs() || copier.starts != copier.process->starts()) {
    close(copier);
    copier.starts = copier.process->starts();
    return;
  }
  if (!copier.process->replication()->is_following() || !copier.process->sm().own_guid())
    return close(copier);
  if (now() < copier.next) return;
  if (copier.connection == 0) return connect(copier);
  const ManagerProcess& peer = *copiers_[copier.peer].process;
  const bool has_ended = !peer.runs() || peer.starts() != copier.peer_starts;
  if (has_ended && !copier.ends_without_close) return lose(copier, "closed");
  if (copier.request == 0) return request(copier);
  if (now() - copier.sent > kAnswerTime) lose(copier, "no answer");
}

void CopyNetwork::connect(Copier& copier) {
  const ManagerProcess& peer = *copiers_[copier.peer].process;
  if (&peer == copier.process) {
    copier.peer = (copier.peer + 1) % copiers_.size();
    return;
  }
  if (is_interrupted() || !peer.runs()) return lose(copier, "no connection");
  copier.connection = ++last_number_;
  copier.peer_starts = peer.starts();
  copier.ends_without_close = rng_.below(4) == 0;
  request(copier);
}

/// Schedules a message with the faults of the network.
void CopyNetwork::deliver(const std::function<void()>& message) {
  if (is_interrupted() || draw(rates_.lost)) {
    ++counts_.lost;
    return;
  }
  const auto time = [&] {
    const auto late = draw(rates_.late) ? milliseconds(rng_.below(8000)) : milliseconds(0);
    return now() + std::chrono::microseconds(200 + rng_.below(2000)) + late;
  };
  messages_.emplace(time(), message);
  if (!draw(rates_.repeated)) return;
  ++counts_.repeated;
  messages_.emplace(time(), message);
}

void CopyNetwork::request(Copier& copier) {
  ++counts_.requests;
  copier.request = ++last_number_;
  copier.sent = now();
  const auto at = copier.process->replication()->position();
  const replication::Poll poll{*copier.process->sm().own_guid(), "simulation", at.epoch, at.after,
                               kRequestWait};
  deliver([this, peer = copier.peer, starts = copier.peer_starts, poll,
           number = static_cast<std::size_t>(&copier - copiers_.data()),
           connection = copier.connection, request = copier.request] {
    const ManagerProcess& process = *copiers_[peer].process;
    if (is_interrupted() || !process.runs() || process.starts() != starts) return;
    process.replication()->poll(poll, [=, this](int status, std::string body) {
      if (copiers_[peer].process->runs())
        deliver_answer(number, connection, request, status, std::move(body));
    });
  });
}

void CopyNetwork::deliver_answer(std::size_t number, std::uint64_t connection,
                                 std::uint64_t request, int status, std::string body) {
  deliver([=, this, body = std::move(body)] {
    process_answer(number, connection, request, status, body);
  });
}

void CopyNetwork::process_answer(std::size_t number, std::uint64_t connection,
                                 std::uint64_t request, int status, const std::string& body) {
  Copier& copier = copiers_[number];
  if (is_interrupted() || copier.connection != connection || !copier.process->runs() ||
      copier.process->starts() != copier.starts)
    return;
  ++counts_.answers;
  replication::Replication& copy = *copier.process->replication();
  if (copier.request != request) {  // a repeated or late answer
    static_cast<void>(copy.take(fmt::format("manager {}", copier.peer), body));
    return;
  }
  copier.request = 0;
  if (status != 200) return lose(copier, "refused");
  if (copy.take(fmt::format("manager {}", copier.peer), body)) return;
  ++counts_.refused;
  close(copier);
}

}  // namespace weft::simulation
