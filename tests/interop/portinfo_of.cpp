// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Prints the output of `smpquery portinfo LID PORT` for all "LID PORT" lines of standard input in
// one process, so that a fabric of thousands of ports takes seconds. libibmad sends the queries,
// decodes and formats the responses, independently of Weft. Ends with status 1 at the first port
// that does not answer.
#include <infiniband/mad.h>

#include <cstdio>

int main() {
  int classes[] = {IB_SMI_CLASS, IB_SMI_DIRECT_CLASS};
  ibmad_port* source = mad_rpc_open_port(nullptr, 0, classes, 2);
  if (source == nullptr) {
    std::fputs("portinfo_of: no local port to send queries from\n", stderr);
    return 3;
  }
  int lid = 0;
  unsigned port = 0;
  while (std::scanf("%d %u", &lid, &port) == 2) {
    ib_portid_t id{};
    id.lid = lid;
    unsigned char data[IB_SMP_DATA_SIZE] = {};
    if (smp_query_via(data, &id, IB_ATTR_PORT_INFO, port, 0, source) == nullptr) {
      std::fprintf(stderr, "portinfo_of: LID %d port %u does not answer\n", lid, port);
      return 1;
    }
    char text[4096];
    mad_dump_portinfo(text, sizeof text, data, sizeof data);
    std::printf("# %d %u\n%s", lid, port, text);
  }
  mad_rpc_close_port(source);
  return 0;
}
