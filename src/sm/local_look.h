// A look at a fabric of which all but a little is known: first along the ways to the switches that
// a change is known of, then around these, then at what every switch reports, by ways that avoid
// what was found gone, and then around those that changed. Where a full discovery asks every port
// of every switch, this asks every switch once.
//
// It rests on what a light sweep rests on: a port that changes its state marks its switch, and only
// the manager clears the mark. Whatever else is odd puts all in doubt, and the caller looks at
// everything.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sm/light_sweep.h"
#include "sm/observe.h"

namespace weft {

/// Whether an observation is a fit beginning: nothing in it was silent or contradicted itself.
bool is_fit_for_local_look(const Observed& observed);

class LocalLook final : public SmpWork {
 public:
  /// `switches`: node GUIDs of those that changed. What is referred to must live as long; `fdr10`
  /// may be null, as in Discovery.
  LocalLook(Observed before, KnownKeys& keys, const NodeNames& names, Fdr10Devices* fdr10,
            std::set<Guid> switches);

  bool next(Smp& request, std::uint64_t& cookie) override { return work().next(request, cookie); }
  void answered(std::uint64_t cookie, const Smp& answer) override {
    work().answered(cookie, answer);
  }
  void failed(std::uint64_t cookie, const Error& why) override { work().failed(cookie, why); }

  /// Another switch says that it changed.
  void add(Guid sw) { wanted_.insert(sw); }
  /// To be called once all requests are done: true if there are more.
  bool advance();
  /// Why everything must be looked at; empty: no reason.
  const std::string& doubt() const { return doubt_; }
  /// The fabric as it is now; only without doubt.
  Observed result() && { return std::move(observed_); }

 private:
  SmpWork& work();
  std::set<Guid> on_the_way_to(Guid sw) const;
  std::set<Guid> take_nearest();
  void begin_look(const std::set<Guid>& switches);
  bool finish_look();
  bool finish_survey();
  bool doubt(std::string why);

  static constexpr unsigned kLooksMax = 8;

  KnownKeys& keys_;
  const NodeNames& names_;
  Fdr10Devices* const fdr10_;
  Observed observed_;
  std::set<Guid> wanted_;  // for the next look
  std::unique_ptr<Discovery> look_;
  std::unique_ptr<LightSweep> survey_;
  bool surveyed_ = false;
  unsigned looks_ = 0;
  std::string doubt_;
};

}  // namespace weft
