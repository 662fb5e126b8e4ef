// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the virtual ports (vports) of CA ports that announce virtualization; no other port gets a
// request. For each port it reads VirtualizationInfo, the states of its vports, and the other
// attributes of vports that are new or in INIT. Before that, it enables or disables virtualization
// as configured, and clears the indication of changes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sm/discovery/smp_work.h"
#include "sm/observed.h"
#include "sm/options.h"
#include "sm/pauses.h"

namespace weft {

class VportReading final : public SmpWork {
 public:
  /// Port GUIDs. The value true means that all attributes of known vports are read, too. Ports that
  /// are not in `observed` are skipped. `observed` must outlive this object.
  using Ports = std::map<Guid, bool>;
  VportReading(const Observed& observed, const SmOptions& options, const Ports& ports);

  bool next(Smp& request, std::uint64_t& cookie) override;
  void answered(std::uint64_t cookie, const Smp& answer) override;
  void failed(std::uint64_t cookie, const Error& why) override;

  struct Found {
    Guid port;
    std::string name;            // name of the port, for messages
    HostVports vports;           // valid if the port answered
    std::string failure;         // why the vports are unknown; empty if known
    bool is_incomplete = false;  // a vport did not answer
    std::vector<std::string> warnings;
  };
  /// One element for each port that was queried, in the order of GUIDs.
  std::vector<Found> take() &&;

 private:
  enum class Kind : std::uint8_t {
    kInfo,
    kSetInfo,
    kStates,
    kVport,
    kVnode,
    kDescription,
    kGuids,
    kPkeys
  };
  struct Query {
    Kind kind{};
    std::uint32_t port = 0;  // index in ports_
    std::uint16_t vport = 0;
    std::uint16_t block = 0;
  };
  struct Port {
    Found found;
    DirectedPath path;
    const HostVports* known = nullptr;
    bool details = false;
    bool is_set = false;       // a Set of VirtualizationInfo was sent
    unsigned outstanding = 0;  // requests queued or on the wire
    std::map<std::uint16_t, Vport> vports;
    std::map<std::uint16_t, std::string> refused;  // vports without VPortInfo
  };
  static std::uint64_t cookie_of(const Query& query);
  static Query of_cookie(std::uint64_t cookie);

  void ask(const Query& query);
  Smp request_for(const Query& query) const;
  void done(Port& port);
  void on_failure(const Query& query, const std::string& why);
  void on_info(const Query& query, const VirtualizationInfo& info);
  void on_states(const Query& query, const VportStateBlock& block);
  void on_vport(const Query& query, const VportInfo& info);
  void on_guids(const Query& query, const GuidInfo& block);
  void on_pkeys(const Query& query, const PkeyTable& block);
  void ask_pkeys(const Query& query, std::uint16_t capacity);

  const Virtualization wanted_;
  const std::size_t in_process_max_;
  std::vector<Port> ports_;
  std::size_t begun_ = 0;       // number of ports for which reading has begun
  std::size_t in_process_ = 0;  // number of these ports for which reading has not ended
  std::deque<Query> queries_;
};

/// The ports with virtualization to be read in a sweep, without ports in a pause: ports with
/// unknown vports and ports that were reset; with `all`, every port. With `details`, also all
/// attributes of known vports, because another manager may have activated a vport with another
/// identity. Ends the pauses of ports that were reset.
VportReading::Ports vports_to_read(const Observed& observed, const SmOptions& options,
                                   DevicePauses& pauses, TimeNs now, bool all, bool details);

/// Ports with vports that could not be read, and with an elapsed pause.
std::vector<Guid> vports_to_retry(const Observed& observed, const DevicePauses& pauses, TimeNs now);

/// Stores the result, drops vports of ports that are absent, without virtualization or ignored by
/// virt_enabled, and returns the GUIDs with a new, changed or lost owner. Adds to `warnings`.
std::vector<VportMove> store_vports(std::vector<VportReading::Found> found, Observed& observed,
                                    const SmOptions& options, DevicePauses& pauses, TimeNs now,
                                    std::vector<std::string>& warnings);

/// Logs the first moved vports, a line each, and a line with the numbers of vports that appeared,
/// went down and moved.
void log_vport_moves(const std::vector<VportMove>& moves);

}  // namespace weft
