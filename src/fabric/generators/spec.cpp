#include "fabric/generators/spec.h"

#include <algorithm>
#include <array>

#include "fabric/generators/shapes.h"

namespace weft {
namespace {

constexpr Parameter kHosts1{"hosts", "hosts on each switch", 0, 250, 1};
constexpr Parameter kTrunks{"trunks", "cables in parallel", 1, 64, 1};

constexpr std::array kXgft{Parameter{"m", "children by level, hosts first, as in 4x4x4"},
                           Parameter{"w", "parents by level, 1 first, as in 1x4x4"}, kTrunks};
constexpr std::array kFattree2{
    Parameter{"k", "ports of a switch", 2, 254, 36},
    Parameter{"hosts", "hosts on each leaf; k/2 by default", 1, 250, 0},
    Parameter{"leaves", "leaf switches; k/trunks by default", 1, 20'000, 0},
    Parameter{"spines", "spine switches; k/2/trunks by default", 1, 250, 0}, kTrunks};
constexpr std::array kFattree3{Parameter{"k", "ports of a switch", 2, 254, 16},
                               Parameter{"hosts", "hosts on each leaf; k/2 by default", 1, 250, 0},
                               Parameter{"pods", "pods; k by default", 1, 254, 0}};
constexpr std::array kGrid{kHosts1};
constexpr std::array kRing{Parameter{"n", "switches", 2, 20'000, 4}, kHosts1};
constexpr std::array kHypercube{Parameter{"n", "dimensions", 1, 14, 6}, kHosts1};
constexpr std::array kHyperx{kHosts1, kTrunks};
constexpr std::array kDragonfly{Parameter{"a", "switches in a group", 1, 254, 4},
                                Parameter{"h", "global cables of a switch", 1, 254, 2},
                                Parameter{"p", "hosts on each switch", 0, 250, 2},
                                Parameter{"g", "groups; a*h+1 by default", 1, 10'000, 0}};
constexpr std::array kDragonflyPlus{Parameter{"leaves", "leaf switches in a group", 1, 254, 4},
                                    Parameter{"spines", "spine switches in a group", 1, 254, 4},
                                    Parameter{"h", "global cables of a spine", 1, 254, 2},
                                    Parameter{"hosts", "hosts on each leaf", 0, 250, 4},
                                    Parameter{"g", "groups; spines*h+1 by default", 1, 10'000, 0}};
constexpr std::array kSlimfly{Parameter{"q", "a prime from 5 on", 5, 97, 5}, kHosts1};
constexpr std::array kKautz{Parameter{"b", "degree", 1, 100, 2},
                            Parameter{"n", "diameter less one", 0, 12, 2}, kHosts1};
constexpr std::array kFull{Parameter{"n", "switches", 1, 250, 4}, kHosts1, kTrunks};
constexpr std::array kRandom{Parameter{"n", "switches", 2, 20'000, 16},
                             Parameter{"degree", "cables of a switch", 1, 250, 4}, kHosts1};

constexpr std::array kGenerators{
    Generator{"fattree2", "two-level fat tree", "fattree2:k=36", kFattree2, &draw_fattree2},
    Generator{"fattree3", "three-level fat tree", "fattree3:k=16", kFattree3, &draw_fattree3},
    Generator{"xgft", "extended generalised fat tree", "xgft:m=4x4x4,w=1x4x4", kXgft, &draw_xgft},
    Generator{"torus", "torus of 1 to 5 dimensions", "torus:6x6x6,hosts=2", kGrid, &draw_torus},
    Generator{"mesh", "mesh of 1 to 5 dimensions", "mesh:4x4,hosts=2", kGrid, &draw_mesh},
    Generator{"ring", "ring of switches", "ring:n=6,hosts=2", kRing, &draw_ring},
    Generator{"hypercube", "hypercube", "hypercube:n=6,hosts=2", kHypercube, &draw_hypercube},
    Generator{"hyperx", "complete graph in each dimension", "hyperx:6x6,hosts=6", kHyperx,
              &draw_hyperx},
    Generator{"dragonfly", "groups of complete graphs", "dragonfly:a=8,h=4,p=4", kDragonfly,
              &draw_dragonfly},
    Generator{"dragonflyplus", "groups of two-level trees",
              "dragonflyplus:leaves=4,spines=4,h=2,hosts=4", kDragonflyPlus, &draw_dragonfly_plus},
    Generator{"slimfly", "McKay-Miller-Siran graph of diameter 2", "slimfly:q=5,hosts=3", kSlimfly,
              &draw_slimfly},
    Generator{"kautz", "Kautz graph", "kautz:b=2,n=2,hosts=2", kKautz, &draw_kautz},
    Generator{"full", "complete graph", "full:n=5,hosts=2", kFull, &draw_full},
    Generator{"random", "random regular graph", "random:n=128,degree=8,hosts=4,seed=1", kRandom,
              &draw_random},
};

const Generator* find_generator(std::string_view name) {
  const auto found = std::ranges::find(kGenerators, name, &Generator::name);
  return found == kGenerators.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Generator> generators() { return kGenerators; }

bool looks_like_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && find_generator(text.substr(0, colon)) != nullptr;
}

Result<Fabric> generate(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const Generator* generator = find_generator(name);
  if (generator == nullptr || colon == std::string_view::npos) {
    std::string names;
    for (const Generator& known : kGenerators)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
    return fail(Code::kUsage, "{}: column 1: found '{}', want NAME:PARAMETERS with a name of: {}",
                spec, name, names);
  }
  const auto parameters = parse_parameters(spec, colon + 1, generator->parameters);
  if (!parameters) return forward(parameters);
  auto drawing = generator->draw(*parameters);
  if (!drawing) return fail(drawing.error().code, "{}: {}", spec, drawing.error().message);
  const auto status =
      drawing->damage(parameters->get("dead"), parameters->get("fail"),
                      parameters->get("connected") == 1, Rng(parameters->wide("seed")).fork(2));
  if (!status) return fail(status.error().code, "{}: {}", spec, status.error().message);
  auto fabric = drawing->finish(parameters->get("radix"), parameters->width(), parameters->speed());
  if (!fabric) return fail(fabric.error().code, "{}: {}", spec, fabric.error().message);
  return fabric;
}

std::string generators_help() {
  std::string text = "Generators:\n";
  for (const Generator& generator : kGenerators)
    text += fmt::format("  {:<44} {}\n", generator.example, generator.summary);
  text +=
      "All take fail=N (cables cut), dead=N (switches gone), seed=S, connected=0, radix=N, "
      "speed=EDR, width=4x.\n";
  return text;
}

}  // namespace weft
