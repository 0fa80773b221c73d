"""What the service counts, for Prometheus.

Several worker processes keep their numbers in files of one folder, and each of them answers with the sum. The library
reads the folder's name from the environment when it is imported.
"""

import os
from functools import cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder of several workers."""


class Metrics:
    """The counters of one service; each has its own registry, so that tests can run several in one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.commands = Counter(
            "starfrost_commands_total", "Commands answered after they were durable", ["kind"], registry=self.registry
        )
        self.command = cache(self.commands.labels)
        """The counter of one kind; `labels` looks it up under a lock."""
        self.refusals = Counter(
            "starfrost_refusals_total", "Commands refused, by code", ["code"], registry=self.registry
        )
        self.batch_size = Histogram(
            "starfrost_commit_commands",
            "Commands stored in one transaction",
            buckets=(1, 2, 5, 10, 20, 50, 100, 200, 500),
            registry=self.registry,
        )
        self.requests = Counter(
            "starfrost_requests_total", "HTTP requests, by status class", ["method", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "starfrost_request_seconds",
            "Time from request to response, streams left out",
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
            registry=self.registry,
        )
        self.pushes = Counter(
            "starfrost_pushes_total",
            "Push messages: those queued, and what became of them",
            ["result"],
            registry=self.registry,
        )
        for result in ("queued", "sent", "dropped", "failed", "gone", "refused"):
            self.pushes.labels(result)
        self.hot_tables = Gauge(
            "starfrost_hot_tables", "Tables in memory", registry=self.registry, multiprocess_mode="livesum"
        )
        self.streams = Gauge(
            "starfrost_streams", "Open event streams", registry=self.registry, multiprocess_mode="livesum"
        )

    def text(self) -> bytes:
        """Return all numbers in Prometheus's text format; with several workers, the sums of all of them."""
        registry = self.registry
        if SHARED_FOLDER in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)
