// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/mc_members.h"

#include <algorithm>

#include "sa/attribute.h"
#include "sa/multicast/multicast_groups.h"
#include "sa/paths/paths.h"
#include "sa/selectors.h"
#include "sa/state.h"
#include "sa/trust.h"

namespace weft::sa {
namespace {

// MTU, rate, P_Keys, members and JoinStates are compared by the handler. Life time and ProxyJoin
// are not compared.
constexpr Component kMcMemberRecordComponents[]{
    {0, 0, 128},  {1, 0, 0},     {2, 256, 32}, {3, 288, 16}, {4, 0, 0},  {5, 0, 0},
    {6, 312, 8},  {7, 0, 0},     {8, 0, 0},    {9, 0, 0},    {10, 0, 0}, {11, 0, 0},
    {12, 352, 4}, {13, 356, 20}, {14, 376, 8}, {15, 384, 4}, {16, 0, 0}, {17, 0, 0}};

namespace member_bit {
enum MemberBit : unsigned {
  kMgid = 0,
  kPortGid = 1,
  kQkey = 2,
  kMtuSelector = 4,
  kMtu = 5,
  kTclass = 6,
  kPkey = 7,
  kRateSelector = 8,
  kRate = 9,
  kSl = 12,
  kFlowLabel = 13,
  kHopLimit = 14,
  kScope = 15,
  kJoinState = 16
};
}  // namespace member_bit

constexpr std::uint8_t kFullStates = join_state::kFull | join_state::kSendOnlyFull;

bool has_all_components(const SaQuery& query, std::initializer_list<member_bit::MemberBit> bits) {
  return std::ranges::all_of(bits,
                             [&](member_bit::MemberBit bit) { return query.has_component(bit); });
}

/// A requirement on MTU or rate. is_made: the component mask has the selector. has_value: the
/// component mask has the value.
struct Demand {
  bool is_made = false;
  bool has_value = false;
  Selected wanted;
};
Demand mtu_demand(const SaQuery& query, const McMemberRecord& wanted) {
  return {query.has_component(member_bit::kMtuSelector),
          query.has_component(member_bit::kMtu),
          {wanted.mtu_selector, wanted.mtu}};
}
Demand rate_demand(const SaQuery& query, const McMemberRecord& wanted) {
  return {query.has_component(member_bit::kRateSelector),
          query.has_component(member_bit::kRate),
          {wanted.rate_selector, wanted.rate}};
}

/// The port that joins or leaves a group, and the record of the request.
struct MembershipRequest {
  McMemberRecord wanted;
  EndportId endport = kNoEndport;
  std::span<const Pkey> pkeys;  // P_Keys of the virtual port, else of the port
  Guid port;
  bool is_requester = false;
};

/// Fills `applicant` from the request and returns the status. A port for which the requester may
/// not make requests has the status of an unknown port.
std::uint16_t read_applicant(State& state, const SaQuery& query, MembershipRequest& applicant) {
  const SaView& view = query.view;
  applicant.wanted = decode_mc_member_record(query.request.as<McMemberRecord>());
  if (!has_all_components(query, {member_bit::kMgid, member_bit::kPortGid, member_bit::kJoinState}))
    return sa_status::kInsufficientComponents;
  if (!view.is_local(applicant.wanted.port_gid)) return sa_status::kInvalidGid;
  const auto identity = view.identify(applicant.wanted.port_gid, query.requester);
  if (!identity) return sa_status::kRequestInvalid;
  const EndportId endport = identity->endport;
  if (!may_act_for(query, endport)) {
    count_refusal(state, query, Refusal::kPartition);
    return sa_status::kRequestInvalid;
  }
  applicant.endport = endport;
  applicant.pkeys = identity->pkeys;
  applicant.port = guid_of(applicant.wanted.port_gid);
  applicant.is_requester = endport == query.requester;
  return mad_status::kGood;
}

/// A membership that a port joined for itself cannot be changed by other ports.
bool may_change_membership(const McGroup& group, const MembershipRequest& applicant) {
  const auto member = group.members.find(applicant.port);
  return member == group.members.end() || member->second.proxy || applicant.is_requester;
}

/// The requester of a change for another port must itself be in the group's partition.
bool is_in_partition(State& state, const SaQuery& query, const MembershipRequest& applicant,
                     Pkey pkey) {
  if (applicant.is_requester || query.view.is_member(query.requester, pkey)) return true;
  count_refusal(state, query, Refusal::kPartition);
  return false;
}

Guid requesting_port(const SaQuery& query) { return guid_of(query.view.gid(query.requester)); }

/// Whether the membership is within the quota of the requesting port.
bool has_quota(State& state, const SaQuery& query, const MembershipRequest& applicant,
               const McGroup* group) {
  const std::size_t most = query.view.options().quotas.groups;
  const Guid own = requesting_port(query);
  if (group != nullptr) {
    const auto member = group->members.find(applicant.port);
    const bool is_counted =
        member != group->members.end() &&
        (member->second.registrant == own || !(member->second.proxy && applicant.is_requester));
    if (is_counted) return true;
  }
  if (most == 0 || state.groups.memberships_of(own) < most) return true;
  count_refusal(state, query, Refusal::kGroups);
  return false;
}

/// Whether the group is within the quota of the joining port's tenant. `group` is null for a new
/// group.
bool has_tenant_quota(State& state, const SaQuery& query, const MembershipRequest& applicant,
                      const McGroup* group) {
  const auto& tenants = query.view.options().tenants;
  const auto tenant = tenants ? tenants->of(applicant.port) : std::nullopt;
  if (!tenant || tenants->all[*tenant].groups_max == 0) return true;
  const std::size_t groups = state.groups.groups_of(tenants, *tenant);
  if (groups < tenants->all[*tenant].groups_max ||
      (group != nullptr && state.groups.has_member_of(*group, *tenant)))
    return true;
  count_refusal(state, query, Refusal::kTenantGroups);
  return false;
}

// ---- a new group

/// Sets MTU and rate of a new group, at most those of its first member. Returns false if the values
/// in the request are invalid or cannot be met.
bool set_mtu_and_rate(const SaQuery& query, const MembershipRequest& applicant,
                      McMemberRecord& group) {
  const SaView::Limits& limits =
      query.view.limits(query.view.fabric().endport(applicant.endport).port);
  const SaOptions& options = query.view.options();
  group.mtu = limits.mtu;
  group.rate = limits.rate;
  if (is_mtu(options.default_mcg_mtu)) group.mtu = std::min(limits.mtu, options.default_mcg_mtu);
  if (is_rate(options.default_mcg_rate) &&
      data_rate_of(options.default_mcg_rate) < limits.data_rate)
    group.rate = options.default_mcg_rate;
  if (const Demand mtu = mtu_demand(query, applicant.wanted); mtu.is_made) {
    if (!mtu.has_value || !is_mtu(mtu.wanted.value)) return false;
    const auto met = meet(mtu.wanted, limits.mtu, number_itself, number_below);
    if (!met) return false;
    group.mtu = *met;
  }
  if (const Demand rate = rate_demand(query, applicant.wanted); rate.is_made) {
    if (!rate.has_value || !is_rate(rate.wanted.value)) return false;
    const auto met = meet(rate.wanted, limits.rate, data_rate_of, slower_rate);
    if (!met) return false;
    group.rate = *met;
  }
  group.mtu_selector = group.rate_selector = group.life_selector = Selector::kExactly;
  return true;
}

/// Groups of IP over InfiniBand must have the parameters of the broadcast group of their partition
/// and scope.
bool fits_broadcast_group(const State& state, const McMemberRecord& wanted) {
  const auto mgid = broadcast_group_of(wanted.mgid);
  if (!mgid) return true;
  const McGroup* broadcast = state.groups.find(*mgid);
  if (broadcast == nullptr) return false;
  const McMemberRecord& expected = broadcast->record;
  return wanted.qkey == expected.qkey && same_partition(wanted.pkey, expected.pkey) &&
         wanted.tclass == expected.tclass && wanted.sl == expected.sl &&
         wanted.flow_label == expected.flow_label && wanted.hop_limit == expected.hop_limit;
}

/// Option ipoib_mcgroup_creation_validation FALSE disables OpenSM's rules for MGIDs, but not the
/// check for a multicast GID. An MGID of 0 requests a new MGID.
bool is_mgid_allowed(const State& state, const SaQuery& query, const McMemberRecord& wanted) {
  if (!query.view.options().validate_ip_groups)
    return wanted.mgid == Gid{} || is_multicast(wanted.mgid);
  return (wanted.mgid == Gid{} || may_be_created(wanted.mgid)) &&
         fits_broadcast_group(state, wanted);
}

std::uint16_t create_group(State& state, const SaQuery& query, MembershipRequest& applicant) {
  McMemberRecord& wanted = applicant.wanted;
  if (!has_all_components(query, {member_bit::kQkey, member_bit::kPkey, member_bit::kTclass,
                                  member_bit::kSl, member_bit::kFlowLabel}))
    return sa_status::kInsufficientComponents;
  const bool is_allowed = (wanted.join_state & kFullStates) != 0 &&
                          is_member(applicant.pkeys, wanted.pkey) &&
                          is_in_partition(state, query, applicant, wanted.pkey) &&
                          is_mgid_allowed(state, query, wanted);
  McMemberRecord group = wanted;
  if (!is_allowed || !set_mtu_and_rate(query, applicant, group)) return sa_status::kRequestInvalid;
  const std::uint8_t scope =
      query.has_component(member_bit::kScope) ? wanted.scope : kLinkLocalScope;
  const bool is_limited = query.view.options().quotas.groups != 0;
  if (is_limited && !state.groups.may_create(requesting_port(query))) {
    count_refusal(state, query, Refusal::kMlids);
    return sa_status::kNoResources;
  }
  if (!has_quota(state, query, applicant, nullptr) ||
      !has_tenant_quota(state, query, applicant, nullptr) ||
      !state.groups.create(group, scope, query.view, requesting_port(query)))
    return sa_status::kNoResources;
  wanted.mgid = group.mgid;
  return mad_status::kGood;
}

// ---- an existing group

bool fits_group(const SaQuery& query, const McMemberRecord& wanted, const McMemberRecord& group) {
  const auto equal = [&](member_bit::MemberBit bit, const auto& a, const auto& b) {
    return !query.has_component(bit) || a == b;
  };
  return equal(member_bit::kQkey, wanted.qkey, group.qkey) &&
         equal(member_bit::kTclass, wanted.tclass, group.tclass) &&
         equal(member_bit::kSl, wanted.sl, group.sl) &&
         equal(member_bit::kFlowLabel, wanted.flow_label, group.flow_label) &&
         equal(member_bit::kHopLimit, wanted.hop_limit, group.hop_limit) &&
         (!query.has_component(member_bit::kPkey) || same_partition(wanted.pkey, group.pkey));
}

bool can_take_part(const SaQuery& query, const MembershipRequest& applicant,
                   const McMemberRecord& group) {
  const Demand mtu = mtu_demand(query, applicant.wanted);
  const Demand rate = rate_demand(query, applicant.wanted);
  if (mtu.is_made &&
      !(mtu.has_value && is_mtu(mtu.wanted.value) && fits(mtu.wanted, group.mtu, number_itself)))
    return false;
  if (rate.is_made && !(rate.has_value && is_rate(rate.wanted.value) &&
                        fits(rate.wanted, group.rate, data_rate_of)))
    return false;
  const SaView::Limits& limits =
      query.view.limits(query.view.fabric().endport(applicant.endport).port);
  return limits.mtu >= group.mtu && limits.data_rate >= data_rate_of(group.rate);
}

bool may_join(State& state, const SaQuery& query, const MembershipRequest& applicant,
              const McGroup& group) {
  return applicant.wanted.join_state != 0 && may_change_membership(group, applicant) &&
         is_member(applicant.pkeys, group.record.pkey) &&
         is_in_partition(state, query, applicant, group.record.pkey) &&
         (!query.has_component(member_bit::kPkey) ||
          is_member(applicant.pkeys, applicant.wanted.pkey)) &&
         (!query.view.options().validate_joins ||
          fits_group(query, applicant.wanted, group.record)) &&
         can_take_part(query, applicant, group.record);
}

// ---- queries

/// MTU and rate outside their range make a request invalid.
bool is_valid_demand(const Demand& demand, bool is_value) {
  return !demand.is_made || !demand.has_value || is_value;
}

void offer_group(const SaQuery& query, const McMemberRecord& wanted, const McGroup& group,
                 SaAnswer& answer) {
  const auto is_asked = [&](Guid port, const McMember& member) {
    return (!query.has_component(member_bit::kPortGid) || guid_of(wanted.port_gid) == port) &&
           (!query.has_component(member_bit::kJoinState) || wanted.join_state == member.state);
  };
  const bool about_members =
      query.has_component(member_bit::kPortGid) || query.has_component(member_bit::kJoinState);
  if (query.has_component(member_bit::kPortGid) && !query.view.is_local(wanted.port_gid)) return;
  if (!query.request.trusted) {
    if (!about_members || std::ranges::any_of(group.members, [&](const auto& member) {
          return is_asked(member.first, member.second);
        }))
      answer.add(encode(group.record));
    return;
  }
  for (const auto& [port, member] : group.members) {
    if (!is_asked(port, member)) continue;
    McMemberRecord record = group.record;
    record.port_gid = make_gid(query.view.options().subnet_prefix, port);
    record.join_state = member.state;
    record.proxy_join = member.proxy;
    answer.add(encode(record));
  }
}

std::uint16_t mc_member_records(State& state, const SaQuery& query, SaAnswer& answer) {
  const McMemberRecord wanted = decode_mc_member_record(query.request.as<McMemberRecord>());
  const Demand mtu = mtu_demand(query, wanted);
  const Demand rate = rate_demand(query, wanted);
  if (!is_valid_demand(mtu, is_mtu(wanted.mtu)) || !is_valid_demand(rate, is_rate(wanted.rate)))
    return sa_status::kRequestInvalid;
  const auto consider = [&](const McGroup& group) {
    const McMemberRecord& record = group.record;
    if (!query.view.is_member(query.requester, record.pkey)) return;
    if (!query.filter.matches(encode(record))) return;
    if (query.has_component(member_bit::kPkey) && !same_partition(wanted.pkey, record.pkey)) return;
    if (mtu.is_made && !fits(mtu.wanted, record.mtu, number_itself)) return;
    if (rate.is_made && !fits(rate.wanted, record.rate, data_rate_of)) return;
    offer_group(query, wanted, group, answer);
  };
  if (query.has_component(member_bit::kMgid)) {
    if (const McGroup* group = state.groups.find(wanted.mgid)) consider(*group);
    return mad_status::kGood;
  }
  for (const auto& [mgid, group] : state.groups.all()) consider(group);
  return mad_status::kGood;
}

std::uint16_t join_group(State& state, const SaQuery& query, SaAnswer& answer) {
  MembershipRequest applicant;
  if (const auto status = read_applicant(state, query, applicant); status != mad_status::kGood)
    return status;
  const McGroup* group = state.groups.find(applicant.wanted.mgid);
  if (group == nullptr) {
    if (const auto status = create_group(state, query, applicant); status != mad_status::kGood)
      return status;
    group = state.groups.find(applicant.wanted.mgid);
  } else if (!may_join(state, query, applicant, *group)) {
    return sa_status::kRequestInvalid;
  } else if (!has_quota(state, query, applicant, group) ||
             !has_tenant_quota(state, query, applicant, group)) {
    return sa_status::kNoResources;
  }
  McMemberRecord record = group->record;
  record.port_gid = applicant.wanted.port_gid;
  record.join_state = state.groups.join(
      applicant.wanted.mgid, applicant.port,
      {applicant.wanted.join_state, !applicant.is_requester, requesting_port(query)});
  record.proxy_join = applicant.wanted.proxy_join;
  answer.add(encode(record));
  return mad_status::kGood;
}

/// The answer is the request with the group's scope and the remaining JoinState.
std::uint16_t leave_group(State& state, const SaQuery& query, SaAnswer& answer) {
  MembershipRequest applicant;
  if (const auto status = read_applicant(state, query, applicant); status != mad_status::kGood)
    return status;
  McMemberRecord& wanted = applicant.wanted;
  const McGroup* group = state.groups.find(wanted.mgid);
  if (group == nullptr) return sa_status::kRequestInvalid;
  const auto member = group->members.find(applicant.port);
  if (member == group->members.end() || wanted.join_state == 0 ||
      (wanted.join_state & ~member->second.state) != 0 ||
      !may_change_membership(*group, applicant) ||
      !is_in_partition(state, query, applicant, group->record.pkey))
    return sa_status::kRequestInvalid;
  wanted.scope = group->record.scope;
  wanted.join_state = state.groups.leave(wanted.mgid, applicant.port, wanted.join_state);
  wanted.mtu_selector = wanted.rate_selector = wanted.life_selector = Selector::kExactly;
  answer.add(encode(wanted));
  return mad_status::kGood;
}

}  // namespace

std::uint16_t multicast_path(const State& state, const SaQuery& query, const PathRecord& wanted,
                             SaAnswer& answer) {
  const McGroup* group = state.groups.find(wanted.dgid);
  if (group == nullptr) return mad_status::kGood;
  if (query.has_component(path_bit::kNumbPath) && query.request.method != Method::kGet &&
      wanted.numb_path == 0)
    return mad_status::kGood;
  const McMemberRecord& record = group->record;
  const auto differs = [&](path_bit::PathBit bit, const auto& a, const auto& b) {
    return query.has_component(bit) && a != b;
  };
  if (!query.view.is_member(query.requester, record.pkey) ||
      differs(path_bit::kDlid, wanted.dlid, record.mlid) ||
      differs(path_bit::kPkeyBit, wanted.pkey, record.pkey) ||
      differs(path_bit::kSlBit, wanted.sl, record.sl) ||
      differs(path_bit::kFlowLabel, wanted.flow_label, record.flow_label) ||
      differs(path_bit::kHopLimit, wanted.hop_limit, record.hop_limit) ||
      differs(path_bit::kTclass, wanted.tclass, record.tclass))
    return mad_status::kGood;
  const auto is_member = [&](EndportId endport) {
    const Fabric& fabric = query.view.fabric();
    return endport != kNoEndport &&
           group->members.contains(fabric.port(fabric.endport(endport).port).guid);
  };
  if (query.has_component(path_bit::kSgid) &&
      !(query.view.find(wanted.sgid) && group->members.contains(guid_of(wanted.sgid))))
    return mad_status::kGood;
  if (query.has_component(path_bit::kSlid) && !is_member(query.view.endport_of(wanted.slid)))
    return mad_status::kGood;
  PathRecord path;
  path.service_id = wanted.service_id;
  path.dgid = wanted.dgid;
  if (query.has_component(path_bit::kSgid)) path.sgid = wanted.sgid;
  path.dlid = record.mlid;
  path.flow_label = record.flow_label;
  path.hop_limit = scope_of(wanted.dgid) == kLinkLocalScope ? std::uint8_t{0} : kHopLimitMax;
  path.tclass = record.tclass;
  path.numb_path = 1;
  path.pkey = record.pkey;
  path.sl = record.sl;
  path.mtu_selector = path.rate_selector = path.life_selector = Selector::kExactly;
  path.mtu = record.mtu;
  path.rate = record.rate;
  path.life = record.life;
  answer.add(encode(path));
  return mad_status::kGood;
}

const Attribute kMcMemberRecordAttribute{
    .id = SaAttribute::kMcMemberRecord,
    .name = "MCMemberRecord",
    .record_size = McMemberRecord::kSize,
    .components = kMcMemberRecordComponents,
    .get = &mc_member_records,
    .table = &mc_member_records,
    .set = &join_group,
    .remove = &leave_group,
};

}  // namespace weft::sa
