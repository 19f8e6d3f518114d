"""`emit --gappa DIR`: what the rounding bound claims of blocks, as scripts for Gappa."""

from __future__ import annotations

from pathlib import Path

from symbolic_pe.emit.plan import KernelPlan
from symbolic_pe.emit.source import EmittedKernel
from symbolic_pe.whole_files import write_files

DTYPES = ("float32", "float16", "bfloat16")


def write_scripts(kernel: EmittedKernel, plan: KernelPlan, directory: Path) -> str:
    """Write a script for each dtype, map and group of blocks, of the block with the largest claim.

    Returns what was written, and how to check it. Raises `NotYetCovered` for kernels that scripts
    do not cover, `OutputError` where nothing can be written.
    """
    from numeric_check.kernels.kernel import compile_kernel
    from numeric_check.rounding.gappa.script import Script, file_name, scripts

    compiled = compile_kernel(kernel)
    reach = float(plan.encoding.domain.max_position)
    largest: dict[tuple[str, str, int], Script] = {}
    for dtype in DTYPES:
        for script in scripts(compiled, plan, dtype, reach=reach):
            place = (dtype, script.side, script.group)
            if place not in largest or script.claimed > largest[place].claimed:
                largest[place] = script
    files = {file_name(script): script.claim(script.claimed) for script in largest.values()}
    write_files(directory, files)
    return (
        f"wrote {len(files)} scripts to {directory}\n"
        f"check with: for f in {directory}/*.g; do gappa $f || break; done\n"
    )
