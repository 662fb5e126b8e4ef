// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulates packets on links with credit-based flow control for each virtual lane, as in InfiniBand
// (volume 1, chapter 7.9): a packet is sent only if the receiver's buffer of its VL has space for
// the whole packet. Switches forward a packet as soon as its head has arrived (cut-through). The
// model:
//
// * All packets have the same length and all links the same rate. The unit of time is the time of
//   one flit of 64 bytes. In one unit a head crosses a link and the switch after this link.
// * The buffer of each input port and VL is a FIFO of whole packets. The space of a packet is free
//   when its tail has left. Inputs do not limit each other. An output port sends one packet at a
//   time: among the packets with space in the next buffer, the packet that has waited longest at
//   the head of its buffer.
// * Endports consume each packet at once, and send its reply if the flow has replies. Endports have
//   an unlimited queue for each VL, and create no packet while `queue` packets, replies included,
//   wait.
//
// Equal seeds give equal results.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "base/rng.h"
#include "credits/lane_paths.h"

namespace weft::credits {

/// The path of a packet to send (null: no packet) and the path of its reply (null: no reply). The
/// paths must remain valid while the simulator exists.
struct Demand {
  const LanePath* path = nullptr;
  const LanePath* reply = nullptr;
};

/// Returns the next packet of an endport. The simulator calls this function only for its sources.
using Traffic = std::function<Demand(EndportId source, Rng& rng)>;

struct CreditOptions {
  std::uint32_t flits = 16;  // length of a packet
  std::uint32_t buffer = 2;  // packets in the buffer of a link and VL
  std::uint32_t queue = 16;  // packets in the queues of an endport
  std::uint64_t seed = 0;
};

/// Packets that remain in buffers because of a deadlock.
struct StuckPackets {
  std::uint64_t packets = 0;
  std::vector<LaneHop> lanes;  // buffers of switches that contain these packets
};

class CreditSimulator {
 public:
  using Time = std::uint64_t;

  /// `sources`: the endports that create packets. Each creates packets at the rate of its link.
  CreditSimulator(const Fabric& fabric, std::vector<EndportId> sources, Traffic traffic,
                  CreditOptions options);

  /// Advances by `flits` flit times.
  void run(Time flits);
  /// Packets delivered so far, replies included.
  std::uint64_t delivered() const { return delivered_; }
  /// Creates no more packets and advances until no packet moves. Packets that remain in switches
  /// are in a deadlock, or wait for packets in a deadlock.
  StuckPackets drain();

 private:
  struct Packet {
    const LanePath* path;
    const LanePath* reply;
    std::uint32_t next;  // index in path of the next link
  };
  struct Lane {
    std::deque<Packet> packets;  // packets with the head in this buffer
    std::uint32_t space = 0;     // packets that the buffer can still store
    bool sending = false;        // the tail of the previous packet has not left yet
  };
  enum class Kind : std::uint8_t { kCreate, kHead, kTail };
  struct Event {
    Time at;
    std::uint64_t order;
    Kind kind;
    std::uint32_t place;  // index of a source, a lane or a link, by kind
    bool operator>(const Event& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  /// The packet that a link sends, and the lane that the packet leaves.
  struct Sending {
    Packet packet;
    std::uint32_t from;  // index of the lane
  };

  static constexpr std::uint32_t kVls = 16;
  /// Index in lanes_, which has first the buffers at the receiving ends of links, then the queues
  /// of endports.
  std::uint32_t lane_of(const LaneHop& hop) const { return hop.link * kVls + hop.vl; }
  std::uint32_t queue_of(const LanePath& path) const {
    const std::uint32_t endport = path.front().link - fabric_.channel_count();
    return (links_ + endport) * kVls + path.front().vl;
  }
  const LaneHop& next_hop(std::uint32_t lane) const;
  void schedule(Time at, Kind kind, std::uint32_t place) {
    events_.push({at, order_++, kind, place});
  }
  /// Handles all events before `end`.
  void advance(Time end);
  void handle(const Event& event);
  void create(std::uint32_t index);
  void enqueue(const LanePath& path, const LanePath* reply);
  /// Requests the next link for the packet at the head of the lane.
  void request_link(std::uint32_t lane);
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
  std::vector<std::uint32_t> queued_;                 // by endport: number of packets in the queues
  std::vector<std::vector<std::uint32_t>> requests_;  // by link: lanes in the order of requests
  std::vector<bool> busy_;                            // by link
  std::vector<Sending> sending_;                      // by link
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace weft::credits
