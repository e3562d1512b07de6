/** What every server does, the same over every transport and in every revision, as a client sees it. */
import { expect, it } from "vitest";
import type { LoggingMessageNotificationParams, Progress } from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeFixture } from "../support/matrix.ts";

describeFixture("The fixture server", ({ connect, revision, stateless, since }) => {
  it("says who it is, what it can do and how to use it [B1.4 B2.5 CL-12]", async () => {
    const client = await connect();
    expect(client.protocolVersion).toBe(revision);
    expect(client.serverInfo).toMatchObject({ name: "fixture", version: "1.2.3" });
    expect(client.serverInfo && "title" in client.serverInfo).toBe(since("2025-06-18"));
    expect(client.serverInfo && "icons" in client.serverInfo).toBe(since("2025-11-25"));
    expect(client.instructions).toBe("Ask for sums.");
    const { tools, resources, prompts, logging, completions } = client.serverCapabilities;
    expect({ tools, resources, prompts, logging }).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      logging: {},
    });
    expect(completions).toEqual(since("2025-03-26") ? {} : undefined);
  });

  it("lists a tool with exactly the members its revision has [K1.1 K1.4 A7.1]", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["add", "echo", "blocks", "fail", "crash", "count", "log", "wait"]);
    const members = ["name", "description", "inputSchema"];
    if (since("2025-03-26")) members.push("annotations");
    if (since("2025-06-18")) members.push("title", "outputSchema", "_meta");
    if (since("2025-11-25")) members.push("icons");
    expect(Object.keys(tools[0]!).toSorted()).toEqual(members.toSorted());
  });

  it("returns structured content and the same as text, or the text alone [K1.7 K1.8]", async () => {
    const client = await connect();
    const result = await client.callTool("add", { a: 2, b: 3 });
    expect(result.isError).toBe(false);
    expect(JSON.parse(result.text)).toEqual({ sum: 5 });
    expect(result.data).toEqual(since("2025-06-18") ? { sum: 5 } : undefined);
  });

  it("sends every kind of content, as text if the revision does not have it [K1.9 K2.5]", async () => {
    const client = await connect();
    const { content } = await client.callTool("blocks");
    const types = content.map((block) => block.type);
    const audio = since("2025-03-26") ? "audio" : "text";
    const link = since("2025-06-18") ? "resource_link" : "text";
    expect(types).toEqual(["text", "image", audio, "resource", link]);
    expect(content[1]).toMatchObject({ data: "AQID", mimeType: "image/png" });
    expect(content[3]).toMatchObject({ resource: { uri: "file:///a.txt", text: "inside" } });
    expect("lastModified" in ((content[0] as { annotations?: object }).annotations ?? {})).toBe(since("2025-06-18"));
    if (since("2025-06-18")) expect("icons" in content[4]!).toBe(since("2025-11-25"));
  });

  it("refuses invalid arguments with a result that the model reads [K1.10]", async () => {
    const client = await connect();
    const result = await client.callTool("add", { a: "2", b: 3 });
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/Invalid arguments for tool "add": a/);
  });

  it("refuses unknown tools with -32602, also if they are named like members of every object [K1.10 F5]", async () => {
    const client = await connect();
    for (const name of ["nothing", "constructor", "toString", "__proto__", "hasOwnProperty"]) {
      expect(await failureOf(client.callTool(name))).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("returns the failure of a tool as a result, in its own words [K1.10 CS-50]", async () => {
    const client = await connect();
    expect(await client.callTool("fail")).toMatchObject({ isError: true, content: [{ type: "text", text: "The disk is full" }] });
  });

  it("masks every other error of a tool behind an id [R11 D10 A6.2]", async () => {
    const client = await connect();
    const { isError, text } = await client.callTool("crash");
    expect(isError).toBe(true);
    expect(text).toMatch(/^Tool "crash" failed \(error [0-9a-f]{8}\)$/);
  });

  it("carries nulls of the user through arguments [XT-22 CV-03]", async () => {
    const client = await connect();
    const args = { a: null, nested: { b: [null, 0, "", false] }, constructor: "c" };
    expect(JSON.parse((await client.callTool("echo", args)).text)).toEqual(args);
  });

  it("delivers progress in order, fractions included, with a message from 2025-03-26 on [requirement G6]", async () => {
    const client = await connect();
    const steps: Progress[] = [];
    const { text } = await client.callTool("count", { to: 3 }, { onProgress: (step) => void steps.push(step) });
    expect(text).toBe("done");
    const message = (step: number): object => (since("2025-03-26") ? { message: `step ${step}` } : {});
    expect(steps).toEqual([1, 2, 3].map((step) => ({ progress: step / 2, total: 1.5, ...message(step) })));
  });

  it("sends no progress to a caller that did not ask for it [requirement G6]", async () => {
    const methods: string[] = [];
    const client = await connect({ onMessage: ({ method }) => void methods.push(method) });
    await client.callTool("count");
    expect(methods).toEqual([]);
  });

  it("sends all log messages by default, and on a stateless revision only requested ones [K6.1 K6.2 K6.3 XT-22]", async () => {
    const messages: LoggingMessageNotificationParams[] = [];
    const client = await connect({ onLog: (message) => void messages.push(message) });
    await client.callTool("log");
    expect(messages).toEqual(
      stateless
        ? []
        : [
            { level: "debug", logger: "fixture", data: { detail: null } },
            { level: "warning", data: "careful" },
          ],
    );
    messages.length = 0;
    await client.setLoggingLevel("warning");
    await client.callTool("log");
    expect(messages).toEqual([{ level: "warning", data: "careful" }]);
  });

  it("reads text and bytes [K2.1 TY-44]", async () => {
    const client = await connect();
    expect((await client.readResource("memo://hello")).contents).toEqual([
      { uri: "memo://hello", mimeType: "text/plain", text: "Hello" },
    ]);
    expect((await client.readResource("memo://bytes")).contents).toEqual([
      { uri: "memo://bytes", mimeType: "application/octet-stream", blob: "AP8B" },
    ]);
  });

  it("lists templates and reads what they match [K2.2]", async () => {
    const client = await connect();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "notes://{year}/{name}", name: "notes" }]);
    expect("title" in resourceTemplates[0]!).toBe(since("2025-06-18"));
    expect((await client.readResource("notes://2025/a%20b")).contents).toMatchObject([
      { uri: "notes://2025/a%20b", text: "a b of 2025" },
    ]);
  });

  it("says that a resource does not exist in the code of its revision [A5.4 A5.5 K2.3]", async () => {
    const client = await connect();
    for (const uri of ["memo://nothing", "memo://gone"]) {
      const error = await failureOf(client.readResource(uri));
      expect(error).toMatchObject({ code: stateless ? -32602 : -32002, data: { uri } });
    }
  });

  it("fills in prompts and refuses what is missing [K3.1 K3.2]", async () => {
    const client = await connect();
    expect((await client.getPrompt("greet", { name: "Ada" })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Greet Ada, friendly." } },
    ]);
    expect(await failureOf(client.getPrompt("greet"))).toMatchObject({ code: -32602 });
    expect(await failureOf(client.getPrompt("nobody"))).toMatchObject({ code: -32602, message: "Unknown prompt: nobody" });
    const { prompts } = await client.listPrompts();
    const title = since("2025-06-18") ? { title: "Name" } : {};
    expect(prompts[0]!.arguments).toEqual([{ name: "name", ...title, description: "Who", required: true }, { name: "tone" }]);
  });

  it("sends every kind of content in prompts, as text if the revision does not have it [K3.3 K1.9]", async () => {
    const client = await connect();
    const { messages } = await client.getPrompt("talk");
    expect(messages.map(({ role, content }) => [role, content.type])).toEqual([
      ["user", "text"],
      ["assistant", since("2025-03-26") ? "audio" : "text"],
    ]);
  });

  it("completes: 100 values at most, with what is resolved already from 2025-06-18 on [K4.1 K4.2 CL-21]", async () => {
    const client = await connect();
    const ref = { type: "ref/prompt", name: "greet" } as const;
    const many = await client.complete({ ref, argument: { name: "name", value: "name-" } });
    expect(many.completion.values).toHaveLength(100);
    expect(many.completion).toMatchObject({ total: 150, hasMore: true });
    const few = await client.complete({
      ref: { type: "ref/resource", uri: "notes://{year}/{name}" },
      argument: { name: "year", value: "2025" },
    });
    expect(few.completion).toEqual({ values: ["2025"], total: 1, hasMore: false });
    const context = await client.complete({
      ref,
      argument: { name: "tone", value: "" },
      context: { arguments: { name: "Ada" } },
    });
    expect(context.completion.values).toEqual([since("2025-06-18") ? "for Ada" : "for nobody"]);
    const unknown = client.complete({ ref: { type: "ref/prompt", name: "nobody" }, argument: { name: "x", value: "" } });
    expect(await failureOf(unknown)).toMatchObject({ code: -32602 });
    expect((await client.complete({ ref, argument: { name: "constructor", value: "" } })).completion.values).toEqual([]);
  });

  it("cancels a call: its signal aborts, it has no response, the next works [XT-08 requirement G1 requirement G3]", async () => {
    const abort = new AbortController();
    const reason = new Error("changed my mind");
    const client = await connect({ logLevel: "info", onLog: () => abort.abort(reason) });
    await expect(client.callTool("wait", {}, { signal: abort.signal })).rejects.toBe(reason);
    expect((await client.callTool("add", { a: 1, b: 1 })).isError).toBe(false);
  });

  it("refuses unknown methods with -32601 and their name [A6.2 CS-70]", async () => {
    const client = await connect();
    expect(await failureOf(client.request("no/such", {}))).toMatchObject({
      code: -32601,
      message: "Method not found",
      data: "no/such",
    });
  });

  it("refuses malformed params with -32602, and says which member is wrong [CF-08 CS-71]", async () => {
    const client = await connect();
    const wrong = client.request("tools/call", { name: 7 } as never);
    expect(await failureOf(wrong)).toMatchObject({
      code: -32602,
      message: "Invalid request parameters",
      data: "params.name is not a string",
    });
    expect(await failureOf(client.listTools({ cursor: 7 } as never))).toMatchObject({ code: -32602 });
  });

  it("fails calls of a closed connection, drops its notifications [XT-02 CS-12 CS-11]", async () => {
    const client = await connect({});
    const waiting = failureOf(client.callTool("wait"));
    await client.close();
    expect(await waiting).toMatchObject({ code: -32000 });
    expect(await failureOf(client.listTools())).toMatchObject({ code: -32000 });
    await client.sendRootsListChanged();
    await client.close();
    await client.closed;
  });
});
