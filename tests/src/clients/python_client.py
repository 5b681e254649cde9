"""The official Python client: starts `review-gate mcp` over stdio, takes a call's arguments from
each line of stdin, prints its result as a line of JSON.

Arguments: where the client is installed (unused), the mode, the path of review-gate."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


def say(value):
    print(json.dumps(value), flush=True)


async def main(mode, review_gate):
    # The client passes on only a handful of variables by itself.
    server = StdioServerParameters(command=review_gate, args=["mcp"], env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        say({"protocol": client.protocol_version, "tools": [tool.name for tool in tools.tools]})
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await client.call_tool("review_gate_chat", json.loads(line))
            content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
            say({"error": bool(result.is_error), "structured": result.structured_content, "content": content})


asyncio.run(main(*sys.argv[2:]))
