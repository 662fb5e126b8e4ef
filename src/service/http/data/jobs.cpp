// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/jobs.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/text.h"
#include "fabric/formats/slurm_topology.h"
#include "service/error_sum.h"
#include "service/http/data/nodes.h"
#include "sm/discovery/degraded_links.h"

namespace weft::http_data {
namespace {

constexpr std::size_t kJobHostsMax = 100'000;
constexpr std::size_t kJobTextMax = 128;
constexpr std::size_t kJobEventsMax = 100;

Result<std::string> job_text(const Json& body, const char* name, bool is_required) {
  if (!body.contains(name) && !is_required) return std::string();
  if (!body.contains(name) || !body[name].is_string())
    return fail(Code::kBadField, "{}: expected text", name);
  std::string text = body[name].get<std::string>();
  if (text.size() > kJobTextMax || (is_required && text.empty()))
    return fail(Code::kBadField, "{}: found {} characters, expected {} to {}", name, text.size(),
                is_required ? 1 : 0, kJobTextMax);
  return text;
}

Result<std::vector<std::string>> job_hosts(const Json& hosts) {
  std::string list;
  if (hosts.is_string()) {
    list = hosts.get<std::string>();
  } else if (hosts.is_array()) {
    for (const Json& host : hosts) {
      if (!host.is_string()) return fail(Code::kBadField, "hosts: expected names");
      list += (list.empty() ? "" : ",") + host.get<std::string>();
    }
  } else {
    return fail(Code::kBadField, "hosts: expected a list of names, or text such as node[1-4]");
  }
  std::size_t left = kJobHostsMax;
  const auto items = expand_hostlist(list, left);
  if (!items)
    return fail(Code::kBadField, "hosts: column {}: {}", items.error().column,
                items.error().message);
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const HostlistItem& item : *items)
    for (const std::string& name : item.names)
      if (known.insert(name).second) names.push_back(name);
  return names;
}

const PortCounts* counts_of(const PortCountsTable& counted, Guid node, PortNum port) {
  if (!counted) return nullptr;
  const auto key = [](const PortCounts& one) { return std::pair(one.node, one.port); };
  const auto found = std::ranges::lower_bound(*counted, std::pair(node, port), {}, key);
  return found != counted->end() && key(*found) == std::pair(node, port) ? &*found : nullptr;
}

std::uint64_t sent_bytes(const PortCounts& port) {
  return port.total[index(Counter::kXmitData)] * kBytesOfData;
}

/// Builds the JSON of a job.
class JobReport {
 public:
  JobReport(const JobPtr& job, JobBook& book, const JobSources& sources)
      : job_(*job),
        sources_(sources),
        snapshot_(*sources.snapshot),
        fabric_(snapshot_.fabric),
        traffic_(book.traffic(job, sources.snapshot)) {
    for (const JobPtr& other : book.all())
      if (!other->ended && other->id != job_.id)
        others_.emplace_back(other->id, book.traffic(other, sources.snapshot));
  }

  Json make() {
    Json json = job_summary(job_);
    Json links = Json::array();
    for (const PortId sender : traffic_->senders) links.push_back(link(sender));
    json["missing_hosts"] = traffic_->missing_hosts;
    json["unreachable_pairs"] = traffic_->unreachable;
    json["counted"] = sources_.counted != nullptr;
    json["links"] = std::move(links);
    json["shared_with"] = Json::array();
    for (const auto& [id, count] : shared_)
      json["shared_with"].push_back({{"id", id}, {"links", count}});
    for (const std::string& host : traffic_->missing_hosts)
      problems_.push_back({{"host", host}, {"problem", "not on the fabric, or without a LID"}});
    if (traffic_->unreachable > 0)
      problems_.push_back(
          {{"problem", fmt::format("{} pairs of ports without a route", traffic_->unreachable)}});
    json["problems"] = std::move(problems_);
    json["events"] = events();
    return json;
  }

 private:
  Json link(PortId sender) {
    const Port& port = fabric_.port(sender);
    const Port& peer = fabric_.port(port.peer);
    Json json{{"from", end_of(fabric_, port)}, {"to", end_of(fabric_, peer)}};
    add_rate(port, json);
    json["state"] = state_of(snapshot_, port);
    json["pairs"] = traffic_->pairs[sender.value()];
    json["sent_bytes"] = nullptr;
    json["errors"] = nullptr;
    add_counters(port, json);
    json["shared_with"] = Json::array();
    for (const auto& [id, other] : others_) {
      if (other->pairs[sender.value()] == 0) continue;
      json["shared_with"].push_back(id);
      ++shared_[id];
    }
    find_problems(port, peer, json);
    const auto guid = [&](const Port& end) { return hex(fabric_.node(end.node).node_guid); };
    ends_.insert({guid(port), port.num.value()});
    ends_.insert({guid(peer), peer.num.value()});
    nodes_.insert({guid(port), guid(peer)});
    return json;
  }

  /// Adds the counter increments since the begin of the job. There are none for a link that the job
  /// uses only since a later change of routes.
  void add_counters(const Port& port, Json& json) const {
    const Guid node = fabric_.node(port.node).node_guid;
    const PortCounts* const now = counts_of(sources_.counted, node, port.num);
    const auto before = job_.baseline.find({node, port.num});
    if (now == nullptr || before == job_.baseline.end()) return;
    const auto rise = [](std::uint64_t value, std::uint64_t from) {
      return value > from ? value - from : 0;
    };
    json["sent_bytes"] = rise(sent_bytes(*now), before->second.sent_bytes);
    json["errors"] = rise(errors_of(now->total), before->second.errors);
  }

  void find_problems(const Port& port, const Port& peer, const Json& link) {
    const auto add = [&](std::string what) {
      problems_.push_back(
          {{"from", link["from"]}, {"to", link["to"]}, {"problem", std::move(what)}});
    };
    if (link["state"] != "active" && link["state"] != "unknown")
      add(fmt::format("port is {}", link["state"].get<std::string>()));
    if (link["errors"].is_number() && link["errors"] > 0)
      add(fmt::format("{} errors since the job began", link["errors"].get<std::uint64_t>()));
    const auto n = port.node.value(), m = peer.node.value();
    if (n < snapshot_.nodes.size() && m < snapshot_.nodes.size() &&
        is_degraded_link(snapshot_.nodes[n], port.num, snapshot_.nodes[m], peer.num))
      add("link is degraded: below the width or speed that both ends have enabled");
  }

  /// The recent events during the job that concern its links or the nodes at these links.
  Json events() const {
    const std::string since = time_text(job_.begun);
    const std::string until = job_.ended ? time_text(*job_.ended) : "";
    Json list = Json::array();
    for (auto at = sources_.events.rbegin();
         at != sources_.events.rend() && list.size() < kJobEventsMax; ++at) {
      Json event = Json::parse(at->line, nullptr, false);
      if (!event.is_object()) continue;
      const std::string when = event.value("time", "");
      if (when < since || (!until.empty() && when > until) || !is_about_job(event)) continue;
      list.insert(list.begin(), std::move(event));
    }
    return list;
  }

  bool is_about_job(const Json& event) const {
    const auto is_end = [&](const char* node, const char* port) {
      return event.contains(node) && event[node].is_string() && event.contains(port) &&
             event[port].is_number_unsigned() &&
             ends_.contains({event[node].get<std::string>(), event[port].get<unsigned>()});
    };
    if (event.contains("port")) return is_end("node", "port") || is_end("peer", "peer_port");
    return event.contains("node") && event["node"].is_string() &&
           nodes_.contains(event["node"].get<std::string>());
  }

  const Job& job_;
  const JobSources& sources_;
  const Snapshot& snapshot_;
  const Fabric& fabric_;
  const std::shared_ptr<const JobTraffic> traffic_;
  std::vector<std::pair<std::string, std::shared_ptr<const JobTraffic>>> others_;  // running jobs
  std::map<std::string, std::size_t> shared_;  // number of shared links, by id of the other job
  std::set<std::pair<std::string, unsigned>> ends_;
  std::set<std::string> nodes_;
  Json problems_ = Json::array();
};

}  // namespace

Result<Job> new_job(const Json& body) {
  if (!body.is_object()) return fail(Code::kBadField, "expected a JSON object");
  for (const auto& [name, value] : body.items())
    if (name != "id" && name != "hosts" && name != "name" && name != "user")
      return fail(Code::kBadField, "unknown member {}", weft::quoted(name));
  Job job;
  for (const auto& [name, text, required] :
       {std::tuple("id", &job.id, true), std::tuple("name", &job.name, false),
        std::tuple("user", &job.user, false)}) {
    auto value = job_text(body, name, required);
    if (!value) return forward(value);
    *text = std::move(*value);
  }
  if (job.id.find('/') != std::string::npos)
    return fail(Code::kBadField, "id: found {}, expected no '/'", weft::quoted(job.id));
  auto hosts = job_hosts(body.contains("hosts") ? body["hosts"] : Json());
  if (!hosts) return forward(hosts);
  job.hosts = std::move(*hosts);
  return job;
}

void set_baseline(Job& job, const Snapshot& snapshot, const PortCountsTable& counted) {
  if (!counted) return;
  for (const PortId sender : job_traffic(snapshot, job.hosts).senders) {
    const Port& port = snapshot.fabric.port(sender);
    const Guid node = snapshot.fabric.node(port.node).node_guid;
    if (const PortCounts* counts = counts_of(counted, node, port.num))
      job.baseline[{node, port.num}] = {sent_bytes(*counts), errors_of(counts->total)};
  }
}

Json job_summary(const Job& job) {
  Json json{{"id", job.id},
            {"name", job.name},
            {"user", job.user},
            {"hosts", job.hosts},
            {"begun", time_text(job.begun)},
            {"ended", nullptr}};
  if (job.ended) json["ended"] = time_text(*job.ended);
  return json;
}

Json jobs(const std::vector<JobPtr>& all) {
  Json list = Json::array();
  for (const JobPtr& one : all) {
    list.push_back(job_summary(*one));
    list.back()["hosts"] = one->hosts.size();
  }
  return {{"jobs", std::move(list)}};
}

Json job(const JobPtr& job, JobBook& book, const JobSources& sources) {
  return JobReport(job, book, sources).make();
}

}  // namespace weft::http_data
