// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reliable multi-packet transfer in both directions: answers are sent in segments within the
// receiver's window, requests in segments are reassembled. A peer that stops responding occupies a
// bounded amount of memory for some seconds.
// Source: InfiniBand Architecture Specification, volume 1, chapter 13.6.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "ib/sa.h"
#include "sa/port_of.h"

namespace weft {

/// Sends a MAD.
using GmpSink = std::function<void(const Gmp&)>;

/// One transfer with one peer.
struct TransferKey {
  Lid lid;
  std::uint32_t qpn = 0;
  std::uint64_t transaction = 0;
  MgmtClass mgmt_class{};
  auto operator<=>(const TransferKey&) const = default;
};
TransferKey transfer_key(const Gmp& gmp);

/// Payload of a transfer, produced in pieces as the receiver's window advances.
class RmppSource {
 public:
  virtual ~RmppSource() = default;
  /// Appends about `bytes` bytes, or fewer if the bytes take long to produce. Returns false if the
  /// payload is complete.
  virtual bool append(std::vector<std::byte>& payload, std::size_t bytes) = 0;
  /// Generation of the view that the transfer reads and keeps in memory.
  virtual std::uint64_t generation() const = 0;
};

struct RmppOptions {
  TimeNs ack_timeout = std::chrono::seconds(1);
  unsigned retries = 4;
  std::size_t burst = 64;                            // segments before the next transfer sends
  std::size_t sending_max = std::size_t{128} << 20;  // bytes of all answers that are being sent
  std::size_t head_max = std::size_t{1} << 20;       // bytes made before the first segment
  std::size_t piece = std::size_t{64} << 10;         // bytes requested of a source at a time
  std::size_t sources_of_port = 8;                   // concurrent RmppSources of a port
  std::size_t transfers_of_port = 256;               // concurrent transfers of a port
  std::size_t port_share = 4;  // a port with several transfers: sending_max / port_share bytes
  std::size_t transfers_per_step = 8;  // transfers that send before requests are served
  std::size_t receiving_max = 256;     // concurrent requests
  std::size_t receiving_of_port = 0;   // concurrent requests of a port; 0: no limit
  std::size_t request_max = 16384;     // bytes of one request
  std::uint32_t window = 16;           // segments of a request's window
};

class RmppSender {
 public:
  explicit RmppSender(const RmppOptions& options, PortOf port_of = &same_lid)
      : options_(options), port_of_(std::move(port_of)) {}

  /// Starts a transfer. `first` has the headers of every segment and the receiver's address.
  /// Returns false if a limit is exceeded. A transfer with the same key is replaced without an
  /// ABORT, because its receiver has repeated the request. A payload of one segment is sent and not
  /// repeated; if it is lost, the receiver repeats the request.
  bool begin(const Gmp& first, std::vector<std::byte> payload, TimeNs now, const GmpSink& out);
  /// Starts a transfer with a payload that is still to be produced. The first segment has the total
  /// length if it is known after `head_max` bytes, else 0.
  bool begin(const Gmp& first, std::unique_ptr<RmppSource> source, TimeNs now, const GmpSink& out);
  /// Ends the transfers from sources older than `generation` with a STOP.
  void abort_older(std::uint64_t generation, const GmpSink& out);
  /// Accepts an ACK, STOP or ABORT. An invalid packet ends its transfer with an ABORT; a packet
  /// that belongs to no transfer is ignored.
  void on_gmp(const Gmp& gmp, TimeNs now, const GmpSink& out);
  /// Ends the transfers to the LID that began 20 ms ago or earlier and were never acknowledged;
  /// call when the LID has sent another request. Otherwise programs without RMPP, which include all
  /// programs under ibsim, accept segments of an old answer as segments of a new answer.
  void end_unacknowledged(Lid lid, TimeNs now);
  /// Sends segments within the windows, round-robin, and repeats the segments that were not
  /// acknowledged in time. Ends a transfer with an ABORT after the last retry.
  void step(TimeNs now, const GmpSink& out);
  /// Time of the next step(); in the past if segments can be sent at once.
  TimeNs next_event() const;

  std::size_t under_way() const { return transfers_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Transfer {
    Gmp header;
    Lid port{};                          // base LID of the receiving port at the begin
    std::vector<std::byte> payload;      // after the dropped segments
    std::unique_ptr<RmppSource> source;  // produces the rest; null: payload is complete
    std::uint32_t dropped = 0;           // acknowledged segments removed from `payload`
    std::size_t charged = 0;             // share of bytes_
    bool queued = false;                 // in ready_
    std::uint32_t acknowledged = 0;
    std::uint32_t sent = 0;  // last segment sent since the last timeout
    std::uint32_t sent_ever = 0;
    std::uint32_t window_last = 1;  // 1 until the first ACK
    unsigned tries = 0;
    TimeNs begun{};
    TimeNs deadline{};
  };
  using Transfers = std::map<TransferKey, Transfer>;
  using ByPort = std::map<std::pair<Lid, TransferKey>, Transfers::iterator>;

  /// Number of segments that can be sent: all, or, until the payload is complete, the segments that
  /// cannot be the last one.
  static std::uint32_t available(const Transfer& transfer);
  bool needs_payload(const Transfer& transfer) const;
  void charge(Transfer& transfer);
  void drop_acknowledged(Transfer& transfer);
  bool is_within_limits(Lid port, std::size_t bytes, bool source) const;
  /// Ends unacknowledged transfers of the port that began 2 ms ago or earlier, oldest first, until
  /// one more transfer is within the limits. Otherwise a program without RMPP that sends many
  /// requests would receive the status busy. Returns false if a limit is still exceeded.
  bool free_capacity(Lid port, std::size_t bytes, bool source, TimeNs now);
  void start(Transfer transfer, TimeNs now, const GmpSink& out);
  void queue(Transfers::iterator at);
  void send_some(Transfers::iterator at, TimeNs now, const GmpSink& out);
  void send_segment(const Transfer& transfer, std::uint32_t segment, const GmpSink& out) const;
  void set_deadline(Transfers::iterator at, TimeNs deadline);
  void abort(Transfers::iterator at, std::uint8_t status, const GmpSink& out);
  void end(Transfers::iterator at);
  void on_ack(Transfers::iterator at, const RmppHeader& ack, TimeNs now, const GmpSink& out);

  const RmppOptions options_;
  const PortOf port_of_;
  Transfers transfers_;
  ByPort by_port_;  // all transfers by Transfer::port
  std::set<std::pair<TimeNs, TransferKey>> deadlines_;
  std::deque<TransferKey> ready_;  // transfers that can send at once; may contain ended transfers
  std::size_t bytes_ = 0;
};

class RmppReceiver {
 public:
  explicit RmppReceiver(const RmppOptions& options, PortOf port_of = &same_lid)
      : options_(options), port_of_(std::move(port_of)) {}

  /// A complete request: headers of the first segment, payload of all segments.
  struct Received {
    Gmp first;
    std::vector<std::byte> payload;
  };
  /// Accepts a DATA segment; returns the request once it is complete.
  std::optional<Received> on_data(const Gmp& gmp, TimeNs now, const GmpSink& out);
  /// Accepts a STOP or ABORT from the sender.
  void forget(const Gmp& gmp);
  /// Ends transfers of requests if their next segment did not arrive in time.
  void step(TimeNs now, const GmpSink& out);
  TimeNs next_event() const;

  std::size_t under_way() const { return transfers_.size(); }
  /// Number of requests that were refused because of the limits of a port or of all ports.
  std::uint64_t refused() const { return refused_; }

 private:
  struct Transfer {
    Gmp first;
    Lid port;  // base LID of the sending port at the begin
    std::vector<std::byte> payload;
    std::uint32_t segment = 0;  // last segment received in order
    TimeNs deadline{};
  };
  using Transfers = std::map<TransferKey, Transfer>;
  void end(Transfers::iterator at);
  bool is_within_limits(Lid port) const;

  const RmppOptions options_;
  const PortOf port_of_;
  std::uint64_t refused_ = 0;
  Transfers transfers_;
  std::map<Lid, std::size_t> count_by_port_;  // number of transfers by Transfer::port
  std::set<std::pair<TimeNs, TransferKey>> deadlines_;
};

}  // namespace weft
