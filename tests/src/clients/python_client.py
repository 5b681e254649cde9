"""The official Python client: starts `review-gate mcp` over stdio, or connects over HTTP; takes a
call's arguments from each line of stdin, prints its result as a line of JSON. A line with `do` is
something else to do: `list`, `read`, `complete`, `prompts`, `prompt`, `suggest` (an argument of a prompt),
`subscribe`, `hear` for the next update, or `call` for another tool.

Arguments: where the client is installed (unused), the mode, the path of review-gate and what its `mcp` is
told besides, or a URL and the token."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import PromptReference, ResourceTemplateReference


def say(value):
    print(json.dumps(value), flush=True)


def server_of(place, *more):
    if place.startswith("http://"):
        http = create_mcp_http_client(headers={"Authorization": f"Bearer {more[0]}"})
        return streamable_http_client(place, http_client=http)
    # The client passes on only a handful of variables by itself.
    return StdioServerParameters(command=place, args=["mcp", *more], env=dict(os.environ))


async def listen(client, uri, ready, heard):
    async with client.listen(resource_subscriptions=[uri]) as subscription:
        ready.set()
        async for event in subscription:
            heard.put_nowait(event.uri)


async def subscribe(client, mode, uri, heard, listening):
    if mode == "legacy":
        await client.subscribe_resource(uri)
        return
    ready = asyncio.Event()
    listening.append(asyncio.create_task(listen(client, uri, ready, heard)))
    await ready.wait()


async def do(client, mode, task, heard, listening):
    match task["do"]:
        case "call":
            return await call(client, task["tool"], task["arguments"])
        case "list":
            listed = await client.list_resources(cursor=task.get("cursor"))
            return {"uris": [str(resource.uri) for resource in listed.resources], "next": listed.next_cursor}
        case "read":
            read = await client.read_resource(task["uri"])
            return {"text": read.contents[0].text}
        case "complete":
            reference = ResourceTemplateReference(type="ref/resource", uri=task["uri"])
            completed = await client.complete(reference, {"name": task["name"], "value": task["value"]})
            return {"values": completed.completion.values}
        case "prompts":
            listed = await client.list_prompts(cursor=task.get("cursor"))
            prompts = [prompt.model_dump(mode="json", by_alias=True, exclude_none=True) for prompt in listed.prompts]
            return {"prompts": prompts, "next": listed.next_cursor}
        case "prompt":
            prompt = await client.get_prompt(task["name"], task["arguments"])
            return {"texts": [message.content.text for message in prompt.messages]}
        case "suggest":
            reference = PromptReference(type="ref/prompt", name=task["prompt"])
            completed = await client.complete(reference, {"name": task["name"], "value": task["value"]})
            return {"values": completed.completion.values}
        case "subscribe":
            await subscribe(client, mode, task["uri"], heard, listening)
            return {"subscribed": task["uri"]}
        case "hear":
            return {"updated": await heard.get()}


async def call(client, tool, arguments):
    result = await client.call_tool(tool, arguments)
    content = [block.model_dump(mode="json", by_alias=True, exclude_none=True) for block in result.content]
    return {"error": bool(result.is_error), "structured": result.structured_content, "content": content}


async def main(mode, place, *more):
    server, heard, listening = server_of(place, *more), asyncio.Queue(), []

    async def hear(message):
        if mode == "legacy" and getattr(message, "method", None) == "notifications/resources/updated":
            heard.put_nowait(str(message.params.uri))

    async with Client(server, mode=mode, message_handler=hear) as client:
        tools = await client.list_tools()
        say({"protocol": client.protocol_version, "tools": [tool.name for tool in tools.tools]})
        while line := await asyncio.to_thread(sys.stdin.readline):
            task = json.loads(line)
            try:
                if "do" in task:
                    say(await do(client, mode, task, heard, listening))
                else:
                    say(await call(client, "review_gate_chat", task))
            except MCPError as error:
                say({"code": error.error.code, "message": error.error.message})
        for one in listening:
            one.cancel()


asyncio.run(main(*sys.argv[2:]))
