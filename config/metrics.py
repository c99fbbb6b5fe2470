"""/metrics: what this process counts and sees, for Prometheus. Each web process tells its own.

Read by whoever has METRICS_TOKEN (`Authorization: Bearer …`), and without it only straight from METRICS_NETWORKS: what
came through a balancer carries X-Forwarded-For and is from outside. To all others there is no such page. What the
database would have to say is left out while it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from games import hints, hub, service_time, writer
from games.activity import activity, deadline_lag
from lobby import live


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with everything in Prometheus's text form, or 404 to whom it is not for."""
    if not _may_read(request):
        raise Http404
    return HttpResponse(generate_latest(REGISTRY) + generate_latest(_house), content_type=CONTENT_TYPE_LATEST)


def _may_read(request: HttpRequest) -> bool:
    token = settings.METRICS_TOKEN
    if token and constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {token}"):
        return True
    if "X-Forwarded-For" in request.headers:
        return False
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in ip_network(network) for network in settings.METRICS_NETWORKS)


class House(Collector):
    """What is looked up when asked."""

    def collect(self) -> Iterator[Metric]:
        """Yield this process's own figures, then those of the house from the database."""
        yield from _of_process()
        try:
            yield from list(_of_database())
        except (DatabaseError, InterfaceError):
            return


def _of_process() -> Iterator[Metric]:
    here, hall = hub.of_process(), live.of_process()
    sockets = GaugeMetricFamily("paishe_sockets", "Open sockets of this process.", labels=["of"])
    sockets.add_metric(["tables"], len(here.viewers()) if here else 0)
    sockets.add_metric(["lobby"], len(hall.viewers) if hall else 0)
    yield sockets
    yield _gauge(
        "paishe_rooms", "Tables somebody looks at through this process.", len(here.rooms) if here else 0
    )
    yield _gauge("paishe_writer_queue", "Commands that wait for the writer.", writer.waiting())
    yield _gauge(
        "paishe_draining", "1 while this process sends people away.", int(bool(here and here.draining))
    )
    told = hints.publisher
    yield CounterMetricFamily("paishe_hints_sent", "Messages of hints given to the layer.", told.sent)
    yield CounterMetricFamily("paishe_hints_failed", "Messages of hints the layer did not take.", told.failed)
    if here is not None:
        yield CounterMetricFamily("paishe_views", "Views encoded.", here.views)
        yield CounterMetricFamily("paishe_frames", "Views sent.", here.frames)
        yield CounterMetricFamily(
            "paishe_catch_ups", "Readings of the log after others wrote.", here.catch_ups
        )
        yield CounterMetricFamily("paishe_alarms", "Deadlines rung here, before the sweep.", here.alarms)


def _of_database() -> Iterator[Metric]:
    now = activity()
    tables = GaugeMetricFamily("paishe_tables", "Tables of the house.", labels=["status"])
    for status, number in (("playing", now.playing), ("open", now.open), ("overdue", now.overdue)):
        tables.add_metric([status], number)
    yield tables
    yield _gauge("paishe_deals_live", "Deals that run.", now.deals)
    yield _gauge("paishe_people_seated", "People with a seat.", now.people)
    yield _gauge("paishe_connections", "Sockets at tables, of all processes.", now.sockets)
    age = service_time.sweep_age()
    if age is not None:
        yield _gauge("paishe_sweep_age_seconds", "Since the last sweep beat the clock.", age)
    yield _gauge("paishe_sweep_lag_seconds", "How late the oldest deadline is.", deadline_lag())


def _gauge(name: str, what: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, what, value)


_house = CollectorRegistry()
_house.register(House())
