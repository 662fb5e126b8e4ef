#include "transport/umad_transport.h"

#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/log.h"

namespace weft {
namespace {

constexpr int kSmpVersion = 1;
constexpr int kPollMs = 100;                // how soon the receiver sees that it is to stop
constexpr std::size_t kInboxMax = 1 << 16;  // a flood is dropped, as on the wire
constexpr std::uint64_t kTransactionMask = 0xFFFFFFFF;

bool is_answer(Method method) { return (static_cast<unsigned>(method) & 0x80) != 0; }

void accept_method(std::array<long, 16 / sizeof(long)>& mask, Method method) {
  constexpr unsigned kBits = 8 * sizeof(long);
  const unsigned bit = static_cast<unsigned>(method);
  mask[bit / kBits] |= static_cast<long>(1UL << (bit % kBits));
}

Result<int> register_class(int port, const UmadPort& where, MgmtClass mgmt_class) {
  std::array<long, 16 / sizeof(long)> methods{};
  accept_method(methods, Method::kGet);
  accept_method(methods, Method::kSet);
  accept_method(methods, Method::kTrap);
  const int agent =
      umad_register(port, static_cast<int>(mgmt_class), kSmpVersion, 0, methods.data());
  if (agent < 0)
    return fail(Code::kEnvironment,
                "{} port {}: management class 0x{:02x} cannot be registered ({}): another subnet "
                "manager holds the "
                "port, or the kernel refuses",
                where.device, where.number, static_cast<unsigned>(mgmt_class),
                std::strerror(errno));
  return agent;
}

}  // namespace

Result<std::unique_ptr<UmadTransport>> UmadTransport::open(const UmadPort& where,
                                                           const UmadOptions& options) {
  const int port = umad_open_port(where.device.c_str(), where.number);
  if (port < 0)
    return fail(Code::kEnvironment, "{} port {}: cannot be opened: {}", where.device, where.number,
                std::strerror(-port));
  const auto directed = register_class(port, where, MgmtClass::kSmpDirected);
  const auto routed = directed ? register_class(port, where, MgmtClass::kSmpLidRouted) : directed;
  if (!routed) {
    umad_close_port(port);
    return forward(routed);
  }
  int issm = -1;
  if (options.announce_sm) {
    std::array<char, 256> path{};
    if (umad_get_issm_path(where.device.c_str(), where.number, path.data(),
                           static_cast<int>(path.size())) == 0)
      issm = ::open(path.data(), O_NONBLOCK);
    if (issm < 0)
      spdlog::warn("{} port {}: the IsSM capability cannot be set: {}", where.device, where.number,
                   std::strerror(errno));
  }
  return std::unique_ptr<UmadTransport>(new UmadTransport(port, *directed, *routed, issm, options));
}

UmadTransport::UmadTransport(int port, int agent_directed, int agent_lid_routed, int issm,
                             const UmadOptions& options)
    : port_(port),
      agent_directed_(agent_directed),
      agent_lid_routed_(agent_lid_routed),
      issm_(issm),
      options_(options),
      receiver_([this] { receive_loop(); }) {}

UmadTransport::~UmadTransport() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  receiver_.join();
  if (issm_ >= 0) ::close(issm_);
  umad_unregister(port_, agent_directed_);
  umad_unregister(port_, agent_lid_routed_);
  umad_close_port(port_);
}

Status UmadTransport::send(const Smp& smp) {
  const bool directed = smp.mgmt_class == MgmtClass::kSmpDirected;
  std::vector<std::byte> buffer(umad_size() + kMadSize);
  const auto mad = encode(smp);
  std::memcpy(umad_get_mad(buffer.data()), mad.data(), mad.size());
  const Lid to = directed && smp.dr_dlid == kLidPermissive ? kLidPermissive : smp.dlid;
  umad_set_addr(buffer.data(), to.value(), 0, 0, 0);
  const bool expects_answer = smp.method == Method::kGet || smp.method == Method::kSet;
  const int result =
      umad_send(port_, directed ? agent_directed_ : agent_lid_routed_, buffer.data(),
                static_cast<int>(kMadSize), expects_answer ? options_.answer_timeout_ms : 0, 0);
  if (result < 0)
    return fail(Code::kEnvironment, "umad_send: {}", std::strerror(errno != 0 ? errno : -result));
  return {};
}

std::optional<Smp> UmadTransport::receive() {
  const std::lock_guard lock(mutex_);
  if (inbox_.empty()) return std::nullopt;
  Smp smp = std::move(inbox_.front());
  inbox_.pop_front();
  return smp;
}

void UmadTransport::wait_until(TimeNs deadline) {
  std::unique_lock lock(mutex_);
  const auto span = deadline - clock_.now();
  if (span > TimeNs{0}) arrived_.wait_for(lock, span, [&] { return !inbox_.empty(); });
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
    int length = static_cast<int>(kMadSize);
    const int agent = umad_recv(port_, buffer.data(), &length, kPollMs);
    if (agent >= 0) {
      accept(buffer.data(), length);
    } else if (agent != -EWOULDBLOCK && agent != -ETIMEDOUT && agent != -EINTR) {
      // A device that went away answers at once, again and again: do not spin.
      std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
    }
  }
}

void UmadTransport::accept(void* umad, int length) {
  if (umad_status(umad) != 0)
    return;  // a request of ours that timed out: the client keeps its own time
  const auto bytes = std::span<const std::byte, kMadSize>(
      static_cast<const std::byte*>(umad_get_mad(umad)), kMadSize);
  auto smp = length >= static_cast<int>(kMadSize)
                 ? decode_smp(bytes)
                 : fail(Code::kBadField, "a MAD of {} bytes", length);
  const std::lock_guard lock(mutex_);
  if (!smp || inbox_.size() >= kInboxMax) {
    ++dropped_;
    return;
  }
  smp->slid = Lid(be16toh(umad_get_mad_addr(umad)->lid));
  if (is_answer(smp->method)) smp->transaction_id &= kTransactionMask;
  inbox_.push_back(std::move(*smp));
  arrived_.notify_one();
}

}  // namespace weft
