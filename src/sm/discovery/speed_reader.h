// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the speeds that the first PortInfo of a port may lack: extended speeds and FDR10.
//
// Only devices with IsExtendedSpeedsSupported support SMSupportExtendedSpeeds, bit 31 of the
// attribute modifier; other devices may treat the bit as part of the port number. So port 0 of a
// switch and CA ports are first read without the bit. Their answers may lack the extended speeds;
// then the CA port is read once more with the bit. FDR10 is in a vendor-specific attribute,
// ExtendedPortInfo.
#pragma once

#include <string>

#include "ib/port_info.h"
#include "sm/discovery/discovery_state.h"
#include "sm/discovery/fdr10.h"

namespace weft {

class SpeedReader {
 public:
  /// `state` must outlive this object.
  explicit SpeedReader(DiscoveryState& state) : state_(state) {}
  /// Reads FDR10 from devices that may support it. `devices` must outlive this object; with null,
  /// no device is queried.
  void query_fdr10(Fdr10Devices* devices) { fdr10_ = devices; }

  /// Adds requests for the speeds that the first answer of a port may lack.
  void complete(const DiscoveryQuery& query, const PortInfo& info);
  /// True for a query of a CA port with the bit. If this query fails, the answer to the first query
  /// stays valid.
  bool is_second_read(const DiscoveryQuery& query) const;
  /// Handles the answer to a second read.
  void on_extended_speeds(const DiscoveryQuery& query, const Smp& answer);
  /// To be called when a request with the bit has no valid answer. True if the failure is fully
  /// handled. `invalid`: the device does not support the modifier.
  bool on_no_extended_speeds(DiscoveryQuery query, const std::string& what, bool invalid);

  /// True for a query of ExtendedPortInfo that became obsolete: meanwhile the device is known not
  /// to support the attribute.
  bool is_obsolete(const DiscoveryQuery& query) const;
  void on_extended_port_info(const DiscoveryQuery& query, const Smp& answer);
  void on_no_extended_port_info(const DiscoveryQuery& query, const QueryFailure& why);

 private:
  bool may_hide_extended_speeds(const DiscoveryQuery& query, const PortInfo& info) const;
  void ask_fdr10(const DiscoveryQuery& query);

  DiscoveryState& state_;
  Fdr10Devices* fdr10_ = nullptr;
};

}  // namespace weft
