"""The official Python client: starts `review-gate mcp` over stdio, or connects over HTTP; takes a
call's arguments from each line of stdin, prints its result as a line of JSON.

Arguments: where the client is installed (unused), the mode, the path of review-gate or a URL, and
with a URL the token."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


def say(value):
    print(json.dumps(value), flush=True)


def server_of(place, token):
    if token:
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        return streamable_http_client(place, http_client=http)
    # The client passes on only a handful of variables by itself.
    return StdioServerParameters(command=place, args=["mcp"], env=dict(os.environ))


async def main(mode, place, token=None):
    server = server_of(place, token)
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        say({"protocol": client.protocol_version, "tools": [tool.name for tool in tools.tools]})
        while line := await asyncio.to_thread(sys.stdin.readline):
            result = await client.call_tool("review_gate_chat", json.loads(line))
            content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
            say({"error": bool(result.is_error), "structured": result.structured_content, "content": content})


asyncio.run(main(*sys.argv[2:]))
