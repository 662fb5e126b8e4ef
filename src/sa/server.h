// The subnet administration as a state machine without sockets, threads or sleeping: requests go
// in, answers come out, and the subnet that it speaks of is what was last published to it.
//   SaServer sa(options, [&](const Gmp& gmp) { transport.send(gmp); });
//   sa.publish(snapshot);   while (..) { sa.on_gmp(gmp, now); sa.step(now); }
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "ib/gmp_transport.h"
#include "sa/fair_queue.h"
#include "sa/meter.h"
#include "sa/options.h"
#include "sa/query.h"
#include "sa/reporter.h"
#include "sa/rmpp.h"
#include "sa/state.h"
#include "sa/view.h"

namespace weft {
namespace sa {
struct Attribute;
}

class SaServer {
 public:
  SaServer(SaOptions options, GmpSink out);

  /// What answers are about from now on; null: nothing is answered, as by a manager that is not
  /// master.
  void publish(std::shared_ptr<const Snapshot> snapshot);
  void set_options(SaOptions options);

  void on_gmp(const Gmp& gmp, TimeNs now);
  /// The same in its turn, when serve_waiting() comes to it.
  void put_in_line(const Gmp& gmp);
  /// At most so many, one from each port after the other.
  void serve_waiting(std::size_t count, TimeNs now);
  std::size_t waiting() const { return line_.size(); }
  /// What an agent told the manager; subscribers hear of it.
  void on_trap(const Notice& notice);
  /// Goes on with answers of many segments, and with reports.
  void step(TimeNs now);
  /// When step() has something to do, if nothing comes before.
  TimeNs next_event() const;

  /// Who belongs to which multicast LID, as far as clients said so; for the subnet manager.
  std::vector<FiledGroup> multicast_groups() const {
    return options_.disable_multicast || !view_ ? std::vector<FiledGroup>{}
                                                : state_.groups.routed(*view_);
  }
  /// The alias GUIDs of ports, likewise.
  const AliasGuids& alias_guids() const { return state_.aliases.all(); }
  /// The same, where they have changed since they were last taken.
  std::optional<std::vector<FiledGroup>> take_multicast_groups();
  std::optional<AliasGuids> take_alias_guids();

  /// opensm-sa.dump, as it would be now; empty while nothing is published.
  std::string dump(TimeNs now) const;

  const sa::State::Counts& counts() const { return state_.counts; }
  const sa::Reporter::Counts& report_counts() const { return reporter_.counts(); }
  const sa::State& state() const { return state_; }
  /// For readers of any thread; it outlives the server where they keep it.
  std::shared_ptr<const sa::Meter> meter() const { return meter_; }
  std::size_t bytes_under_way() const { return sender_.bytes(); }
  std::size_t transfers_under_way() const { return sender_.under_way() + receiver_.under_way(); }

 private:
  void on_rmpp(const Gmp& gmp, const RmppHeader& header, TimeNs now);
  void on_request(const Gmp& gmp, std::span<const std::byte> record, TimeNs now);
  void answer(const Gmp& gmp, std::span<const std::byte> record, TimeNs now);
  void tell_ports(const SaView& before);
  void drop_the_gone();
  void tell_news();
  void announce_groups();
  void reply(const Gmp& request, std::uint16_t status);
  void reply(const Gmp& request, SaAnswer& answer, TimeNs now);
  void reply_in_parts(const Gmp& request, const sa::Attribute& attribute,
                      std::unique_ptr<RmppSource> source, TimeNs now);

  SaOptions options_;
  std::uint64_t options_version_ = 0;
  std::uint64_t groups_taken_ = 0;  // versions
  std::uint64_t aliases_taken_ = 0;
  GmpSink out_;
  std::shared_ptr<const sa::Saved> saved_;  // not taken in yet
  std::shared_ptr<const SaView> view_;
  bool was_standby_ = false;        // since the last view that there was
  std::uint64_t generation_ = 0;    // of the view
  std::vector<std::byte> scratch_;  // memory of answers of one record
  std::shared_ptr<sa::Meter> meter_ = std::make_shared<sa::Meter>();
  std::size_t outcome_ = sa::Meter::kIgnored;  // of the request in hand
  sa::State state_;
  sa::Reporter reporter_;
  FairQueue line_;
  RmppSender sender_;
  RmppReceiver receiver_;
};

/// Sends by a transport; what it refuses is lost as on the wire, and logged.
GmpSink send_by(GmpTransport& transport);

/// Takes in what has arrived, answers some of it, then does what is due; waits for neither.
void serve(SaServer& server, GmpTransport& transport, const Clock& clock);

}  // namespace weft
