// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "service/http/ufm/ufm_rates.h"

#include <utility>

namespace weft::ufm {
namespace {

constexpr std::uint8_t kMtu2048 = 4, kMtu4096 = 5;
constexpr std::pair<std::uint8_t, double> kNominalRates[] = {
    {2, 2.5}, {3, 10},  {4, 30},   {5, 5},    {6, 20},  {7, 40},   {8, 60},   {9, 80},  {10, 120},
    {11, 14}, {12, 56}, {13, 112}, {14, 168}, {15, 25}, {16, 100}, {17, 200}, {18, 300}};

}  // namespace

std::optional<std::uint8_t> mtu_code(double kilobytes) {
  if (kilobytes == 2) return kMtu2048;
  if (kilobytes == 4) return kMtu4096;
  return std::nullopt;
}

unsigned mtu_kilobytes(std::uint8_t code) {
  return code >= kMtu4096 ? 4 : code == kMtu2048 ? 2 : 1;
}

std::optional<std::uint8_t> rate_code_of(double gbps) {
  for (const auto& [code, rate] : kNominalRates)
    if (rate == gbps) return code;
  return std::nullopt;
}

double rate_gbps(std::uint8_t code) {
  for (const auto& [known, rate] : kNominalRates)
    if (known == code) return rate;
  return 0;
}

}  // namespace weft::ufm
