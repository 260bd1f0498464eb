#!/usr/bin/env python3
"""Passes TCP connections on, each byte a fixed time later: a network with a delay.

    python3 delay.py LISTEN_HOST:PORT SERVER_HOST:PORT MILLISECONDS
"""
import asyncio
import sys

(LISTEN, LISTEN_PORT), (SERVER, SERVER_PORT) = (place.rsplit(":", 1) for place in sys.argv[1:3])
DELAY = float(sys.argv[3]) / 1000


async def pass_on(reader, writer):
    loop = asyncio.get_running_loop()
    late = asyncio.Queue()

    async def write():
        while (item := await late.get()) is not None:
            due, data = item
            await asyncio.sleep(max(0, due - loop.time()))
            writer.write(data)
            await writer.drain()
        writer.close()

    writing = asyncio.create_task(write())
    try:
        while data := await reader.read(1 << 18):
            late.put_nowait((loop.time() + DELAY, data))
    except ConnectionError:
        pass
    late.put_nowait(None)
    await writing


async def serve(reader, writer):
    there, back = await asyncio.open_connection(SERVER, SERVER_PORT)
    await asyncio.gather(pass_on(reader, back), pass_on(there, writer))


async def main():
    server = await asyncio.start_server(serve, LISTEN, LISTEN_PORT)
    async with server:
        await server.serve_forever()


asyncio.run(main())
