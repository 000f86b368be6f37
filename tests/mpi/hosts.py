"""Hosts made of network namespaces: MPI ranks that reach each other by sockets alone, at the rate of a wire.

hosts.py HOSTS RANKS_PER_HOST RATE MPIEXEC COMMAND...

Each host has a namespace, a name and one interface on a common switch; a token bucket filter holds both directions of
each cable to the rate (`1gbit`, as tc states it). The interface's bytes are told on stderr at the end. Everything lives
in a process namespace of its own, so nothing outlives this process, whatever ends it. Exit code 77, with the reason,
where this system has no such namespaces or Open MPI is missing.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys

SKIPPED = 77
INSIDE = "--inside"
NETWORK = "10.0.0"

# mpirun starts its daemon on another host by this, in the place of ssh.
AGENT = """#!/bin/sh
number=${1##*.}
shift
exec nsenter --net=/run/netns/host$number unshare --uts sh -c "hostname host$number && $*"
"""


def die_with_parent():
    """Ends this process when the one that started it ends, also by SIGKILL."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)


def skip(reason):
    print(f"SKIPPED: {reason}", file=sys.stderr)
    sys.exit(SKIPPED)


def set_up(*command):
    """Runs a command without which there are no hosts."""
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode != 0:
        skip(f"'{' '.join(command)}' failed: {ended.stderr.strip()}")


def check_system(launcher):
    for program in ("ip", "tc", "unshare", "nsenter", "hostname"):
        if shutil.which(program) is None:
            skip(f"there is no '{program}'; install iproute2, util-linux and hostname")
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True)
    if "Open MPI" not in version.stdout + version.stderr and "OpenRTE" not in version.stdout + version.stderr:
        skip(f"{launcher} is not of Open MPI, whose agent starts ranks in namespaces")
    if os.geteuid() != 0:
        skip("only root makes network namespaces")


def connect(number, rate):
    """A host, and its cable to the switch."""
    host, port = f"host{number}", f"port{number}"
    set_up("ip", "netns", "add", host)
    set_up("ip", "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", host)
    set_up("ip", "link", "set", port, "master", "switch", "up")
    set_up("ip", "-n", host, "addr", "add", f"{NETWORK}.{number}/24", "dev", "eth0")
    for interface in ("lo", "eth0"):
        set_up("ip", "-n", host, "link", "set", interface, "up")
    # A bucket of a few of the largest packets, and a queue of some milliseconds, as a switch has.
    bucket = ("root", "tbf", "rate", rate, "burst", "256kb", "latency", "20ms")
    set_up("tc", "qdisc", "add", "dev", port, *bucket)
    set_up("tc", "-n", host, "qdisc", "add", "dev", "eth0", *bucket)


def environment():
    """Sockets between hosts, shared memory within one, no processor of its own for a rank."""
    return dict(
        os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_pml="ob1",
        OMPI_MCA_btl="self,vader,tcp", OMPI_MCA_btl_tcp_if_include=f"{NETWORK}.0/24",
        OMPI_MCA_oob_tcp_if_include=f"{NETWORK}.0/24", OMPI_MCA_plm_rsh_agent="/run/agent",
        PRTE_MCA_plm_ssh_agent="/run/agent", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")


def tell_bytes(hosts):
    for number in range(1, hosts + 1):
        ended = subprocess.run(["ip", "-n", f"host{number}", "-json", "-s", "link", "show", "eth0"], capture_output=True,
                               text=True, check=True)
        figures = json.loads(ended.stdout)[0]["stats64"]
        print(f"host{number} sent {figures['tx']['bytes']} bytes and received {figures['rx']['bytes']}", file=sys.stderr)


def inside(hosts, ranks, rate, launcher, command):
    set_up("mount", "-t", "tmpfs", "tmpfs", "/run")
    set_up("ip", "link", "add", "switch", "type", "bridge")
    set_up("ip", "link", "set", "switch", "up")
    for number in range(1, hosts + 1):
        connect(number, rate)
    with open("/run/agent", "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o700)) as file:
        file.write(AGENT)
    places = ",".join(f"{NETWORK}.{number}:{ranks}" for number in range(1, hosts + 1))
    on_first = ["nsenter", "--net=/run/netns/host1", "unshare", "--uts", "sh", "-c", 'hostname host1 && exec "$@"', "sh"]
    ended = subprocess.run([*on_first, launcher, "--host", places, "-n", str(hosts * ranks), *command],
                           env=environment())
    tell_bytes(hosts)
    return ended.returncode


def main():
    arguments = sys.argv[1:]
    if arguments[0] == INSIDE:
        hosts, ranks, rate, launcher, *command = arguments[1:]
        return inside(int(hosts), int(ranks), rate, launcher, command)
    die_with_parent()
    check_system(arguments[3])
    namespaces = ["unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
    probe = subprocess.run([*namespaces, "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        skip(f"this system makes no namespaces: {probe.stderr.strip()}")
    # The death of unshare ends the first process of the namespace, and that all others.
    return subprocess.run([*namespaces, sys.executable, "-B", os.path.abspath(__file__), INSIDE, *arguments],
                          preexec_fn=die_with_parent).returncode


if __name__ == "__main__":
    sys.exit(main())
