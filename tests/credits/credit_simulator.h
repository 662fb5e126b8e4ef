// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Packets on links with credit-based flow control for each virtual lane, as InfiniBand has it
// (volume 1, chapter 7.9): a packet is sent only if the receiver's buffer of its VL has room for
// all of it. Switches cut through: they forward a packet as soon as its head has arrived. The
// model:
//
// * All packets have the same length and all links the same rate. The unit of time is the time of
//   one flit of 64 bytes, in which a head also crosses a link and a switch.
// * The buffer of each input port and VL is a FIFO of whole packets; its space is free again when
//   the packet's tail has left. Inputs do not limit each other; an output port sends one packet at
//   a time: the one that has waited longest at the head of a buffer, among those with room in the
//   next buffer.
// * End nodes take each packet at once, and answer it if the flow has replies. They have an
//   unlimited queue for each VL, and create no packet while `queue` packets wait.
//
// Deterministic for a seed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "base/rng.h"
#include "credits/lane_paths.h"

namespace weft::credits {

/// A packet to send, and the path of its reply, null if there is none. Paths must outlive the
/// simulator.
struct Demand {
  const LanePath* path = nullptr;
  const LanePath* reply = nullptr;
};

/// The next packet of an endport. Not called for endports without traffic.
using Traffic = std::function<Demand(EndportId source, Rng& rng)>;

struct CreditOptions {
  std::uint32_t flits = 16;  // of a packet
  std::uint32_t buffer = 2;  // packets, for each link and VL
  std::uint32_t queue = 16;  // packets, for each endport
  std::uint64_t seed = 0;
};

/// Packets in buffers that no event will ever move again.
struct Stuck {
  std::uint64_t packets = 0;
  std::vector<LaneHop> lanes;  // buffers in switches with such packets
};

class CreditSimulator {
 public:
  using Time = std::uint64_t;

  /// `sources`: endports that create packets, each as fast as its link takes them.
  CreditSimulator(const Fabric& fabric, std::vector<EndportId> sources, Traffic traffic,
                  CreditOptions options);

  /// Advances by `flits` flit times.
  void run(Time flits);
  /// Packets delivered so far, replies included.
  std::uint64_t delivered() const { return delivered_; }
  /// Creates no more packets and advances until nothing moves; what is left in switches is in a
  /// deadlock, or behind one.
  Stuck drain();

 private:
  struct Packet {
    const LanePath* path;
    const LanePath* reply;
    std::uint32_t next;  // index in path of the link that it wants next
  };
  struct Lane {
    std::deque<Packet> packets;  // with their heads here
    std::uint32_t room = 0;
    bool sending = false;  // the tail of the packet before is still leaving
  };
  enum class Kind : std::uint8_t { kCreate, kHead, kTail };
  struct Event {
    Time at;
    std::uint64_t order;
    Kind kind;
    std::uint32_t place;  // source, lane, or link
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  /// What a link sends.
  struct Sending {
    Packet packet;
    std::uint32_t from;  // lane
  };

  static constexpr std::uint32_t kVls = 16;
  /// Buffers behind links come first, then the queues of endports.
  std::uint32_t lane_of(const LaneHop& hop) const { return hop.link * kVls + hop.vl; }
  std::uint32_t queue_of(const LanePath& path) const {
    const std::uint32_t endport = path.front().link - fabric_.channel_count();
    return (links_ + endport) * kVls + path.front().vl;
  }
  const LaneHop& wanted(std::uint32_t lane) const;
  void schedule(Time at, Kind kind, std::uint32_t place) {
    events_.push({at, order_++, kind, place});
  }
  /// Handles all events before `end`.
  void advance(Time end);
  void handle(const Event& event);
  void create(std::uint32_t index);
  void enqueue(const LanePath& path, const LanePath* reply);
  /// The packet at the head of the lane asks for its next link.
  void ask(std::uint32_t lane);
  void try_to_send(std::uint32_t link);
  void finish(std::uint32_t link);

  const Fabric& fabric_;
  const std::vector<EndportId> sources_;
  const Traffic traffic_;
  const CreditOptions options_;
  const std::uint32_t links_;
  Rng rng_;
  Time now_ = 0;
  std::uint64_t order_ = 0;
  bool creating_ = true;
  std::uint64_t delivered_ = 0;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> queued_;               // by endport: packets in its queues
  std::vector<std::vector<std::uint32_t>> asking_;  // by link: lanes, in order
  std::vector<bool> busy_;                          // by link
  std::vector<Sending> sending_;                    // by link
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace weft::credits
