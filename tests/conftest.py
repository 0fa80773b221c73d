import gc
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache

import httpx
import pytest

from hatch_build import make_fonts
from tests.postgres import Postgres

# Collecting the tests imports almost everything, and it stays: to look for garbage there takes as long as the imports.
gc.disable()
# A source tree holds no typefaces until they are made once.
make_fonts()
# Every run solves its card sets and compiles the solver afresh: files of an earlier run may come from other code. The
# workers of one run inherit the folder from the process that started them, and the solver's own lock makes one of
# them solve a set for all.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["STARFROST_CACHE"] = tempfile.mkdtemp(prefix="starfrost-tests-")
    os.environ["NUMBA_CACHE_DIR"] = os.path.join(os.environ["STARFROST_CACHE"], "numba")
RUN_CACHE = os.environ["STARFROST_CACHE"]
# Two processes of tests share few cores: more threads of linear algebra would only wait for each other, which takes
# twice the time. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# JAX compiles hundreds of programs here that run for a moment: it takes longer to make them fast than they run.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1")
# So does Numba: with less effort it compiles the batched bots in three quarters of the time.
os.environ.setdefault("NUMBA_OPT", "1")
# Every client of httpx would read the certificates of all authorities again, which takes longer than many requests.
httpx._transports.default.create_ssl_context = cache(httpx.create_ssl_context)
# No bot has a card set solved in the background unless its test asks for that.
os.environ["STARFROST_SOLVE"] = "never"
# Rich gives a dumb terminal a size of its own; the output must not depend on where the tests are started.
os.environ["TERM"] = "xterm-256color"
# Error messages follow the language of the environment; tests of other languages set it themselves.
for variable in [name for name in os.environ if name == "LANGUAGE" or name.startswith("LC_")]:
    del os.environ[variable]
os.environ["LANG"] = "C.UTF-8"
# Every run is in the same time zone, far from UTC and not a whole number of hours away: mixing up the two shows.
os.environ["TZ"] = "Pacific/Chatham"
if hasattr(time, "tzset"):
    time.tzset()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(RUN_CACHE, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """Yield a real Postgres, started when the first test asks for it."""
    cluster = Postgres()
    try:
        yield cluster.create()
    finally:
        cluster.remove()
