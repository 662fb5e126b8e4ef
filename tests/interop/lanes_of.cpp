// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Prints the VL tables of ports, for all "LID PORT TYPE INPUTS" lines of standard input in one
// process (TYPE: 2 is a switch, which has an SL2VL map for each of INPUTS input ports from 0).
// libibmad sends the queries and decodes the responses, independently of Weft. Each table is
// printed as one line, with "refused" in place of the values that the port does not return. Ends
// with status 1 at the first port that does not answer the query of PortInfo.
//   LID PORT vls CAP OPERATIONAL HIGHLIMIT
//   LID PORT map INPUT VL x 16
//   LID PORT low|high VL:WEIGHT .., with as many entries as the port supports
#include <infiniband/mad.h>

#include <cstdio>

namespace {

constexpr unsigned kBlock = 32;

bool ask(unsigned char* data, int lid, unsigned attribute, unsigned modifier,
         const ibmad_port* source) {
  ib_portid_t id{};
  id.lid = lid;
  return smp_query_via(data, &id, attribute, modifier, 0, source) != nullptr;
}

void print_map(int lid, unsigned port, unsigned input, unsigned modifier,
               const ibmad_port* source) {
  unsigned char data[IB_SMP_DATA_SIZE] = {};
  std::printf("%d %u map %u", lid, port, input);
  if (!ask(data, lid, IB_ATTR_SLVL_TABLE, modifier, source)) {
    std::printf(" refused");
  } else {
    for (unsigned i = 0; i < 8; ++i) std::printf(" %u %u", data[i] >> 4, data[i] & 15u);
  }
  std::printf("\n");
}

void print_arbitration(int lid, unsigned port, bool high, unsigned capacity, unsigned on_wire,
                       const ibmad_port* source) {
  std::printf("%d %u %s", lid, port, high ? "high" : "low");
  for (unsigned first = 0; first < capacity; first += kBlock) {
    unsigned char data[IB_SMP_DATA_SIZE] = {};
    const unsigned block = (high ? 3u : 1u) + first / kBlock;
    if (!ask(data, lid, IB_ATTR_VL_ARBITRATION, block << 16 | on_wire, source)) {
      std::printf(" refused");
      break;
    }
    for (unsigned i = 0; i < kBlock && first + i < capacity; ++i)
      std::printf(" %u:%u", data[2 * i] & 15u, unsigned{data[2 * i + 1]});
  }
  std::printf("\n");
}

bool print_port(int lid, unsigned port, bool at_switch, unsigned inputs, const ibmad_port* source) {
  unsigned char info[IB_SMP_DATA_SIZE] = {};
  if (!ask(info, lid, IB_ATTR_PORT_INFO, port, source)) {
    std::fprintf(stderr, "lanes_of: LID %d port %u does not answer\n", lid, port);
    return false;
  }
  const auto field = [&](MAD_FIELDS which) { return mad_get_field(info, 0, which); };
  std::printf("%d %u vls %u %u %u\n", lid, port, field(IB_PORT_VL_CAP_F), field(IB_PORT_OPER_VLS_F),
              field(IB_PORT_VL_HIGH_LIMIT_F));
  if (at_switch) {
    for (unsigned input = 0; input < inputs; ++input)
      print_map(lid, port, input, input << 8 | port, source);
  } else {
    print_map(lid, port, 0, 0, source);
  }
  const unsigned on_wire = at_switch ? port : 0;
  print_arbitration(lid, port, false, field(IB_PORT_VL_ARBITRATION_LOW_CAP_F), on_wire, source);
  print_arbitration(lid, port, true, field(IB_PORT_VL_ARBITRATION_HIGH_CAP_F), on_wire, source);
  return true;
}

}  // namespace

int main() {
  int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
  ibmad_port* source = mad_rpc_open_port(nullptr, 0, classes, 2);
  if (source == nullptr) {
    std::fputs("lanes_of: no local port to send queries from\n", stderr);
    return 3;
  }
  int lid = 0;
  unsigned port = 0;
  unsigned type = 0;
  unsigned inputs = 0;
  while (std::scanf("%d %u %u %u", &lid, &port, &type, &inputs) == 4)
    if (!print_port(lid, port, type == 2, inputs, source)) return 1;
  mad_rpc_close_port(source);
  return 0;
}
