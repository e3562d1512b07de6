/** A group and a gateway pin the same of a tool: its page and its execution too. Mounts show what a group withholds as little. */
import { expect, it, onTestFinished } from "vitest";
import { connect, McpServer } from "tenon";
import { wrap } from "tenon/compose";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup, DefinitionChangedError } from "tenon/group";
import type { FeatureSource } from "tenon/server";
import { failureOf } from "../support/failure-of.ts";

/** A server whose tool "read" has these members besides its own. */
function server(extra: object): { target: McpServer; revision: "2025-11-25" } {
  const target = new McpServer({ name: "s", version: "1" });
  target.tool("read", { description: "Reads" }, () => "text");
  target.use("tools/list", (next) => async (context) => {
    const { tools, ...rest } = await next(context);
    return { ...rest, tools: tools.map((tool) => ({ ...tool, ...extra })) };
  });
  return { target, revision: "2025-11-25" }; // the newest revision with `execution`
}

async function groupOf(extra: object, pinTools: true | Iterable<readonly [string, string]>): Promise<ClientSessionGroup> {
  const group = await ClientSessionGroup.connect({ s: server(extra) }, { pinTools, readyTimeout: Infinity });
  onTestFinished(() => group.close());
  return group;
}

/** A server that mounts a group, and has a tool of its own, so that it has a list in any case. */
function mounting(group: FeatureSource): McpServer {
  const all = new McpServer({ name: "all", version: "1" });
  all.tool("own", {}, () => "own");
  all.mount("g", group);
  return all;
}

/** The tools of the group that a mounting server lists. */
async function mountedTools(group: FeatureSource): Promise<string[]> {
  await using client = await connect(mounting(group));
  return (await client.listTools()).tools.map(({ name }) => name).filter((name) => name !== "own");
}

/** What each way lists of the changed server, after the original was approved. */
const WAYS = {
  "a group": async (before: object, after: object) => {
    const group = await groupOf(after, (await groupOf(before, true)).toolPins);
    return [...group.tools.keys()];
  },
  "server.mount of a group": async (before: object, after: object) =>
    mountedTools(await groupOf(after, (await groupOf(before, true)).toolPins)),
  "compose over a group": async (before: object, after: object) => {
    const group = await groupOf(after, (await groupOf(before, true)).toolPins);
    return mountedTools(wrap(group, (next) => (context) => next(context)));
  },
  "a gateway": async (before: object, after: object) => {
    const digests: Record<string, string> = {};
    const first = createGateway({
      servers: { s: server(before) },
      pins: { onPinned: ({ tool, digest }) => void (digests[tool] = digest) },
    });
    await using seeing = await connect(first);
    await seeing.listTools();
    await first.close();
    const gateway = createGateway({ servers: { s: server(after) }, pins: { approved: { s: digests } } });
    onTestFinished(() => gateway.close());
    await using client = await connect(gateway);
    return (await client.listTools()).tools.map(({ name }) => name);
  },
};

const CHANGES = [
  ["its page", { _meta: { ui: { resourceUri: "ui://a/good" } } }, { _meta: { ui: { resourceUri: "ui://a/evil" } } }],
  ["its execution", {}, { execution: { taskSupport: "optional" } }],
] as const;

for (const [way, listed] of Object.entries(WAYS))
  it.each(CHANGES)(`${way} withholds a tool that has changed %s since its approval`, async (_what, before, after) => {
    expect(await listed(before, before)).toHaveLength(1);
    expect(await listed(before, after)).toEqual([]);
  });

it("says why a tool must be approved again that an earlier version of Tenon has approved, and serves it once it is", async () => {
  const page = { _meta: { ui: { resourceUri: "ui://a/good" } } };
  // The digests of that version left the page out, as those of a tool without one do.
  const group = await groupOf(page, (await groupOf({}, true)).toolPins);
  const error = await failureOf(group.callTool("s__read"));
  expect(error).toBeInstanceOf(DefinitionChangedError);
  expect(error).toMatchObject({
    message: expect.stringMatching(/stored by an earlier version .*page and the execution.*approve it again/) as string,
  });
  await group.approveTool("s__read", group.heldTools.get("s__read")!);
  expect((await group.callTool("s__read")).text).toBe("text");
  const again = await groupOf(page, group.toolPins);
  expect([...again.tools.keys()]).toEqual(["s__read"]);
});
