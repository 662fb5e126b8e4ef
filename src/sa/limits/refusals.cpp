// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/limits/refusals.h"

#include "base/log.h"

namespace weft::sa {
namespace {

struct RefusalText {
  std::string_view name;
  std::string_view message;
};

/// Names and messages, in the order of Refusal.
constexpr std::array<RefusalText, kRefusalKinds> kRefusalTexts{{
    {"wrong_key", "request ignored: its SM_Key is neither 0 nor sa_key"},
    {"source_gid", "request ignored: its source GID is not of the port (sa_check_sgid_spoofing)"},
    {"rate", "request ignored: more requests in 100 ms than sa_rate_threshold"},
    {"trust", "request denied: it requires sa_key (sa_enhanced_trust_model)"},
    {"partition",
     "join or leave for another port refused: the requester shares no partition with that port, "
     "or is no member of the group's partition"},
    {"alias", "change of another port's alias GUIDs denied: it requires sa_key"},
    {"alias_taken", "alias GUID not set: it is already assigned"},
    {"groups", "join refused: limit sa_etm_max_num_mcgs reached"},
    {"mlids",
     "new multicast group refused: existing groups that the port created reach a quarter of the "
     "multicast LIDs"},
    {"services", "service refused: limit sa_etm_max_num_srvcs, or limit of all services, reached"},
    {"subscriptions",
     "subscription refused: limit sa_etm_max_num_event_subs, or limit of all subscriptions, "
     "reached"},
    {"rmpp_requests",
     "RMPP request refused: limit sa_max_num_rmpp_requests, or limit of all requests, reached"},
    {"tenant_guid", "alias GUID not set: tenants_policy_file does not allow it on the port"},
    {"tenant_groups", "join refused: limit of multicast groups in tenants_policy_file reached"},
}};

}  // namespace

std::string_view name(Refusal why) { return kRefusalTexts[static_cast<std::size_t>(why)].name; }

void Refusals::count(Refusal why, Guid port, Lid lid, TimeNs now) {
  Kind& kind = kinds_[static_cast<std::size_t>(why)];
  ++kind.count;
  if (!kind.messages.take(now)) return;
  log::warn("SA: port {:#018x} LID {}: {}; refusals of this kind since the last message: {}",
            port.value(), lid.value(), kRefusalTexts[static_cast<std::size_t>(why)].message,
            kind.count - kind.count_logged);
  kind.count_logged = kind.count;
  ++logged_;
}

}  // namespace weft::sa
