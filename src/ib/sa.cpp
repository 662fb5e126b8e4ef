// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/sa.h"

#include "ib/wire.h"

namespace weft {
namespace {

template <class Op, class Header>
void rmpp_layout(Op field, Header& h) {
  field(0, 8, h.version);
  field(8, 8, h.type);
  field(16, 5, h.response_time);
  field(21, 1, h.last);
  field(22, 1, h.first);
  field(23, 1, h.active);
  field(24, 8, h.status);
  field(32, 32, h.segment);
  field(64, 32, h.length);
}

template <class Op, class Header>
void sa_layout(Op field, Header& h) {
  field(96, 64, h.sm_key);
  field(160, 16, h.attribute_offset);
  field(192, 64, h.component_mask);
}

}  // namespace

RmppHeader rmpp_header(const Gmp& gmp) {
  RmppHeader header;
  rmpp_layout(wire::FieldReader(gmp.data.data()), header);
  return header;
}
void set_rmpp_header(Gmp& gmp, const RmppHeader& header) {
  rmpp_layout(wire::FieldWriter(gmp.data.data()), header);
}
SaHeader sa_header(const Gmp& gmp) {
  SaHeader header;
  sa_layout(wire::FieldReader(gmp.data.data()), header);
  return header;
}
void set_sa_header(Gmp& gmp, const SaHeader& header) {
  sa_layout(wire::FieldWriter(gmp.data.data()), header);
}

}  // namespace weft
