// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_transport.h"

#include <infiniband/umad.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace weft {
namespace {

constexpr int kGmpLengthMin = 24;
constexpr int kPollMs = 100;                // longest delay until the receiver thread ends
constexpr std::size_t kInboxMax = 1 << 16;  // further MADs are dropped
constexpr std::uint64_t kTransactionMask = 0xFFFFFFFF;
constexpr TimeNs kLinkCheckInterval = std::chrono::seconds(1);

}  // namespace

Result<UmadTransport::OpenPorts> UmadTransport::open_all(const UmadPorts& ports,
                                                         const UmadOptions& options) {
  OpenPorts opened;
  const auto add = [&](const UmadPort& where, const UmadUse& use, bool is_first) -> Status {
    auto agents = UmadAgents::open(where, use);
    if (agents)
      opened.push_back(std::make_unique<OpenPort>(std::move(*agents)));
    else if (is_first)
      return forward(agents);
    else
      log::warn("a port of the manager's CA is not used: {}", agents.error().message);
    return {};
  };
  for (const UmadPort& where : ports.smps) {
    const bool has_gmps = std::ranges::find(ports.gmps, where) != ports.gmps.end();
    const UmadUse use{true, has_gmps ? std::span(options.classes) : std::span<const UmadClass>{},
                      options.announce_sm};
    if (const auto status = add(where, use, &where == &ports.smps.front()); !status)
      return forward(status);
  }
  if (options.classes.empty()) return opened;
  for (const UmadPort& where : ports.gmps) {
    if (std::ranges::find(ports.smps, where) != ports.smps.end()) continue;
    if (const auto status =
            add(where, {false, options.classes, false}, &where == &ports.gmps.front());
        !status)
      return forward(status);
  }
  return opened;
}

Result<std::unique_ptr<UmadTransport>> UmadTransport::open(const UmadPorts& ports,
                                                           const UmadOptions& options) {
  auto opened = open_all(ports, options);
  if (!opened) return forward(opened);
  return std::unique_ptr<UmadTransport>(new UmadTransport(std::move(*opened), options));
}

UmadTransport::UmadTransport(OpenPorts opened, const UmadOptions& options)
    : open_ports_(std::move(opened)), options_(options) {
  for (const auto& open_port : open_ports_)
    if (open_port->agents.directed >= 0) smp_numbers_.push_back(open_port->number());
  for (std::size_t i = 0; i < options_.classes.size(); ++i) {
    UmadGmps& gmps = *gmps_.emplace_back(
        std::make_unique<UmadGmps>(options_.classes[i], options_.answer_timeout_ms));
    for (const auto& open_port : open_ports_)
      if (!open_port->agents.classes.empty())
        gmps.add_port(open_port->number(), open_port->agents.port, open_port->agents.classes[i]);
  }
  for (const auto& open_port : open_ports_)
    open_port->receiver = std::thread([this, &at = *open_port] { receive_loop(at); });
}

UmadTransport::~UmadTransport() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (const auto& open_port : open_ports_) open_port->receiver.join();
}

std::vector<PortNum> UmadTransport::more_ports() const {
  std::vector<PortNum> more;
  for (std::size_t i = 1; i < smp_numbers_.size(); ++i) more.push_back(PortNum(smp_numbers_[i]));
  return more;
}

UmadGmps& UmadTransport::gmps_of(MgmtClass mgmt_class) {
  const auto found =
      std::ranges::find(gmps_, mgmt_class, [](const auto& gmps) { return gmps->mgmt_class(); });
  CHECK(found != gmps_.end());
  return **found;
}

void UmadTransport::set_early_handler(MgmtClass mgmt_class, EarlyHandler handler) {
  gmps_of(mgmt_class).set_early_handler(std::move(handler));
}

Status UmadTransport::send(const Smp& smp) {
  const bool directed = smp.mgmt_class == MgmtClass::kSmpDirected;
  std::vector<std::byte> buffer(umad_size() + kMadSize);
  const auto mad = encode(smp);
  std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
  const Lid to = directed && smp.dr_dlid == kLidPermissive ? kLidPermissive : smp.dlid;
  umad_set_addr(buffer.data(), to.value(), 0, 0, 0);
  const bool expects_answer = smp.method == Method::kGet || smp.method == Method::kSet;
  OpenPort& open_port = *open_ports_[index_of_port(smp_numbers_, departure_port(smp))];
  return open_port.outbox.send(directed ? open_port.agents.directed : open_port.agents.lid_routed,
                               buffer, expects_answer ? options_.answer_timeout_ms : 0, kMadSize);
}

std::optional<Smp> UmadTransport::receive() {
  const std::lock_guard lock(mutex_);
  if (answers_.empty()) return requests_.pop();
  const Smp smp = answers_.front();
  answers_.pop_front();
  return smp;
}

/// Sends waiting SMPs; returns when to try again: `deadline`, or earlier if SMPs still wait.
TimeNs UmadTransport::flush(TimeNs deadline) {
  for (std::size_t i = 0; i < smp_numbers_.size(); ++i)
    if (UmadOutbox& outbox = open_ports_[i]->outbox; !outbox.flush())
      deadline = outbox.next_try(deadline);
  return deadline;
}

void UmadTransport::wait_until(TimeNs deadline) {
  while (true) {
    const TimeNs next = flush(deadline);
    std::unique_lock lock(mutex_);
    const auto span = next - clock_.now();
    const auto ready = [&] { return !answers_.empty() || !requests_.empty() || link_changed_; };
    if (span > TimeNs{0}) arrived_.wait_for(lock, span, ready);
    if (ready() || clock_.now() >= deadline) return;
  }
}

std::uint64_t UmadTransport::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void UmadTransport::receive_loop(OpenPort& open_port) {
  std::vector<std::byte> buffer(umad_size() + kMadSize);
  const bool watches = smp_numbers_.size() > 1 && open_port.agents.directed >= 0;
  bool link_up = watches && umad_link_is_up(open_port.agents.where);
  TimeNs next_check = watches ? clock_.now() + kLinkCheckInterval : TimeNs::max();
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    watch_link(open_port, link_up, next_check);
    std::ranges::fill(buffer, std::byte{0});
    int length = static_cast<int>(kMadSize);
    const int agent = umad_recv(open_port.agents.port, buffer.data(), &length, kPollMs);
    if (agent >= 0) {
      accept(open_port, agent, buffer.data(), length);
    } else if (agent != -EWOULDBLOCK && agent != -ETIMEDOUT && agent != -EINTR) {
      // umad_recv() fails immediately on a removed device: wait, so that this loop does not use a
      // whole core.
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
    }
  }
}

/// Reads the state of the link if that is due at `next`. `up`: the state at the last call.
void UmadTransport::watch_link(const OpenPort& open_port, bool& up, TimeNs& next) {
  if (clock_.now() < next) return;
  next = clock_.now() + kLinkCheckInterval;
  const UmadPort& where = open_port.agents.where;
  if (umad_link_is_up(where) == up) return;
  up = !up;
  log::info("{} port {}: link {}", where.device, where.number, up ? "up" : "down");
  {
    const std::lock_guard lock(mutex_);
    link_changed_ = true;
  }
  arrived_.notify_one();
}

void UmadTransport::accept(const OpenPort& open_port, int agent, void* umad, int length) {
  if (umad_status(umad) != 0)
    return;  // ETIMEDOUT: a request without a response, for which the client has a timeout
  const auto& classes = open_port.agents.classes;
  const auto at = std::ranges::find(classes, agent);
  if (at != classes.end()) {  // ibsim may truncate a MAD; the rest is zero
    UmadGmps& gmps = *gmps_[static_cast<std::size_t>(at - classes.begin())];
    if (length >= kGmpLengthMin && gmps.accept(umad, open_port.number())) return;
  } else if (length >= static_cast<int>(kMadSize)) {
    return accept_smp(open_port, umad);
  }
  const std::lock_guard lock(mutex_);
  ++dropped_;
}

bool UmadTransport::keep(Smp& smp) {
  if (!is_response(smp.method)) return requests_.push(smp, smp.slid);
  if (answers_.size() >= kInboxMax) return false;
  smp.transaction_id &= kTransactionMask;
  answers_.push_back(smp);
  return true;
}

void UmadTransport::accept_smp(const OpenPort& open_port, void* umad) {
  auto smp = decode_smp(std::span<const std::byte, kMadSize>(
      static_cast<const std::byte*>(umad_get_mad(umad)), kMadSize));
  {
    const std::lock_guard lock(mutex_);
    if (smp) {
      smp->slid = Lid(be16toh(umad_get_mad_addr(umad)->lid));
      smp->port = open_port.number();
    }
    if (!smp || !keep(*smp)) {
      ++dropped_;
      return;
    }
  }
  arrived_.notify_one();
}

}  // namespace weft
