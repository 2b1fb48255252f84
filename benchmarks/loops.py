"""One bare loop, in a process of its own: bodies in, replies read and thrown away.

    python benchmarks/loops.py CLIENT BODIES BASE_URL CONNECTIONS

CLIENT is `create` (the SDK's own call), `httpx2`, `aiohttp`, or `door` (our connection, without
receipts). Each is used as its own manual says, with as many connections as there are workers.
Prints one JSON object: rows, wall_s, cpu_s; imports and reading the bodies are not counted.
"""

import asyncio
import contextlib
import hashlib
import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

Ask = Callable[[bytes], Awaitable[None]]
Worker = Callable[[], Ask]
"""Called once for each worker."""
_HEADERS = {"content-type": "application/json", "authorization": "Bearer none"}
_PATH = "/chat/completions"


def main(words: list[str]) -> None:
    name, bodies, base_url, connections = words
    lines = Path(bodies).read_bytes().splitlines()
    print(json.dumps(asyncio.run(timed(name, lines, base_url, int(connections)))))  # noqa: TID251 - for the parent process


async def timed(name: str, bodies: list[bytes], base_url: str, connections: int) -> dict[str, Any]:
    async with CLIENTS[name](base_url, connections) as worker:
        wall, cpu = time.perf_counter(), time.process_time()
        queue = iter(bodies)
        async with asyncio.TaskGroup() as group:
            for _ in range(connections):
                group.create_task(drained(queue, worker()))
        return {
            "rows": len(bodies),
            "wall_s": time.perf_counter() - wall,
            "cpu_s": time.process_time() - cpu,
        }


async def drained(queue: Iterator[bytes], ask: Ask) -> None:
    for body in queue:
        await ask(body)


def held(found: bool) -> None:  # noqa: FBT001 - an assertion that no flag takes away
    if not found:
        sys.exit("a reply was no answer")


@contextlib.asynccontextmanager
async def create(base_url: str, connections: int) -> AsyncIterator[Worker]:
    del connections  # the SDK allows a thousand
    import openai  # noqa: PLC0415 - each process imports its own client only

    async with openai.AsyncOpenAI(api_key="none", base_url=base_url, max_retries=0) as client:

        async def ask(body: bytes) -> None:
            reply = await client.chat.completions.create(**json.loads(body))
            held(bool(reply.choices[0].message.content))

        yield lambda: ask


@contextlib.asynccontextmanager
async def httpx2(base_url: str, connections: int) -> AsyncIterator[Worker]:
    import httpx2 as library  # noqa: PLC0415

    limits = library.Limits(max_connections=connections, max_keepalive_connections=connections)
    async with library.AsyncClient(limits=limits, timeout=600) as client:

        async def ask(body: bytes) -> None:
            reply = await client.post(base_url + _PATH, content=body, headers=_HEADERS)
            held(reply.status_code == 200 and bool(reply.content))

        yield lambda: ask


@contextlib.asynccontextmanager
async def aiohttp(base_url: str, connections: int) -> AsyncIterator[Worker]:
    import aiohttp as library  # noqa: PLC0415

    pool = library.TCPConnector(limit=connections)
    async with library.ClientSession(connector=pool) as session:

        async def ask(body: bytes) -> None:
            async with session.post(base_url + _PATH, data=body, headers=_HEADERS) as reply:
                held(reply.status == 200 and bool(await reply.read()))

        yield lambda: ask


@contextlib.asynccontextmanager
async def door(base_url: str, connections: int) -> AsyncIterator[Worker]:
    del connections  # each worker has its own
    from judge.providers import Endpoint, open_provider  # noqa: PLC0415

    provider = open_provider(
        Endpoint(provider="openai", base_url=base_url, key_env="none", deadline_ms=600_000)
    )
    await provider.open()

    def worker() -> Ask:
        connection = provider.connection()

        async def ask(body: bytes) -> None:
            exchange = await connection.ask(body, hashlib.sha256(body).hexdigest())
            held(exchange.status == 200 and bool(exchange.body))

        return ask

    yield worker


CLIENTS = {"create": create, "httpx2": httpx2, "aiohttp": aiohttp, "door": door}

if __name__ == "__main__":
    main(sys.argv[1:])
