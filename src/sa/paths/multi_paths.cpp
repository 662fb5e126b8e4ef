// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/paths/multi_paths.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/paths/paths.h"

namespace weft::sa {
namespace {

namespace multi_path_bit {
enum MultiPathBit : unsigned {
  kRawTraffic = 0,
  kReversible = 5,
  kNumbPath = 6,
  kPkeyBit = 7,
  kQosClass = 8,
  kSlBit = 9,
  kMtuSelector = 10,
  kMtu = 11,
  kRateSelector = 12,
  kRate = 13,
  kLifeSelector = 14,
  kLife = 15,
  kSgidCount = 19,
  kDgidCount = 20
};
}  // namespace multi_path_bit
constexpr unsigned kPathsMax = 127;

constexpr DemandBits kDemandBits{multi_path_bit::kMtuSelector,  multi_path_bit::kMtu,
                                 multi_path_bit::kRateSelector, multi_path_bit::kRate,
                                 multi_path_bit::kLifeSelector, multi_path_bit::kLife,
                                 multi_path_bit::kPkeyBit,      multi_path_bit::kSlBit,
                                 multi_path_bit::kRawTraffic,   multi_path_bit::kReversible};

/// A port as given in the request.
struct Named {
  Gid gid;
  SaView::Identity identity;
  std::optional<std::span<const Pkey>> vport_pkeys() const {
    return identity.kind == SaView::Identity::Kind::kVport ? std::optional(identity.pkeys)
                                                           : std::nullopt;
  }
  LidSpan lids(const SaView& view) const {
    return identity.own_lid != kLidNone ? LidSpan{identity.own_lid, 1}
                                        : lids_of(view.fabric().endport(identity.endport));
  }
};

/// The endports of `count` GIDs after the fixed part of the record, from GID number `first` on.
/// Empty if a GID is missing or unknown.
std::optional<std::vector<Named>> endports_of_gids(const SaQuery& query, std::size_t first,
                                                   std::size_t count) {
  std::vector<Named> found;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::size_t at = MultiPathRecord::kSize + i * sizeof(Gid);
    if (at + sizeof(Gid) > query.request.record.size()) return std::nullopt;
    Gid gid;
    std::copy_n(query.request.record.begin() + static_cast<std::ptrdiff_t>(at), gid.size(),
                gid.begin());
    const auto identity = query.view.identify(gid);
    if (!identity || identity->is_absent) return std::nullopt;
    // A path in each plane if plane ports have the GID.
    for (const EndportId endport : query.view.ports_with_guid_of(identity->endport)) {
      found.push_back({gid, *identity});
      found.back().identity.endport = endport;
    }
  }
  return found;
}

/// Refuses every method but GetMulti.
std::uint16_t misplaced_multi_path(State&, const SaQuery&, SaAnswer&) {
  return sa_status::kRequestInvalid;
}

std::uint16_t multi_path_records(State&, const SaQuery& query, SaAnswer& answer) {
  const SaView& view = query.view;
  const MultiPathRecord wanted = decode_multi_path_record(query.request.as<MultiPathRecord>());
  if (!query.has_component(multi_path_bit::kSgidCount) ||
      !query.has_component(multi_path_bit::kDgidCount))
    return sa_status::kInsufficientComponents;
  if (wanted.sgid_count == 0 || wanted.dgid_count == 0) return sa_status::kRequestInvalid;
  PathDemands demands = demands_of(query, wanted, kDemandBits);
  if (!demands.is_valid()) return sa_status::kRequestInvalid;
  const auto sources = endports_of_gids(query, 0, wanted.sgid_count);
  const auto destinations = endports_of_gids(query, wanted.sgid_count, wanted.dgid_count);
  if (!sources || !destinations) return sa_status::kInvalidGid;
  const unsigned paths_max =
      query.has_component(multi_path_bit::kNumbPath) ? wanted.numb_path : kPathsMax;
  const auto visible = [&](const Named& named) {
    const auto pkeys = named.vport_pkeys();
    return pkeys ? view.share_partition(query.requester, *pkeys)
                 : view.share_partition(query.requester, named.identity.endport);
  };
  for (const Named& from : *sources)
    for (const Named& to : *destinations) {
      if (!visible(from) || !visible(to)) continue;
      demands.source_pkeys = from.vport_pkeys();
      demands.destination_pkeys = to.vport_pkeys();
      const EndportId source = from.identity.endport, destination = to.identity.endport;
      unsigned found = 0;
      for_lid_pairs(from.lids(view), to.lids(view), [&](const LidPair& pair) {
        if (found == paths_max || answer.overflow()) return false;
        auto path = find_path(view, source, pair.slid, destination, pair.dlid, demands);
        if (!path) return true;
        ++found;
        path->preference = pair.preference;
        path->sgid = from.gid;
        path->dgid = to.gid;
        path->hop_limit = hop_limit(view.options(), from.identity.kind, to.identity.kind);
        answer.add(encode(*path));
        return true;
      });
    }
  return mad_status::kGood;
}

}  // namespace

const Attribute kMultiPathRecordAttribute{
    .id = SaAttribute::kMultiPathRecord,
    .name = "MultiPathRecord",
    .record_size = PathRecord::kSize,
    .get = &misplaced_multi_path,
    .table = &misplaced_multi_path,
    .multi = &multi_path_records,
};

}  // namespace weft::sa
