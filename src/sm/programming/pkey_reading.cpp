// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "sm/programming/pkey_reading.h"

#include "ib/modifiers.h"
#include "sm/discovery/directed.h"
#include "sm/partitions/partitions.h"

namespace weft {
namespace {

constexpr unsigned kBlockShift = 32;

}  // namespace

PkeyReading::PkeyReading(const Observed& observed, const Fabric& fabric, const SmOptions& options,
                         HeldTables& held)
    : observed_(observed),
      fabric_(fabric),
      options_(options),
      held_(held.pkeys()),

      silent_(fabric.node_count()) {}

bool PkeyReading::find_next() {
  NodeId node(fabric_.node_count());
  HeldPkeys::OfNode known({});
  for (; port_ < fabric_.port_count(); ++port_, block_ = 0) {
    const Port& port = fabric_.port(PortId(port_));
    if (silent_[port.node.value()] ||
        !has_planned_pkeys(observed_, fabric_, options_, PortId(port_)))
      continue;
    if (port.node != node) known = held_.of(fabric_.node(node = port.node).node_guid);
    const std::size_t blocks = pkey_blocks(pkey_capacity(observed_, fabric_, PortId(port_)));
    while (block_ < blocks && known.is_known(port.num, block_)) ++block_;
    if (block_ < blocks) return true;
  }
  return false;
}

bool PkeyReading::next(Smp& request, std::uint64_t& cookie) {
  if (!find_next()) return false;
  const Port& port = fabric_.port(PortId(port_));
  fill_directed_request(request, Method::kGet, AttributeId::kPkeyTable,
                        pkey_modifier(fabric_, PortId(port_), block_),
                        observed_.nodes[port.node.value()].path(port.num));
  cookie = std::uint64_t{block_} << kBlockShift | port_;
  ++block_;
  return true;
}

void PkeyReading::answered(std::uint64_t cookie, const Smp& answer) {
  if (answer.status != mad_status::kGood) return;
  const Port& port = fabric_.port(PortId(static_cast<std::uint32_t>(cookie)));
  held_.remember(fabric_.node(port.node).node_guid, port.num, cookie >> kBlockShift,
                 *decode_pkey_table(answer.data));
}

void PkeyReading::failed(std::uint64_t cookie, const Error&) {
  silent_[fabric_.port(PortId(static_cast<std::uint32_t>(cookie))).node.value()] = true;
}

}  // namespace weft
