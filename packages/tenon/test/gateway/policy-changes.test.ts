/** A policy that changes while clients watch resources: what it denies is not told of any more. */
import { expect, it, onTestFinished } from "vitest";
import { type ProtocolVersion } from "tenon";
import type { Policy, PolicyFacts } from "tenon/gateway";
import { clientOf, gatewayOf } from "./support.ts";
import { testServer } from "../support/test-server.ts";

/** Revisions of a client and of a server: with and without sessions. */
const PAIRS = ["2025-11-25", "2026-07-28"].flatMap((client) =>
  ["2025-11-25", "2026-07-28"].map((server) => [client, server] as [ProtocolVersion, ProtocolVersion]),
);

it.each(PAIRS)(
  "tells a client of %s no more of a resource that setPolicy() denies, of a server of %s",
  async (revision, behind) => {
    const server = testServer({ name: "up" });
    for (const uri of ["note://open", "note://secret"]) server.resource(uri, {}, () => "text");
    const gateway = gatewayOf({ servers: { up: { target: server, revision: behind } } });
    const client = await clientOf(gateway, { revision });
    const changes = await client.listen({ resources: ["note://secret", "note://open"] });
    onTestFinished(() => changes.close());
    const heard: unknown[] = [];
    void (async () => {
      for await (const change of changes) heard.push("uri" in change ? change.uri : change.kind);
    })();
    const update = (): void => ["note://secret", "note://open"].forEach((uri) => server.resourceUpdated(uri));

    gateway.setPolicy(({ name }) => name !== "note://secret");
    update();
    await expect.poll(() => heard).toContain("note://open");
    expect(heard).toEqual(["note://open"]);

    gateway.setPolicy(undefined);
    update();
    await expect.poll(() => heard).toEqual(["note://open", "note://secret", "note://open"]);
  },
);

it.each(["2025-11-25", "2026-07-28"] as const)(
  "denies what a policy throws at, in lists and calls alike, and reports it: client of %s",
  async (revision) => {
    const server = testServer({ name: "up" });
    for (const name of ["fine", "odd"]) server.tool(name, {}, () => "called");
    const reported: string[] = [];
    const gateway = gatewayOf({
      servers: { up: server },
      policy: ({ name }) => {
        if (name === "odd") throw new Error("the policy has a fault");
        return true;
      },
      onError: ({ message }, { server: at }) => reported.push(`${at}: ${message}`),
    });
    const client = await clientOf(gateway, { revision });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["up__fine"]);
    expect(reported).toContain("up: the policy has a fault");
    reported.length = 0;
    await expect(client.callTool("up__odd")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: up__odd" });
    expect(reported).toContain("up: the policy has a fault");
    expect((await client.callTool("up__fine")).text).toBe("called");
  },
);

it("refuses a subscription to a resource that the policy denies by now, also if the session has one already", async () => {
  const server = testServer({ name: "up" });
  server.resource("note://secret", {}, () => "text");
  const gateway = gatewayOf({ servers: { up: { target: server, revision: "2025-11-25" } } });
  const client = await clientOf(gateway, { revision: "2025-11-25" });
  await client.request("resources/subscribe", { uri: "note://secret" });
  gateway.setPolicy(() => false);
  const unknown = client.request("resources/subscribe", { uri: "note://none" });
  await expect(unknown).rejects.toMatchObject({ code: -32002 });
  await expect(client.request("resources/subscribe", { uri: "note://secret" })).rejects.toMatchObject({ code: -32002 });
});

it.each([
  ["a promise", async () => Promise.resolve(true)],
  ["a promise that is rejected", async () => Promise.reject(new Error("not of this program"))],
  ["undefined", () => undefined],
  ["a text", () => "yes"],
  ["a list", () => ["groups"]],
])("denies what a policy answers with %s, before and after the server is known, and reports it", async (_what, answer) => {
  const server = testServer({ name: "up", instructions: "The payroll" });
  server.tool("export", {}, () => "called");
  server.resource("note://secret", {}, () => "text");
  const reported: unknown[] = [];
  const policy = (({ principal }: PolicyFacts) => principal ?? answer()) as unknown as Policy; // as JavaScript may write it
  const gateway = gatewayOf({ servers: { up: server }, policy, onError: (error) => void reported.push(String(error)) });
  const client = await clientOf(gateway);
  expect((await client.listTools()).tools).toEqual([]);
  await expect(client.callTool("up__export")).rejects.toMatchObject({ code: -32602, message: "Unknown tool: up__export" });
  await expect(client.readResource("note://secret")).rejects.toMatchObject({ code: -32602 });
  expect(client.instructions).toBeUndefined();
  expect(reported).toContainEqual(expect.stringMatching(/^TypeError: A policy must return true or false at once, and not /));
  gateway.setPolicy(({ name }) => name !== "export" && policy({ name } as PolicyFacts));
  await expect(client.callTool("up__export")).rejects.toMatchObject({ code: -32602 });
  expect((await client.listResources()).resources).toEqual([]);
});
