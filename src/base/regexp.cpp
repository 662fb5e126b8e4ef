#include "base/regexp.h"

#include <array>

namespace weft {

void Regexp::Free::operator()(regex_t* compiled) const {
  regfree(compiled);
  delete compiled;
}

Result<Regexp> Regexp::compile(const std::string& text) {
  auto raw = std::make_unique<regex_t>();
  const int bad = regcomp(raw.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (bad == 0) return Regexp(Compiled(raw.release()));
  std::array<char, 256> why{};
  regerror(bad, raw.get(), why.data(), why.size());
  return fail(Code::kUsage, "{}", why.data());
}

bool Regexp::finds(const std::string& text) const {
  return regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace weft
