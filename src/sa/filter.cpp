#include "sa/filter.h"

namespace weft {
namespace {

// Reserved fields are not compared.

constexpr Component kNode[]{{0, 0, 16},   {1, 0, 0},     {2, 32, 8},    {3, 40, 8},
                            {4, 48, 8},   {5, 56, 8},    {6, 64, 64},   {7, 128, 64},
                            {8, 192, 64}, {9, 256, 16},  {10, 272, 16}, {11, 288, 32},
                            {12, 320, 8}, {13, 328, 24}, {14, 352, 512}};

// PortInfo begins at byte 4. CapabilityMask and CapabilityMask2 are compared by the handler.
constexpr std::uint16_t kPort = 32;
constexpr Component kPortInfo[]{{0, 0, 16},
                                {1, 16, 8},
                                {2, 0, 0},
                                {3, kPort + 0, 64},
                                {4, kPort + 64, 64},
                                {5, kPort + 128, 16},
                                {6, kPort + 144, 16},
                                {7, 0, 0},
                                {8, kPort + 192, 16},
                                {9, kPort + 208, 16},
                                {10, kPort + 224, 8},
                                {11, kPort + 232, 8},
                                {12, kPort + 240, 8},
                                {13, kPort + 248, 8},
                                {14, kPort + 256, 4},
                                {15, kPort + 260, 4},
                                {16, kPort + 264, 4},
                                {17, kPort + 268, 4},
                                {18, kPort + 272, 2},
                                {19, 0, 0},
                                {20, kPort + 277, 3},
                                {21, kPort + 280, 4},
                                {22, kPort + 284, 4},
                                {23, kPort + 288, 4},
                                {24, kPort + 292, 4},
                                {25, kPort + 296, 4},
                                {26, kPort + 300, 4},
                                {27, kPort + 304, 8},
                                {28, kPort + 312, 8},
                                {29, kPort + 320, 8},
                                {30, kPort + 328, 4},
                                {31, kPort + 332, 4},
                                {32, kPort + 336, 3},
                                {33, kPort + 339, 5},
                                {34, kPort + 344, 4},
                                {35, kPort + 348, 1},
                                {36, kPort + 349, 1},
                                {37, kPort + 350, 1},
                                {38, kPort + 351, 1},
                                {39, kPort + 352, 16},
                                {40, kPort + 368, 16},
                                {41, kPort + 384, 16},
                                {42, kPort + 400, 8},
                                {43, kPort + 408, 1},
                                {44, 0, 0},
                                {45, kPort + 411, 5},
                                {46, 0, 0},
                                {47, kPort + 419, 5},
                                {48, kPort + 424, 4},
                                {49, kPort + 428, 4},
                                {50, kPort + 432, 16},
                                {51, 0, 0},
                                {52, kPort + 456, 24},
                                {53, 0, 0},
                                {54, kPort + 496, 4},
                                {55, kPort + 500, 4},
                                {56, 0, 0},
                                {57, kPort + 507, 5}};

constexpr Component kSlToVl[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};
constexpr Component kSwitchInfo[]{{0, 0, 16}, {1, 0, 0}};
constexpr Component kLft[]{{0, 0, 16}, {1, 16, 16}};
constexpr Component kMft[]{{0, 0, 16}, {1, 16, 4}, {2, 20, 3}, {3, 23, 9}, {4, 32, 32}};
// The SM_Key is not disclosed, and ActCount changes all the time.
constexpr Component kSmInfo[]{{0, 0, 16}, {1, 0, 0},   {2, 32, 64}, {3, 0, 0},
                              {4, 0, 0},  {5, 192, 4}, {6, 196, 4}};
constexpr Component kLink[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}, {3, 32, 16}};
constexpr Component kGuidInfo[]{{0, 0, 16},   {1, 16, 8},   {2, 24, 8},    {3, 32, 32},
                                {4, 64, 64},  {5, 128, 64}, {6, 192, 64},  {7, 256, 64},
                                {8, 320, 64}, {9, 384, 64}, {10, 448, 64}, {11, 512, 64}};
constexpr Component kService[]{
    {0, 0, 64},     {1, 64, 128},   {2, 192, 16},   {3, 208, 16},   {4, 224, 32},   {5, 256, 128},
    {6, 384, 512},  {7, 896, 8},    {8, 904, 8},    {9, 912, 8},    {10, 920, 8},   {11, 928, 8},
    {12, 936, 8},   {13, 944, 8},   {14, 952, 8},   {15, 960, 8},   {16, 968, 8},   {17, 976, 8},
    {18, 984, 8},   {19, 992, 8},   {20, 1000, 8},  {21, 1008, 8},  {22, 1016, 8},  {23, 1024, 16},
    {24, 1040, 16}, {25, 1056, 16}, {26, 1072, 16}, {27, 1088, 16}, {28, 1104, 16}, {29, 1120, 16},
    {30, 1136, 16}, {31, 1152, 32}, {32, 1184, 32}, {33, 1216, 32}, {34, 1248, 32}, {35, 1280, 64},
    {36, 1344, 64}};
constexpr Component kPkeys[]{{0, 0, 16}, {1, 16, 16}, {2, 32, 8}};
constexpr Component kVlArb[]{{0, 0, 16}, {1, 16, 8}, {2, 24, 8}};
// Values with a selector (MTU, rate, life time), P_Keys and members are compared by the handler.
constexpr Component kMcMember[]{
    {0, 0, 128},  {1, 0, 0},     {2, 256, 32}, {3, 288, 16}, {4, 0, 0},  {5, 0, 0},
    {6, 312, 8},  {7, 0, 0},     {8, 0, 0},    {9, 0, 0},    {10, 0, 0}, {11, 0, 0},
    {12, 352, 4}, {13, 356, 20}, {14, 376, 8}, {15, 384, 4}, {16, 0, 0}, {17, 0, 0}};
constexpr std::uint16_t kInform = 192;  // where InformInfo begins
constexpr Component kInformInfoRecord[]{{0, 0, 128},
                                        {1, 128, 16},
                                        {2, 144, 48},
                                        {3, kInform, 128},
                                        {4, kInform + 128, 16},
                                        {5, kInform + 144, 16},
                                        {6, kInform + 160, 16},
                                        {7, kInform + 176, 8},
                                        {8, kInform + 184, 8},
                                        {9, kInform + 192, 16},
                                        {10, kInform + 208, 16},
                                        {11, kInform + 224, 24},
                                        {12, kInform + 248, 3},
                                        {13, kInform + 251, 5},
                                        {14, kInform + 256, 8},
                                        {15, kInform + 264, 24}};

}  // namespace

std::span<const Component> components_of(SaAttribute attribute) {
  switch (attribute) {
    case SaAttribute::kNodeRecord:
      return kNode;
    case SaAttribute::kPortInfoRecord:
      return kPortInfo;
    case SaAttribute::kSlToVlRecord:
      return kSlToVl;
    case SaAttribute::kSwitchInfoRecord:
      return kSwitchInfo;
    case SaAttribute::kLftRecord:
      return kLft;
    case SaAttribute::kMftRecord:
      return kMft;
    case SaAttribute::kSmInfoRecord:
      return kSmInfo;
    case SaAttribute::kLinkRecord:
      return kLink;
    case SaAttribute::kGuidInfoRecord:
      return kGuidInfo;
    case SaAttribute::kServiceRecord:
      return kService;
    case SaAttribute::kPkeyTableRecord:
      return kPkeys;
    case SaAttribute::kVlArbRecord:
      return kVlArb;
    case SaAttribute::kMcMemberRecord:
      return kMcMember;
    case SaAttribute::kInformInfoRecord:
      return kInformInfoRecord;
    default:
      return {};  // paths are computed, not matched
  }
}

RecordFilter::RecordFilter(std::span<const Component> components, std::uint64_t mask,
                           std::span<const std::byte> wanted)
    : mask_(mask) {
  if (components.empty()) return;
  std::array<std::byte, kSaDataSize> compared{};
  for (const Component& component : components) {
    if (!asks(component.bit)) continue;
    for (unsigned bit = component.offset; bit < unsigned{component.offset} + component.width; ++bit)
      compared[bit / 8] |= std::byte{0x80} >> (bit % 8);
  }
  for (std::size_t at = 0; at < compared.size() && at < wanted.size(); ++at)
    if (compared[at] != std::byte{0})
      bytes_[used_++] = {static_cast<std::uint8_t>(at), compared[at], wanted[at]};
}

}  // namespace weft
