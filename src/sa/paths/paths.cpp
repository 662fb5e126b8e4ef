// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/paths/paths.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "ib/rates.h"
#include "routing/adaptive/engines.h"
#include "sa/attribute.h"
#include "sa/mc_members.h"

namespace weft::sa {
namespace {

constexpr unsigned kHopsMaxOfPath = 64;

/// Follows the forwarding tables and reduces `limits` to the limits of the path. Returns false if
/// the tables do not lead to the destination.
bool walk(const SaView& view, const Endport& source, const Endport& destination, Lid dlid,
          SaView::Limits& limits) {
  const Fabric& fabric = view.fabric();
  const Lfts& lfts = view.snapshot().routes.lfts;
  limits = view.limits(source.port);
  limits.narrow(view.limits(destination.port));
  if (source.port == destination.port) return true;
  NodeId at = source.node;
  if (!fabric.is_switch(at)) {
    const SaView::Cable& cable = view.cable(source.port);
    if (cable.peer == kNoPort) return false;
    if (cable.peer == destination.port) return true;  // endports cabled to each other
    limits.narrow(cable.limits);
    at = cable.node;
  }
  for (unsigned hop = 0; hop <= kHopsMaxOfPath; ++hop) {
    if (!fabric.is_switch(at)) return false;  // the tables lead to another endport
    const PortNum out = lfts.port(SwitchId(at.value()), dlid);
    if (out == PortNum(0)) return at == destination.node;
    const PortId port = fabric.port_id(at, out);
    if (port == kNoPort) return false;
    const SaView::Cable& cable = view.cable(port);
    if (cable.peer == kNoPort) return false;
    limits.narrow(cable.limits);
    if (cable.peer == destination.port) return true;
    at = cable.node;
  }
  return false;
}

/// The value for a requirement on MTU or life time, compared as numbers; a path may use a lower
/// value than `is`. Empty if the requirement cannot be met.
std::optional<std::uint8_t> meet_number(const std::optional<Selected>& wanted, std::uint8_t is) {
  if (!wanted) return is;
  return meet(*wanted, is, number_itself, number_below);
}

/// The value for a requirement on the rate. "Exactly" accepts only the rate of the path; "less
/// than" also accepts a path with a higher rate, and results in a lower rate. Empty if the
/// requirement cannot be met.
std::optional<std::uint8_t> meet_rate(const std::optional<Selected>& wanted, std::uint8_t is) {
  if (!wanted) return is;
  if (wanted->selector == Selector::kExactly && wanted->value != is) return std::nullopt;
  return meet(*wanted, is, data_rate_of, slower_rate);
}

/// The lowest P_Key that the ports of two tables share and the level allows.
std::optional<Pkey> shared_pkey(std::span<const Pkey> source, std::span<const Pkey> destination,
                                const QosLevel* level) {
  return lowest_common_pkey(source, destination,
                            [&](Pkey pkey) { return level == nullptr || allows(*level, pkey); });
}

/// The P_Key of the path, 0 for raw packets. Empty if the two ends cannot communicate with the
/// requested P_Key, or, without a requested P_Key, have none in common; also if the level allows no
/// such P_Key.
std::optional<Pkey> path_pkey(const SaView& view, EndportId source, EndportId destination,
                              const PathDemands& demands, const QosLevel* level) {
  if (demands.raw_traffic) return Pkey(0);
  const bool are_endports = !demands.source_pkeys && !demands.destination_pkeys;
  if (!demands.pkey && level == nullptr && are_endports)
    return view.common_pkey(source, destination);
  const auto source_pkeys = demands.source_pkeys.value_or(view.own_pkeys(source));
  const auto destination_pkeys = demands.destination_pkeys.value_or(view.own_pkeys(destination));
  if (!demands.pkey) return shared_pkey(source_pkeys, destination_pkeys, level);
  if (level != nullptr && !allows(*level, *demands.pkey)) return std::nullopt;
  const auto held = [&](std::span<const Pkey> pkeys) {
    return std::ranges::any_of(pkeys, [&](Pkey pkey) { return match_pkeys(pkey, *demands.pkey); });
  };
  const auto can_communicate = [&] {
    for (const Pkey a : source_pkeys)
      for (const Pkey b : destination_pkeys)
        if (match_pkeys(a, b) && match_pkeys(a, Pkey(demands.pkey->value() | kPkeyFullBit)))
          return true;
    return false;
  };
  if (!held(source_pkeys) || !held(destination_pkeys) || !can_communicate()) return std::nullopt;
  return demands.pkey;
}

Sl partition_sl(const SaView& view, Pkey pkey) {
  const auto& sls = view.options().partition_sls;
  const auto found =
      std::ranges::find(sls, std::uint16_t(pkey.value() & kPkeyBaseMask), &PartitionSl::base);
  return found == sls.end() ? Sl(0) : found->sl;
}

/// The SL of a path; empty if the request requires another SL. If SLs differ between paths, the
/// routes determine the SL, but on torus-2QoS a QoS level determines bit 3. Otherwise the QoS
/// level, else the request, else the partition determines the SL.
std::optional<Sl> path_sl(const SaView& view, const Endport& source, EndportId source_id, Lid dlid,
                          const std::optional<Sl>& wanted, const QosLevel* level, Pkey pkey) {
  constexpr std::uint8_t kTorusQosBit = 8;
  const Routes& routes = view.snapshot().routes;
  const bool prescribed = routes.path_sl.kind() != PathSl::Kind::kUniform &&
                          source.sw != kNoSwitch &&
                          view.fabric().endport(view.endport_of(dlid)).sw != kNoSwitch;
  Sl sl = level != nullptr ? level->sl : wanted ? *wanted : partition_sl(view, pkey);
  if (prescribed) {
    const std::uint8_t free =
        plain_engine(routes.engine) == "torus-2QoS" && level != nullptr ? kTorusQosBit : 0;
    const Sl own = routes.path_sl.sl(view.fabric(), source_id, view.routed_lid(dlid));
    sl = Sl(static_cast<std::uint8_t>((own.value() & ~free) | (sl.value() & free)));
  }
  if (wanted && *wanted != sl) return std::nullopt;
  return sl;
}

/// Whether replies may use the reverse path on the same SL. If an end is no switch, a verdict PASS
/// that includes replies is sufficient. Otherwise the reverse path must exist and have the same SL.
bool is_reversible(const SaView& view, EndportId source, Lid slid, EndportId destination,
                   Lid dlid) {
  const Fabric& fabric = view.fabric();
  const Endport& from = fabric.endport(source);
  const Endport& to = fabric.endport(destination);
  const auto is_ca = [&](const Endport& endport) { return !fabric.is_switch(endport.node); };
  const Verdict& verdict = view.snapshot().verdict;
  if (source == destination) return true;
  if (verdict.verified && verdict.ok() && !verdict.replies_ignored && (is_ca(from) || is_ca(to)))
    return true;
  SaView::Limits unused;
  if (!walk(view, to, from, slid, unused)) return false;
  if (from.sw == kNoSwitch || to.sw == kNoSwitch) return true;
  const PathSl& sls = view.snapshot().routes.path_sl;
  return sls.sl(fabric, source, view.routed_lid(dlid)) ==
         sls.sl(fabric, destination, view.routed_lid(slid));
}

/// Applies the limits of a QoS level to a path.
void limit(const QosLevel& level, SaView::Limits& limits) {
  if (level.mtu_limit) limits.mtu = std::min(limits.mtu, *level.mtu_limit);
  if (level.rate_limit && data_rate_of(*level.rate_limit) < limits.data_rate)
    limits.rate = *level.rate_limit;
}

// ---- the request

/// One end of the path as given in a request.
struct End {
  std::optional<Gid> gid;  // as in the request; may belong to an alias or a virtual port
  SaView::Identity::Kind kind{};
  std::optional<std::span<const Pkey>> pkeys{};  // P_Keys of a virtual port
  Lid own_lid{};                                 // of a virtual port (SaView::Identity)
  EndportId named = kNoEndport;                  // kNoEndport: all
  std::optional<Lid> lid;                        // only this LID

  std::span<const EndportId> endports(const SaView& view) const {
    return named == kNoEndport ? view.endports() : std::span(&named, 1);
  }
};

/// Finds the endports that GID and LID specify. Returns kRequestInvalid for contradicting
/// identifiers, and kNoRecords for unassigned identifiers. `near`: selects the port if several
/// plane ports have the GID.
std::uint16_t find_end(const SaQuery& query, const std::optional<Gid>& gid,
                       const std::optional<Lid>& lid, EndportId near, End& end) {
  std::optional<EndportId> found;
  std::optional<Gid> named = gid;
  const auto vport = lid ? query.view.vport_with(*lid) : std::nullopt;
  if (!named && vport) named = make_gid(query.view.options().subnet_prefix, *vport);
  if (named) {
    const auto identity = query.view.identify(*named, near);
    if (!identity || identity->is_absent) return sa_status::kNoRecords;
    found = identity->endport;
    end.gid = named;
    end.kind = identity->kind;
    end.own_lid = identity->own_lid;
    if (end.kind == SaView::Identity::Kind::kVport) end.pkeys = identity->pkeys;
  }
  if (lid) {
    const EndportId holder = query.view.endport_of(*lid);
    if (holder == kNoEndport) return sa_status::kNoRecords;
    const bool is_own = end.own_lid != kLidNone || vport;
    if (found && (*found != holder || (is_own && end.own_lid != *lid)))
      return sa_status::kRequestInvalid;
    found = holder;
    end.lid = lid;
  }
  end.named = found.value_or(kNoEndport);
  return mad_status::kGood;
}

/// The endport in the plane of the path: that of the first LID of the request, else the requester.
EndportId end_in_plane(const SaQuery& query, const PathRecord& wanted) {
  if (query.has_component(path_bit::kSlid))
    if (const EndportId source = query.view.endport_of(wanted.slid); source != kNoEndport)
      return source;
  if (query.has_component(path_bit::kDlid))
    if (const EndportId end = query.view.endport_of(wanted.dlid); end != kNoEndport) return end;
  return query.requester;
}

PathDemands path_demands(const SaQuery& query, const PathRecord& wanted) {
  PathDemands demands = demands_of(
      query, wanted,
      DemandBits{path_bit::kMtuSelector, path_bit::kMtu, path_bit::kRateSelector, path_bit::kRate,
                 path_bit::kLifeSelector, path_bit::kLife, path_bit::kPkeyBit, path_bit::kSlBit,
                 path_bit::kRawTraffic, path_bit::kReversible});
  if (query.has_component(path_bit::kServiceIdHigh)) demands.service_id = wanted.service_id;
  if (query.has_component(path_bit::kQosClass)) demands.qos_class = wanted.qos_class;
  return demands;
}

LidSpan lids_of_end(const SaView& view, EndportId endport, const End& end) {
  if (end.lid) return {*end.lid, 1};
  if (end.own_lid != kLidNone) return {end.own_lid, 1};
  return lids_of(view.fabric().endport(endport));
}

/// The router for a GID of another subnet according to prefix-routes.conf.
std::optional<EndportId> router_for(const SaView& view, const Gid& gid) {
  const Fabric& fabric = view.fabric();
  const auto is_router = [&](EndportId endport) {
    return fabric.node(fabric.endport(endport).node).type == NodeType::kRouter;
  };
  for (const PrefixRoute& route : view.options().prefix_routes) {
    if (route.prefix && *route.prefix != prefix_of(gid)) continue;
    for (const EndportId endport : view.endports())
      if (route.router ? fabric.port(fabric.endport(endport).port).guid == *route.router
                       : is_router(endport))
        return endport;
  }
  return std::nullopt;
}

struct PathQuery {
  const SaQuery& query;
  PathDemands demands;
  End source, destination;
  std::optional<Gid> foreign;   // destination GID in another subnet, behind a router
  EndportId near = kNoEndport;  // end_in_plane()
  unsigned paths_max = 127;     // maximum for each pair
};

/// The ports that an end of a path may have; several only if plane ports have one GUID, and the
/// request contains no LID of this end.
std::vector<EndportId> ports_of_end(const SaView& view, const End& end, EndportId endport) {
  if (end.lid || end.own_lid != kLidNone) return {endport};
  return view.ports_with_guid_of(endport);
}

/// Moves named ends to a plane in which both ends have a link, if plane ports have one GUID.
/// Returns false if another port with the GUID of an unnamed end belongs to the pair.
bool move_to_common_plane(const PathQuery& path_query, EndportId& source, EndportId& destination) {
  const SaView& view = path_query.query.view;
  const bool is_source_named = path_query.source.named != kNoEndport;
  const bool is_destination_named = path_query.destination.named != kNoEndport;
  if (!view.has_shared_guids() || (!is_source_named && !is_destination_named)) return true;
  const auto pair = view.in_common_plane(ports_of_end(view, path_query.source, source),
                                         ports_of_end(view, path_query.destination, destination),
                                         path_query.near);
  if (!pair) return true;
  if (!is_source_named && pair->first != source) return false;
  if (!is_destination_named && pair->second != destination) return false;
  std::tie(source, destination) = *pair;
  return true;
}

/// Adds the records of a pair of endports. Returns false if the answer is complete or exceeds the
/// size limit.
bool answer_pair(const PathQuery& path_query, EndportId source, EndportId destination,
                 SaAnswer& answer) {
  const SaView& view = path_query.query.view;
  const EndportId requester = path_query.query.requester;
  const auto is_visible = [&](const End& end, EndportId endport) {
    return end.pkeys ? view.share_partition(requester, *end.pkeys)
                     : view.share_partition(requester, endport);
  };
  if (!is_visible(path_query.source, source) || !is_visible(path_query.destination, destination))
    return true;
  if (!move_to_common_plane(path_query, source, destination)) return true;
  unsigned found = 0;
  bool first_only = false;
  for_lid_pairs(
      lids_of_end(view, source, path_query.source),
      lids_of_end(view, destination, path_query.destination), [&](const LidPair& pair) {
        if (found == path_query.paths_max) return false;
        auto path = find_path(view, source, pair.slid, destination, pair.dlid, path_query.demands);
        if (!path) return true;
        ++found;
        path->preference = pair.preference;
        path->sgid = path_query.source.gid.value_or(path->sgid);
        path->dgid = path_query.destination.gid.value_or(path->dgid);
        path->hop_limit =
            hop_limit(view.options(), path_query.source.kind, path_query.destination.kind);
        if (path_query.foreign) {
          path->dgid = *path_query.foreign;
          path->hop_limit = kHopLimitMax;
        }
        answer.add(encode(*path));
        first_only = path_query.query.request.method == Method::kGet;
        return !first_only;
      });
  return !first_only && !answer.overflow();
}

}  // namespace

bool PathDemands::is_valid() const {
  return (!mtu || is_mtu(mtu->value)) && (!rate || is_rate(rate->value));
}

std::uint8_t hop_limit(const SaOptions& options, SaView::Identity::Kind a,
                       SaView::Identity::Kind b) {
  using Kind = SaView::Identity::Kind;
  if (a == Kind::kVport || b == Kind::kVport) return options.virt_default_hop_limit;
  if (a == Kind::kAlias || b == Kind::kAlias) return options.aguid_default_hop_limit;
  return 0;
}

LidSpan lids_of(const Endport& endport) { return {endport.lid, 1u << endport.lmc}; }

std::optional<PathRecord> find_path(const SaView& view, EndportId source, Lid slid,
                                    EndportId destination, Lid dlid, const PathDemands& demands) {
  const Endport& from = view.fabric().endport(source);
  const Endport& to = view.fabric().endport(destination);
  const QosMatcher& qos = view.snapshot().qos;
  const QosLevel* const level =
      qos.policy().exists()
          ? qos.match({view.fabric().port(from.port).guid, view.fabric().port(to.port).guid,
                       demands.pkey, demands.service_id, demands.qos_class})
          : nullptr;
  const auto pkey = path_pkey(view, source, destination, demands, level);
  if (!pkey) return std::nullopt;
  SaView::Limits limits;
  if (!walk(view, from, to, dlid, limits)) return std::nullopt;
  std::uint8_t life = source == destination ? std::uint8_t{0} : view.options().subnet_timeout;
  if (level != nullptr) {
    limit(*level, limits);
    if (source != destination) life = level->packet_life.value_or(life);
  }
  const auto sl = path_sl(view, from, source, dlid, demands.sl, level, *pkey);
  const auto mtu = meet_number(demands.mtu, limits.mtu);
  const auto rate = meet_rate(demands.rate, limits.rate);
  const auto life_met = meet_number(demands.life, life);
  if (!sl || !mtu || !rate || !life_met) return std::nullopt;
  const bool reversible = is_reversible(view, source, slid, destination, dlid);
  if (demands.reversible && !reversible) return std::nullopt;
  PathRecord path;
  path.dgid = view.gid(destination);
  path.sgid = view.gid(source);
  path.dlid = dlid;
  path.slid = slid;
  path.reversible = reversible;
  path.pkey = *pkey;
  path.sl = *sl;
  path.mtu_selector = path.rate_selector = path.life_selector = Selector::kExactly;
  path.mtu = *mtu;
  path.rate = *rate;
  path.life = *life_met;
  return path;
}

namespace {

std::uint16_t path_records(State& state, const SaQuery& query, SaAnswer& answer) {
  const PathRecord wanted = decode_path_record(query.request.as<PathRecord>());
  PathQuery path_query{query, path_demands(query, wanted), {}, {}, std::nullopt};
  if (query.has_component(path_bit::kServiceIdHigh) != query.has_component(path_bit::kServiceIdLow))
    return sa_status::kInsufficientComponents;
  if (!path_query.demands.is_valid()) return sa_status::kRequestInvalid;
  const auto if_set = [&](unsigned bit, const auto& value) {
    return query.has_component(bit) ? std::optional(value) : std::nullopt;
  };
  if (query.has_component(path_bit::kDgid) && is_multicast(wanted.dgid))
    return multicast_path(state, query, wanted, answer);
  std::optional<Gid> dgid = if_set(path_bit::kDgid, wanted.dgid);
  if (dgid && !query.view.is_local(*dgid))
    if (const auto router = router_for(query.view, *dgid)) {
      path_query.foreign = *dgid;
      dgid = query.view.gid(*router);
    }
  const EndportId near = path_query.near = end_in_plane(query, wanted);
  auto status = find_end(query, if_set(path_bit::kSgid, wanted.sgid),
                         if_set(path_bit::kSlid, wanted.slid), near, path_query.source);
  if (status == mad_status::kGood)
    status =
        find_end(query, dgid, if_set(path_bit::kDlid, wanted.dlid), near, path_query.destination);
  if (status == sa_status::kNoRecords) return mad_status::kGood;  // an answer without records
  if (status != mad_status::kGood) return status;
  path_query.demands.source_pkeys = path_query.source.pkeys;
  path_query.demands.destination_pkeys = path_query.destination.pkeys;
  if (query.has_component(path_bit::kNumbPath) && query.request.method != Method::kGet)
    path_query.paths_max = wanted.numb_path;
  const auto destinations = path_query.destination.endports(query.view);
  const auto sources = path_query.source.endports(query.view);
  const std::size_t end = std::min(query.slice.end, destinations.size() * sources.size());
  for (std::size_t pair = query.slice.begin; pair < end; ++pair)
    if (!answer_pair(path_query, sources[pair % sources.size()],
                     destinations[pair / sources.size()], answer))
      break;
  return mad_status::kGood;
}

/// Number of pairs of a source and a destination; 1 for a multicast group.
std::size_t path_parts(const SaQuery& query) {
  const bool destination =
      query.has_component(path_bit::kDgid) || query.has_component(path_bit::kDlid);
  const bool source = query.has_component(path_bit::kSgid) || query.has_component(path_bit::kSlid);
  const auto to_group = [&] {
    return query.has_component(path_bit::kDgid) &&
           is_multicast(decode_path_record(query.request.as<PathRecord>()).dgid);
  };
  if (to_group()) return 1;
  const std::size_t all = query.view.endports().size();
  return (destination ? 1 : all) * (source ? 1 : all);
}

}  // namespace

const Attribute kPathRecordAttribute{
    .id = SaAttribute::kPathRecord,
    .name = "PathRecord",
    .record_size = PathRecord::kSize,
    .get = &path_records,
    .table = &path_records,
    .parts = &path_parts,
    .first_of_many = true,
};

}  // namespace weft::sa
