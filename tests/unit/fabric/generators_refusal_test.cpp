// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Specs that must be rejected. The error states the column, the value found and the value expected.
// The error is returned at once and without large allocations.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include "base/rng.h"
#include "support/fabrics.h"
#include "unit/fabric/graphs.h"

namespace weft {
namespace {

struct Refusal {
  std::string spec;
  unsigned column;
  const char* found;  // text after "found "
  const char* want;   // beginning of the text after "expected "
};

void expect_refused(const Refusal& refusal) {
  SCOPED_TRACE(refusal.spec);
  const auto fabric = generate(refusal.spec);
  ASSERT_FALSE(fabric);
  EXPECT_EQ(fabric.error().code, Code::kUsage);
  EXPECT_THAT(fabric.error().message,
              testing::StartsWith(fmt::format("{}: column {}: found {}, expected {}", refusal.spec,
                                              refusal.column, refusal.found, refusal.want)));
}

TEST(GeneratorRefusals, NameThePositionOfASyntaxError) {
  for (const Refusal& refusal : std::vector<Refusal>{
           {"", 1, "''", "NAME:PARAMETERS with a name of: fattree2, fattree3, xgft"},
           {"ring", 1, "'ring'", "NAME:PARAMETERS"},
           {":n=4", 1, "''", "NAME:PARAMETERS"},
           {"turos:4x4", 1, "'turos'", "NAME:PARAMETERS"},
           {"RING:n=4", 1, "'RING'", "NAME:PARAMETERS"},
           {"ring:4", 6, "'4'", "KEY=VALUE with a KEY of: n, hosts, trunks, radix"},
           {"ring:n=4,", 10, "''", "KEY=VALUE"},
           {"ring:,n=4", 6, "''", "KEY=VALUE"},
           {"ring:n=4,,", 10, "''", "KEY=VALUE"},
           {"ring:=4", 6, "parameter ''", "one of: n, hosts"},
           {"ring:n", 6, "'n'", "KEY=VALUE"},
           {"ring:n=", 6, "n=", "a number from 2 to 49151"},
           {"ring:n=4=4", 6, "n=4=4", "a number"},
           {"ring: n=4", 6, "parameter ' n'", "one of"},
           {"ring:n= 4", 6, "n= 4", "a number"},
           {"ring:n=+4", 6, "n=+4", "a number"},
           {"ring:n=-1", 6, "n=-1", "a number"},
           {"ring:n=0x10", 6, "n=0x10", "a number"},
           {"ring:n=4.0", 6, "n=4.0", "a number"},
           {"ring:n=4,n=5", 10, "n a second time", "it once"},
           {"ring:n=4,seed=1,hosts=2,seed=1", 25, "seed a second time", "it once"},
           {"torus:4x4,host=2", 11, "parameter 'host'", "one of: hosts, trunks, pairs, radix"},
           {"torus:4x4,n=2", 11, "parameter 'n'", "one of"},
           {"torus:", 7, "''", "1 to 5 sizes from 1 to 49151, such as 6x6x6"},
           {"torus:hosts=2", 7, "'hosts=2'", "1 to 5 sizes"},
           {"torus:4xq", 7, "'4xq'", "1 to 5 sizes"},
           {"torus:4x", 7, "'4x'", "1 to 5 sizes"},
           {"torus:x4", 7, "'x4'", "1 to 5 sizes"},
           {"torus:4x0", 7, "'4x0'", "1 to 5 sizes"},
           {"torus:2x2x2x2x2x2", 7, "'2x2x2x2x2x2'", "1 to 5 sizes"},
           {"mesh:4x4,5x5", 10, "'5x5'", "KEY=VALUE"},
           {"ring:n=4,speed=FAST", 10, "speed=FAST", "SDR, DDR, QDR, FDR10"},
           {"ring:n=4,width=3x", 10, "width=3x", "1x, 2x, 4x, 8x or 12x"},
           {"ring:n=4,width=4x,split=1", 10, "4x", "2x with split=1"},
           {"ring:n=4,connected=2", 10, "connected=2", "a number from 0 to 1"},
           {"fattree2:blocking=2:", 10, "blocking=2:", "A or A:B, each from 1 to 253"},
           {"fattree2:blocking=0:1", 10, "blocking=0:1", "A or A:B"},
           {"fattree2:blocking=1:2:3", 10, "blocking=1:2:3", "A or A:B"},
           {"xgft:m=4xx4,w=1x2", 6, "m=4xx4", "up to 16 numbers from 1 to 49151"}})
    expect_refused(refusal);
  const std::string zero("ring:n=4\0,hosts=1", 17);
  EXPECT_FALSE(generate(zero));
  EXPECT_FALSE(looks_like_spec("file.txt"));
  EXPECT_FALSE(looks_like_spec("C:k=4"));
  EXPECT_TRUE(looks_like_spec("ring:"));
}

TEST(GeneratorRefusals, NameTheParameterOfAnImpossibleShape) {
  for (const Refusal& refusal : std::vector<Refusal>{
           {"xgft:", 6, "no m", "the children of each level"},
           {"xgft:w=1x2", 6, "no m", "the children of each level"},
           {"xgft:m=4x4", 6, "w of length 0", "length 2, the length of m"},
           {"xgft:m=4x4,w=1", 12, "w of length 1", "length 2, the length of m"},
           {"xgft:m=4x4,w=2x2", 12, "w with first number 2", "first number 1: a host has one port"},
           {"xgft:m=4x4,w=1x2,trunks=1x2x3", 18, "trunks of length 3 with first number 1",
            "length 1, or length 2"},
           {"xgft:m=4x4,w=1x2,trunks=2x2", 18, "trunks of length 2 with first number 2",
            "length 1, or length 2 with first number 1"},
           {"fattree2:k=8,trunks=5", 14, "trunks=5", "at most the 4 uplinks of a leaf"},
           {"fattree2:k=8,hosts=8", 14, "hosts=8", "less than the 8 ports of a leaf"},
           {"fattree2:k=8,hosts=4,blocking=1:1", 22, "both hosts and blocking", "one of them"},
           {"fattree2:k=8,spines=4,blocking=1:1", 23, "both spines and blocking", "one of them"},
           {"fattree2:k=8,spines=9", 14, "a leaf with 0 hosts and 9 uplinks", "at least a host"},
           {"fattree2:k=8,blocking=100:1", 14, "blocking=100:1", "a ratio that divides 8 ports"},
           {"fattree2:k=8,leaves=9", 14, "9 leaves by 1 cables", "at most the 8 ports of a spine"},
           {"fattree3:k=8,pods=9", 14, "9 pods by 1 cables", "at most 8 pods"},
           {"fattree3:k=8,leaves=5", 14, "leaves=5", "at most 4"},
           {"fattree3:k=8,trunks=3", 14, "trunks=3", "a divisor of the 4 uplinks"},
           {"hyperx:3x3,trunks=1x2x3", 12, "3 numbers", "one, or one for each of 2 dimensions"},
           {"dragonfly:a=2,h=1,p=1,g=9", 23, "9 groups", "at most 3: a group has 2 global ports"},
           {"dragonflyplus:spines=2,h=1,g=4", 28, "4 groups", "at most 3"},
           {"rail:nics=4,groups=3", 13, "groups=3", "a divisor of the 4 rails"},
           {"rail:su=3,pods=2", 11, "pods=2", "a divisor of the 3 units"},
           {"rail:servers=40,k=64", 6, "a leaf with 40 servers and 40 uplinks", "at most 64 ports"},
           {"rail:servers=8,k=16,spines=3", 21, "spines=3", "a divisor of the 8 uplinks"},
           {"rail:su=5,servers=8,nics=4,k=16", 6, "20 leaves that share spines",
            "at most 16 of them"},
           {"rail:su=2,servers=8,nics=4,k=16,spines=2", 6, "a spine with 32 ports in use",
            "at most 16"},
           {"rail:su=34,servers=2,nics=1,k=4,pods=34", 33, "34 pods", "at most 4: a core"},
           {"railonly:su=1,spines=2", 15, "spines above a single leaf", "more units"},
           {"multiplane:k=8,hosts=5", 16, "hosts=5", "at most 4"},
           {"multiplane:k=8,leaves=9", 16, "leaves=9", "at most 8"},
           {"superpod-b200:su=9", 15, "su=9", "at most 8, or a multiple of 4"},
           {"superpod-h100:su=5", 15, "su=5", "a number from 1 to 4"},
           {"hammingmesh:x=9,k=4", 13, "18 cables to a network", "at most 8"},
           {"polarfly:q=6", 10, "q=6", "a power of a prime from 2 on"},
           {"jellyfish:n=20,k=4,r=5", 20, "r=5", "at most the 4 ports of a switch"},
           {"jellyfish:n=5,k=8,r=3", 19, "n=5 and r=3", "one of the two even"},
           {"slimfly:q=6", 9, "q=6", "a power of a prime from 3 on"},
           {"slimfly:q=15", 9, "q=15", "a power of a prime"},
           {"slimfly:q=2", 9, "q=2", "a number from 3 to 156"},
           {"random:n=5,degree=3", 12, "n=5 and degree=3", "one of the two even"},
           {"random:n=5,degree=5", 12, "degree=5", "less than the 5 switches"},
           {"random:n=4", 8, "degree=4", "less than the 4 switches"},
           {"random:n=6,degree=1", 12, "degree=1", "at least 2"},
           {"ring:n=4,radix=2", 10, "radix=2", "at least 3: so many ports are in use"},
           {"fattree2:k=8,radix=7", 14, "radix=7", "at least 8"}})
    expect_refused(refusal);
}

std::vector<Refusal> huge_specs() {
  return {
      {"ring:n=49152", 6, "n=49152", "a number from 2 to 49151"},
      {"ring:n=4294967298", 6, "n=4294967298", "a number from 2 to 49151"},
      {"ring:n=18446744073709551618", 6, "n=18446744073709551618", "a number"},
      {"ring:n=4,seed=18446744073709551616", 10, "seed=18446744073709551616", "a number"},
      {"ring:n=40000", 6, "40000 switches and 40000 hosts", "at most 49151 together"},
      {"ring:n=49151,hosts=0,radix=254", 22, "49151 switches of 254 ports", "at most"},
      {"fattree3:k=70", 10, "6125 switches and 85750 hosts", "at most 49151 together"},
      {"fattree3:k=254,seed=1", 10, "80645 switches and 4096766 hosts", "at most 49151 together"},
      {"xgft:m=49151x49151x49151x49151,w=1x49151x49151x49151", 6,
       "over 2^40 switches and over 2^40 hosts", "at most 49151 together"},
      {"xgft:m=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1,w=1x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", 6,
       "65535 switches and 1 hosts", "at most 49151 together"},
      {"xgft:m=2x300,w=1x1", 6, "a switch with 300 ports in use", "at most 254"},
      {"xgft:m=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1,w=1", 6, "m=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
       "up to 16 numbers"},
      {"torus:39785x27417x56x18,hosts=1", 7, "1099511627760 switches and 1099511627760 hosts",
       "at most 49151 together"},
      {"torus:49151x49151x49151x49151x49151", 7, "over 2^40 switches and over 2^40 hosts",
       "at most 49151 together"},
      {"torus:65536x65536", 7, "'65536x65536'", "1 to 5 sizes"},
      {"torus:4294967296x4294967296", 7, "'4294967296x4294967296'", "1 to 5 sizes"},
      {"torus:100x100x100,radix=8", 7, "1000000 switches and 1000000 hosts", "at most 49151"},
      {"torus:4x4x4x4x4,trunks=64", 7, "a switch with 641 ports in use", "at most 254"},
      {"rail:su=49151,servers=200,k=254,blocking=100:1,nics=64", 6,
       "3145664 leaves that share spines", "at most 254 of them"},
      {"railonly:su=64,servers=253,k=254,blocking=253:1,nics=64", 10,
       "4160 switches and 1036288 ports of hosts", "at most 49151 together"},
      {"polarfly:q=221", 10, "q=221", "a power of a prime"},
      {"polarfly:q=211,hosts=1", 10, "44733 switches and 44733 hosts", "at most 49151 together"},
      {"hammingmesh:a=64,b=64,x=30,y=30", 13, "3690240 switches and 3686400 hosts",
       "at most 49151 together"},
      {"mesh:200x200,hosts=250", 6, "40000 switches and 10000000 hosts", "at most 49151"},
      {"hypercube:n=15", 11, "32768 switches and 32768 hosts", "at most 49151 together"},
      {"hypercube:n=16", 11, "n=16", "a number from 1 to 15"},
      {"hypercube:n=8,trunks=64", 11, "a switch with 513 ports in use", "at most 254"},
      {"hyperx:300,hosts=0", 8, "a switch with 299 ports in use", "at most 254"},
      {"hyperx:49151x49151,trunks=64", 8, "2415820801 switches and 2415820801 hosts", "at most"},
      {"dragonfly:a=254,h=254", 11, "16387318 switches and 32774636 hosts", "at most 49151"},
      {"dragonfly:a=1,h=254,g=49151", 21, "49151 groups", "at most 255"},
      {"dragonflyplus:leaves=254,spines=254,h=254", 15, "32774636 switches and 65549272 hosts",
       "at most"},
      {"slimfly:q=151,hosts=0", 9, "45602 switches of 227 ports", "at most"},
      {"slimfly:q=156", 9, "q=156", "a power of a prime"},
      {"kautz:b=127,n=15", 7, "over 2^40 switches and over 2^40 hosts", "at most 49151 together"},
      {"kautz:b=127,n=0,hosts=250", 7, "a switch with 504 ports in use", "at most 254"},
      {"full:n=250,hosts=10", 6, "a switch with 259 ports in use", "at most 254"},
      {"full:n=255,trunks=64,hosts=0", 6, "a switch with 16256 ports in use", "at most 254"},
      {"random:n=49151,degree=254,hosts=0", 8, "49151 switches of 254 ports", "at most"},
      {"random:n=49151,degree=2,hosts=1", 8, "49151 switches and 49151 hosts", "at most"},
      {"torus:4x4,fail=1000000", 11, "fail=1000000", "at most 17 of 32 cables"},
      {"torus:4x4,fail=1000001", 11, "fail=1000001", "a number from 0 to 1000000"},
      {"torus:4x4,dead=4096", 11, "dead=4096", "less than the 16 switches"},
  };
}

TEST(GeneratorRefusals, OfHugeSpecsTakeLittleTimeAndMemory) {
  rusage before{}, after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
  for (const Refusal& refusal : huge_specs()) expect_refused(refusal);
  EXPECT_THAT(generate("ring:n=" + std::string(900, '9')).error().message,
              testing::HasSubstr("column 6: found n=999"));
  const std::string long_spec = "ring:n=4," + std::string(10'000'000, 'x');
  EXPECT_EQ(
      generate(long_spec).error().message,
      "ring:n=4,xxxxxxxxxxx...: column 1001: found 10000009 characters, expected at most 1000");
  EXPECT_THAT(generate(std::string(1000, 'x')).error().message, testing::HasSubstr("column 1: "));
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_LT(after.ru_utime.tv_sec - before.ru_utime.tv_sec, 2);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000)
      << "growth of the resident set in kilobytes";
}

TEST(GeneratorRefusals, OfRandomlyChangedSpecsHaveTheSameForm) {
  Rng rng(20261121);
  const std::string_view letters = "0123456789x=,:-kmnwpgahq";
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string spec = kSmallSpecs[rng.below(kSmallSpecs.size())];
    for (std::uint64_t edits = 1 + rng.below(3); edits > 0 && !spec.empty(); --edits) {
      const std::size_t at = rng.below(spec.size());
      const char letter = letters[rng.below(letters.size())];
      if (rng.chance(0.3))
        spec.erase(at, 1);
      else if (rng.chance(0.5))
        spec[at] = letter;
      else
        spec.insert(at, 1, letter);
    }
    const auto fabric = generate(spec);
    if (fabric) continue;
    ++refused;
    EXPECT_EQ(fabric.error().code, Code::kUsage) << spec;
    EXPECT_THAT(fabric.error().message, testing::StartsWith(spec + ": column ")) << spec;
    EXPECT_THAT(fabric.error().message, testing::HasSubstr(", expected ")) << spec;
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace weft
