// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/data/configuration.h"

#include <string>
#include <utility>

#include "service/config/key.h"

namespace weft::http_data {

Json configuration(const Settings& settings) {
  Json list = Json::array();
  for (const Section& section : sections()) {
    if (!section.is_written) continue;
    for (const Key& key : section.keys) {
      const bool secret = key.secrecy != Secrecy::kNone;
      const std::string value = value_text(settings, key);
      list.push_back({{"key", key.name},
                      {"value", secret ? Json(nullptr) : Json(value)},
                      {"secret", secret},
                      {"default", value == value_text(default_settings(), key)},
                      {"section", section.title},
                      {"about", key.about}});
    }
  }
  return {{"settings", std::move(list)}};
}

}  // namespace weft::http_data
