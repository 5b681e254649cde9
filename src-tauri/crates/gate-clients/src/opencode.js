// Written by `review-gate install opencode --permissions`; `review-gate uninstall opencode` takes it out.
// Hands opencode's permission questions to Review Gate, and what you answer there back to opencode. Its own prompt stands
// beside: whichever answer comes first counts. Where no gate runs, or anything goes wrong, that prompt alone is left.
import { spawn } from "node:child_process"

const PROGRAM = "PROGRAM"
const ENVIRONMENT = "ENVIRONMENT"

export const ReviewGate = async ({ client, directory }) => {
  // The questions that wait, each with the process that asks it.
  const waiting = new Map()
  // What tools are called with: the diff of an edit doesn't say how far all of its lines are indented.
  const called = new Map()

  const answer = async (id, said) => {
    const { reply, message } = JSON.parse(said)
    const url = `/permission/${encodeURIComponent(id)}/reply`
    await client._client.post({ url, body: { reply, message }, headers: { "content-type": "application/json" } })
  }

  const ask = (event) => {
    const id = event.properties.id
    const env = { ...process.env, ...ENVIRONMENT }
    const asker = spawn(PROGRAM, ["permit", "opencode"], { cwd: directory, env, stdio: ["pipe", "pipe", "ignore"] })
    waiting.set(id, asker)
    let said = ""
    asker.stdout.setEncoding("utf8")
    asker.stdout.on("data", (text) => (said += text))
    asker.stdin.on("error", () => {})
    asker.on("error", () => waiting.delete(id))
    asker.on("close", () => {
      if (waiting.delete(id) && said) answer(id, said).catch(() => {})
    })
    const args = event.properties.permission === "edit" ? called.get(event.properties.tool?.callID) : undefined
    asker.stdin.end(JSON.stringify({ ...event, cwd: directory, args }))
  }

  // Answered in its own prompt, or given up: the gate's question goes.
  const over = (id) => {
    const asker = waiting.get(id)
    waiting.delete(id)
    asker?.kill()
  }

  return {
    "tool.execute.before": async (use, output) => {
      called.set(use?.callID, output?.args)
      if (called.size > 100) called.delete(called.keys().next().value)
    },
    "tool.execute.after": async (use) => {
      called.delete(use?.callID)
    },
    event: async ({ event }) => {
      try {
        if (event.type === "permission.asked") ask(event)
        if (event.type === "permission.replied") over(event.properties.requestID)
      } catch {
        // opencode's own prompt is there.
      }
    },
  }
}
