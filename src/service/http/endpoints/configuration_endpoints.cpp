// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Handlers of HTTP endpoints: the active configuration.
#include <mutex>

#include "service/http/data/configuration.h"
#include "service/http/http_handlers.h"

namespace weft::http {

HttpAnswer configuration(HttpContext& context, const HttpCall& call) {
  const std::lock_guard lock(context.configuration.mutex);
  if (context.configuration.settings != call.posted.settings) {
    context.configuration.text = json_answer(http_data::configuration(*call.posted.settings)).body;
    context.configuration.settings = call.posted.settings;
  }
  HttpAnswer answer;
  answer.body = context.configuration.text;
  return answer;
}

}  // namespace weft::http
