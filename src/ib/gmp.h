// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// General management packets (GMPs) in host order: the MADs of all classes except subnet
// management. GMPs use queue pair 1 and are routed by LID, as data packets are.
// Layout: InfiniBand Architecture Specification, volume 1, chapter 13.4.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "ib/ids.h"
#include "ib/notice.h"
#include "ib/smp.h"

namespace weft {

inline constexpr std::size_t kGmpDataSize = kMadSize - 24;
inline constexpr std::uint32_t kGsiQpn = 1;
inline constexpr std::uint32_t kGsiQkey = 0x80010000;  // Q_Key of every queue pair 1

/// A global route header; `gid` is the GID of the remote port.
struct GlobalRoute {
  Gid gid{};
  std::uint8_t gid_index = 0;  // index of the local port's GID
  std::uint8_t hop_limit = 0;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;  // 20 bits
  bool operator==(const GlobalRoute&) const = default;
};

/// The remote port of a GMP: the destination of a GMP sent, the source of a GMP received. A
/// response is sent to the unchanged address of its request.
struct GmpAddress {
  Lid lid;
  std::uint32_t qpn = kGsiQpn;  // 24 bits
  std::uint32_t qkey = kGsiQkey;
  Sl sl;
  std::uint16_t pkey_index = 0;  // index into the P_Key table of the local port
  std::uint8_t path_bits = 0;    // path bits of the local LID
  std::uint8_t port = 0;         // port of the local CA by which GMPs arrive or leave; 0: any
  std::optional<GlobalRoute> route;
  bool operator==(const GmpAddress&) const = default;
};

struct Gmp {
  MgmtClass mgmt_class = MgmtClass::kSubnAdm;
  std::uint8_t class_version = 1;
  Method method = Method::kGet;
  std::uint16_t status = 0;
  std::uint16_t class_specific = 0;
  std::uint64_t transaction_id = 0;
  std::uint16_t attribute = 0;  // attribute id of the class
  std::uint32_t modifier = 0;
  std::array<std::byte, kGmpDataSize> data{};
  GmpAddress peer{};  // from the packet's headers, not from the MAD
  bool operator==(const Gmp&) const = default;
};

/// Tests bit 7 of the method, which is set in responses.
constexpr bool is_response(Method method) { return (static_cast<unsigned>(method) & 0x80) != 0; }

/// Encodes the 256 bytes on the wire.
std::array<std::byte, kMadSize> encode(const Gmp& gmp);
/// Fails with kBadField on a base version that is not 1, and on the classes of SMPs.
Result<Gmp> decode_gmp(std::span<const std::byte, kMadSize> bytes);

}  // namespace weft
