// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ib/rates.h"

#include <algorithm>
#include <array>

namespace weft {
namespace {

struct Rate {
  std::uint8_t code;
  unsigned nominal;  // in units of 100 Mbit/s
  unsigned data;     // rate after line coding, in the same units
};
/// Sorted by data rate.
constexpr std::array<Rate, 25> kRates{
    {{2, 25, 20},       {5, 50, 40},      {3, 100, 80},       {11, 140, 136},
     {6, 200, 160},     {4, 300, 240},    {15, 250, 242},     {19, 280, 273},
     {7, 400, 320},     {8, 600, 480},    {20, 500, 485},     {12, 560, 545},
     {9, 800, 640},     {10, 1200, 960},  {16, 1000, 970},    {13, 1120, 1091},
     {14, 1680, 1636},  {17, 2000, 1939}, {18, 3000, 2909},   {21, 4000, 3879},
     {22, 6000, 5818},  {23, 8000, 7758}, {24, 12000, 11636}, {25, 16000, 15515},
     {26, 24000, 23273}}};

/// Nominal rate of one lane, by LinkSpeed.
constexpr std::array<unsigned, 9> kLaneRates{25, 50, 100, 100, 140, 250, 500, 1000, 2000};

}  // namespace

unsigned data_rate_of(std::uint8_t code) {
  for (const Rate& rate : kRates)
    if (rate.code == code) return rate.data;
  return 0;
}

std::uint8_t rate_code(LinkWidth width, LinkSpeed speed) {
  const unsigned nominal = lanes(width) * kLaneRates[static_cast<std::size_t>(speed)];
  std::uint8_t found = kRates.front().code;
  unsigned best = 0;
  for (const Rate& rate : kRates) {
    if (rate.nominal > nominal || rate.nominal <= best) continue;
    best = rate.nominal;
    found = rate.code;
  }
  return found;
}

std::uint8_t rate_up_to(std::uint8_t code, std::uint8_t last) {
  const auto* const known = std::ranges::find(kRates, code, &Rate::code);
  std::uint8_t found = code;
  for (const Rate& rate : kRates)
    if (code > last && known != kRates.end() && rate.code <= last &&
        rate.nominal <= known->nominal && rate.data <= known->data)
      found = rate.code;
  return found;
}

std::uint8_t slower_rate(std::uint8_t code) {
  const unsigned data = data_rate_of(code);
  std::uint8_t found = 0;
  for (const Rate& rate : kRates)
    if (rate.data < data) found = rate.code;
  return found;
}

}  // namespace weft
