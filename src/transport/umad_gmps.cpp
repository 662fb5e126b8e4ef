// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_gmps.h"

#include <infiniband/umad.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "base/check.h"
#include "ib/sa.h"

namespace weft {
namespace {

constexpr std::size_t kUmadHeaderMax = 128;  // upper bound of umad_size()
constexpr std::size_t kGmpsMax = 1 << 16;    // in the inbox; further GMPs are dropped
constexpr std::uint64_t kTransactionBits = 0xFFFFFFFF;

bool awaits_answer(Method method) {
  return !is_response(method) && method != Method::kSend && method != Method::kTrap &&
         method != Method::kTrapRepress;
}

/// Length to send. The last RMPP segment of a response is as long as its payload. The kernel pads
/// the segment, but ibsim passes the length on, and clients on ibsim derive the number of records
/// from this length.
std::size_t length_of(const Gmp& gmp) {
  const RmppHeader header = rmpp_header(gmp);
  const bool ends = gmp.mgmt_class == MgmtClass::kSubnAdm && header.active && header.last &&
                    header.type == RmppType::kData;
  if (!ends) return kMadSize;
  return std::min(kMadSize, kMadSize - kGmpDataSize + kRmppHeaderSize + header.length);
}

void write_address(void* umad, const GmpAddress& to) {
  umad_set_addr(umad, to.lid.value(), static_cast<int>(to.qpn), to.sl.value(),
                static_cast<int>(to.qkey));
  umad_set_pkey(umad, to.pkey_index);
  umad_get_mad_addr(umad)->path_bits = to.path_bits;
  if (!to.route) return;
  ib_mad_addr_t route{};
  std::memcpy(route.gid, to.route->gid.data(), to.route->gid.size());
  route.gid_index = to.route->gid_index;
  route.hop_limit = to.route->hop_limit;
  route.traffic_class = to.route->traffic_class;
  route.flow_label = to.route->flow_label;
  umad_set_grh(umad, &route);
}

GmpAddress read_address(void* umad, std::uint8_t number) {
  const ib_mad_addr_t& addr = *umad_get_mad_addr(umad);
  GmpAddress from;
  from.lid = Lid(be16toh(addr.lid));
  from.qpn = be32toh(addr.qpn) & 0xFFFFFF;
  from.qkey = kGsiQkey;
  from.sl = Sl(addr.sl & 15);
  from.pkey_index = addr.pkey_index;
  from.path_bits = addr.path_bits;
  from.port = number;
  if (addr.grh_present == 0) return from;
  from.route.emplace();
  std::memcpy(from.route->gid.data(), addr.gid, from.route->gid.size());
  from.route->gid_index = addr.gid_index;
  from.route->hop_limit = 64;  // the received value does not apply to the return path
  from.route->traffic_class = addr.traffic_class;
  from.route->flow_label = be32toh(addr.flow_label) & 0xFFFFF;
  return from;
}

}  // namespace

UmadGmps::UmadGmps(const UmadClass& what, int answer_timeout_ms)
    : what_(what), answer_timeout_ms_(what.answer_timeout_ms.value_or(answer_timeout_ms)) {}

void UmadGmps::add_port(std::uint8_t number, int port, int agent) {
  numbers_.push_back(number);
  senders_.push_back({agent, std::make_unique<UmadOutbox>(port)});
}

Status UmadGmps::send(const Gmp& gmp) {
  alignas(8) std::array<std::byte, kUmadHeaderMax + kMadSize> buffer;
  CHECK(umad_size() <= kUmadHeaderMax);
  std::fill_n(buffer.begin(), umad_size(), std::byte{0});
  const auto mad = encode(gmp);
  std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
  write_address(buffer.data(), gmp.peer);
  const Sender& sender = senders_[index_of_port(numbers_, gmp.peer.port)];
  return sender.outbox->send(sender.agent, buffer,
                             awaits_answer(gmp.method) ? answer_timeout_ms_ : 0, length_of(gmp));
}

std::optional<Gmp> UmadGmps::receive() {
  if (next_taken_ == taken_.size()) {
    next_taken_ = 0;
    taken_.clear();
    const std::lock_guard lock(mutex_);
    taken_.swap(inbox_);
  }
  if (next_taken_ == taken_.size()) return std::nullopt;
  return taken_[next_taken_++];
}

TimeNs UmadGmps::flush(TimeNs deadline) {
  for (const Sender& sender : senders_)
    if (!sender.outbox->flush()) deadline = sender.outbox->next_try(deadline);
  return deadline;
}

void UmadGmps::wait_until(TimeNs deadline) {
  if (next_taken_ != taken_.size()) return;
  while (!wait_once(flush(deadline)) && clock_.now() < deadline) {
  }
}

void UmadGmps::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  arrived_.notify_one();
}

void UmadGmps::set_early_handler(EarlyHandler handler) {
  const std::lock_guard lock(handler_mutex_);
  handler_ = std::move(handler);
}

bool UmadGmps::accept(void* umad, std::uint8_t number) {
  auto gmp = decode_gmp(std::span<const std::byte, kMadSize>(
      static_cast<const std::byte*>(umad_get_mad(umad)), kMadSize));
  if (!gmp || gmp->mgmt_class != what_.mgmt_class) return false;
  gmp->peer = read_address(umad, number);
  // The kernel sets the upper 32 bits in requests of this port. In requests of other nodes these
  // bits must be kept.
  if (is_response(gmp->method)) gmp->transaction_id &= kTransactionBits;
  if (is_handled(*gmp)) return true;
  {
    const std::lock_guard lock(mutex_);
    if (inbox_.size() >= kGmpsMax) return false;
    inbox_.push_back(*gmp);
  }
  arrived_.notify_one();  // without the lock, so that the woken thread need not wait for it
  return true;
}

bool UmadGmps::wait_once(TimeNs deadline) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !inbox_.empty() || woken_; };
  const auto span = deadline - clock_.now();
  if (deadline == TimeNs::max())
    arrived_.wait(lock, ready);
  else if (span > TimeNs{0})
    arrived_.wait_for(lock, span, ready);
  const bool was_ready = ready();
  woken_ = false;
  return was_ready;
}

bool UmadGmps::is_handled(const Gmp& gmp) {
  const std::lock_guard lock(handler_mutex_);
  return handler_ && handler_(gmp);
}

}  // namespace weft
