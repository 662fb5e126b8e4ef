// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sa/records/sm_info_record.h"

#include "sa/attribute.h"
#include "sa/records/topology.h"

namespace weft::sa {
namespace {

// SM_Key and ActCount are not compared: the SM_Key is not disclosed, and ActCount changes
// continuously.
constexpr Component kSmInfoRecordComponents[]{{0, 0, 16}, {1, 0, 0},   {2, 32, 64}, {3, 0, 0},
                                              {4, 0, 0},  {5, 192, 4}, {6, 196, 4}};

std::uint16_t sm_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  for (const KnownManager& manager : query.view.snapshot().managers) {
    if (!is_visible(query, query.view.fabric().endport_of(manager.lid))) continue;
    SmInfoRecord record{manager.lid, manager.info};
    record.info.key = SmKey(0);  // never disclosed, as in OpenSM
    offer(query, record, answer);
  }
  return mad_status::kGood;
}

}  // namespace

const Attribute kSmInfoRecordAttribute{
    .id = SaAttribute::kSmInfoRecord,
    .name = "SMInfoRecord",
    .record_size = SmInfoRecord::kSize,
    .components = kSmInfoRecordComponents,
    .get = &sm_info_records,
    .table = &sm_info_records,
};

}  // namespace weft::sa
