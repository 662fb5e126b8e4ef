// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/trust.h"

#include "sa/paths/paths.h"
#include "sa/service_records.h"

namespace weft::sa {
namespace {

/// Whether the request selects both ends of a path, or a multicast group as destination, so that
/// the answer cannot list the subnet.
bool names_both_ends(const SaQuery& query) {
  const bool destination =
      query.has_component(path_bit::kDgid) || query.has_component(path_bit::kDlid);
  const bool source = query.has_component(path_bit::kSgid) || query.has_component(path_bit::kSlid);
  if (!destination || source) return destination;
  return query.has_component(path_bit::kDgid) &&
         is_multicast(decode_path_record(query.request.as<PathRecord>()).dgid);
}

/// Whether the request joins, leaves or registers for a port that is not the requester.
bool is_proxy_request(const SaQuery& query) {
  if (query.request.attribute == SaAttribute::kMcMemberRecord) {
    const auto record = decode_mc_member_record(query.request.as<McMemberRecord>());
    return query.view.find(record.port_gid, query.requester) != query.requester;
  }
  const auto record = decode_service_record(query.request.as<ServiceRecord>());
  return !is_multicast(record.gid) &&
         port_of_service(query.view, record, query.requester) != query.requester;
}

/// Whether the requester is a virtual function, which has an alias GUID of its port.
bool is_of_virtual_function(const SaQuery& query) {
  return query.request.from.route &&
         guid_of(query.request.from.route->gid) != guid_of(query.view.gid(query.requester));
}

bool is_guid_request_allowed(const SaQuery& query) {
  const EnhancedTrust& trust = query.view.options().trust;
  const auto record = decode_guid_info_record(query.request.as<GuidInfoRecord>());
  return trust.untrusted_guid_info && query.has_component(0) &&
         query.view.endport_of(record.lid) == query.requester &&
         (trust.guid_info_by_vf || !is_of_virtual_function(query));
}

}  // namespace

bool may_act_for(const SaQuery& query, EndportId port) {
  return port == query.requester || query.view.share_partition(query.requester, port);
}

bool is_allowed_untrusted(const SaQuery& query) {
  const Method method = query.request.method;
  const bool get = method == Method::kGet;
  const bool change = method == Method::kSet || method == sa_method::kDelete;
  switch (query.request.attribute) {
    case SaAttribute::kClassPortInfo:
      return get;
    case SaAttribute::kPathRecord:
      return names_both_ends(query);
    case SaAttribute::kMultiPathRecord:
      return method == sa_method::kGetMulti;
    case SaAttribute::kMcMemberRecord:
    case SaAttribute::kServiceRecord:
      return get || (change && (query.view.options().trust.untrusted_proxy_requests ||
                                !is_proxy_request(query)));
    case SaAttribute::kInformInfo:
      return method == Method::kSet;
    case SaAttribute::kGuidInfoRecord:
      return (get || change) && is_guid_request_allowed(query);
    default:
      return false;
  }
}

}  // namespace weft::sa
