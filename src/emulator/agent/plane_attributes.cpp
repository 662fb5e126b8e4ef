// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "emulator/agent/plane_attributes.h"

#include <algorithm>

namespace weft::emulator {
namespace {

MadStatus serve_hierarchy(const Model& model, Smp& smp, Place at) {
  const NodeModel& node = model.node(at.node);
  const auto port = static_cast<std::uint8_t>(smp.modifier);
  if (node.is_switch && port > node.port_count) return mad_status::kInvalidField;
  const auto blocks = model.planar().hierarchy(at.node, node.is_switch ? PortNum(port) : at.port);
  const std::size_t block = smp.modifier >> 8 & 0xFF;
  if (block >= blocks.size()) return mad_status::kInvalidField;
  smp.data = encode(blocks[block]);
  return mad_status::kGood;
}

MadStatus serve_extended_node(const Model& model, Smp& smp, Place at) {
  ExtendedNodeInfo info;
  info.kind = model.node(at.node).is_switch ? 0 : ExtendedNodeInfo::kMultiplaneCa;
  info.planes_of_asic =
      static_cast<std::uint8_t>(model.node(at.node).is_switch ? 1 : model.planar().planes());
  smp.data = encode(info);
  return mad_status::kGood;
}

MadStatus serve_plane_filter(Model& model, Smp& smp, Place at) {
  EndPortPlaneFilter& filter = model.node(at.node).plane_filter;
  if (smp.method == Method::kSet) filter = decode_end_port_plane_filter(smp.data);
  smp.data = encode(filter);
  return mad_status::kGood;
}

}  // namespace

bool is_of_planes(AttributeId attribute) {
  return std::ranges::find(kPlaneAttributes, attribute) != kPlaneAttributes.end();
}

bool ignores_planes(const Model& model, const Smp& smp, Place at) {
  return is_of_planes(smp.attribute) && model.planar().support(at.node) == PlaneSupport::kSilent;
}

MadStatus serve_planes(Model& model, Smp& smp, Place at) {
  const PlaneSupport support = model.planar().support(at.node);
  const bool is_filter = smp.attribute == kEndPortPlaneFilter;
  if (support == PlaneSupport::kNone || (smp.method != Method::kGet && !is_filter))
    return mad_status::kMethodAttributeUnsupported;
  if (smp.attribute == kHierarchyInfo) return serve_hierarchy(model, smp, at);
  if (support == PlaneSupport::kPart || (is_filter && model.node(at.node).is_switch))
    return mad_status::kMethodAttributeUnsupported;
  if (is_filter) return serve_plane_filter(model, smp, at);
  return serve_extended_node(model, smp, at);
}

}  // namespace weft::emulator
