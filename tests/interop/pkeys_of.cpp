// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Prints the P_Key tables of ports, for all "LID PORT" lines of standard input in one process: a
// line "LID PORT CAPACITY P_KEY .." for each port, including empty entries, or "LID PORT CAPACITY
// refused" if the port refuses the query. libibmad sends the queries and decodes the responses,
// independently of Weft.
#include <infiniband/mad.h>

#include <cstdio>

namespace {

constexpr unsigned kBlock = 32;
constexpr int kTypeSwitch = 2;

/// Capacity of the P_Key table: from NodeInfo, or from SwitchInfo for external ports of switches; 0
/// if the node does not answer.
unsigned capacity(ib_portid_t& id, unsigned port, const ibmad_port* source) {
  unsigned char node[IB_SMP_DATA_SIZE] = {};
  if (smp_query_via(node, &id, IB_ATTR_NODE_INFO, 0, 0, source) == nullptr) return 0;
  if (mad_get_field(node, 0, IB_NODE_TYPE_F) != kTypeSwitch || port == 0)
    return mad_get_field(node, 0, IB_NODE_PARTITION_CAP_F);
  unsigned char info[IB_SMP_DATA_SIZE] = {};
  if (smp_query_via(info, &id, IB_ATTR_SWITCH_INFO, 0, 0, source) == nullptr) return 0;
  return mad_get_field(info, 0, IB_SW_PARTITION_ENFORCE_CAP_F);
}

void print_keys(int lid, unsigned port, const ibmad_port* source) {
  ib_portid_t id{};
  id.lid = lid;
  const unsigned cap = capacity(id, port, source);
  std::printf("%d %u %u", lid, port, cap);
  for (unsigned block = 0; block * kBlock < cap; ++block) {
    unsigned char data[IB_SMP_DATA_SIZE] = {};
    if (smp_query_via(data, &id, IB_ATTR_PKEY_TBL, port << 16 | block, 0, source) == nullptr) {
      std::printf(" refused");
      break;
    }
    for (unsigned i = 0; i < kBlock && block * kBlock + i < cap; ++i)
      std::printf(" %02x%02x", data[2 * i], data[2 * i + 1]);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
  ibmad_port* source = mad_rpc_open_port(nullptr, 0, classes, 2);
  if (source == nullptr) {
    std::fputs("pkeys_of: no local port to send queries from\n", stderr);
    return 3;
  }
  int lid = 0;
  unsigned port = 0;
  while (std::scanf("%d %u", &lid, &port) == 2) print_keys(lid, port, source);
  mad_rpc_close_port(source);
  return 0;
}
