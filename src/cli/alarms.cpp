// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// weft alarms: lists the alarms of a running subnet manager, and acknowledges them.

#include <memory>

#include "base/printable.h"
#include "base/text.h"
#include "cli/api_client.h"
#include "cli/common.h"
#include "cli/subcommands.h"

namespace weft::cli {
namespace {

constexpr const char* kAlarmsPath = "/api/v1/alarms";
constexpr std::size_t kAlarmsOfRequest = 10'000;
constexpr int kExitUnacknowledged = 1;

struct AlarmsOptions {
  std::string acknowledge;
  std::string withdraw;
  std::string comment;
  bool ended = false;
  bool rules = false;
  bool json = false;
  ServerArgument server;
};

std::string alarm_line(const Json& alarm) {
  std::string place = fmt::format("{} port {}", alarm.value("name", ""), alarm.value("port", 0));
  if (alarm.contains("peer_name"))
    place +=
        fmt::format(" - {} port {}", alarm.value("peer_name", ""), alarm.value("peer_port", 0));
  std::string text = fmt::format("{}  {}  {}\n    {}", whole_seconds(alarm, "raised"),
                                 alarm.value("id", ""), place, alarm.value("text", ""));
  if (const std::string ended = whole_seconds(alarm, "ended"); !ended.empty())
    text += ", ended " + ended;
  if (alarm.value("acknowledged", false)) {
    const std::string comment = alarm.value("comment", "");
    text += ", acknowledged" + (comment.empty() ? "" : ": " + comment);
  }
  return text + "\n";
}

std::string alarms_text(const Json& answer) {
  std::string text;
  for (const char* const list : {"alarms", "ended"})
    for (const Json& alarm : answer.at(list)) text += alarm_line(alarm);
  if (answer.at("alarms").empty()) text += "no active alarms\n";
  if (const auto more = answer.value("not_listed", 0u); more > 0)
    text += fmt::format("{} readings above a limit are not listed: too many alarms\n", more);
  for (const Json& receiver : answer.at("receivers"))
    if (receiver.value("failing", false))
      text += fmt::format("the {} does not accept alarms: {} requests failed, {} changes lost\n",
                          receiver.value("receiver", ""), receiver.value("failed", 0u),
                          receiver.value("lost", 0u));
  return text;
}

std::string rules_text(const Json& rules) {
  std::string text = "rule            raise     clear     readings  severity  measure\n";
  for (const Json& rule : rules) {
    if (!rule.value("on", false)) {
      text += fmt::format("{:<14}  off\n", rule.value("rule", ""));
      continue;
    }
    text +=
        fmt::format("{:<14}  {:<8.3g}  {:<8.3g}  {:<8}  {:<8}  {}, {}\n", rule.value("rule", ""),
                    rule.value("raise", 0.0), rule.value("clear", 0.0), rule.value("readings", 0),
                    rule.value("severity", ""), rule.value("about", ""), rule.value("unit", ""));
  }
  return text;
}

int list_alarms(ApiClient& client, const AlarmsOptions& options) {
  const auto answer = client.get(fmt::format("{}?limit={}{}", kAlarmsPath, kAlarmsOfRequest,
                                             options.ended ? "&ended=true" : ""));
  if (!answer) return report(answer.error());
  if (options.json) {
    print(*answer);
  } else {
    append_to_stdout(printable(
        options.rules ? rules_text(answer->at("rules")) : alarms_text(*answer), Lines::kMany));
  }
  return answer->value("unacknowledged", 0u) > 0 ? kExitUnacknowledged : 0;
}

int acknowledge(ApiClient& client, const AlarmsOptions& options) {
  const bool withdraws = options.acknowledge.empty();
  const std::string& id = withdraws ? options.withdraw : options.acknowledge;
  Json body{{"acknowledged", !withdraws}};
  if (!options.comment.empty()) body["comment"] = options.comment;
  const auto alarm =
      client.send("PATCH", std::string(kAlarmsPath) + "/" + percent_encoded(id), &body);
  if (!alarm) return report(alarm.error());
  if (options.json) print(*alarm);
  return 0;
}

int run_alarms(const AlarmsOptions& options) {
  const bool changes = !options.acknowledge.empty() || !options.withdraw.empty();
  if (!options.acknowledge.empty() && !options.withdraw.empty())
    return report({Code::kUsage, "--ack excludes --withdraw"});
  if (!options.comment.empty() && options.acknowledge.empty())
    return report({Code::kUsage, "--comment requires --ack"});
  if ((options.ended || options.rules) && changes)
    return report({Code::kUsage, "--ended and --rules exclude --ack and --withdraw"});
  auto client = ApiClient::open(options.server);
  if (!client) return report(client.error());
  return changes ? acknowledge(*client, options) : list_alarms(*client, options);
}

Run set_up_alarms(CLI::App& app) {
  auto options = std::make_shared<AlarmsOptions>();
  app.add_option("--ack", options->acknowledge, "Acknowledge this active alarm")->option_text("ID");
  app.add_option("--comment", options->comment, "--ack: add a comment")->option_text("TEXT");
  app.add_option("--withdraw", options->withdraw, "Withdraw the acknowledgement of this alarm")
      ->option_text("ID");
  app.add_flag("--ended", options->ended, "Also list the last 256 alarms that ended");
  app.add_flag("--rules", options->rules, "List the rules and their limits instead");
  add_server(app, options->server);
  app.add_flag("--json", options->json, "Report as one JSON object");
  return [options] { return run_alarms(*options); };
}

}  // namespace

const Subcommand kAlarmsSubcommand{"alarms", "List and acknowledge the alarms of a subnet manager",
                                   &set_up_alarms};

}  // namespace weft::cli
