from __future__ import annotations

import asyncio
from random import Random

from konverge import ObjectMeta
from konverge.controller import Broadcaster
from konverge.models import core_v1, events_v1
from konverge.testing import Cluster, eventually


async def test_similar_events_are_combined_and_counted(cluster: Cluster, namespace: str) -> None:
    """From the tenth on they are one event whose count grows, which the server accepts."""
    async with cluster.client(namespace=namespace) as client:
        subject = await client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="subject")))
        broadcaster = Broadcaster(client, instance="here", random=Random(1))
        recorder = broadcaster.recorder("tester")
        sending = asyncio.create_task(broadcaster.run())
        for number in range(14):
            recorder.warning(subject, "Failed", f"attempt {number}")

        async def counts() -> list[int]:
            """Return the count of each combined event."""
            events = await client.list(events_v1.Event)
            combined = [event for event in events if (event.note or "").startswith("(combined from similar events)")]
            return [event.series.count or 0 for event in combined if event.series is not None]

        async def is_combined() -> bool:
            return await counts() == [5]

        await eventually(is_combined)
        assert broadcaster.dropped == 0
        broadcaster.stop()
        await sending
