// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fabric/generators/spec.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "fabric/generators/damage.h"
#include "fabric/generators/shapes.h"

namespace weft {
namespace {

constexpr std::size_t kSpecLengthMax = 1'000;
constexpr unsigned kCountMax = 49'151;  // the number of unicast LIDs

constexpr Parameter kHosts{"hosts", "hosts on each switch", 0, 250, "1"};
constexpr Parameter kTrunks{"trunks", "cables in parallel", 1, 64, "1"};
constexpr Parameter kPorts36{"k", "ports of a switch", 2, kSwitchPortsMax, "36"};
constexpr Parameter kPorts16{"k", "ports of a switch", 2, kSwitchPortsMax, "16"};
constexpr Parameter kLeafHosts{"hosts", "hosts on each leaf", 1, 253, "k/2"};
constexpr Parameter kBlocking{
    "blocking", "ratio of hosts to uplinks of a leaf", 1, 253, "1:1", Parameter::Kind::kRatio};

constexpr std::array kFattree2{
    kPorts36,
    kLeafHosts,
    kBlocking,
    Parameter{"leaves", "leaf switches", 1, kSwitchPortsMax, "k/trunks"},
    Parameter{"spines", "spine switches", 1, kSwitchPortsMax, "uplinks of a leaf/trunks"},
    kTrunks};
constexpr std::array kFattree3{
    kPorts16,
    kLeafHosts,
    kBlocking,
    Parameter{"leaves", "leaf switches in a pod", 1, kSwitchPortsMax, "k/2"},
    Parameter{"pods", "pods", 1, kSwitchPortsMax, "k/trunks"},
    Parameter{"trunks", "cables in parallel to the cores", 1, 64, "1"}};
constexpr std::array kXgft{
    Parameter{"m", "children of a node by level, hosts first; must be given", 1, kCountMax, "none",
              Parameter::Kind::kList},
    Parameter{"w", "parents of a node by level (the first is 1); must be given", 1, kCountMax,
              "none", Parameter::Kind::kList},
    Parameter{"trunks", "cables in parallel: one number, or one for each level (the first is 1)", 1,
              64, "1", Parameter::Kind::kList}};
constexpr Parameter kPorts64{"k", "ports of a switch", 2, kSwitchPortsMax, "64"};
constexpr Parameter kUnits{"su", "scalable units: servers with the same leaves", 1, kCountMax, "1"};
constexpr Parameter kServers{"servers", "servers of a unit", 1, 253, "k/2"};
constexpr Parameter kNics{"nics", "adapters of a server, one per rail", 1, 64, "8"};
constexpr Parameter kRailBlocking{
    "blocking", "ratio of servers to uplinks of a leaf", 1, 253, "1:1", Parameter::Kind::kRatio};
constexpr Parameter kRailPods{"pods", "pods of units, joined by cores if more than one", 1,
                              kSwitchPortsMax, "1"};
constexpr Parameter kRailSpines{"spines", "spines of a group and pod", 1, kSwitchPortsMax,
                                "as few as divide the uplinks"};
constexpr std::array kRail{
    kUnits,        kServers,
    kNics,         kPorts64,
    kRailBlocking, kRailSpines,
    kRailPods,     Parameter{"groups", "groups of rails, each with separate spines", 1, 64, "1"}};
constexpr std::array kRailOnly{kUnits,        kServers,    kNics,    kPorts64,
                               kRailBlocking, kRailSpines, kRailPods};
constexpr std::array kMultiplane{
    Parameter{"planes", "two-level trees, one per adapter of a host", 1, 64, "8"}, kPorts64,
    Parameter{"leaves", "leaves of a plane", 1, kSwitchPortsMax, "k"},
    Parameter{"hosts", "hosts of a leaf", 1, 253, "k/2"}};
constexpr std::array kSuperpodH100{Parameter{"su", "scalable units of 32 nodes", 1, 4, "1"}};
constexpr std::array kSuperpodB200{Parameter{"su", "scalable units of 32 nodes", 1, 64, "2"}};
constexpr std::array kSuperpodB300{Parameter{"su", "scalable units of 64 nodes", 1, 16, "1"}};
constexpr std::array kSuperpodB300Xdr{Parameter{"su", "scalable units of 72 nodes", 1, 18, "1"}};
constexpr std::array kTorus{
    kHosts, kTrunks,
    Parameter{"pairs", "cables between the switches of a dimension of size two: 2 makes a ring", 1,
              2, "1"}};
constexpr std::array kMesh{kHosts, kTrunks};
constexpr std::array kRing{Parameter{"n", "switches", 2, kCountMax, "4"}, kHosts, kTrunks};
constexpr std::array kLine{Parameter{"n", "switches", 1, kCountMax, "4"}, kHosts, kTrunks};
constexpr std::array kHypercube{Parameter{"n", "dimensions", 1, 15, "6"}, kHosts, kTrunks};
constexpr std::array kHyperx{
    kHosts, Parameter{"trunks", "cables in parallel: one number, or one by dimension", 1, 64, "1",
                      Parameter::Kind::kList}};
constexpr std::array kHammingmesh{
    Parameter{"a", "accelerators of a board from west to east", 1, 64, "2"},
    Parameter{"b", "accelerators of a board from north to south", 1, 64, "2"},
    Parameter{"x", "boards from west to east", 1, kCountMax, "4"},
    Parameter{"y", "boards from north to south", 1, kCountMax, "4"},
    Parameter{"hosts", "hosts of an accelerator", 0, 250, "1"},
    kPorts64};
constexpr std::array kDragonfly{
    Parameter{"a", "switches in a group", 1, kSwitchPortsMax, "4"},
    Parameter{"h", "global cables of a switch", 1, kSwitchPortsMax, "2"},
    Parameter{"p", "hosts on each switch", 0, 250, "2"},
    Parameter{"g", "groups", 1, kCountMax, "a*h+1"}};
constexpr std::array kDragonflyPlus{
    Parameter{"leaves", "leaf switches in a group", 1, kSwitchPortsMax, "4"},
    Parameter{"spines", "spine switches in a group", 1, kSwitchPortsMax, "4"},
    Parameter{"h", "global cables of a spine", 1, kSwitchPortsMax, "2"},
    Parameter{"hosts", "hosts on each leaf", 0, 250, "4"},
    Parameter{"g", "groups", 1, kCountMax, "spines*h+1"},
    Parameter{"k", "ports of a switch: makes k/2 the default of leaves, spines, h and hosts", 2,
              kSwitchPortsMax, "none"}};
constexpr std::array kSlimfly{Parameter{"q", "a power of a prime", 3, 156, "5"}, kHosts};
constexpr std::array kPolarfly{Parameter{"q", "a power of a prime", 2, 221, "7"}, kHosts};
constexpr std::array kKautz{Parameter{"b", "arcs from a switch", 1, 127, "2"},
                            Parameter{"n", "diameter less one", 0, 15, "2"}, kHosts};
constexpr std::array kFull{Parameter{"n", "switches", 1, 255, "4"}, kHosts, kTrunks};
constexpr std::array kRandom{Parameter{"n", "switches", 2, kCountMax, "16"},
                             Parameter{"degree", "cables of a switch", 1, kSwitchPortsMax, "4"},
                             kHosts};
constexpr std::array kJellyfish{
    Parameter{"n", "switches", 2, kCountMax, "20"},
    Parameter{"k", "ports of a switch", 2, kSwitchPortsMax, "12"},
    Parameter{"r", "ports to other switches; the other ports are for hosts", 1, kSwitchPortsMax,
              "three quarters of k"}};

constexpr std::array kGenerators{
    Generator{"fattree2", "two-level fat tree", "fattree2:k=36", 0, kFattree2, &draw_fattree2},
    Generator{"fattree3", "three-level fat tree", "fattree3:k=16", 0, kFattree3, &draw_fattree3},
    Generator{"xgft", "extended generalized fat tree", "xgft:m=4x4x4,w=1x4x4", 0, kXgft,
              &draw_xgft},
    Generator{"rail", "rail-optimized fat tree", "rail:su=2,servers=8,nics=8,k=16", 0, kRail,
              &draw_rail},
    Generator{.name = "railonly",
              .summary = "rails that no cables connect",
              .example = "railonly:su=2,servers=4,nics=4,k=8",
              .parameters = kRailOnly,
              .draw = &draw_rail_only,
              .separate = true},
    Generator{.name = "multiplane",
              .summary = "several two-level fat trees that no cables connect",
              .example = "multiplane:planes=4,k=8",
              .parameters = kMultiplane,
              .draw = &draw_multiplane,
              .separate = true},
    Generator{"superpod-h100", "DGX SuperPOD H100", "superpod-h100:su=1", 0, kSuperpodH100,
              &draw_superpod_h100, LinkSpeed::kNdr},
    Generator{"superpod-b200", "DGX SuperPOD B200", "superpod-b200:su=2", 0, kSuperpodB200,
              &draw_superpod_b200, LinkSpeed::kNdr},
    Generator{"superpod-b300", "DGX SuperPOD B300", "superpod-b300:su=1", 0, kSuperpodB300,
              &draw_superpod_b300, LinkSpeed::kNdr},
    Generator{"superpod-b300-xdr", "DGX SuperPOD B300 with XDR", "superpod-b300-xdr:su=1", 0,
              kSuperpodB300Xdr, &draw_superpod_b300_xdr, LinkSpeed::kXdr},
    Generator{"torus", "torus of 1 to 5 dimensions", "torus:6x6x6,hosts=2", 5, kTorus, &draw_torus},
    Generator{"mesh", "mesh of 1 to 5 dimensions", "mesh:4x4,hosts=2", 5, kMesh, &draw_mesh},
    Generator{"ring", "ring of switches", "ring:n=6,hosts=2", 0, kRing, &draw_ring},
    Generator{"line", "line of switches", "line:n=3", 0, kLine, &draw_line},
    Generator{"hypercube", "hypercube", "hypercube:n=6,hosts=2", 0, kHypercube, &draw_hypercube},
    Generator{"hyperx", "complete graph in each of 1 to 5 dimensions", "hyperx:6x6,hosts=6", 5,
              kHyperx, &draw_hyperx},
    Generator{"hammingmesh", "boards of small meshes, joined by rows and columns",
              "hammingmesh:a=2,b=2,x=4,y=4", 0, kHammingmesh, &draw_hammingmesh},
    Generator{"dragonfly", "groups of complete graphs", "dragonfly:a=8,h=4,p=4", 0, kDragonfly,
              &draw_dragonfly},
    Generator{"dragonflyplus", "groups of two-level trees",
              "dragonflyplus:leaves=4,spines=4,h=2,hosts=4", 0, kDragonflyPlus,
              &draw_dragonfly_plus},
    Generator{"slimfly", "McKay-Miller-Siran graph of diameter 2", "slimfly:q=5,hosts=3", 0,
              kSlimfly, &draw_slimfly},
    Generator{"polarfly", "Erdos-Renyi polarity graph of diameter 2", "polarfly:q=7,hosts=4", 0,
              kPolarfly, &draw_polarfly},
    Generator{"kautz", "Kautz graph", "kautz:b=2,n=2,hosts=2", 0, kKautz, &draw_kautz},
    Generator{"full", "complete graph", "full:n=5,hosts=2", 0, kFull, &draw_full},
    Generator{"random", "random regular graph", "random:n=128,degree=8,hosts=4,seed=1", 0, kRandom,
              &draw_random},
    Generator{"jellyfish", "random regular graph by its published parameters",
              "jellyfish:n=20,k=12,r=8,seed=1", 0, kJellyfish, &draw_jellyfish},
};

const Generator* find_generator(std::string_view name) {
  const auto found = std::ranges::find(kGenerators, name, &Generator::name);
  return found == kGenerators.end() ? nullptr : &*found;
}

/// Applies planes=, plane_down= and fnm=, unless the generator itself creates planes as separate
/// networks.
Status draw_planes(const Generator& generator, const Parameters& parameters, Drawing& drawing) {
  const bool own = std::ranges::count(generator.parameters, "planes", &Parameter::key) > 0;
  const unsigned planes = own ? 1 : parameters.number("planes");
  const unsigned down = parameters.number("plane_down");
  if (down > 0 && (planes == 1 || down > planes))
    return parameters.refuse("plane_down", fmt::format("plane_down={}", down),
                             own ? "plane_down only with planes that are ports of an adapter, as "
                                   "fattree2:k=K,planes=P has them"
                             : planes == 1 ? "planes=2 or more with plane_down"
                                           : fmt::format("a plane from 1 to {}", planes));
  const bool has_fnm = parameters.number("fnm") == 1;
  if (has_fnm && planes == 1)
    return parameters.refuse("fnm", "fnm=1",
                             own ? "fnm=1 only with planes that are ports of an adapter, as "
                                   "fattree2:k=K,planes=P has them"
                                 : "planes=2 or more with fnm=1");
  if (planes == 1) return {};
  if (auto status = drawing.repeat_in_planes(parameters, planes); !status) return status;
  if (has_fnm)
    if (auto status = drawing.add_fnm_rings(parameters); !status) return status;
  if (down > 0) drawing.remove_plane(down);
  return {};
}

}  // namespace

std::span<const Generator> generators() { return kGenerators; }

bool looks_like_spec(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && find_generator(text.substr(0, colon)) != nullptr;
}

Result<Fabric> generate(std::string_view spec) {
  if (spec.size() > kSpecLengthMax)
    return fail(Code::kUsage, "{}...: column {}: found {} characters, expected at most {}",
                spec.substr(0, 20), kSpecLengthMax + 1, spec.size(), kSpecLengthMax);
  const std::size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const Generator* generator = find_generator(name);
  if (generator == nullptr || colon == std::string_view::npos) {
    std::string names;
    std::vector<std::string_view> known_names;
    for (const Generator& known : kGenerators) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
      known_names.push_back(known.name);
    }
    return fail(
        Code::kUsage, "{}: column 1: found '{}', expected NAME:PARAMETERS with a name of: {}{}",
        spec, name, names, generator == nullptr ? did_you_mean(name, known_names) : std::string());
  }
  const auto parameters =
      parse_parameters(spec, colon + 1, generator->parameters, generator->dimensions_max);
  if (!parameters) return forward(parameters);
  auto drawing = generator->draw(*parameters);
  if (!drawing) return forward(drawing);
  if (auto status = draw_planes(*generator, *parameters, *drawing); !status) return forward(status);
  if (auto status = damage(*drawing, *parameters); !status) return forward(status);
  const bool is_split = parameters->number("split") == 1;
  if (is_split && parameters->given("width") && parameters->width() != LinkWidth::k2x)
    return parameters->refuse("width", weft::name(parameters->width()), "2x with split=1");
  return drawing->finish(is_split ? LinkWidth::k2x : parameters->width(),
                         parameters->given("speed") ? parameters->speed() : generator->speed);
}

std::string generators_help() {
  std::string text = "Generators:\n";
  for (const Generator& generator : kGenerators) {
    text += fmt::format("  {:<44} {}\n", generator.example, generator.summary);
    for (const Parameter& parameter : generator.parameters)
      text += fmt::format("      {}\n", help_line(parameter));
  }
  text += "All generators:\n";
  for (const Parameter& parameter : common_parameters())
    text += fmt::format("      {}\n", help_line(parameter));
  return text;
}

}  // namespace weft
