// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "credits/credit_simulator.h"

#include <algorithm>
#include <limits>

namespace weft::credits {

CreditSimulator::CreditSimulator(const Fabric& fabric, std::vector<EndportId> sources,
                                 Traffic traffic, CreditOptions options)
    : fabric_(fabric),
      sources_(std::move(sources)),
      traffic_(std::move(traffic)),
      options_(options),
      links_(channel_count_with_endports(fabric)),
      rng_(options.seed),
      lanes_(std::size_t{links_ + fabric.endport_count()} * kVls),
      queued_(fabric.endport_count(), 0),
      requests_(links_),
      busy_(links_, false),
      sending_(links_) {
  for (Lane& lane : lanes_) lane.space = options.buffer;
  for (std::uint32_t i = 0; i < sources_.size(); ++i)
    schedule(rng_.below(options.flits), Kind::kCreate, i);
}

void CreditSimulator::run(Time flits) {
  const Time end = now_ + flits;
  advance(end);
  now_ = end;
}

void CreditSimulator::advance(Time end) {
  while (!events_.empty() && events_.top().at < end) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    handle(event);
  }
}

StuckPackets CreditSimulator::drain() {
  creating_ = false;
  advance(std::numeric_limits<Time>::max());
  StuckPackets stuck;
  for (std::uint32_t lane = 0; lane < links_ * kVls; ++lane) {
    if (lanes_[lane].packets.empty()) continue;
    stuck.packets += lanes_[lane].packets.size();
    stuck.lanes.push_back({lane / kVls, static_cast<std::uint8_t>(lane % kVls)});
  }
  return stuck;
}

void CreditSimulator::handle(const Event& event) {
  switch (event.kind) {
    case Kind::kCreate:
      return create(event.place);
    case Kind::kHead: {
      Lane& lane = lanes_[event.place];
      const Packet& packet = sending_[event.place / kVls].packet;
      lane.packets.push_back({packet.path, packet.reply, packet.next + 1});
      if (lane.packets.size() == 1 && !lane.sending) request_link(event.place);
      return;
    }
    case Kind::kTail:
      return finish(event.place);
  }
}

void CreditSimulator::create(std::uint32_t index) {
  if (!creating_) return;
  const EndportId source = sources_[index];
  if (queued_[source.value()] < options_.queue) {
    const Demand demand = traffic_(source, rng_);
    if (demand.path != nullptr) enqueue(*demand.path, demand.reply);
  }
  // Random gaps, so that sources do not repeat one pattern for ever.
  schedule(now_ + options_.flits + rng_.below(2), Kind::kCreate, index);
}

void CreditSimulator::enqueue(const LanePath& path, const LanePath* reply) {
  const std::uint32_t lane = queue_of(path);
  ++queued_[path.front().link - fabric_.channel_count()];
  lanes_[lane].packets.push_back({&path, reply, 0});
  if (lanes_[lane].packets.size() == 1 && !lanes_[lane].sending) request_link(lane);
}

const LaneHop& CreditSimulator::next_hop(std::uint32_t lane) const {
  const Packet& packet = lanes_[lane].packets.front();
  return (*packet.path)[packet.next];
}

void CreditSimulator::request_link(std::uint32_t lane) {
  const std::uint32_t link = next_hop(lane).link;
  requests_[link].push_back(lane);
  try_to_send(link);
}

void CreditSimulator::try_to_send(std::uint32_t link) {
  if (busy_[link]) return;
  auto& requests = requests_[link];
  const bool sink = delivers(fabric_, link);
  const auto found = std::ranges::find_if(requests, [&](std::uint32_t lane) {
    return sink || lanes_[lane_of(next_hop(lane))].space > 0;
  });
  if (found == requests.end()) return;
  const std::uint32_t from = *found;
  requests.erase(found);
  Lane& lane = lanes_[from];
  const std::uint32_t to = lane_of(next_hop(from));
  busy_[link] = true;
  sending_[link] = {lane.packets.front(), from};
  lane.packets.pop_front();
  lane.sending = true;
  if (!sink) {
    --lanes_[to].space;
    schedule(now_ + 1, Kind::kHead, to);
  }
  schedule(now_ + options_.flits, Kind::kTail, link);
}

void CreditSimulator::finish(std::uint32_t link) {
  const auto [packet, from] = sending_[link];
  busy_[link] = false;
  Lane& lane = lanes_[from];
  lane.sending = false;
  if (delivers(fabric_, link)) {
    ++delivered_;
    if (packet.reply != nullptr) enqueue(*packet.reply, nullptr);
  }
  const std::uint32_t behind = from / kVls;  // the link into this buffer
  if (behind < links_) {
    ++lane.space;
    try_to_send(behind);
  } else {
    --queued_[behind - links_];
  }
  if (!lane.packets.empty()) request_link(from);
  try_to_send(link);
}

}  // namespace weft::credits
