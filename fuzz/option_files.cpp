// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as each kind of routing option file, resolves the options on a small fabric and
// routes the fabric. The first byte selects the reader. The routes have no forwarding loops, except
// routes with tables from a file; multicast trees have no loops and deliver no duplicate copies.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "base/check.h"
#include "check_result.h"
#include "fuzz_target.h"
#include "policy/routing_inputs.h"
#include "routing/engine.h"
#include "small_fabric.h"
#include "verify/verify.h"

WEFT_FUZZ_TARGET(option_files, data, size) {
  static const weft::Fabric fabric = small_fabric();
  static const std::string path = "/dev/shm/weft-fuzz-options-" + std::to_string(getpid());
  if (size == 0) return 0;
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  std::vector<std::string> warnings;
  weft::RoutingInputs inputs;
  const char* engine = "minhop";
  bool read = false;
  switch (data[0] % 10) {
    case 0:
      read = take(weft::read_ignored_ports(path), inputs.ignored);
      break;
    case 1:
      read = take(weft::read_hop_weights(path), inputs.hop_weights);
      break;
    case 2:
      read = take(weft::read_port_orders(path), inputs.port_orders);
      break;
    case 3:
      engine = "updn";
      read = take(weft::read_switch_ids(path), inputs.switch_ids);
      break;
    case 4:
      engine = "file";
      read = take(weft::read_filed_lfts(path, warnings), inputs.lfts);
      break;
    case 5:
      engine = "file";
      read = take(weft::read_lid_matrix(path, warnings), inputs.lid_matrix);
      break;
    case 6:
      engine = "torus-2QoS";
      read = take(weft::read_torus_config(path), inputs.plain.torus);
      break;
    case 7:
      read = take(weft::read_groups(path), inputs.groups);
      break;
    case 9:
      engine = "updn";
      read = take(weft::read_ar_conf(path), inputs.adaptive);
      break;
    default:
      read = take(weft::read_guid_file(path, warnings), inputs.order);
  }
  if (!read || !weft::check_groups(inputs)) return 0;
  const auto options = weft::resolve(inputs, fabric, warnings);
  const auto routes = weft::run_engine(*weft::find_engine(engine), fabric, options);
  if (!routes && inputs.plain.torus && !routes.error().message.empty())
    return 0;  // the fabric is not the torus of the file
  if (!routes) std::abort();
  const weft::Verdict verdict = weft::verify(fabric, *routes, {.threads = 1});
  if (!inputs.lfts && verdict.loops > 0) std::abort();
  if (verdict.multicast.loops + verdict.multicast.twice > 0) std::abort();
  return 0;
}
