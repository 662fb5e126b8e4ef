# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rows of the benchmark: fabrics, engines, and the options that an engine needs on a fabric."""
import math
import re
import sys
import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "interop"))
import weft_interop as interop  # noqa: E402

ANY = ["minhop", "updn", "dnup", "sssp", "dfsssp", "lash", "nue"]
TREE = ["minhop", "updn", "dnup", "ftree", "sssp", "dfsssp", "lash", "nue"]
LARGE = ["minhop", "updn", "dnup", "sssp", "dfsssp", "nue"]  # engines for large fabrics; OpenSM's lash takes minutes or more

QUICK = [("fattree2:k=16", ["minhop", "updn"])]
GENERATED = [
    ("fattree2:k=36", TREE),
    ("fattree3:k=16", TREE),
    ("fattree3:k=16,fail=41,seed=1", TREE),
    ("fattree3:k=24", LARGE + ["ftree"]),
    ("fattree3:k=24,fail=138,seed=1", LARGE + ["ftree"]),
    ("torus:6x6x6,hosts=4", ANY + ["torus-2QoS"]),
    ("torus:10x10x10,hosts=1", LARGE + ["torus-2QoS"]),
    ("dragonfly:a=8,h=4,p=4", ANY),
    ("hyperx:6x6,hosts=6", ANY + ["dor"]),
    ("hypercube:n=6,hosts=4", ANY + ["dor"]),
    ("random:n=128,degree=8,hosts=4,seed=1", ANY),
    ("random:n=256,degree=10,hosts=4,seed=1", ANY),
    ("random:n=1000,degree=16,hosts=4,seed=1", LARGE),
]
REAL = [(interop.TOPOLOGIES / file, engines) for file, engines in [
    ("selene-storage/ibnetdiscover.txt", TREE),
    ("hdr-1336-bom/ibnetdiscover.txt", TREE),
    ("cs8500-hdr/ibdiagnet.ibnetdiscover", TREE),
    ("gb200-ndr/example.out", TREE),
    ("avakas-qdr/ib-subnet.txt", TREE),
    ("stage-qdr-fdr10/topo", TREE),
    ("x5-psmn/X5.topofile", TREE),
    ("is3-4x-lst-fdbs/subnet.lst", ANY),
]]

# Rows of Weft alone: the engines for trees on 11,664 hosts, engines with several VLs on dragonflies, and a tree with 46,720 of the
# 49,151 unicast LIDs, without and with failed cables. Routes of this tree are not verified, because verification and measurement take much
# longer than routing.
ALONE = [("fattree3:k=36", TREE, []),
         ("dragonfly:a=8,h=4,p=4", ["dfp", "dfsssp", "nue"], []),
         ("dragonflyplus:leaves=8,spines=8,h=4,hosts=8,g=17", ["dfp", "dfsssp", "nue"], []),
         ("fattree3:k=64,pods=42", ["minhop", "updn", "dnup", "ftree"], ["--verify=off"]),
         ("fattree3:k=64,pods=42,fail=1720,seed=1", ["minhop", "updn", "ftree"], ["--verify=off"])]

# Further options of OpenSM for engines that use several SLs.
OPENSM_OPTIONS = {engine: ["-Q"] for engine in ("dfsssp", "lash", "nue", "torus-2QoS")}


def torus_config(spec):
    """The torus-2QoS.conf of a generated torus: its shape, and a seed at switch 0-0-0."""
    radix = [int(size) for size in re.match(r"torus:([\dx]+)", spec)[1].split("x")]

    def guid(at):
        place = sum(c % r * math.prod(radix[:d]) for d, (c, r) in enumerate(zip(at, radix)))
        return f"0x{0x0010000000000000 + 1 + place:016x}"

    lines = ["torus " + " ".join(map(str, radix + [1] * (3 - len(radix))))]
    origin = [0] * len(radix)
    for d, name in enumerate("xyz"[:len(radix)]):
        for side, step in (("p", 1), ("m", radix[d] - 1)):
            to = [step if i == d else 0 for i in range(len(radix))]
            lines.append(f"{name}{side}_link {guid(origin)} {guid(to)}")
    return "\n".join(lines) + "\n"


def engine_options(spec, engine, folder):
    """Options for both managers."""
    if engine != "torus-2QoS":
        return []
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "torus-2QoS.conf"
    path.write_text(torus_config(spec))
    return ["--torus_config", path]
