#include "sa/guid_info.h"

#include <algorithm>

namespace weft::sa {
namespace {

constexpr unsigned kLidBit = 0;

std::size_t blocks_of(const PortInfo& info) {
  return (info.guid_cap + GuidInfo::kEntries - 1) / GuidInfo::kEntries;
}

}  // namespace

std::uint16_t guid_info_records(State&, const SaQuery& query, SaAnswer& answer) {
  const SaView& view = query.view;
  const auto offer = [&](EndportId endport) {
    if (!view.share_partition(query.requester, endport)) return;
    const Endport& at = view.fabric().endport(endport);
    const Port& port = view.fabric().port(at.port);
    const std::size_t blocks = blocks_of(view.observed(at.node).ports[port.num.value()]);
    for (std::size_t block = 0; block < blocks; ++block) {
      GuidInfoRecord record{at.lid, static_cast<std::uint8_t>(block), {}};
      if (block == 0) record.table.guids[0] = port.guid;
      const auto bytes = encode(record);
      if (query.filter.matches(bytes)) answer.add(bytes);
    }
  };
  if (!query.asks(kLidBit)) {
    for (const EndportId endport : view.endports()) offer(endport);
    return mad_status::kGood;
  }
  const Lid lid = decode_guid_info_record(query.request.as<GuidInfoRecord>()).lid;
  if (const EndportId endport = view.fabric().endport_of(lid); endport != kNoEndport)
    offer(endport);
  return mad_status::kGood;
}

}  // namespace weft::sa
