// Reliable transfer of what does not fit into one MAD, both ways: answers of many records go out in
// segments as the receiver's window allows, requests of many segments come in. A peer that vanishes
// costs some memory for some seconds; how much there is at most is said beforehand.
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

namespace weft {

/// Where segments leave by.
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

/// What a transfer carries, made piece by piece as its receiver takes it.
class RmppSource {
 public:
  virtual ~RmppSource() = default;
  /// Appends about so many bytes, or fewer where that takes long. False: that was all.
  virtual bool append(std::vector<std::byte>& payload, std::size_t bytes) = 0;
  /// Counts publications: what is made of an old one holds it in memory.
  virtual std::uint64_t generation() const = 0;
};

struct RmppOptions {
  TimeNs ack_timeout = std::chrono::seconds(1);
  unsigned retries = 4;
  std::size_t burst = 64;                            // segments that one transfer sends in a turn
  std::size_t sending_max = std::size_t{128} << 20;  // bytes of all answers under way
  std::size_t head_max = std::size_t{1} << 20;  // of one from a source, before its first segment
  std::size_t piece = std::size_t{64} << 10;    // that a source is asked for in a turn
  std::size_t sources_of_port = 8;              // under way at a time
  std::size_t transfers_of_port = 256;          // likewise, sources or not
  std::size_t port_share = 4;  // a port that has some has at most sending_max / port_share bytes
  std::size_t turns = 8;       // of transfers, before requests have theirs
  std::size_t receiving_max = 256;  // requests under way
  std::size_t request_max = 16384;  // bytes of one
  std::uint32_t window = 16;        // segments that we let come
};

class RmppSender {
 public:
  explicit RmppSender(const RmppOptions& options) : options_(options) {}

  /// `first` has the headers that every segment is to have, and the receiver's address. False where
  /// there is no room. A transfer with the same key ends without a word: its receiver asks again.
  /// What fits into one segment is sent and forgotten: if it is lost, the receiver asks again too.
  bool begin(const Gmp& first, std::vector<std::byte> payload, TimeNs now, const GmpSink& out);
  /// The same where the payload is not there yet. The first segment says how long the whole is, as
  /// far as it is known after `head_max` bytes, else 0.
  bool begin(const Gmp& first, std::unique_ptr<RmppSource> source, TimeNs now, const GmpSink& out);
  /// Ends transfers from sources of old generations.
  void abort_older(std::uint64_t generation, const GmpSink& out);
  /// ACK, STOP or ABORT. What belongs to no transfer is ignored.
  void on_gmp(const Gmp& gmp, TimeNs now, const GmpSink& out);
  /// The port asks for something else: what it has been sent in vain before is given up, so that
  /// programs without RMPP, as all are under ibsim, do not take old segments for new ones.
  void give_up_unheard(Lid port, TimeNs now);
  /// Sends what windows allow, in turns, and again what was not acknowledged in time.
  void step(TimeNs now, const GmpSink& out);
  /// When step() has something to do; now or before where it has already.
  TimeNs next_event() const;

  std::size_t under_way() const { return transfers_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Transfer {
    Gmp header;
    std::vector<std::byte> payload;      // behind the segments that were dropped
    std::unique_ptr<RmppSource> source;  // of what follows; null: nothing does
    std::uint32_t dropped = 0;           // segments that were acknowledged
    std::size_t charged = 0;             // of bytes_
    bool queued = false;                 // in ready_
    std::uint32_t acknowledged = 0;
    std::uint32_t sent = 0;  // of this pass
    std::uint32_t sent_ever = 0;
    std::uint32_t window_last = 1;  // until the first ACK opens it
    unsigned tries = 0;
    TimeNs begun{};
    TimeNs deadline{};
  };
  using Transfers = std::map<TransferKey, Transfer>;

  /// Segments that can be sent: all, or those behind which something is known to follow.
  static std::uint32_t available(const Transfer& transfer);
  bool wants_more(const Transfer& transfer) const;
  void charge(Transfer& transfer);
  void drop_acknowledged(Transfer& transfer);
  bool has_room(Lid port, std::size_t bytes, bool source) const;
  /// Gives up what the port was sent in vain, the oldest first, until there is room. A fast program
  /// without RMPP would else be told to wait for answers that nobody takes.
  bool make_room(Lid port, std::size_t bytes, bool source, TimeNs now);
  void start(Transfer transfer, TimeNs now, const GmpSink& out);
  void queue(Transfers::iterator at);
  void send_some(Transfers::iterator at, TimeNs now, const GmpSink& out);
  void send_segment(const Transfer& transfer, std::uint32_t segment, const GmpSink& out) const;
  void set_deadline(Transfers::iterator at, TimeNs deadline);
  void abort(Transfers::iterator at, std::uint8_t status, const GmpSink& out);
  void end(Transfers::iterator at);
  void on_ack(Transfers::iterator at, const RmppHeader& ack, TimeNs now, const GmpSink& out);

  const RmppOptions options_;
  Transfers transfers_;
  std::set<std::pair<TimeNs, TransferKey>> deadlines_;
  std::deque<TransferKey> ready_;  // may go on at once; some of them may have ended
  std::size_t bytes_ = 0;
};

class RmppReceiver {
 public:
  explicit RmppReceiver(const RmppOptions& options) : options_(options) {}

  /// A request that came whole: the first segment's headers, and what all segments carried.
  struct Received {
    Gmp first;
    std::vector<std::byte> payload;
  };
  /// A DATA segment.
  std::optional<Received> on_data(const Gmp& gmp, TimeNs now, const GmpSink& out);
  /// STOP or ABORT by the sender.
  void forget(const Gmp& gmp);
  /// Gives up what has not come in time.
  void step(TimeNs now, const GmpSink& out);
  TimeNs next_event() const;

  std::size_t under_way() const { return transfers_.size(); }

 private:
  struct Transfer {
    Gmp first;
    std::vector<std::byte> payload;
    std::uint32_t segment = 0;  // the last that came in order
    TimeNs deadline{};
  };
  using Transfers = std::map<TransferKey, Transfer>;
  void end(Transfers::iterator at);

  const RmppOptions options_;
  Transfers transfers_;
  std::set<std::pair<TimeNs, TransferKey>> deadlines_;
};

}  // namespace weft
