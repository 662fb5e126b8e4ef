#include "sm/subnet_manager.h"

#include "base/check.h"
#include "base/file.h"
#include "base/log.h"
#include "ib/notice.h"
#include "ib/sm_info.h"
#include "sm/diff.h"

namespace weft {
namespace {

SmpClientOptions client_options(const SmOptions& options) {
  return {options.max_wire_smps, options.transaction_timeout, options.transaction_retries};
}

SmpCounts operator-(const SmpCounts& now, const SmpCounts& before) {
  return {now.sent - before.sent,
          now.answered - before.answered,
          now.retried - before.retried,
          now.timed_out - before.timed_out,
          now.bad_status - before.bad_status,
          now.stray - before.stray};
}

/// An answer goes back the way the request came.
Smp answer_to(const Smp& request, Method method) {
  Smp answer = request;
  answer.method = method;
  answer.status = mad_status::kGood;
  answer.returning = request.mgmt_class == MgmtClass::kSmpDirected;
  answer.dlid = request.slid;
  answer.slid = Lid(0);
  return answer;
}

}  // namespace

SubnetManager::SubnetManager(SmpTransport& transport, const Clock& clock, SmOptions options)
    : clock_(clock),
      options_(std::move(options)),
      client_(transport, clock, client_options(options_)) {
  spdlog::info("Entering DISCOVERING state");
}

SubnetManager::~SubnetManager() = default;

void SubnetManager::request_heavy_sweep(std::string why) {
  if (heavy_wanted_) return;
  spdlog::info("Heavy sweep: {}", why);
  heavy_wanted_ = true;
}

void SubnetManager::step(TimeNs deadline) {
  answer_unsolicited();
  switch (stage_) {
    case Stage::kDiscovering:
      if (!client_.step(*discovery_, deadline)) finish_discovery();
      return;
    case Stage::kReadingTables:
      if (!client_.step(*reading_, deadline)) plan_and_apply();
      return;
    case Stage::kApplying:
      if (!client_.step(*applying_, deadline)) finish_sweep();
      return;
    case Stage::kLightSweep:
      if (!client_.step(*light_, deadline)) finish_light_sweep();
      return;
    case Stage::kWatching:
      watch(deadline);
      return;
  }
}

void SubnetManager::watch(TimeNs deadline) {
  if (heavy_wanted_) {
    begin_discovery();
    return;
  }
  const bool light = options_.sweep_interval.count() > 0;
  if (light && clock_.now() >= next_light_) {
    begin_light_sweep();
    return;
  }
  client_.wait(light ? std::min(deadline, next_light_) : deadline);
}

void SubnetManager::begin_discovery() {
  heavy_wanted_ = false;  // what comes from here on asks for another one
  report_ = {};
  counts_before_ = client_.counts();
  stage_watch_ = Stopwatch();
  discovery_ = std::make_unique<Discovery>(Mkey(0));
  stage_ = Stage::kDiscovering;
}

void SubnetManager::finish_discovery() {
  auto observed = std::move(*discovery_).result();
  discovery_.reset();
  report_.seconds.observe = stage_watch_.seconds();
  if (!observed) return abandon_sweep(observed.error());
  observed_ = std::move(*observed);
  report_.warnings = observed_->warnings;
  for (const std::string& warning : observed_->warnings) spdlog::warn("{}", warning);
  if (observed_->self_endport == kNoEndport)
    return abandon_sweep(
        {Code::kEnvironment, fmt::format("the port of the subnet manager, {} port {}, is down",
                                         describe(observed_->fabric.node(observed_->self)),
                                         observed_->self_port.value())});
  stage_watch_ = Stopwatch();
  reading_ = std::make_unique<TableReading>(*observed_, held_, Mkey(0));
  stage_ = Stage::kReadingTables;
}

void SubnetManager::recall_lids() {
  if (lids_) return;
  lids_.emplace();
  if (options_.cache_dir.empty() || options_.reassign_lids) return;
  std::vector<std::string> warnings;
  auto read = read_guid2lid(guid2lid_path(), warnings);
  for (const std::string& warning : warnings) {
    spdlog::warn("{}", warning);
    report_.warnings.push_back(warning);
  }
  if (!read) {
    spdlog::error("{}", read.error().message);
    return;
  }
  lids_ = std::move(*read);
}

std::string SubnetManager::guid2lid_path() const { return options_.cache_dir + "/guid2lid"; }

void SubnetManager::keep_lids() {
  if (options_.cache_dir.empty()) return;
  auto status = make_directory(options_.cache_dir);
  if (status) status = write_guid2lid(guid2lid_path(), *lids_);
  if (status) return;
  spdlog::error("LIDs are not kept: {}", status.error().message);
  report_.warnings.push_back("LIDs are not kept: " + status.error().message);
}

void SubnetManager::plan_and_apply() {
  reading_.reset();
  report_.seconds.read_tables = stage_watch_.seconds();
  if (sweeps_ == 0) spdlog::info("Entering MASTER state");

  stage_watch_ = Stopwatch();
  recall_lids();
  auto fabric = assign_subnet_lids(*observed_, options_, *lids_);
  if (!fabric) return abandon_sweep(fabric.error());
  options_.reassign_lids = false;  // -r is for the first sweep
  keep_lids();
  report_.seconds.lids = stage_watch_.seconds();

  std::vector<std::string> warnings;
  const RoutingOptions routing = resolve(options_.routing, *fabric, warnings);
  for (const std::string& warning : warnings) spdlog::warn("{}", warning);
  auto chain = route_by_chain(*fabric, options_.routing_engine, routing, options_.verify);
  if (!chain) return abandon_sweep(chain.error());
  for (const EngineAttempt& attempt : chain->failed)
    spdlog::warn("routing engine '{}' did not serve: {}", attempt.engine, attempt.reason);
  if (options_.verify == VerifyMode::kWarn && !chain->verdict.ok())
    spdlog::error("routes of '{}' are used although they fail the proof: {}", chain->routes.engine,
                  complaint(chain->verdict));
  report_.engines_failed = chain->failed;
  report_.seconds.route = chain->route_seconds;
  report_.seconds.verify = chain->verify_seconds;
  spdlog::info("{} tables configured on all switches", chain->routes.engine);
  verdict_ = std::move(chain->verdict);

  const Lid sm_lid = fabric->endport(observed_->self_endport).lid;
  desired_ = std::make_unique<Desired>(Desired{std::move(*fabric), std::move(chain->routes), sm_lid,
                                               first_as_master_ && options_.client_rereg});
  stage_watch_ = Stopwatch();
  plan_ = std::make_unique<Plan>(diff(*observed_, held_, *desired_, options_));
  report_.seconds.diff = stage_watch_.seconds();
  stage_watch_ = Stopwatch();
  applying_ = std::make_unique<Applying>(*plan_, *observed_, held_, *desired_, options_);
  stage_ = Stage::kApplying;
}

void SubnetManager::finish_sweep() {
  report_.seconds.apply = stage_watch_.seconds();
  report_.applied = applying_->report();
  report_.smps = client_.counts() - counts_before_;
  applying_.reset();
  plan_.reset();
  for (const std::string& failure : report_.applied.failures) spdlog::error("{}", failure);
  ++sweeps_;
  first_as_master_ = false;
  snapshot_ = std::make_shared<const Snapshot>(
      Snapshot{std::move(desired_->fabric), std::move(desired_->routes), std::move(verdict_),
               observed_->self_endport, sweeps_});
  desired_.reset();
  next_light_ = clock_.now() + options_.sweep_interval;
  stage_ = Stage::kWatching;
  report_.up = report_.applied.failed == 0;
  if (report_.up) {
    spdlog::info("SUBNET UP");
  } else {
    report_.error = fmt::format("{} settings failed", report_.applied.failed);
    spdlog::error("Errors during initialization: {}", report_.error);
    retry_at_ = next_light_;
  }
}

void SubnetManager::abandon_sweep(const Error& error) {
  report_.error = error.message;
  report_.smps = client_.counts() - counts_before_;
  spdlog::error("the sweep failed: {}", error.message);
  client_.abandon();
  applying_.reset();
  plan_.reset();
  desired_.reset();
  reading_.reset();
  ++sweeps_;
  next_light_ = clock_.now() + options_.sweep_interval;
  retry_at_ = next_light_;
  stage_ = Stage::kWatching;
}

void SubnetManager::begin_light_sweep() {
  next_light_ = clock_.now() + options_.sweep_interval;
  if (retry_at_ && clock_.now() >= *retry_at_) {
    retry_at_.reset();
    request_heavy_sweep("the last one failed");
    return;
  }
  light_ = std::make_unique<LightSweep>(*observed_, Mkey(0));
  stage_ = Stage::kLightSweep;
}

void SubnetManager::finish_light_sweep() {
  if (!light_->change().empty()) request_heavy_sweep(light_->change());
  light_.reset();
  stage_ = Stage::kWatching;
}

void SubnetManager::answer_unsolicited() {
  while (auto smp = client_.take_unsolicited()) {
    if (smp->method == Method::kTrap && smp->attribute == AttributeId::kNotice) {
      repress_trap(*smp);
    } else if (smp->method == Method::kGet && smp->attribute == AttributeId::kSmInfo) {
      answer_sm_info(*smp);
    }
  }
}

void SubnetManager::repress_trap(const Smp& trap) {
  if (trap.slid != Lid(0) && trap.slid != kLidPermissive) {
    if (const auto sent = client_.send(answer_to(trap, Method::kTrapRepress)); !sent)
      spdlog::warn("TrapRepress: {}", sent.error().message);
  }
  const Notice notice = *decode_notice(trap.data);
  spdlog::info("Received trap {} from LID {}", notice.trap, trap.slid.value());
  if (!options_.sweep_on_trap) return;
  if (notice.is(TrapNumber::kLinkStateChange) || notice.is(TrapNumber::kCapabilityChange) ||
      notice.is(TrapNumber::kSystemGuidChange))
    request_heavy_sweep(fmt::format("trap {} from LID {}", notice.trap, trap.slid.value()));
}

void SubnetManager::answer_sm_info(const Smp& request) {
  SmInfo info;
  info.guid =
      observed_
          ? observed_->fabric.port(observed_->fabric.endport(observed_->self_endport).port).guid
          : Guid(0);
  info.key = SmKey(0);  // told to nobody: a requester that must know it knows it
  info.activity_count = ++activity_count_;
  info.priority = options_.sm_priority;
  info.state = sweeps_ > 0 ? SmState::kMaster : SmState::kDiscovering;
  Smp answer = answer_to(request, Method::kGetResp);
  answer.data = encode(info);
  if (const auto sent = client_.send(answer); !sent)
    spdlog::warn("SMInfo: {}", sent.error().message);
}

}  // namespace weft
