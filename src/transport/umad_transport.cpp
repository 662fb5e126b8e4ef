// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_transport.h"

#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "ib/sa.h"

namespace weft {
namespace {

constexpr int kSmpVersion = 1;
constexpr int kGmpLengthMin = 24;
constexpr std::size_t kUmadHeaderMax = 128;  // upper bound of umad_size()
constexpr int kPollMs = 100;                 // longest delay until the receiver thread ends
constexpr std::size_t kInboxMax = 1 << 16;   // further MADs are dropped
constexpr std::uint64_t kTransactionMask = 0xFFFFFFFF;

void accept_method(std::array<long, 16 / sizeof(long)>& mask, Method method) {
  constexpr unsigned kBits = 8 * sizeof(long);
  const unsigned bit = static_cast<unsigned>(method);
  mask[bit / kBits] |= static_cast<long>(1UL << (bit % kBits));
}

Result<int> register_class(int port, const UmadPort& where, MgmtClass mgmt_class, int version,
                           std::span<const Method> served) {
  std::array<long, 16 / sizeof(long)> methods{};
  for (const Method method : served) accept_method(methods, method);
  const int agent = umad_register(port, static_cast<int>(mgmt_class), version, 0, methods.data());
  if (agent < 0)
    return fail(
        Code::kEnvironment,
        "{} port {}: cannot register management class 0x{:02x}: {}; stop other programs that "
        "use this class on the port, such as another subnet manager",
        where.device, where.number, static_cast<unsigned>(mgmt_class), std::strerror(errno));
  return agent;
}

bool awaits_answer(Method method) {
  return !is_response(method) && method != Method::kSend && method != Method::kTrap &&
         method != Method::kTrapRepress;
}

constexpr std::array kSmpRequests{Method::kGet, Method::kSet, Method::kTrap};

int announce_sm(const UmadPort& where) {
  std::array<char, 256> path{};
  int issm = -1;
  if (umad_get_issm_path(where.device.c_str(), where.number, path.data(),
                         static_cast<int>(path.size())) == 0)
    issm = ::open(path.data(), O_NONBLOCK);
  if (issm < 0)
    log::warn("{} port {}: cannot set the IsSM capability: {}", where.device, where.number,
              std::strerror(errno));
  return issm;
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

}  // namespace

/// The transport of one class of GMPs.
class UmadTransport::GmpPort final : public GmpTransport {
 public:
  GmpPort(int port, int agent, const UmadClass& what, int answer_timeout_ms)
      : port_(port),
        agent_(agent),
        what_(what),
        answer_timeout_ms_(what.answer_timeout_ms.value_or(answer_timeout_ms)),
        outbox_(port) {}
  ~GmpPort() override { umad_unregister(port_, agent_); }

  Status send(const Gmp& gmp) override {
    alignas(8) std::array<std::byte, kUmadHeaderMax + kMadSize> buffer;
    CHECK(umad_size() <= kUmadHeaderMax);
    std::fill_n(buffer.begin(), umad_size(), std::byte{0});
    const auto mad = encode(gmp);
    std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
    write_address(buffer.data(), gmp.peer);
    return outbox_.send(agent_, buffer, awaits_answer(gmp.method) ? answer_timeout_ms_ : 0,
                        length_of(gmp));
  }

  /// Takes the whole inbox at once to reduce contention for the lock.
  std::optional<Gmp> receive() override {
    if (next_taken_ == taken_.size()) {
      next_taken_ = 0;
      taken_.clear();
      const std::lock_guard lock(mutex_);
      taken_.swap(inbox_);
    }
    if (next_taken_ == taken_.size()) return std::nullopt;
    return taken_[next_taken_++];
  }

  void wait_until(TimeNs deadline) override {
    if (next_taken_ != taken_.size()) return;
    while (!wait_once(outbox_.flush() ? deadline : outbox_.next_try(deadline)) &&
           clock_.now() < deadline) {
    }
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    arrived_.notify_one();
  }

  void set_early_handler(EarlyHandler handler) {
    const std::lock_guard lock(handler_mutex_);
    handler_ = std::move(handler);
  }

  int agent() const { return agent_; }
  MgmtClass mgmt_class() const { return what_.mgmt_class; }

  /// False if the MAD is malformed or does not belong to the class, or the inbox is full.
  bool accept(void* umad) {
    auto gmp = decode_gmp(std::span<const std::byte, kMadSize>(
        static_cast<const std::byte*>(umad_get_mad(umad)), kMadSize));
    if (!gmp || gmp->mgmt_class != what_.mgmt_class) return false;
    gmp->peer = read_address(umad);
    // The kernel sets the upper 32 bits in requests of this port. In requests of other nodes these
    // bits must be kept.
    if (is_response(gmp->method)) gmp->transaction_id &= kTransactionMask;
    if (is_handled(*gmp)) return true;
    {
      const std::lock_guard lock(mutex_);
      if (inbox_.size() >= kInboxMax) return false;
      inbox_.push_back(*gmp);
    }
    arrived_.notify_one();  // without the lock, so that the woken thread need not wait for it
    return true;
  }

 private:
  /// True if a GMP has arrived or wake() was called.
  bool wait_once(TimeNs deadline) {
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

  bool is_handled(const Gmp& gmp) {
    const std::lock_guard lock(handler_mutex_);
    return handler_ && handler_(gmp);
  }

  static void write_address(void* umad, const GmpAddress& to) {
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

  static GmpAddress read_address(void* umad) {
    const ib_mad_addr_t& addr = *umad_get_mad_addr(umad);
    GmpAddress from;
    from.lid = Lid(be16toh(addr.lid));
    from.qpn = be32toh(addr.qpn) & 0xFFFFFF;
    from.qkey = kGsiQkey;
    from.sl = Sl(addr.sl & 15);
    from.pkey_index = addr.pkey_index;
    from.path_bits = addr.path_bits;
    if (addr.grh_present == 0) return from;
    from.route.emplace();
    std::memcpy(from.route->gid.data(), addr.gid, from.route->gid.size());
    from.route->gid_index = addr.gid_index;
    from.route->hop_limit = 64;  // the received value does not apply to the return path
    from.route->traffic_class = addr.traffic_class;
    from.route->flow_label = be32toh(addr.flow_label) & 0xFFFFF;
    return from;
  }

  const int port_;
  const int agent_;
  const UmadClass what_;
  const int answer_timeout_ms_;
  UmadOutbox outbox_;
  RealClock clock_;
  std::vector<Gmp> taken_;  // used only by the thread that calls receive(), like next_taken_
  std::size_t next_taken_ = 0;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Gmp> inbox_;
  bool woken_ = false;
  std::mutex handler_mutex_;  // held during a call
  EarlyHandler handler_;
};

UmadTransport::Registered::Registered() = default;
UmadTransport::Registered::Registered(Registered&& other) noexcept
    : port(std::exchange(other.port, -1)),
      directed(std::exchange(other.directed, -1)),
      lid_routed(std::exchange(other.lid_routed, -1)),
      classes(std::move(other.classes)),
      issm(std::exchange(other.issm, -1)) {}

UmadTransport::Registered::~Registered() {
  if (port < 0) return;
  if (issm >= 0) ::close(issm);
  classes.clear();
  if (directed >= 0) umad_unregister(port, directed);
  if (lid_routed >= 0) umad_unregister(port, lid_routed);
  umad_close_port(port);
}

Result<std::unique_ptr<UmadTransport>> UmadTransport::open(const UmadPort& where,
                                                           const UmadOptions& options) {
  Registered registered;
  registered.port = umad_open_port(where.device.c_str(), where.number);
  if (registered.port < 0)
    return fail(Code::kEnvironment, "{} port {}: cannot be opened: {}", where.device, where.number,
                std::strerror(-registered.port));
  const auto take = [&](MgmtClass mgmt_class, int version, std::span<const Method> served) {
    return register_class(registered.port, where, mgmt_class, version, served);
  };
  const auto directed = take(MgmtClass::kSmpDirected, kSmpVersion, kSmpRequests);
  if (!directed) return forward(directed);
  registered.directed = *directed;
  const auto routed = take(MgmtClass::kSmpLidRouted, kSmpVersion, kSmpRequests);
  if (!routed) return forward(routed);
  registered.lid_routed = *routed;
  for (const UmadClass& wanted : options.classes) {
    const auto agent = take(wanted.mgmt_class, wanted.version, wanted.served);
    if (!agent) return forward(agent);
    registered.classes.push_back(
        std::make_unique<GmpPort>(registered.port, *agent, wanted, options.answer_timeout_ms));
  }
  if (options.announce_sm) registered.issm = announce_sm(where);
  return std::unique_ptr<UmadTransport>(new UmadTransport(std::move(registered), options));
}

UmadTransport::UmadTransport(Registered&& registered, const UmadOptions& options)
    : registered_(std::move(registered)),
      options_(options),
      outbox_(registered_.port),
      receiver_([this] { receive_loop(); }) {}

UmadTransport::~UmadTransport() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  receiver_.join();
}

UmadTransport::GmpPort& UmadTransport::port_of(MgmtClass mgmt_class) {
  const auto found = std::ranges::find(registered_.classes, mgmt_class,
                                       [](const auto& port) { return port->mgmt_class(); });
  CHECK(found != registered_.classes.end());
  return **found;
}

GmpTransport& UmadTransport::gmps(MgmtClass mgmt_class) { return port_of(mgmt_class); }

void UmadTransport::set_early_handler(MgmtClass mgmt_class, EarlyHandler handler) {
  port_of(mgmt_class).set_early_handler(std::move(handler));
}

Status UmadTransport::send(const Smp& smp) {
  const bool directed = smp.mgmt_class == MgmtClass::kSmpDirected;
  std::vector<std::byte> buffer(umad_size() + kMadSize);
  const auto mad = encode(smp);
  std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
  const Lid to = directed && smp.dr_dlid == kLidPermissive ? kLidPermissive : smp.dlid;
  umad_set_addr(buffer.data(), to.value(), 0, 0, 0);
  const bool expects_answer = smp.method == Method::kGet || smp.method == Method::kSet;
  return outbox_.send(directed ? registered_.directed : registered_.lid_routed, buffer,
                      expects_answer ? options_.answer_timeout_ms : 0, kMadSize);
}

std::optional<Smp> UmadTransport::receive() {
  const std::lock_guard lock(mutex_);
  if (answers_.empty()) return requests_.pop();
  const Smp smp = answers_.front();
  answers_.pop_front();
  return smp;
}

void UmadTransport::wait_until(TimeNs deadline) {
  while (true) {
    const TimeNs next = outbox_.flush() ? deadline : outbox_.next_try(deadline);
    std::unique_lock lock(mutex_);
    const auto span = next - clock_.now();
    const auto ready = [&] { return !answers_.empty() || !requests_.empty(); };
    if (span > TimeNs{0}) arrived_.wait_for(lock, span, ready);
    if (ready() || clock_.now() >= deadline) return;
  }
}

std::uint64_t UmadTransport::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

void UmadTransport::receive_loop() {
  std::vector<std::byte> buffer(umad_size() + kMadSize);
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    std::ranges::fill(buffer, std::byte{0});
    int length = static_cast<int>(kMadSize);
    const int agent = umad_recv(registered_.port, buffer.data(), &length, kPollMs);
    if (agent >= 0) {
      accept(agent, buffer.data(), length);
    } else if (agent != -EWOULDBLOCK && agent != -ETIMEDOUT && agent != -EINTR) {
      // umad_recv() fails immediately on a removed device: wait, so that this loop does not use a
      // whole core.
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
    }
  }
}

void UmadTransport::accept(int agent, void* umad, int length) {
  if (umad_status(umad) != 0)
    return;  // ETIMEDOUT: a request without a response, for which the client has a timeout
  const auto gmps =
      std::ranges::find(registered_.classes, agent, [](const auto& port) { return port->agent(); });
  if (gmps != registered_.classes.end()) {  // ibsim may truncate a MAD; the rest is zero
    if (length >= kGmpLengthMin && (*gmps)->accept(umad)) return;
  } else if (length >= static_cast<int>(kMadSize)) {
    return accept_smp(umad);
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

void UmadTransport::accept_smp(void* umad) {
  auto smp = decode_smp(std::span<const std::byte, kMadSize>(
      static_cast<const std::byte*>(umad_get_mad(umad)), kMadSize));
  {
    const std::lock_guard lock(mutex_);
    if (smp) smp->slid = Lid(be16toh(umad_get_mad_addr(umad)->lid));
    if (!smp || !keep(*smp)) {
      ++dropped_;
      return;
    }
  }
  arrived_.notify_one();
}

}  // namespace weft
