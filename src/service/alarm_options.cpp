// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/alarm_options.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "service/http/token.h"

namespace weft {

Result<AlarmOptions> alarm_options(const Settings& settings) {
  if (!settings.perfmgr) {
    for (const auto& [key, text] : {std::pair("alarm_webhook", &settings.alarm_webhook),
                                    std::pair("alarm_alertmanager", &settings.alarm_alertmanager)})
      if (!text->empty())
        return fail(Code::kUsage, "{} requires perfmgr, which reads the counters", key);
    return AlarmOptions{};
  }
  const std::string& ca_file = settings.alarm_ca_file;
  if (!ca_file.empty() && ::access(ca_file.c_str(), R_OK) != 0)
    return fail(Code::kEnvironment, "alarm_ca_file: cannot read {}: {}", ca_file,
                std::strerror(errno));
  std::string token;
  if (!settings.alarm_webhook_token_file.empty()) {
    if (settings.alarm_webhook.empty())
      return fail(Code::kUsage, "alarm_webhook_token_file requires alarm_webhook");
    auto read = read_client_token(settings.alarm_webhook_token_file);
    if (!read) return fail(read.error().code, "alarm_webhook_token_file: {}", read.error().message);
    token = std::move(*read);
  }
  auto webhook = parse_alarm_url(settings.alarm_webhook);
  if (!webhook) return fail(Code::kUsage, "alarm_webhook: {}", webhook.error().message);
  auto alertmanager = parse_alarm_url(settings.alarm_alertmanager);
  if (!alertmanager)
    return fail(Code::kUsage, "alarm_alertmanager: {}", alertmanager.error().message);
  return AlarmOptions{{std::move(*webhook), std::move(token), ca_file},
                      {std::move(*alertmanager), "", ca_file}};
}

Status add_alarm_receivers(const Settings& settings, AlarmService& alarms) {
  const auto options = alarm_options(settings);
  if (!options) return forward(options);
  if (!options->webhook.url.origin.empty()) alarms.add(std::make_unique<Webhook>(options->webhook));
  if (!options->alertmanager.url.origin.empty())
    alarms.add(std::make_unique<Alertmanager>(options->alertmanager, alarms.book()));
  return {};
}

}  // namespace weft
