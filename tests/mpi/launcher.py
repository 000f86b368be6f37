"""How tests start processes of MPI."""

import os
import subprocess

# Of Open MPI, which other launchers ignore: containers have root alone, few processors, and no right to read the memory
# of other processes; shared memory and sockets of this machine are all that is wanted.
ENVIRONMENT = dict(
    os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_btl="self,vader",
    PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",
    ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")  # MPI itself leaks, and so does a failed route


def goes_on_without_a_rank(launcher):
    """Whether the launcher has an option for it: Open MPI 4 has."""
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True)
    return any(f"({name}) 4." in version.stdout + version.stderr for name in ("Open MPI", "OpenRTE"))
