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
  for (Link& link : links_) step(link);
}

void CopyNetwork::repair() {
  rates_ = {};
  interrupted_until_ = {};
}

void CopyNetwork::close(Link& link) {
  link.connection = link.request = 0;
  link.next = now() + kSearchPause;
}

void CopyNetwork::lose(Link& link, const std::string& reason) {
  ++counts_.broken;
  link.process->replication()->lose(fmt::format("manager {}", link.peer), reason);
  close(link);
  link.peer = (link.peer + 1) % links_.size();
}

void CopyNetwork::step(Link& link) {
  if (!link.process->runs() || link.starts != link.process->starts()) {
    close(link);
    link.starts = link.process->starts();
    return;
  }
  if (!link.process->replication()->is_following() || !link.process->sm().own_guid())
    return close(link);
  if (now() < link.next) return;
  if (link.connection == 0) return connect(link);
  const ManagerProcess& peer = *links_[link.peer].process;
  const bool has_ended = !peer.runs() || peer.starts() != link.peer_starts;
  if (has_ended && !link.ends_without_close) return lose(link, "closed");
  if (link.request == 0) return request(link);
  if (now() - link.sent > kAnswerTime) lose(link, "no answer");
}

void CopyNetwork::connect(Link& link) {
  const ManagerProcess& peer = *links_[link.peer].process;
  if (&peer == link.process) {
    link.peer = (link.peer + 1) % links_.size();
    return;
  }
  if (is_interrupted() || !peer.runs()) return lose(link, "no connection");
  link.connection = ++last_number_;
  link.peer_starts = peer.starts();
  link.ends_without_close = rng_.below(4) == 0;
  request(link);
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

void CopyNetwork::request(Link& link) {
  ++counts_.requests;
  link.request = ++last_number_;
  link.sent = now();
  const auto at = link.process->replication()->position();
  const replication::Poll poll{*link.process->sm().own_guid(), "simulation", at.epoch, at.after,
                               kRequestWait};
  deliver([this, peer = link.peer, starts = link.peer_starts, poll,
           number = static_cast<std::size_t>(&link - links_.data()), connection = link.connection,
           request = link.request] {
    const ManagerProcess& process = *links_[peer].process;
    if (is_interrupted() || !process.runs() || process.starts() != starts) return;
    process.replication()->poll(poll, [=, this](int status, std::string body) {
      if (links_[peer].process->runs())
        answered(number, connection, request, status, std::move(body));
    });
  });
}

void CopyNetwork::answered(std::size_t number, std::uint64_t connection, std::uint64_t request,
                           int status, std::string body) {
  deliver([=, this, body = std::move(body)] {
    process_answer(number, connection, request, status, body);
  });
}

void CopyNetwork::process_answer(std::size_t number, std::uint64_t connection,
                                 std::uint64_t request, int status, const std::string& body) {
  Link& link = links_[number];
  if (is_interrupted() || link.connection != connection || !link.process->runs() ||
      link.process->starts() != link.starts)
    return;
  ++counts_.answers;
  replication::Replication& copy = *link.process->replication();
  if (link.request != request) {  // a repeated or late answer
    static_cast<void>(copy.take(fmt::format("manager {}", link.peer), body));
    return;
  }
  link.request = 0;
  if (status != 200) return lose(link, "refused");
  if (copy.take(fmt::format("manager {}", link.peer), body)) return;
  ++counts_.refused;
  close(link);
}

}  // namespace weft::simulation
