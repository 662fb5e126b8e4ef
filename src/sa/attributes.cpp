#include "sa/attributes.h"

#include <algorithm>
#include <utility>

#include "sa/guid_info.h"
#include "sa/mc_members.h"
#include "sa/paths/multi_paths.h"
#include "sa/paths/paths.h"
#include "sa/records.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"

namespace weft::sa {
namespace {

constexpr Attribute queried(SaAttribute id, std::string_view name, std::size_t size,
                            Handler handler) {
  Attribute attribute;
  attribute.id = id;
  attribute.name = name;
  attribute.record_size = size;
  attribute.get = attribute.table = handler;
  return attribute;
}

constexpr Attribute with(Attribute attribute, bool first_of_many, bool trusted_only) {
  attribute.first_of_many = first_of_many;
  attribute.trusted_only = trusted_only;
  return attribute;
}

constexpr Attribute only_get(Attribute attribute) {
  attribute.table = nullptr;
  return attribute;
}

constexpr Attribute changed(Attribute attribute, Handler set, Handler remove) {
  attribute.set = set;
  attribute.remove = remove;
  return attribute;
}

constexpr Attribute only_set(Attribute attribute) {
  attribute.set = std::exchange(attribute.get, nullptr);
  attribute.table = nullptr;
  return attribute;
}

constexpr Attribute multi(Attribute attribute, Handler handler) {
  attribute.multi = handler;
  return attribute;
}

constexpr Attribute kAttributes[] = {
    only_get(queried(SaAttribute::kClassPortInfo, "ClassPortInfo", ClassPortInfo::kSize,
                     &class_port_info)),
    queried(SaAttribute::kNodeRecord, "NodeRecord", NodeRecord::kSize, &node_records),
    queried(SaAttribute::kPortInfoRecord, "PortInfoRecord", PortInfoRecord::kSize,
            &port_info_records),
    queried(SaAttribute::kSlToVlRecord, "SLtoVLMappingTableRecord", SlToVlRecord::kSize,
            &sl_to_vl_records),
    queried(SaAttribute::kSwitchInfoRecord, "SwitchInfoRecord", SwitchInfoRecord::kSize,
            &switch_info_records),
    queried(SaAttribute::kLftRecord, "LinearForwardingTableRecord", LftRecord::kSize, &lft_records),
    queried(SaAttribute::kMftRecord, "MulticastForwardingTableRecord", MftRecord::kSize,
            &mft_records),
    queried(SaAttribute::kSmInfoRecord, "SMInfoRecord", SmInfoRecord::kSize, &sm_info_records),
    queried(SaAttribute::kLinkRecord, "LinkRecord", LinkRecord::kSize, &link_records),
    with(queried(SaAttribute::kPkeyTableRecord, "P_KeyTableRecord", PkeyTableRecord::kSize,
                 &pkey_table_records),
         false, true),
    with(queried(SaAttribute::kPathRecord, "PathRecord", PathRecord::kSize, &path_records), true,
         false),
    multi(queried(SaAttribute::kMultiPathRecord, "MultiPathRecord", PathRecord::kSize,
                  &misplaced_multi_path),
          &multi_path_records),
    changed(queried(SaAttribute::kGuidInfoRecord, "GUIDInfoRecord", GuidInfoRecord::kSize,
                    &guid_info_records),
            &set_guids, &delete_guids),
    changed(queried(SaAttribute::kServiceRecord, "ServiceRecord", ServiceRecord::kSize,
                    &service_records),
            &set_service, &delete_service),
    only_set(queried(SaAttribute::kInformInfo, "InformInfo", InformInfo::kSize, &set_inform_info)),
    queried(SaAttribute::kInformInfoRecord, "InformInfoRecord", InformInfoRecord::kSize,
            &inform_info_records),
    queried(SaAttribute::kVlArbRecord, "VLArbitrationTableRecord", VlArbRecord::kSize,
            &vl_arb_records),
    changed(queried(SaAttribute::kMcMemberRecord, "MCMemberRecord", McMemberRecord::kSize,
                    &mc_member_records),
            &join_group, &leave_group),
};

}  // namespace

std::span<const Attribute> attributes() { return kAttributes; }

const Attribute* find_attribute(SaAttribute id) {
  const auto* const found = std::ranges::find(kAttributes, id, &Attribute::id);
  return found == std::end(kAttributes) ? nullptr : found;
}

Handler handler_of(const Attribute& attribute, Method method) {
  if (method == Method::kGet) return attribute.get;
  if (method == sa_method::kGetTable) return attribute.table;
  if (method == Method::kSet) return attribute.set;
  if (method == sa_method::kDelete) return attribute.remove;
  if (method == sa_method::kGetMulti) return attribute.multi;
  return nullptr;
}

std::size_t parts_of(const Attribute& attribute, const SaQuery& query) {
  constexpr unsigned kLidBit = 0, kToLidBit = 3;
  switch (attribute.id) {
    case SaAttribute::kNodeRecord:
    case SaAttribute::kPortInfoRecord:
    case SaAttribute::kSwitchInfoRecord:
    case SaAttribute::kLftRecord:
    case SaAttribute::kMftRecord:
      return query.asks(kLidBit) ? 1 : query.view.nodes().size();
    case SaAttribute::kLinkRecord:
      return query.asks(kLidBit) || query.asks(kToLidBit) ? 1 : query.view.nodes().size();
    case SaAttribute::kSlToVlRecord:
    case SaAttribute::kPkeyTableRecord:
    case SaAttribute::kVlArbRecord:
      return query.asks(kLidBit) ? 1 : query.view.endports().size();
    case SaAttribute::kPathRecord:
      return path_parts(query);
    default:
      return 1;
  }
}

std::size_t work_of_a_part(const Attribute& attribute, const SaQuery& query) {
  return attribute.id == SaAttribute::kPathRecord ? pairs_of_a_path_part(query) : 1;
}

}  // namespace weft::sa
