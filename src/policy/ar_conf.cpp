// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "policy/ar_conf.h"

#include <array>

#include "base/text.h"

namespace weft {
namespace {

constexpr std::string_view kSwitchOptions = "ENABLE, AGEING_TIME or '}'";
constexpr std::string_view kOptions =
    "ENABLE, AR_ALGORITHM, AR_MODE, AGEING_TIME, MAX_ERRORS, ERROR_WINDOW, LOG_FILE, LOG_SIZE or "
    "SWITCH";

class ArConfParser {
 public:
  explicit ArConfParser(LineReader reader) : reader_(std::move(reader)) {}

  Result<ArConf> run() {
    std::string_view line;
    while (true) {
      const auto more = reader_.next(line);
      if (!more) return forward(more);
      if (!*more) break;
      if (const auto status = take_line(line.substr(0, line.find('#'))); !status)
        return forward(status);
    }
    if (waits_for_brace_ || at_ != nullptr)
      return fail(Code::kBadInput,
                  "{}:{}: found the end of the file, expected '{}' of the SWITCH in line {}",
                  reader_.path(), reader_.line_number(), waits_for_brace_ ? '{' : '}',
                  switch_line_);
    return std::move(conf_);
  }

 private:
  template <class... Args>
  Status wrong(fmt::format_string<Args...> format, Args&&... args) const {
    return fail(Code::kBadInput, "{}:{}: {}", reader_.path(), reader_.line_number(),
                fmt::format(format, std::forward<Args>(args)...));
  }

  /// Parses the statements and braces of a line. ';' may be anywhere between them, except between
  /// SWITCH and its '{'.
  Status take_line(std::string_view rest) {
    while (true) {
      rest = trim(rest);
      if (rest.empty()) return {};
      if (rest.front() == ';' && !waits_for_brace_) {
        rest.remove_prefix(1);
        continue;
      }
      if (waits_for_brace_ || rest.front() == '{' || rest.front() == '}') {
        if (auto status = take_brace(rest.front()); !status) return status;
        rest.remove_prefix(1);
        continue;
      }
      const std::string_view statement = rest.substr(0, rest.find_first_of(";{}"));
      rest.remove_prefix(statement.size());
      if (auto status = take_statement(trim(statement)); !status) return status;
    }
  }

  Status take_brace(char brace) {
    if (waits_for_brace_) {
      if (brace != '{') return wrong("found '{}', expected '{{' after SWITCH and its GUID", brace);
      waits_for_brace_ = false;
      at_ = &conf_.switches[guid_];
      return {};
    }
    if (brace == '{' || at_ == nullptr)
      return wrong("found '{}', expected {}", brace, at_ == nullptr ? kOptions : kSwitchOptions);
    at_ = nullptr;
    return {};
  }

  Status take_statement(std::string_view text) {
    if (text.starts_with("SWITCH") && text.find(':') == std::string_view::npos)
      return take_switch(trim(text.substr(6)));
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return wrong("found {}, expected an option, ':' and its value", quoted(text));
    const std::string_view name = trim(text.substr(0, colon));
    const std::string_view value = trim(text.substr(colon + 1));
    if (at_ != nullptr) return take_switch_option(name, value);
    if (name == "ENABLE") return flag(name, value, conf_.enable);
    if (name == "AR_ALGORITHM") return take_algorithm(value);
    if (name == "AR_MODE") return take_mode(value);
    if (name == "AGEING_TIME") return number(name, value, UINT32_MAX, conf_.ageing_time_us);
    if (name == "MAX_ERRORS") return number(name, value, 65535, conf_.max_errors);
    if (name == "ERROR_WINDOW") return number(name, value, 65535, conf_.error_window_s);
    if (name == "LOG_SIZE") return number(name, value, UINT32_MAX, conf_.log_size_mb);
    if (name == "LOG_FILE") {
      if (value.empty()) return wrong("LOG_FILE: found nothing, expected a path");
      conf_.log_file = value;
      return {};
    }
    return wrong("found option {}, expected {}", quoted(name), kOptions);
  }

  Status take_switch_option(std::string_view name, std::string_view value) {
    if (name == "ENABLE") {
      bool enable = true;
      if (auto status = flag(name, value, enable); !status) return status;
      at_->enable = enable;
      return {};
    }
    if (name == "AGEING_TIME") {
      std::uint32_t time = 0;
      if (auto status = number(name, value, UINT32_MAX, time); !status) return status;
      at_->ageing_time_us = time;
      return {};
    }
    return wrong("found option {} of a switch, expected ENABLE or AGEING_TIME", quoted(name));
  }

  Status take_switch(std::string_view text) {
    if (at_ != nullptr)
      return wrong("found SWITCH, expected '}}' of the SWITCH in line {}", switch_line_);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const auto guid = hex ? parse_number<std::uint64_t>(text, 16) : std::nullopt;
    if (!guid || *guid == 0) return wrong("SWITCH: found {}, expected 0x and a GUID", quoted(text));
    if (conf_.switches.contains(Guid(*guid)))
      return wrong("found SWITCH {} twice, expected once", text);
    guid_ = Guid(*guid);
    waits_for_brace_ = true;
    switch_line_ = reader_.line_number();
    return {};
  }

  Status take_algorithm(std::string_view value) {
    conf_.df_plus = value == "DF_PLUS";
    if (value == "LAG") {
      conf_.algorithm = ArAlgorithm::kLag;
    } else if (value == "TREE") {
      conf_.algorithm = ArAlgorithm::kTree;
    } else if (conf_.df_plus) {
      conf_.algorithm.reset();
    } else {
      return wrong("AR_ALGORITHM: found {}, expected LAG, TREE or DF_PLUS", quoted(value));
    }
    return {};
  }

  Status take_mode(std::string_view value) {
    if (value != "bounded" && value != "free")
      return wrong("AR_MODE: found {}, expected bounded or free", quoted(value));
    conf_.mode = value == "free" ? ArState::kFree : ArState::kBounded;
    return {};
  }

  Status flag(std::string_view name, std::string_view value, bool& into) const {
    if (value != "true" && value != "false")
      return wrong("{}: found {}, expected true or false", name, quoted(value));
    into = value == "true";
    return {};
  }

  Status number(std::string_view name, std::string_view value, std::uint64_t most,
                std::uint32_t& into) const {
    const auto found = parse_number<std::uint64_t>(value, 10);
    if (!found || *found > most)
      return wrong("{}: found {}, expected a number from 0 to {}", name, quoted(value), most);
    into = static_cast<std::uint32_t>(*found);
    return {};
  }

  LineReader reader_;
  ArConf conf_;
  ArSwitchConf* at_ = nullptr;  // switch of the current braces
  bool waits_for_brace_ = false;
  Guid guid_{};
  std::size_t switch_line_ = 0;
};

}  // namespace

Result<ArConf> parse_ar_conf(LineReader reader) { return ArConfParser(std::move(reader)).run(); }

Result<ArConf> read_ar_conf(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) return forward(reader);
  return parse_ar_conf(std::move(*reader));
}

AdaptiveOptions routing_part(const ArConf& conf) {
  return {.enabled = conf.enable, .algorithm = conf.algorithm, .mode = conf.mode};
}

}  // namespace weft
