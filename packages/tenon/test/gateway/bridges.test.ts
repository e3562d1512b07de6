/** Every client revision × every server revision, over every transport: what passes a gateway, and how questions are bridged. */
import { describe, expect, it, onTestFinished } from "vitest";
import { McpServer, type ConnectOptions } from "tenon";
import { createGateway, type Gateway } from "tenon/gateway";
import * as z from "zod";
import { describeMatrix, REVISIONS } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

/** A server with one of each, that counts how often each tool ran. */
function upstream(): { server: McpServer; runs: Map<string, number> } {
  const runs = new Map<string, number>();
  const ran = (name: string): void => void runs.set(name, (runs.get(name) ?? 0) + 1);
  const server = testServer({ name: "behind", instructions: "Be kind." });
  server.tool("add", { input: z.object({ a: z.number(), b: z.number() }), annotations: { readOnlyHint: true } }, ({ a, b }) => {
    ran("add");
    return a + b;
  });
  server.tool("steps", {}, async (_input, ctx) => {
    for (let step = 1; step <= 3; step++) await ctx.progress(step, 3);
    await ctx.log.warning("half way");
    return "done";
  });
  server.tool("broken", {}, (_input, ctx) => ctx.fail("The disk is full"));
  server.tool("link", {}, () => ({ content: [{ type: "resource_link", uri: "note://today", name: "today" }] }));
  server.tool("greet", {}, async (_input, ctx) => {
    ran("greet");
    const name = await ctx.elicit("name", { message: "Your name?", schema: z.object({ name: z.string() }) });
    const pet = await ctx.elicit("pet", { message: "Your pet?", schema: z.object({ name: z.string() }) });
    return `Hello ${name.action === "accept" ? name.content.name : "?"} and ${pet.action === "accept" ? pet.content.name : "?"}`;
  });
  server.tool("think", {}, async (_input, ctx) => {
    const { content } = await ctx.sample("thought", {
      messages: [{ role: "user", content: { type: "text", text: "2+2" } }],
      maxTokens: 5,
    });
    const [root] = await ctx.roots();
    return `${JSON.stringify(content)} in ${root?.uri}`;
  });
  server.tool(
    "wait",
    {},
    (_input, ctx) =>
      new Promise((_resolve, reject) => {
        ran("waiting");
        ctx.signal.addEventListener("abort", () => {
          ran("cancelled");
          reject(ctx.signal.reason as Error);
        });
      }),
  );
  server.resource("note://today", { mimeType: "text/plain" }, () => "Buy milk");
  server.resourceTemplate("note://by/{id}", { complete: { id: () => ["1", "2"] } }, ({ id }) => `Note ${id}`);
  server.prompt("review", { input: z.object({ code: z.string() }) }, ({ code }) => `Review ${code}`);
  return { server, runs };
}

const answers: ConnectOptions = {
  onElicit: ({ message }) => ({ action: "accept", content: { name: message === "Your name?" ? "Ada" : "Rex" } }),
  onSample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "4" } }),
  roots: [{ uri: "file:///work" }],
};

describeMatrix("client", ({ since, connect }) => {
  describe.each(REVISIONS)("server %s", (behind) => {
    const canElicit = since("2025-06-18") && behind >= "2025-06-18";

    function gateway(): { gateway: Gateway; runs: Map<string, number>; server: McpServer } {
      const { server, runs } = upstream();
      const made = createGateway({
        readyTimeout: 60_000,
        servers: { up: { target: server, revision: behind } },
        share: "principal",
        onError: () => undefined,
      });
      onTestFinished(() => made.close());
      return { gateway: made, runs, server };
    }

    it("passes lists, calls, prompts, resources, templates and completion", async () => {
      const client = await connect(gateway().gateway);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("up__add");
      if (since("2025-03-26") && behind >= "2025-03-26")
        expect(tools.find(({ name }) => name === "up__add")?.annotations).toEqual({ readOnlyHint: true });
      expect((await client.callTool("up__add", { a: 1, b: 2 })).text).toBe("3");
      expect(await client.callTool("up__broken")).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "The disk is full" }],
      });
      expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(["note://today"]);
      expect((await client.readResource("note://today")).contents).toMatchObject([{ uri: "note://today", text: "Buy milk" }]);
      expect((await client.readResource("note://by/7")).contents).toMatchObject([{ text: "Note 7" }]);
      expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        "note://by/{id}",
      ]);
      expect((await client.getPrompt("up__review", { code: "x" })).messages).toMatchObject([{ content: { text: "Review x" } }]);
      const ref = { type: "ref/resource", uri: "note://by/{id}" } as const;
      expect((await client.complete({ ref, argument: { name: "id", value: "" } })).completion.values).toEqual(["1", "2"]);
      await expect(client.callTool("up__add", { a: "x" })).resolves.toMatchObject({ isError: true });
      await expect(client.callTool("none__add")).rejects.toThrow("Unknown tool: none__add");
    });

    it("passes progress, log messages and cancellation", async () => {
      const { gateway: made, runs } = gateway();
      const logged: unknown[] = [];
      const client = await connect(made, { logLevel: "info", onLog: ({ data }) => void logged.push(data) });
      const steps: number[] = [];
      expect((await client.callTool("up__steps", {}, { onProgress: ({ progress }) => steps.push(progress) })).text).toBe("done");
      expect(steps).toEqual([1, 2, 3]);
      await expect.poll(() => logged).toEqual(["half way"]);
      const abort = new AbortController();
      const call = client.callTool("up__wait", {}, { signal: abort.signal });
      call.catch(() => undefined);
      await expect.poll(() => runs.get("waiting")).toBe(1);
      abort.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await expect.poll(() => runs.get("cancelled")).toBe(1);
    });

    it("bridges forms, two in one call, and runs the call once", async () => {
      const { gateway: made, runs } = gateway();
      const client = await connect(made, answers);
      const said = await client.callTool("up__greet").then(
        ({ text }) => text,
        (error: Error) => `refused: ${error.message}`,
      );
      expect(said).toMatch(canElicit ? /^Hello Ada and Rex$/ : /^refused: /);
      // A stateless server may run its handler again for each answer; a gateway must not send a call to a stateful one again.
      expect(runs.get("greet")).toBeLessThanOrEqual(behind < "2026-07-28" ? 1 : 3);
    });

    it("bridges sampling and roots", async () => {
      const client = await connect(gateway().gateway, answers);
      const { text } = await client.callTool("up__think");
      expect(text).toContain('"text":"4"');
      expect(text).toContain("file:///work");
    });

    it("declares to the server only what the client can do", async () => {
      const client = await connect(gateway().gateway);
      await expect(client.callTool("up__think")).rejects.toThrow(/sampling|capabilit/i);
    });

    it("tells of changed lists", async () => {
      const { gateway: made, server } = gateway();
      const client = await connect(made);
      await client.listTools();
      const changes = await client.listen({ tools: true });
      server.tool("late", {}, () => "here");
      for await (const change of changes) {
        expect(change.kind).toBe("tools");
        break;
      }
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("up__late");
    });

    it("tells of changed resources", async () => {
      const { gateway: made, server } = gateway();
      const client = await connect(made);
      const changes = await client.listen({ resources: ["note://today"] });
      server.resourceUpdated("note://today");
      for await (const change of changes) {
        expect(change).toEqual({ kind: "resource", uri: "note://today" });
        break;
      }
    });
  });
});
