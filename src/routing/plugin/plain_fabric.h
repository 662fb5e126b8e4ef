// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A fabric in the types of engine_plugin.h.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "routing/engine_plugin.h"

namespace weft::plugin {

/// Refers to names in the fabric, which must outlive it.
class PlainFabric {
 public:
  PlainFabric(const Fabric& fabric, unsigned vls_max);
  const weft_fabric& view() const { return view_; }

 private:
  void add_switch(const Fabric& fabric, SwitchId sw);
  void add_channel(const Fabric& fabric, const Channel& channel);
  void add_host(const Fabric& fabric, const Endport& endport);

  std::vector<weft_switch> switches_;
  std::vector<weft_channel> channels_;
  std::vector<weft_host> hosts_;
  weft_fabric view_{};
};

}  // namespace weft::plugin
