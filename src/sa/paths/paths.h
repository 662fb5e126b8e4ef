// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PathRecord: the properties of a path and the header fields that the packets on the path need.
// Each query computes these values from the programmed tables. Nothing is stored for pairs of
// ports, so that memory grows only with the number of ports.
// Source: InfiniBand Architecture Specification, volume 1, chapter 15.2.5.16.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sa/query.h"
#include "sa/selectors.h"

namespace weft::sa {

struct Attribute;

inline constexpr std::uint8_t kHopLimitMax = 255;

/// Bits of the component mask.
namespace path_bit {
enum PathBit : unsigned {
  kServiceIdHigh = 0,
  kServiceIdLow = 1,
  kDgid = 2,
  kSgid = 3,
  kDlid = 4,
  kSlid = 5,
  kRawTraffic = 6,
  kFlowLabel = 8,
  kHopLimit = 9,
  kTclass = 10,
  kReversible = 11,
  kNumbPath = 12,
  kPkeyBit = 13,
  kQosClass = 14,
  kSlBit = 15,
  kMtuSelector = 16,
  kMtu = 17,
  kRateSelector = 18,
  kRate = 19,
  kLifeSelector = 20,
  kLife = 21
};
}  // namespace path_bit

/// Requirements of a request on a path, for PathRecord and MultiPathRecord.
struct PathDemands {
  std::optional<Selected> mtu, rate, life;
  std::optional<Pkey> pkey;
  std::optional<Sl> sl;
  std::optional<std::uint64_t> service_id;  // for the QoS policy, as qos_class
  std::optional<std::uint16_t> qos_class;
  /// P_Keys of a virtual port at the source or destination; nullopt: the P_Keys of the endport
  /// apply.
  std::optional<std::span<const Pkey>> source_pkeys{}, destination_pkeys{};
  bool raw_traffic = false;
  bool reversible = false;  // only paths with a reverse path for replies on the same SL
  bool is_valid() const;
};

/// Component-mask bits of the requirements; the bits differ between PathRecord and MultiPathRecord.
struct DemandBits {
  unsigned mtu_selector, mtu, rate_selector, rate, life_selector, life, pkey, sl, raw_traffic,
      reversible;
};

template <class Record>
PathDemands demands_of(const SaQuery& query, const Record& wanted, const DemandBits& bits) {
  PathDemands demands;
  const auto both = [&](unsigned selector, unsigned value) {
    return query.has_component(selector) && query.has_component(value);
  };
  if (both(bits.mtu_selector, bits.mtu)) demands.mtu = {wanted.mtu_selector, wanted.mtu};
  if (both(bits.rate_selector, bits.rate)) demands.rate = {wanted.rate_selector, wanted.rate};
  if (both(bits.life_selector, bits.life)) demands.life = {wanted.life_selector, wanted.life};
  if (query.has_component(bits.pkey)) demands.pkey = wanted.pkey;
  if (query.has_component(bits.sl)) demands.sl = wanted.sl;
  demands.raw_traffic = query.has_component(bits.raw_traffic) && wanted.raw_traffic;
  demands.reversible = query.has_component(bits.reversible) && wanted.reversible;
  return demands;
}

/// The path between two endports by LIDs. Empty if the tables do not lead to the destination, the
/// endports have no common P_Key, or the requirements cannot be met. Cost: O(hops).
std::optional<PathRecord> find_path(const SaView& view, EndportId source, Lid slid,
                                    EndportId destination, Lid dlid, const PathDemands& demands);

/// HopLimit of a path between two kinds of GID: the option for virtual ports, else for alias GUIDs,
/// else 0.
std::uint8_t hop_limit(const SaOptions& options, SaView::Identity::Kind a,
                       SaView::Identity::Kind b);

/// LIDs of source and destination, and the PathRecord field Preference; see for_lid_pairs().
struct LidPair {
  Lid slid;
  Lid dlid;
  std::uint8_t preference = 0;
};
struct LidSpan {
  Lid first;
  unsigned count = 1;
};
LidSpan lids_of(const Endport& endport);
/// Calls `take` for each pair until `take` returns false: first the LIDs at equal positions of both
/// spans (preference 0), then all other pairs (preference 2).
template <class Take>
void for_lid_pairs(const LidSpan& sources, const LidSpan& destinations, Take take) {
  const auto pair = [&](unsigned s, unsigned d, std::uint8_t preference) {
    return LidPair{Lid(static_cast<std::uint16_t>(sources.first.value() + s)),
                   Lid(static_cast<std::uint16_t>(destinations.first.value() + d)), preference};
  };
  for (unsigned i = 0; i < sources.count && i < destinations.count; ++i)
    if (!take(pair(i, i, 0))) return;
  for (unsigned s = 0; s < sources.count; ++s)
    for (unsigned d = 0; d < destinations.count; ++d)
      if (s != d && !take(pair(s, d, 2))) return;
}

/// A slice of the table is a range of pairs of a source and a destination, ordered by destination.
extern const Attribute kPathRecordAttribute;

}  // namespace weft::sa
