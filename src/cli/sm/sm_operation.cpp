// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/sm/sm_operation.h"

#include <utility>

#include "base/log.h"
#include "cli/version.h"
#include "service/alarm_options.h"
#include "sm/election/election.h"

namespace weft::cli {
namespace {

constexpr TimeNs kPublicationInterval = std::chrono::milliseconds(200);

std::string line_for_systemd(const SmStatus& status, const Snapshot* snapshot) {
  if (status.state != SmState::kMaster || snapshot == nullptr)
    return std::string(name(status.state)) + (status.error.empty() ? "" : ": " + status.error);
  const Fabric& fabric = snapshot->fabric;
  const std::string up = status.up ? "SUBNET UP" : "not up: " + status.error;
  return fmt::format("{}: {} hosts, {} switches, {} links, routed by {}", up, fabric.ca_count(),
                     fabric.switch_count(), fabric.link_count(), snapshot->routes.engine);
}

}  // namespace

Operation::Operation(const Settings& settings, std::vector<std::unique_ptr<EventSink>> sinks,
                     std::shared_ptr<EventRing> ring)
    : board_(settings),
      ring_(std::move(ring)),
      history_(history_of(settings)),
      events_([&] {
        if (history_) sinks.push_back(make_sink_into(*history_));
        return std::move(sinks);
      }()),
      alarms_(alarm_limits(settings)),
      systemd_(Systemd::from_environment()) {
  if (history_) board_.history_meter.set(history_->meter());
  alarms_.on_change = [this](const AlarmChange& change) {
    Event event = event_of(change);
    event.sweep = board_.read().status.heavy_sweeps;
    events_.deliver({std::move(event)});
  };
}

std::unique_ptr<HistoryWriter> Operation::history_of(const Settings& settings) {
  if (settings.history_file.empty()) return nullptr;
  return std::make_unique<HistoryWriter>(settings.history_file, history_keeping(settings), [this] {
    return board_.counters_source.call().value_or(nullptr);
  });
}

Result<std::unique_ptr<Operation>> Operation::prepare(const SmArguments& arguments,
                                                      const Settings& settings) {
  auto sinks = open_event_sinks(settings);
  if (!sinks) return forward(sinks);
  auto http = http_options(settings);
  if (!http) return forward(http);
  if (const Status replicates = check_replication(settings, *http); !replicates)
    return forward(replicates);
  const bool serves = *http && !arguments.once;
  std::shared_ptr<EventRing> ring;
  if (serves) sinks->push_back(make_sink_into(ring = std::make_shared<EventRing>()));
  std::unique_ptr<Operation> operation(new Operation(settings, std::move(*sinks), std::move(ring)));
  if (const auto added = operation->open_alarms(settings); !added) return forward(added);
  if (const auto opened = operation->open_console(arguments, settings); !opened)
    return forward(opened);
  if (!serves) return operation;
  if (const auto opened = operation->open_http(std::move(**http), settings.audit_log); !opened)
    return forward(opened);
  if (!settings.replication_peers.empty())
    operation->board_.replication.set(
        std::make_shared<replication::Replication>(replication::Replication::Options{
            .confirm = std::chrono::milliseconds(settings.replication_confirm_ms)}));
  return operation;
}

Status Operation::open_alarms(const Settings& settings) {
  if (const auto added = add_alarm_receivers(settings, alarms_); !added) return added;
  if (!settings.perfmgr) return {};
  board_.alarms = alarms_.shared_book();
  board_.alarm_receivers = alarms_.meters();
  return {};
}

Status Operation::open_console(const SmArguments& arguments, const Settings& settings) {
  auto options = console_options(settings);
  if (!options) return forward(options);
  if (!*options || arguments.once) return {};
  (*options)->version = kVersion;
  (*options)->dump_folder = dump_place(arguments, settings, 0).folder;
  (*options)->plugins = plugin_names(settings.event_plugin_name);
  auto console = ConsoleServer::open(std::move(**options), board_);
  if (!console) return forward(console);
  console_ = std::move(*console);
  return {};
}

Status Operation::open_http(HttpOptions options, const std::string& audit_log) {
  options.version = kVersion;
  auto audit = AuditLog::open(audit_log);
  if (!audit) return forward(audit);
  audit_ = std::move(*audit);
  front::FrontSetup setup;
  setup.loopback = options.address.loopback;
  if (options.secrets.tls) setup.tls = options.secrets.tls->texts();
  if (options.page) setup.page = options.page->all();
  const auto listener = listen_for_http(options.address);
  if (!listener) return forward(listener);
  http_api_ = std::make_unique<HttpApi>(std::move(options), board_, ring_, audit_);
  http_ = std::make_unique<front::FrontHost>(*http_api_, ring_, *listener, std::move(setup));
  ring_->on_entry_added = [this] { http_->wake(); };
  return {};
}

Status Operation::start_processes(bool restricted) {
  if (!http_) return {};
  auto starter = front::start_starter(restricted);
  if (!starter) return forward(starter);
  starter_ = std::move(*starter);
  return {};
}

void Operation::reload_http(const Settings& settings) {
  if (!http_) return;
  audit_->reopen();
  auto secrets = http_secrets(settings);
  if (!secrets) {
    log::error("{}: the previous tokens and certificates of the HTTP service remain active",
               secrets.error().message);
    return;
  }
  http_api_->set_access(std::move(secrets->access));
  if (secrets->tls) http_->set_tls(secrets->tls->texts());
}

void Operation::reopen() {
  events_.reopen();
  if (audit_) audit_->reopen();
}

Status Operation::start() {
  if (http_ && starter_) {
    if (const auto started = http_->start(std::move(*starter_)); !started) return started;
    const auto settings = board_.read().settings;
    const std::string host = settings->http.substr(0, settings->http.rfind(':'));
    const bool encrypted = !settings->http_certificate_file.empty();
    log::info("{} on {}:{}", encrypted ? "HTTPS" : "HTTP", host, http_->port());
    if (const auto address = parse_http_address(settings->http);
        !encrypted && address && !address->loopback)
      log::warn(
          "HTTP on {} is not encrypted: tokens are readable on the network: set "
          "http_certificate_file and http_key_file",
          host);
  }
  if (const auto started = events_.start(); !started) return started;
  alarms_.start();
  if (console_) console_->start();
  return {};
}

void Operation::stepped(SubnetManager& sm) {
  std::vector<Event> events = source_.collect(sm);
  tallying_.update(sm);
  for (const SmRequest& request : board_.take_requests()) carry_out(sm, request);
  systemd_.alive();
  if (sm.settled()) systemd_.ready();
  if (sm.state() != published_state_ && published_state_ == SmState::kMaster)
    alarms_.forget("this manager is no longer master");
  const bool changed = sm.state() != published_state_ || sm.heavy_sweeps() != published_sweeps_ ||
                       sm.updates() != published_updates_;
  if (changed || !events.empty() || clock_.now() >= next_publication_) publish(sm);
  events_.deliver(std::move(events));  // after publish() has published the state after the events
  partition_changes_.step(sm);         // after publish() has published completed changes
}

void Operation::errors_rose(const std::vector<ErrorRise>& rises) {
  std::vector<Event> events;
  for (const ErrorRise& rise : rises) events.push_back(event_of(rise));
  events_.deliver(std::move(events));
}

void Operation::publish(const SubnetManager& sm) {
  next_publication_ = clock_.now() + kPublicationInterval;
  published_state_ = sm.state();
  published_sweeps_ = sm.heavy_sweeps();
  published_updates_ = sm.updates();
  SmStatus status = status_of(sm);
  status.log_flags = log_flags_;
  status.tally = tallying_.tally();
  if (*unhealthy_ports_ != sm.unhealthy_ports())
    unhealthy_ports_ = std::make_shared<const PortHealth::Ports>(sm.unhealthy_ports());
  status.unhealthy_ports = unhealthy_ports_;
  systemd_.status(line_for_systemd(status, sm.snapshot().get()));
  board_.post(std::move(status), sm.snapshot());
}

void Operation::carry_out(SubnetManager& sm, const SmRequest& request) {
  next_publication_ = TimeNs{0};
  switch (request.kind) {
    case SmRequest::Kind::kHeavySweep:
      return sm.request_heavy_sweep(request.by == SmRequest::By::kHttp ? "HTTP" : "console");
    case SmRequest::Kind::kLightSweep:
      return sm.request_light_sweep();
    case SmRequest::Kind::kReroute:
      return sm.request_reroute();
    case SmRequest::Kind::kSweeping:
      return sm.set_sweeping(request.value != 0);
    case SmRequest::Kind::kPriority:
      sm.set_priority(static_cast<std::uint8_t>(request.value));
      return on_request(request);
    case SmRequest::Kind::kLogFlags:
      return on_request(request);
    case SmRequest::Kind::kHandOver:
      return sm.hand_over();
    case SmRequest::Kind::kMarkHealthy:
      sm.mark_healthy(request.end.guid, request.end.port);
      return;
  }
}

void Operation::reloaded(const Settings& settings, unsigned log_flags) {
  log_flags_ = log_flags;
  if (std::exchange(is_reloading_, false)) reload_http(settings);
  if (history_) history_->set_keeping(history_keeping(settings));
  alarms_.set_limits(alarm_limits(settings));
  board_.post(settings);
  next_publication_ = TimeNs{0};
  systemd_.reloaded();
}

}  // namespace weft::cli
