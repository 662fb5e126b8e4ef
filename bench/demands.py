# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The requirements on a row of the benchmark: Weft compared with OpenSM. Each violation is a line of text."""

SHORT_SECONDS = 0.005  # if OpenSM takes less, Weft must be at least as fast
TIMES_FASTER = 10
MANY_SWITCHES = 256
TIMES_FASTER_ON_MANY = {"lash": 100, "dfsssp": 30}
EBB_SHARE = 0.98
VLS_MAX = 8
NUE_NONMINIMAL_SHARE = 0.5
NUE_EBB_ON_RANDOM = 1.05
TREE_EBB_SHARE = 0.95
SELENE_UPDN_EBB = 0.58


def ratio_wanted(engine, switches, opensm_seconds):
    """The smallest permitted ratio of OpenSM's time to Weft's."""
    if opensm_seconds < SHORT_SECONDS:
        return 1
    return TIMES_FASTER_ON_MANY.get(engine, TIMES_FASTER) if switches >= MANY_SWITCHES else TIMES_FASTER


def misses_of_speed(row):
    opensm, weft = row["opensm"], row["weft"]
    wanted = ratio_wanted(row["requested"], row["switches"], opensm["seconds"])
    if row["time_ratio"] < wanted:
        yield f"{row['time_ratio']:.1f} times as fast ({weft['seconds']:.4f} s for {opensm['seconds']:.4f} s), expected at least {wanted}"


def misses_of_quality(row):
    opensm, weft = row["opensm"], row["weft"]
    if weft["ebb"] < EBB_SHARE * opensm["ebb"]:
        loops = " (with a credit loop)" if opensm["credit_loops"] and not weft["credit_loops"] else ""
        yield f"effective bisection {weft['ebb']:.3f} for {opensm['ebb']:.3f}{loops}, expected at least {EBB_SHARE} of the value of OpenSM"
    if opensm["vls"] and weft["vls"] > opensm["vls"]:
        yield f"{weft['vls']} VLs for {opensm['vls']}, expected at most the number of OpenSM"
    if row["requested"] == "nue":
        if weft["nonminimal"] > NUE_NONMINIMAL_SHARE * opensm["nonminimal"]:
            yield f"{weft['nonminimal']} nonminimal pairs for {opensm['nonminimal']}, expected at most {NUE_NONMINIMAL_SHARE} of the number of OpenSM"
        if row["fabric"].startswith("random") and weft["ebb"] < NUE_EBB_ON_RANDOM * opensm["ebb"]:
            yield f"effective bisection {weft['ebb']:.3f} for {opensm['ebb']:.3f}, expected at least {NUE_EBB_ON_RANDOM} times the value of OpenSM"


def misses_of_engine(row):
    """Requirements that do not depend on OpenSM."""
    weft = row["weft"]
    if weft["engine"] != row["requested"]:
        yield f"routed by {weft['engine']}, expected {row['requested']}"
    elif not weft["ok"] and row["requested"] not in ("minhop", "sssp"):
        yield "the routes fail the verification"
    if row["requested"] in ("dfsssp", "lash") and weft["vls"] > VLS_MAX:
        yield f"{weft['vls']} VLs, expected at most {VLS_MAX}"
    if row["fabric"] == "selene-storage" and row["requested"] == "updn" and weft["ebb"] < SELENE_UPDN_EBB:
        yield f"effective bisection {weft['ebb']:.3f}, expected at least {SELENE_UPDN_EBB}"


def misses_of_trees(row, rows):
    """On three-level trees, minhop and updn must have at least TREE_EBB_SHARE of ftree's effective bisection bandwidth."""
    if not row["fabric"].startswith("fattree3") or row["requested"] not in ("minhop", "updn"):
        return
    for other in rows:
        if other["fabric"] == row["fabric"] and other["requested"] == "ftree":
            if row["weft"]["ebb"] < TREE_EBB_SHARE * other["weft"]["ebb"]:
                yield f"effective bisection {row['weft']['ebb']:.3f}, ftree's {other['weft']['ebb']:.3f}, expected at least {TREE_EBB_SHARE} of the value of ftree"


def misses(row, rows, ignore_time=False):
    """Returns every requirement that a row violates. Weft is compared with OpenSM only if both used the requested engine."""
    result = [*misses_of_engine(row), *misses_of_trees(row, rows)]
    if row["opensm"]["engine"] == row["weft"]["engine"] == row["requested"]:
        result += [*([] if ignore_time else misses_of_speed(row)), *misses_of_quality(row)]
    return result
