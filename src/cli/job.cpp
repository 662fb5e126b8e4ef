// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft job [ID]: shows the jobs of a running subnet manager, and registers their begin and end.

#include <algorithm>
#include <memory>

#include "base/printable.h"
#include "base/text.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/subcommands.h"

namespace weft::cli {
namespace {

constexpr const char* kJobsPath = "/api/v1/jobs";
constexpr int kExitProblems = 1;
constexpr std::size_t kLinksShown = 20;

struct JobOptions {
  std::string id;
  std::string hosts;  // hosts of --begin
  std::string name, user;
  bool end = false;
  bool json = false;
  bool all_links = false;
  ServerArgument server;
};

std::string job_path(const std::string& id) {
  return std::string(kJobsPath) + "/" + percent_encoded(id);
}

std::string job_end_text(const Json& end) {
  return fmt::format("{} port {}", end.value("name", ""), end.value("port", 0));
}

std::string direction_text(const Json& link) {
  return fmt::format("{} -> {}", job_end_text(link.at("from")), job_end_text(link.at("to")));
}

std::string head_line(const Json& job) {
  std::string text = "job " + job.value("id", "");
  if (const std::string name = job.value("name", ""); !name.empty()) text += " '" + name + "'";
  if (const std::string user = job.value("user", ""); !user.empty()) text += " of " + user;
  text += fmt::format(": {} hosts, begun {}", job.at("hosts").size(), whole_seconds(job, "begun"));
  if (const std::string ended = whole_seconds(job, "ended"); !ended.empty())
    text += ", ended " + ended;
  return text + "\n";
}

/// Sorts links by the number of port pairs that use each link, the most first.
std::vector<Json> by_pairs(const Json& links) {
  std::vector<Json> sorted(links.begin(), links.end());
  std::ranges::stable_sort(sorted, std::greater{},
                           [](const Json& link) { return link.value("pairs", 0u); });
  return sorted;
}

std::string links_text(const Json& job, bool all) {
  const std::vector<Json> links = by_pairs(job.at("links"));
  std::size_t shared = 0;
  for (const Json& link : links) shared += link.at("shared_with").empty() ? 0 : 1;
  std::string text =
      fmt::format("{} directions of links, {} of them shared\n", links.size(), shared);
  const std::size_t count = all ? links.size() : std::min(links.size(), kLinksShown);
  for (std::size_t i = 0; i < count; ++i) {
    const Json& link = links[i];
    text += fmt::format("  {:>6} pairs  {}", link.value("pairs", 0u), direction_text(link));
    if (link.at("sent_bytes").is_number())
      text += fmt::format("  {} bytes", link.at("sent_bytes").get<std::uint64_t>());
    if (!link.at("shared_with").empty()) {
      std::string ids;
      for (const Json& id : link.at("shared_with")) ids += " " + id.get<std::string>();
      text += "  with" + ids;
    }
    text += "\n";
  }
  if (count < links.size())
    text += fmt::format("  and {} more: --all-links\n", links.size() - count);
  return text;
}

std::string job_text(const Json& job, bool all_links) {
  std::string text = head_line(job) + links_text(job, all_links);
  for (const Json& other : job.at("shared_with"))
    text += fmt::format("shares {} directions with job {}\n", other.value("links", 0),
                        other.value("id", ""));
  for (const Json& problem : job.at("problems")) {
    text += "problem: ";
    if (problem.contains("from")) text += direction_text(problem) + ": ";
    if (problem.contains("host")) text += problem.value("host", "") + ": ";
    text += problem.value("problem", "") + "\n";
  }
  if (job.at("problems").empty()) text += "no problems\n";
  if (!job.at("events").empty())
    text += fmt::format("{} events on the links of the job since its begin: --json lists them\n",
                        job.at("events").size());
  return text;
}

int show_job(ApiClient& client, const JobOptions& options) {
  const auto job = client.get(job_path(options.id));
  if (!job) return report(job.error());
  if (options.json) {
    print(*job);
  } else {
    append_to_stdout(printable(job_text(*job, options.all_links), Lines::kMany));
  }
  return job->at("problems").empty() ? 0 : kExitProblems;
}

int list_jobs(ApiClient& client, const JobOptions& options) {
  const auto jobs = client.get(kJobsPath);
  if (!jobs) return report(jobs.error());
  if (options.json) {
    print(*jobs);
    return 0;
  }
  std::string text =
      "job         hosts  begun                ended                user      name\n";
  for (const Json& job : jobs->at("jobs")) {
    const std::string ended = whole_seconds(job, "ended");
    text += fmt::format("{:<10}  {:>5}  {:<19}  {:<19}  {:<8}  {}\n", job.value("id", ""),
                        job.value("hosts", 0), whole_seconds(job, "begun"),
                        ended.empty() ? "-" : ended, job.value("user", ""), job.value("name", ""));
  }
  append_to_stdout(printable(text, Lines::kMany));
  return 0;
}

int send_job(ApiClient& client, const JobOptions& options) {
  const Json body{
      {"id", options.id}, {"hosts", options.hosts}, {"name", options.name}, {"user", options.user}};
  const auto job = options.end ? client.send("DELETE", job_path(options.id), nullptr)
                               : client.send("POST", kJobsPath, &body);
  if (!job) return report(job.error());
  if (options.json) print(*job);
  return 0;
}

int run_job(const JobOptions& options) {
  const bool begins = !options.hosts.empty();
  if (begins && options.end) return report({Code::kUsage, "--begin excludes --end"});
  if ((begins || options.end) && options.id.empty())
    return report({Code::kUsage, "--begin and --end require an ID"});
  if (!begins && (!options.name.empty() || !options.user.empty()))
    return report({Code::kUsage, "--name and --user require --begin"});
  if (options.all_links && (begins || options.end || options.id.empty() || options.json))
    return report({Code::kUsage, "--all-links requires an ID, without --begin, --end and --json"});
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  if (begins || options.end) return send_job(*client, options);
  return options.id.empty() ? list_jobs(*client, options) : show_job(*client, options);
}

Run set_up_job(CLI::App& app) {
  auto options = std::make_shared<JobOptions>();
  app.add_option("ID", options->id, "Job to show (default: list all jobs)");
  app.add_option("--begin", options->hosts,
                 "Register the begin of the job on these hosts, in Slurm's notation: node[1-4]")
      ->option_text("HOSTLIST");
  app.add_flag("--end", options->end, "Register the end of the job");
  app.add_option("--name", options->name, "--begin: set the name of the job");
  app.add_option("--user", options->user, "--begin: set the user of the job");
  app.add_flag("--all-links", options->all_links,
               "Show all links of the job, not only the 20 with the most pairs of ports");
  add_server(app, options->server);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_job(*options); };
}

}  // namespace

const Subcommand kJobSubcommand{"job", "Show the links of a cluster's job, and their errors",
                                &set_up_job};

}  // namespace weft::cli
