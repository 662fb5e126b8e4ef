#include "routing/engine.h"

#include <algorithm>
#include <array>

namespace weft {
namespace {

constexpr std::array<Engine, 0> kEngines{};

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name, &Engine::name);
  return found == kEngines.end() ? nullptr : &*found;
}

}  // namespace weft
