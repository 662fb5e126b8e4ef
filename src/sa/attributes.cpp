// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/attributes.h"

#include <algorithm>
#include <array>

#include "sa/mc_members.h"
#include "sa/paths/multi_paths.h"
#include "sa/paths/paths.h"
#include "sa/records/class_port_info.h"
#include "sa/records/guid_info_record.h"
#include "sa/records/lft_record.h"
#include "sa/records/link_record.h"
#include "sa/records/mft_record.h"
#include "sa/records/node_record.h"
#include "sa/records/pkey_table_record.h"
#include "sa/records/port_info_record.h"
#include "sa/records/sl_to_vl_record.h"
#include "sa/records/sm_info_record.h"
#include "sa/records/switch_info_record.h"
#include "sa/records/vl_arb_record.h"
#include "sa/service_records.h"
#include "sa/subscriptions.h"

namespace weft::sa {

std::span<const Attribute> attributes() {
  static const std::array all{
      kClassPortInfoAttribute,    kNodeRecordAttribute,       kPortInfoRecordAttribute,
      kSlToVlRecordAttribute,     kSwitchInfoRecordAttribute, kLftRecordAttribute,
      kMftRecordAttribute,        kSmInfoRecordAttribute,     kLinkRecordAttribute,
      kPkeyTableRecordAttribute,  kPathRecordAttribute,       kMultiPathRecordAttribute,
      kGuidInfoRecordAttribute,   kServiceRecordAttribute,    kInformInfoAttribute,
      kInformInfoRecordAttribute, kVlArbRecordAttribute,      kMcMemberRecordAttribute,
  };
  return all;
}

const Attribute* find_attribute(SaAttribute id) {
  const auto all = attributes();
  const auto found = std::ranges::find(all, id, &Attribute::id);
  return found == all.end() ? nullptr : &*found;
}

std::span<const Component> components_of(SaAttribute id) {
  const Attribute* const attribute = find_attribute(id);
  return attribute == nullptr ? std::span<const Component>() : attribute->components;
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
  return attribute.parts == nullptr ? 1 : attribute.parts(query);
}

}  // namespace weft::sa
