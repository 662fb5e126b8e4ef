// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "second_simulator/simgrid_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <set>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "jobs/paths.h"

namespace weft::jobs {
namespace {

namespace sg = simgrid::s4u;

class Platform {
 public:
  Platform(const RoutedNetwork& network, const Schedule& schedule)
      : network_(network), schedule_(schedule) {
    zone_ = sg::create_full_zone("net");
    for (std::uint32_t h = 0; h < network.host_count(); ++h)
      hosts_.push_back(zone_->create_host("h" + std::to_string(h), 1e9)->seal());
    for (std::uint32_t c = 0; c < network.channel_count(); ++c) {
      sg::Link* link = zone_->create_link("c" + std::to_string(c),
                                          capacity_of(network.channel(c)) * kPicosecondsPerSecond);
      links_.push_back(link->set_latency(0)->set_sharing_policy(sg::Link::SharingPolicy::SHARED));
      link->seal();
    }
    // Delays that run at the same time need one core each. A flop is a picosecond.
    clock_ = zone_->create_host("clock", kPicosecondsPerSecond);
    clock_->set_core_count(1 << 22);
    clock_->seal();
    add_routes();
    zone_->seal();
  }

  Platform(sg::Engine& engine, const RoutedNetwork& network, const Schedule& schedule,
           const ExportedPlatform& exported)
      : network_(network), schedule_(schedule) {
    engine.load_platform(exported.file);
    for (const std::string& name : exported.hosts) hosts_.push_back(sg::Host::by_name(name));
    clock_ = sg::Host::by_name("clock");
  }

  sg::Host* host(std::uint32_t host) const { return hosts_[host]; }
  sg::Host* clock() const { return clock_; }

 private:
  void add_routes() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    std::vector<std::uint32_t> path;
    for (const Connection& connection : schedule_.connections) {
      if (connection.from == connection.to) continue;
      if (!pairs.emplace(connection.from, connection.to).second) continue;
      network_.walk(connection.from, connection.to, 0, path);
      std::vector<sg::LinkInRoute> links;
      for (const std::uint32_t channel : path) links.emplace_back(links_[channel]);
      zone_->add_route(hosts_[connection.from]->get_netpoint(),
                       hosts_[connection.to]->get_netpoint(), nullptr, nullptr, links, false);
    }
  }

  const RoutedNetwork& network_;
  const Schedule& schedule_;
  sg::NetZone* zone_ = nullptr;
  std::vector<sg::Host*> hosts_;
  std::vector<sg::Link*> links_;
  sg::Host* clock_ = nullptr;
};

/// The activities of ops: a message, a delay, or a delay before a message. An op without a duration
/// is a short delay (delay()).
class Activities {
 public:
  Activities(const RoutedNetwork& network, const Schedule& schedule, const Platform& platform)
      : network_(network), schedule_(schedule), platform_(platform) {}

  void start() {
    first_.resize(schedule_.op_count());
    last_.resize(schedule_.op_count());
    for (const ScheduledJob& job : schedule_.jobs)
      for (OpId op = job.first; op < job.end; ++op) add(op, job);
    for (OpId op = 0; op < schedule_.op_count(); ++op) {
      // SimGrid refuses a dependency that exists already.
      const auto successors = schedule_.successors_of(op);
      for (const OpId next : std::set(successors.begin(), successors.end()))
        follow(last_[op], first_[next]);
    }
    for (OpId op = 0; op < schedule_.op_count(); ++op) {
      if (first_[op] != last_[op]) last_[op]->vetoable_start();
      first_[op]->vetoable_start();
    }
  }

  /// The time at which the last activity of a job ended.
  double end_of(const ScheduledJob& job) const {
    double end = 0;
    for (OpId op = job.first; op < job.end; ++op) end = std::max(end, ended_.at(last_[op].get()));
    return end;
  }

  void record_ends() {
    sg::Activity::on_completion_cb(
        [this](const sg::Activity& activity) { ended_[&activity] = sg::Engine::get_clock(); });
  }

 private:
  static void follow(const sg::ActivityPtr& before, const sg::ActivityPtr& after) {
    if (auto* comm = dynamic_cast<sg::Comm*>(before.get()))
      comm->add_successor(after);
    else
      dynamic_cast<sg::Exec&>(*before).add_successor(after);
  }

  sg::ActivityPtr delay(double picoseconds) {
    const auto exec = sg::Exec::init();
    // Activities shorter than the precision of SimGrid would never end.
    exec->set_flops_amount(std::max(picoseconds, 100.0));
    exec->set_host(platform_.clock());
    return exec;
  }

  void add(OpId id, const ScheduledJob& job) {
    const Op& op = schedule_.ops[id];
    const double start = op.predecessors == 0 ? static_cast<double>(job.start) : 0;
    if (op.connection == kDelay) {
      first_[id] = last_[id] = delay(op.amount + start);
      return;
    }
    const Connection& connection = schedule_.connections[op.connection];
    std::vector<std::uint32_t> path;
    network_.walk(connection.from, connection.to, 0, path);
    const double hops = connection.from == connection.to ? 0 : static_cast<double>(path.size());
    const double latency =
        static_cast<double>(job.start_up) + hops * static_cast<double>(job.hop_latency) + start;
    const bool sends = connection.from != connection.to && op.amount > 0;
    if (!sends) {
      first_[id] = last_[id] = delay(latency);
      return;
    }
    const auto comm =
        sg::Comm::sendto_init(platform_.host(connection.from), platform_.host(connection.to));
    comm->set_payload_size(static_cast<std::uint64_t>(std::max(1.0, op.amount)));
    last_[id] = comm;
    first_[id] = last_[id];
    if (latency == 0) return;
    first_[id] = delay(latency);
    follow(first_[id], last_[id]);
  }

  const RoutedNetwork& network_;
  const Schedule& schedule_;
  const Platform& platform_;
  std::vector<sg::ActivityPtr> first_, last_;  // by op
  std::unordered_map<const sg::Activity*, double> ended_;
};

std::vector<double> simulate_here(const RoutedNetwork& network, const Schedule& schedule,
                                  unsigned limit_s, const ExportedPlatform* exported) {
  std::vector<std::string> words{"weft",
                                 "--cfg=network/model:CM02",
                                 "--cfg=network/TCP-gamma:0",
                                 "--cfg=network/crosstraffic:0",
                                 "--cfg=network/latency-factor:1",
                                 "--cfg=network/bandwidth-factor:1",
                                 "--cfg=network/weight-S:0",
                                 "--cfg=surf/precision:1e-12",
                                 "--log=root.thresh:error"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  sg::Engine engine(&count, arguments.data());
  const Platform platform = exported == nullptr ? Platform(network, schedule)
                                                : Platform(engine, network, schedule, *exported);
  Activities activities(network, schedule, platform);
  activities.record_ends();
  ::alarm(limit_s);
  const auto begin = std::chrono::steady_clock::now();
  activities.start();
  engine.run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::vector<double> values;
  for (const ScheduledJob& job : schedule.jobs) values.push_back(activities.end_of(job));
  values.push_back(elapsed.count());
  return values;
}

void write_all(int pipe, const std::vector<double>& values) {
  const auto bytes = values.size() * sizeof(double);
  if (::write(pipe, values.data(), bytes) != static_cast<ssize_t>(bytes)) ::_exit(1);
}

}  // namespace

Result<SimgridRun> run_in_simgrid(const RoutedNetwork& network, const Schedule& schedule,
                                  unsigned limit_s, const ExportedPlatform* exported) {
  int ends[2];
  if (::pipe(ends) != 0)
    return fail(Code::kEnvironment, "cannot create a pipe for the results of SimGrid: {}",
                std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0)
    return fail(Code::kEnvironment, "cannot start a process for SimGrid: {}", std::strerror(errno));
  if (child == 0) {
    ::close(ends[0]);
    try {
      write_all(ends[1], simulate_here(network, schedule, limit_s, exported));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "SimGrid: %.200s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::vector<double> values(schedule.jobs.size() + 1);
  std::size_t bytes_read = 0;
  while (bytes_read < values.size() * sizeof(double)) {
    const ssize_t read_size = ::read(ends[0], reinterpret_cast<char*>(values.data()) + bytes_read,
                                     values.size() * sizeof(double) - bytes_read);
    if (read_size <= 0) break;
    bytes_read += static_cast<std::size_t>(read_size);
  }
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return SimgridRun{.has_ended = false, .elapsed = static_cast<double>(limit_s)};
  if (bytes_read != values.size() * sizeof(double) || status != 0)
    return fail(Code::kEnvironment,
                "process of SimGrid: found wait status {}, expected 0 and an end time of each job",
                status);
  SimgridRun run;
  run.elapsed = values.back();
  values.pop_back();
  run.job_ends = std::move(values);
  return run;
}

}  // namespace weft::jobs
