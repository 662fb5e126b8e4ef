// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// SMPs by directed route, which do not require LIDs, and texts for the status of their answers.
#pragma once

#include "sm/observed.h"

namespace weft {

/// Fills a request to the SMA at the end of `path`, without data and without M_Key; the SmpClient
/// adds the key. Sets each field, because a copy of an empty Smp takes longer, and a sweep has
/// millions of requests.
inline void fill_directed_request(Smp& smp, Method method, AttributeId attribute,
                                  std::uint32_t modifier, const DirectedPath& path) {
  smp.mgmt_class = MgmtClass::kSmpDirected;
  smp.method = method;
  smp.status = mad_status::kGood;
  smp.returning = false;
  smp.hop_pointer = 0;
  smp.hop_count = path.count;
  smp.transaction_id = 0;
  smp.attribute = attribute;
  smp.modifier = modifier;
  smp.mkey = Mkey(0);
  smp.dr_slid = smp.dr_dlid = kLidPermissive;
  smp.data = {};
  smp.initial_path = path.hops;
  smp.return_path = {};
  smp.slid = Lid(0);
  smp.dlid = kLidPermissive;
}

inline Smp directed_request(Method method, AttributeId attribute, std::uint32_t modifier,
                            const DirectedPath& path) {
  Smp smp;
  fill_directed_request(smp, method, attribute, modifier, path);
  return smp;
}

/// Name of a MAD status code; empty if the code is unknown.
inline std::string_view status_name(std::uint16_t status) {
  switch (status) {
    case mad_status::kBusy:
      return "busy";
    case mad_status::kRedirect:
      return "redirection required";
    case mad_status::kBadVersion:
      return "bad class or version";
    case mad_status::kMethodUnsupported:
      return "method not supported";
    case mad_status::kMethodAttributeUnsupported:
      return "method and attribute not supported";
    case mad_status::kInvalidField:
      return "invalid attribute or modifier";
    default:
      return {};
  }
}

/// Message text for an answer with an error status.
inline std::string status_text(std::uint16_t status) {
  const std::string_view text = status_name(status);
  return text.empty() ? fmt::format("answers with status 0x{:04x}", status)
                      : fmt::format("answers with status 0x{:04x} ({})", status, text);
}

}  // namespace weft
