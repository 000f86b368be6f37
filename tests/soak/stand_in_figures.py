#!/usr/bin/env python3
"""How well a small problem stands in for a large one.

    stand_in_figures.py PATH_TO_XPOSE [--device D] [--budget S] [--whole-budget S] [--only TEXT]

Tunes large problems twice: with a budget in which a smaller problem stands in, and with one in which the problem
itself is tried. Prints both winners, and by how much longer the stand-in's winner takes on the problem itself.
"""
import argparse
import json
import subprocess
import sys

HOST = [  # shape, bytes, more; about 1 GiB each way
    ("16384x16384", 4, ()), ("16000x16001", 4, ()), ("16384x16384", 4, ("--in-ld", "16400", "--out-ld", "16400")),
    ("32768x32768", 1, ()), ("30001x30003", 1, ()), ("23168x23168", 2, ()), ("23001x22999", 2, ()),
    ("11584x11584", 8, ()), ("11001x11003", 8, ()), ("16777216x16", 4, ()), ("16x16777216", 4, ()),
    ("2097152x100", 4, ()), ("12000x12000", 4, ("--in-place",)),
]
CUDA = [  # 8 to 12 GiB each way, so that the budget is too short even there
    ("49152x49152", 4, ()), ("50000x50001", 4, ()), ("49152x49152", 4, ("--in-ld", "49160", "--out-ld", "49160")),
    ("98304x98304", 1, ()), ("100001x100003", 1, ()), ("70000x70000", 2, ()), ("70001x69999", 2, ()),
    ("36864x36864", 8, ()), ("36001x36003", 8, ()), ("150000000x16", 4, ()), ("16x150000000", 4, ()),
    ("3x800000000", 4, ()),
]


def tune(xpose, device, shape, size, more, budget, *choice):
    result = subprocess.run([xpose, "tune", "--device", device, "--shape", shape, "--bytes", str(size), *more, "--budget",
                             str(budget), "--no-cache", "--json", "-", *choice], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        sys.exit(f"tune of {shape} of {size} bytes ended with {result.returncode}")
    return json.loads(result.stdout)


def seconds_of(report, variant):
    return next((trial["seconds"] for trial in report["trials"] if trial["variant"] == variant and "seconds" in trial),
                None)


def winner_of(report):
    return next(trial for trial in report["trials"] if trial["variant"] == report["winner"])


def sides(problem):
    return f"{problem['rows']}x{problem['cols']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("xpose")
    parser.add_argument("--device", default="host")
    parser.add_argument("--budget", type=float, help="of the stand-in; default: 2 on the host, 0.25 on a GPU")
    parser.add_argument("--whole-budget", type=float, help="default: 30 on the host, 4 on a GPU")
    parser.add_argument("--only", default="", help="only problems whose line has this text")
    args = parser.parse_args()
    on_host = args.device == "host"
    short = args.budget or (2 if on_host else 0.25)
    long = args.whole_budget or (30 if on_host else 4)
    losses = []
    print(f"{'problem':40} {'stand-in':18} {'took':>5} {'share':>6} {'whole':>6} {'lost':>6}  winners", flush=True)
    for shape, size, more in HOST if on_host else CUDA:
        name = f"{shape} of {size} {' '.join(more)}".strip()
        if args.only not in name:
            continue
        small = tune(args.xpose, args.device, shape, size, more, short)
        if small["is_estimate"] or small["stand_in"] is None:
            print(f"{name:40} not stood in for: budget of {short} s", flush=True)
            continue
        whole = tune(args.xpose, args.device, shape, size, more, long)
        if whole["stand_in"] is not None:
            print(f"{name:40} {whole['why_not_whole']}", flush=True)
            continue
        chosen = winner_of(small)
        again = whole
        if seconds_of(whole, chosen["variant"]) is None:
            again = tune(args.xpose, args.device, shape, size, more, long, "--strategy", chosen["variant"])
        best, took = seconds_of(whole, whole["winner"]), seconds_of(again, chosen["variant"])
        if again is not whole:  # against the roof of its own run: the machine may have changed its pace
            best *= seconds_of(again, again["roof"]) / seconds_of(whole, whole["roof"])
        lost = 100 * (took / best - 1)
        losses.append(lost)
        print(f"{name:40} {sides(small['stand_in']):18} {small['seconds']:5.1f} {100 * chosen['share_of_roof']:6.1f} "
              f"{100 * winner_of(whole)['share_of_roof']:6.1f} {lost:6.1f}  {chosen['variant']}"
              + ("" if chosen["variant"] == whole["winner"] else f"; {whole['winner']}"), flush=True)
    if losses:
        losses.sort()
        print(f"lost by choosing on the stand-in: median {losses[len(losses) // 2]:.1f} %, most {losses[-1]:.1f} %")


if __name__ == "__main__":
    main()
