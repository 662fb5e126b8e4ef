// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/rmpp.h"

#include <algorithm>

namespace weft {
namespace {

constexpr std::uint8_t kResponseBit = 0x80;
// Time within which a receiver with RMPP sends its first ACK, and a shorter time for ports that are
// at a limit.
constexpr TimeNs kAckWithin = std::chrono::milliseconds(20);
constexpr TimeNs kAckWithinWhenFull = std::chrono::milliseconds(2);

/// An ACK, STOP or ABORT with the headers of `about`; `is_reversed`: `about` was received, so that
/// the direction is reversed.
Gmp control(const Gmp& about, bool is_reversed, const RmppHeader& header) {
  Gmp gmp = about;
  gmp.data.fill(std::byte{0});
  gmp.status = 0;
  if (is_reversed)
    gmp.method = static_cast<Method>(static_cast<std::uint8_t>(about.method) ^ kResponseBit);
  set_rmpp_header(gmp, header);
  return gmp;
}

Gmp abort_of(const Gmp& about, bool is_reversed, std::uint8_t status) {
  RmppHeader header;
  header.version = kRmppVersion;
  header.type = status == rmpp_status::kResourcesExhausted ? RmppType::kStop : RmppType::kAbort;
  header.active = true;
  header.status = status;
  return control(about, is_reversed, header);
}

/// The PayloadLength field: in the first segment the length of the message, in the last segment the
/// length of this segment. Each segment counts with its SA header.
std::uint32_t payload_length(std::size_t bytes, std::uint32_t segments) {
  return static_cast<std::uint32_t>(bytes + std::size_t{segments} * kSaHeaderSize);
}

}  // namespace

TransferKey transfer_key(const Gmp& gmp) {
  return {gmp.peer.lid, gmp.peer.qpn, gmp.transaction_id, gmp.mgmt_class};
}

// ---- sending

bool RmppSender::begin(const Gmp& first, std::vector<std::byte> payload, TimeNs now,
                       const GmpSink& out) {
  if (const auto old = transfers_.find(transfer_key(first)); old != transfers_.end()) end(old);
  Transfer transfer;
  transfer.header = first;
  transfer.payload = std::move(payload);
  if (available(transfer) == 1) {
    send_segment(transfer, 1, out);
    return true;
  }
  transfer.port = port_of_(first.peer.lid);
  if (!free_capacity(transfer.port, transfer.payload.size(), false, now)) return false;
  start(std::move(transfer), now, out);
  return true;
}

bool RmppSender::begin(const Gmp& first, std::unique_ptr<RmppSource> source, TimeNs now,
                       const GmpSink& out) {
  if (const auto old = transfers_.find(transfer_key(first)); old != transfers_.end()) end(old);
  Transfer transfer;
  transfer.header = first;
  transfer.port = port_of_(first.peer.lid);
  if (!free_capacity(transfer.port, options_.head_max, true, now)) return false;
  transfer.source = std::move(source);
  start(std::move(transfer), now, out);
  return true;
}

void RmppSender::start(Transfer transfer, TimeNs now, const GmpSink& out) {
  const TransferKey key = transfer_key(transfer.header);
  transfer.begun = now;
  const auto at = transfers_.emplace(key, std::move(transfer)).first;
  by_port_.emplace(std::pair(at->second.port, key), at);
  charge(at->second);
  deadlines_.emplace(at->second.deadline, key);
  set_deadline(at, now + options_.ack_timeout);
  if (at->second.source && !ready_.empty())
    queue(at);  // round-robin
  else
    send_some(at, now, out);
}

std::uint32_t RmppSender::available(const Transfer& transfer) {
  const std::size_t size = transfer.payload.size();
  const std::size_t held = transfer.source ? (size == 0 ? 0 : (size - 1) / kSaDataSize)
                                           : (size + kSaDataSize - 1) / kSaDataSize;
  const auto segments = transfer.dropped + static_cast<std::uint32_t>(held);
  return transfer.source ? segments : std::max(segments, std::uint32_t{1});
}

bool RmppSender::needs_payload(const Transfer& transfer) const {
  if (!transfer.source) return false;
  if (transfer.sent_ever == 0) return transfer.payload.size() < options_.head_max;
  const auto burst = static_cast<std::uint32_t>(options_.burst);
  return available(transfer) < std::min(transfer.window_last, transfer.sent + burst);
}

void RmppSender::charge(Transfer& transfer) {
  bytes_ -= transfer.charged;
  transfer.charged = std::max(transfer.payload.size(), transfer.source ? options_.head_max : 0);
  bytes_ += transfer.charged;
}

/// Removes acknowledged segments from the payload if they are at least half of it, so that each
/// byte is moved at most once on average.
void RmppSender::drop_acknowledged(Transfer& transfer) {
  const std::size_t bytes = std::min(
      std::size_t{transfer.acknowledged - transfer.dropped} * kSaDataSize, transfer.payload.size());
  if (2 * bytes < transfer.payload.size()) return;
  transfer.payload.erase(transfer.payload.begin(),
                         transfer.payload.begin() + static_cast<std::ptrdiff_t>(bytes));
  transfer.dropped = transfer.acknowledged;
}

/// True if one more transfer to this port is within the limits. The number of transfers of a port
/// is limited because each request of the port iterates over all its transfers.
bool RmppSender::is_within_limits(Lid port, std::size_t bytes, bool source) const {
  if (bytes > options_.sending_max - std::min(bytes_, options_.sending_max)) return false;
  std::size_t sources = source ? 1 : 0, transfers = 1, held = 0;
  for (auto at = by_port_.lower_bound({port, {}}); at != by_port_.end() && at->first.first == port;
       ++at) {
    const Transfer& transfer = at->second->second;
    ++transfers;
    if (transfer.source) ++sources;
    held += transfer.charged;
  }
  return transfers <= options_.transfers_of_port && sources <= options_.sources_of_port &&
         (held == 0 || held + bytes <= options_.sending_max / options_.port_share);
}

void RmppSender::send_segment(const Transfer& transfer, std::uint32_t segment,
                              const GmpSink& out) const {
  Gmp gmp = transfer.header;
  const std::size_t from = std::size_t{segment - 1 - transfer.dropped} * kSaDataSize;
  const std::size_t length = std::min(kSaDataSize, transfer.payload.size() - from);
  const std::uint32_t segments = available(transfer);
  RmppHeader header;
  header.version = kRmppVersion;
  header.type = RmppType::kData;
  header.active = true;
  header.first = segment == 1;
  header.last = !transfer.source && segment == segments;
  header.segment = segment;
  if (header.first && !transfer.source)
    header.length = payload_length(transfer.payload.size(), segments);
  if (header.last) header.length = payload_length(length, 1);
  set_rmpp_header(gmp, header);
  if (header.first && transfer.payload.empty()) {  // without records there is no record size
    SaHeader empty = sa_header(gmp);
    empty.attribute_offset = 0;
    set_sa_header(gmp, empty);
  }
  const auto data = sa_data(gmp);
  std::ranges::fill(data, std::byte{0});
  std::copy_n(transfer.payload.begin() + static_cast<std::ptrdiff_t>(from), length, data.begin());
  out(gmp);
}

void RmppSender::queue(Transfers::iterator at) {
  if (std::exchange(at->second.queued, true)) return;
  ready_.push_back(at->first);
}

void RmppSender::send_some(Transfers::iterator at, TimeNs now, const GmpSink& out) {
  Transfer& transfer = at->second;
  if (needs_payload(transfer)) {
    if (!transfer.source->append(transfer.payload, options_.piece)) transfer.source.reset();
    charge(transfer);
  }
  set_deadline(at, now + options_.ack_timeout);
  if (transfer.sent_ever == 0 && needs_payload(transfer)) return queue(at);
  const std::uint32_t last = std::min(transfer.window_last, available(transfer));
  for (std::size_t i = 0; i < options_.burst && transfer.sent < last; ++i)
    send_segment(transfer, ++transfer.sent, out);
  transfer.sent_ever = std::max(transfer.sent_ever, transfer.sent);
  if (!transfer.source && available(transfer) == 1) return end(at);
  if (transfer.sent < last || (transfer.source && transfer.sent < transfer.window_last)) queue(at);
}

void RmppSender::abort_older(std::uint64_t generation, const GmpSink& out) {
  for (auto at = transfers_.begin(); at != transfers_.end();) {
    const auto next = std::next(at);
    if (at->second.source && at->second.source->generation() < generation)
      abort(at, rmpp_status::kResourcesExhausted, out);
    at = next;
  }
}

void RmppSender::set_deadline(Transfers::iterator at, TimeNs deadline) {
  deadlines_.erase({at->second.deadline, at->first});
  at->second.deadline = deadline;
  deadlines_.emplace(deadline, at->first);
}

void RmppSender::end(Transfers::iterator at) {
  bytes_ -= at->second.charged;
  deadlines_.erase({at->second.deadline, at->first});
  by_port_.erase({at->second.port, at->first});
  transfers_.erase(at);
}

void RmppSender::abort(Transfers::iterator at, std::uint8_t status, const GmpSink& out) {
  out(abort_of(at->second.header, false, status));
  end(at);
}

void RmppSender::on_gmp(const Gmp& gmp, TimeNs now, const GmpSink& out) {
  const auto at = transfers_.find(transfer_key(gmp));
  if (at == transfers_.end()) return;
  const RmppHeader header = rmpp_header(gmp);
  if (header.version != kRmppVersion) return abort(at, rmpp_status::kUnsupportedVersion, out);
  if (header.type == RmppType::kStop || header.type == RmppType::kAbort) return end(at);
  if (header.type != RmppType::kAck) return abort(at, rmpp_status::kBadType, out);
  if (header.status != rmpp_status::kNormal) return abort(at, rmpp_status::kIllegalStatus, out);
  on_ack(at, header, now, out);
}

void RmppSender::on_ack(Transfers::iterator at, const RmppHeader& ack, TimeNs now,
                        const GmpSink& out) {
  Transfer& transfer = at->second;
  if (ack.segment > transfer.sent_ever) return abort(at, rmpp_status::kSegmentTooBig, out);
  if (ack.length < ack.segment) return abort(at, rmpp_status::kWindowTooSmall, out);
  if (ack.segment < transfer.acknowledged) return;  // an older ACK that arrived late
  if (!transfer.source && ack.segment == available(transfer)) return end(at);
  // A larger window counts as progress only if the transfer waited for it: otherwise a transfer
  // might never end.
  const bool waits = transfer.sent == transfer.window_last;
  const bool progress =
      ack.segment > transfer.acknowledged || (waits && ack.length > transfer.window_last);
  transfer.window_last = std::max(ack.length, transfer.window_last);
  if (!progress) return;
  transfer.acknowledged = ack.segment;
  transfer.sent = std::max(transfer.sent, transfer.acknowledged);
  transfer.tries = 0;
  drop_acknowledged(transfer);
  charge(transfer);
  send_some(at, now, out);
}

bool RmppSender::free_capacity(Lid port, std::size_t bytes, bool source, TimeNs now) {
  while (!is_within_limits(port, bytes, source)) {
    auto oldest = transfers_.end();
    for (auto at = by_port_.lower_bound({port, {}});
         at != by_port_.end() && at->first.first == port; ++at) {
      const Transfer& transfer = at->second->second;
      const bool unacknowledged =
          transfer.acknowledged == 0 && transfer.begun + kAckWithinWhenFull <= now;
      if (unacknowledged && (oldest == transfers_.end() || transfer.begun < oldest->second.begun))
        oldest = at->second;
    }
    if (oldest == transfers_.end()) return false;
    end(oldest);
  }
  return true;
}

void RmppSender::end_unacknowledged(Lid lid, TimeNs now) {
  auto at = transfers_.lower_bound({lid, 0, 0, MgmtClass{}});
  while (at != transfers_.end() && at->first.lid == lid) {
    const auto next = std::next(at);
    if (at->second.acknowledged == 0 && at->second.begun + kAckWithin <= now) end(at);
    at = next;
  }
}

void RmppSender::step(TimeNs now, const GmpSink& out) {
  for (std::size_t transfers_per_step = std::min(ready_.size(), options_.transfers_per_step);
       transfers_per_step-- > 0;) {
    const TransferKey key = ready_.front();
    ready_.pop_front();
    const auto at = transfers_.find(key);
    if (at == transfers_.end()) continue;
    at->second.queued = false;
    send_some(at, now, out);
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto at = transfers_.find(deadlines_.begin()->second);
    if (at->second.queued) {  // waits in ready_, not for an ACK
      set_deadline(at, now + options_.ack_timeout);
      continue;
    }
    if (at->second.tries++ == options_.retries) {
      abort(at, rmpp_status::kTooManyRetries, out);
      continue;
    }
    at->second.sent = at->second.acknowledged;
    send_some(at, now, out);
  }
}

TimeNs RmppSender::next_event() const {
  if (!ready_.empty()) return TimeNs{0};
  return deadlines_.empty() ? TimeNs::max() : deadlines_.begin()->first;
}

// ---- receiving

void RmppReceiver::end(Transfers::iterator at) {
  deadlines_.erase({at->second.deadline, at->first});
  if (const auto count = count_by_port_.find(at->second.port); --count->second == 0)
    count_by_port_.erase(count);
  transfers_.erase(at);
}

void RmppReceiver::forget(const Gmp& gmp) {
  if (const auto at = transfers_.find(transfer_key(gmp)); at != transfers_.end()) end(at);
}

/// True if one more request of the port is within the limits.
bool RmppReceiver::is_within_limits(Lid port) const {
  if (transfers_.size() >= options_.receiving_max) return false;
  if (options_.receiving_of_port == 0) return true;
  const auto requests = count_by_port_.find(port);
  return requests == count_by_port_.end() || requests->second < options_.receiving_of_port;
}

std::optional<RmppReceiver::Received> RmppReceiver::on_data(const Gmp& gmp, TimeNs now,
                                                            const GmpSink& out) {
  const RmppHeader header = rmpp_header(gmp);
  const TransferKey key = transfer_key(gmp);
  auto at = transfers_.find(key);
  const auto refuse = [&](std::uint8_t status) {
    out(abort_of(gmp, true, status));
    if (at != transfers_.end()) end(at);
    return std::nullopt;
  };
  if (header.version != kRmppVersion) return refuse(rmpp_status::kUnsupportedVersion);
  if (header.status != rmpp_status::kNormal) return refuse(rmpp_status::kIllegalStatus);
  if (header.first != (header.segment == 1)) return refuse(rmpp_status::kInconsistentFirst);
  if (header.last &&
      (header.length < kSaHeaderSize || header.length > kSaHeaderSize + kSaDataSize) &&
      !header.first)
    return refuse(rmpp_status::kInconsistentLast);
  if (at == transfers_.end()) {
    if (header.segment != 1) return std::nullopt;  // the transfer has ended
    const Lid port = port_of_(gmp.peer.lid);
    if (!is_within_limits(port)) {
      ++refused_;
      return refuse(rmpp_status::kResourcesExhausted);
    }
    at = transfers_.emplace(key, Transfer{gmp, port, {}, 0, now}).first;
    ++count_by_port_[port];
  }
  Transfer& transfer = at->second;
  const bool in_order = header.segment == transfer.segment + 1;
  if (header.segment > transfer.segment + options_.window)
    return refuse(rmpp_status::kSegmentTooBig);
  if (in_order) {
    ++transfer.segment;
    std::size_t length = kSaDataSize;
    if (header.last && header.length >= kSaHeaderSize)
      length = std::min<std::size_t>(length, header.length - kSaHeaderSize);
    if (transfer.payload.size() + length > options_.request_max)
      return refuse(rmpp_status::kResourcesExhausted);
    const auto data = sa_data(gmp);
    transfer.payload.insert(transfer.payload.end(), data.begin(),
                            data.begin() + static_cast<std::ptrdiff_t>(length));
  }
  const bool whole = in_order && header.last;
  RmppHeader ack;
  ack.version = kRmppVersion;
  ack.type = RmppType::kAck;
  ack.active = true;
  ack.segment = transfer.segment;
  ack.length = whole ? transfer.segment : transfer.segment + options_.window;
  out(control(gmp, true, ack));
  deadlines_.erase({transfer.deadline, key});
  if (!whole) {
    transfer.deadline = now + options_.ack_timeout * (options_.retries + 1);
    deadlines_.emplace(transfer.deadline, key);
    return std::nullopt;
  }
  Received received{transfer.first, std::move(transfer.payload)};
  end(at);
  return received;
}

void RmppReceiver::step(TimeNs now, const GmpSink& out) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const auto at = transfers_.find(deadlines_.begin()->second);
    out(abort_of(at->second.first, true, rmpp_status::kTotalTimeTooLong));
    end(at);
  }
}

TimeNs RmppReceiver::next_event() const {
  return deadlines_.empty() ? TimeNs::max() : deadlines_.begin()->first;
}

}  // namespace weft
