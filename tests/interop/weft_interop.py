# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The helpers of the interop tests and of the benchmarks under one name; each module states its subject.

A resident subnet manager is in manager.py, its HTTP service in http_client.py and openapi.py, its console in console_session.py.
"""
from ibdmchk import IbdmchkVerdict, ibdmchk
from ibsim import PATIENT, Ibsim, held_routes, never_blocked, preloaded
from processes import (PATIENCE, ROOT, SKIPPED, TOPOLOGIES, check, cpu_seconds, free_port, needs, portinfo_of, rss_bytes, run, skip, stays,
                       tool, wait_for, weft, weft_binary, weft_json)
from single_runs import SmRun, log_stamp, opensm_once, opensm_route_seconds, weft_once

__all__ = ["IbdmchkVerdict", "Ibsim", "PATIENCE", "PATIENT", "ROOT", "SKIPPED", "SmRun", "TOPOLOGIES", "check", "cpu_seconds", "free_port",
           "held_routes", "ibdmchk", "needs", "never_blocked", "opensm_once", "opensm_route_seconds", "portinfo_of", "preloaded",
           "rss_bytes", "run", "skip", "stays", "tool", "wait_for", "weft", "weft_binary", "weft_json", "weft_once"]
