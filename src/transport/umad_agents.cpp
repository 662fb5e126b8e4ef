// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/umad_agents.h"

#include <fcntl.h>
#include <infiniband/umad.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.h"

namespace weft {
namespace {

constexpr int kSmpVersion = 1;
constexpr std::array kSmpRequests{Method::kGet, Method::kSet, Method::kTrap};

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

}  // namespace

UmadAgents::UmadAgents(UmadAgents&& other) noexcept
    : where(std::move(other.where)),
      port(std::exchange(other.port, -1)),
      directed(std::exchange(other.directed, -1)),
      lid_routed(std::exchange(other.lid_routed, -1)),
      classes(std::move(other.classes)),
      issm(std::exchange(other.issm, -1)) {}

UmadAgents::~UmadAgents() {
  if (port < 0) return;
  if (issm >= 0) ::close(issm);
  for (const int agent : classes) umad_unregister(port, agent);
  if (directed >= 0) umad_unregister(port, directed);
  if (lid_routed >= 0) umad_unregister(port, lid_routed);
  umad_close_port(port);
}

Result<UmadAgents> UmadAgents::open(const UmadPort& where, const UmadUse& use) {
  UmadAgents opened;
  opened.where = where;
  opened.port = umad_open_port(where.device.c_str(), where.number);
  if (opened.port < 0)
    return fail(Code::kEnvironment, "{} port {}: cannot be opened: {}", where.device, where.number,
                std::strerror(-opened.port));
  const auto take = [&](MgmtClass mgmt_class, int version, std::span<const Method> served) {
    return register_class(opened.port, where, mgmt_class, version, served);
  };
  if (use.smps) {
    const auto directed = take(MgmtClass::kSmpDirected, kSmpVersion, kSmpRequests);
    if (!directed) return forward(directed);
    opened.directed = *directed;
    const auto routed = take(MgmtClass::kSmpLidRouted, kSmpVersion, kSmpRequests);
    if (!routed) return forward(routed);
    opened.lid_routed = *routed;
  }
  for (const UmadClass& wanted : use.classes) {
    const auto agent = take(wanted.mgmt_class, wanted.version, wanted.served);
    if (!agent) return forward(agent);
    opened.classes.push_back(*agent);
  }
  if (use.smps && use.announce_sm) opened.issm = announce_sm(where);
  return opened;
}

}  // namespace weft
