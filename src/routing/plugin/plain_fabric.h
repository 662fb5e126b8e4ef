// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric in the types of engine_plugin.h, as bytes for another process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "routing/engine_plugin.h"
#include "routing/plugin/child_outcome.h"

namespace weft::plugin {

class PlainFabric {
 public:
  PlainFabric(const Fabric& fabric, unsigned vls_max, std::span<const SwitchId> roots);

  /// The request: `head` with counts and offsets added, then the fabric.
  std::vector<std::uint8_t> bytes(RequestHead head) const;

 private:
  void add_switch(const Fabric& fabric, SwitchId sw);
  void add_channel(const Fabric& fabric, const Channel& channel);
  void add_host(const Fabric& fabric, const Endport& endport);
  const char* add_name(const std::string& name);

  std::vector<weft_switch> switches_;  // names are offsets in names_
  std::vector<weft_channel> channels_;
  std::vector<weft_host> hosts_;
  std::vector<std::uint32_t> roots_;
  std::string names_;  // each with a final 0
  std::uint32_t lid_top_, vls_max_;
};

/// The fabric in the bytes of a request. Changes the bytes: offsets become pointers.
weft_fabric fabric_in(std::span<std::uint8_t> request);

}  // namespace weft::plugin
