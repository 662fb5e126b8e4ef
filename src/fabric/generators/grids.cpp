#include <numeric>

#include "fabric/generators/shapes.h"

namespace weft {
namespace {

constexpr std::uint64_t kSwitchesMax = 40'000;

/// Switches at the points of a box, first dimension fastest.
class Box {
 public:
  explicit Box(std::vector<unsigned> sizes) : sizes_(std::move(sizes)) {}

  std::uint64_t count() const {
    return std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{1}, std::multiplies<>());
  }
  unsigned coordinate(std::uint32_t at, std::size_t dimension) const {
    return static_cast<unsigned>(at / stride(dimension) % sizes_[dimension]);
  }
  std::uint32_t moved(std::uint32_t at, std::size_t dimension, unsigned to) const {
    const std::uint64_t step = stride(dimension);
    return static_cast<std::uint32_t>(at - coordinate(at, dimension) * step + to * step);
  }
  std::string name(std::uint32_t at) const {
    std::string text = "sw";
    for (std::size_t d = 0; d < sizes_.size(); ++d) text += fmt::format("-{}", coordinate(at, d));
    return text;
  }
  const std::vector<unsigned>& sizes() const { return sizes_; }

 private:
  std::uint64_t stride(std::size_t dimension) const {
    return std::accumulate(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(dimension),
                           std::uint64_t{1}, std::multiplies<>());
  }
  std::vector<unsigned> sizes_;
};

Result<Drawing> draw_switches(const Box& box) {
  if (box.count() > kSwitchesMax)
    return fail(Code::kUsage, "{} switches, at most {} are possible", box.count(), kSwitchesMax);
  Drawing drawing;
  for (std::uint32_t at = 0; at < box.count(); ++at) drawing.add_switch(box.name(at));
  return drawing;
}

/// Every switch has the same ports for the same direction, used or not: port 2d+1 goes up in
/// dimension d, 2d+2 down. `wrap` closes each dimension of more than two points.
Result<Drawing> draw_grid(const std::vector<unsigned>& sizes, unsigned hosts, bool wrap) {
  const Box box(sizes);
  auto drawing = draw_switches(box);
  if (!drawing) return drawing;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const unsigned size = sizes[d];
    drawing->reserve_ports(2);
    for (std::uint32_t at = 0; at < box.count(); ++at) {
      const unsigned here = box.coordinate(at, d);
      if (here + 1 < size || (wrap && size > 2))
        drawing->cable_at(at, 1, box.moved(at, d, (here + 1) % size), 2);
    }
  }
  add_hosts(*drawing, hosts);
  return drawing;
}

Result<std::vector<unsigned>> dimensions(const Parameters& parameters, std::string_view what) {
  if (parameters.dimensions().empty() || parameters.dimensions().size() > 5)
    return fail(Code::kUsage, "{} wants 1 to 5 sizes, as in {}:6x6x6, found {}", what, what,
                parameters.dimensions().size());
  return parameters.dimensions();
}

}  // namespace

Result<Drawing> draw_torus(const Parameters& parameters) {
  const auto sizes = dimensions(parameters, "torus");
  if (!sizes) return forward(sizes);
  return draw_grid(*sizes, parameters.get("hosts"), true);
}

Result<Drawing> draw_mesh(const Parameters& parameters) {
  const auto sizes = dimensions(parameters, "mesh");
  if (!sizes) return forward(sizes);
  return draw_grid(*sizes, parameters.get("hosts"), false);
}

Result<Drawing> draw_ring(const Parameters& parameters) {
  return draw_grid({parameters.get("n")}, parameters.get("hosts"), true);
}

Result<Drawing> draw_hypercube(const Parameters& parameters) {
  const unsigned n = parameters.get("n");
  const Box box(std::vector<unsigned>(n, 2));
  auto drawing = draw_switches(box);
  if (!drawing) return drawing;
  // Port d + 1 is dimension d on both ends of its cable, as dimension order routing wants it.
  for (std::size_t d = 0; d < n; ++d)
    for (std::uint32_t at = 0; at < box.count(); ++at)
      if (box.coordinate(at, d) == 0) drawing->cable(at, box.moved(at, d, 1));
  add_hosts(*drawing, parameters.get("hosts"));
  return drawing;
}

Result<Drawing> draw_hyperx(const Parameters& parameters) {
  const auto sizes = dimensions(parameters, "hyperx");
  if (!sizes) return forward(sizes);
  const Box box(*sizes);
  auto drawing = draw_switches(box);
  if (!drawing) return drawing;
  for (std::size_t d = 0; d < sizes->size(); ++d)
    for (std::uint32_t at = 0; at < box.count(); ++at)
      for (unsigned to = box.coordinate(at, d) + 1; to < (*sizes)[d]; ++to)
        drawing->cable(at, box.moved(at, d, to), parameters.get("trunks"));
  add_hosts(*drawing, parameters.get("hosts"));
  return drawing;
}

}  // namespace weft
