/**
 * A client says how far its answer to a request of the server is: the server hears it, also through everything that joins
 * servers.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, McpServer, type Servable, type Client, type ConnectOptions, type JsonObject, type Progress } from "tenon";
import { createGateway } from "tenon/gateway";
import { ClientSessionGroup } from "tenon/group";
import { createFetchHandler } from "tenon/server";
import { describeMatrix } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

const SAMPLE = { messages: [{ role: "user" as const, content: { type: "text" as const, text: "Write" } }], maxTokens: 9 };
const FORM = { message: "Name?", requestedSchema: { type: "object" as const, properties: {} } };

/** A server whose tool "ask" asks for `method`, and returns what it has heard of the client's progress. */
function asking(options: { listens?: boolean } = {}): McpServer {
  const server = testServer();
  server.tool("ask", { input: { type: "object", properties: { method: { type: "string" } } } }, async (input, { session }) => {
    const heard: Progress[] = [];
    const hearing = options.listens === false ? {} : { onProgress: (step: Progress) => void heard.push(step) };
    const { method } = input as { method: string };
    if (method === "sampling/createMessage") await session.createMessage(SAMPLE, hearing);
    else if (method === "elicitation/create") await session.elicitForm(FORM, hearing);
    else await session.listRoots(hearing);
    return { heard };
  });
  return server;
}

/** A client that says twice how far it is before it answers. What is not more than before, or infinite, is not sent. */
const TELLING: ConnectOptions = {
  onSample: async (_params, context) => {
    await context.progress(1, 2, "thinking");
    await context.progress(1, 2, "no more than before");
    await context.progress(Infinity);
    await context.progress(2, Infinity);
    return { role: "assistant", content: { type: "text", text: "written" }, model: "m" };
  },
  onElicit: async (_params, context) => {
    await context.progress(1);
    return { action: "accept", content: {} };
  },
  roots: async (context) => {
    await context.progress(0.5);
    return [{ uri: "file:///work" }];
  },
};
const HEARD: Readonly<Record<string, readonly Progress[]>> = {
  "sampling/createMessage": [{ progress: 1, total: 2, message: "thinking" }, { progress: 2 }],
  "elicitation/create": [{ progress: 1 }],
  "roots/list": [{ progress: 0.5 }],
};

/** What a server has heard while the client answered that method. */
async function heardOf(client: Pick<Client, "callTool">, name: string, method: string): Promise<unknown> {
  return (JSON.parse((await client.callTool(name, { method })).text) as { heard: JsonObject }).heard;
}

describeMatrix(
  "Progress of an answer",
  ({ connect: open, since }) => {
    const methods = Object.keys(HEARD).filter((method) => method !== "elicitation/create" || since("2025-06-18"));

    /** The first revision has no messages. */
    const heardFor = (method: string): unknown =>
      since("2025-03-26")
        ? HEARD[method]
        : HEARD[method]!.map(({ progress, total }) => ({ progress, ...(total !== undefined && { total }) }));

    it.each(methods)("is heard by the server that listens for it: %s [CL-22]", async (method) => {
      const client = await open(asking(), TELLING);
      expect(await heardOf(client, "ask", method)).toEqual(heardFor(method));
    });

    it("is not sent to a server that does not listen for it", async () => {
      const server = asking({ listens: false });
      const client = await open(server, TELLING);
      expect(await heardOf(client, "ask", "roots/list")).toEqual([]);
    });

    it.each(methods)("is heard by a mounted server: %s", async (method) => {
      const all = testServer();
      all.mount("s", asking());
      expect(await heardOf(await open(all, TELLING), "s__ask", method)).toEqual(heardFor(method));
    });

    it.each(methods)("is heard by a server of a mounted group: %s", async (method) => {
      const group = await groupOf(SILENT);
      const all = testServer();
      all.mount("g", group);
      expect(await heardOf(await open(all, TELLING), "g__s__ask", method)).toEqual(heardFor(method));
    });

    it.each(methods)("is heard by a server behind a gateway: %s", async (method) => {
      expect(await heardOf(await open(gatewayOf(asking()), TELLING), "s__ask", method)).toEqual(heardFor(method));
    });
  },
  ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
);

/** The callbacks of a program whose group is mounted. They declare what its servers may ask; the client of the call answers. */
const SILENT: ConnectOptions = {
  onSample: () => ({ code: -1, message: "not asked" }),
  onElicit: () => ({ code: -1, message: "not asked" }),
  roots: () => ({ code: -1, message: "not asked" }),
};

async function groupOf(options: ConnectOptions): Promise<ClientSessionGroup> {
  const { onSample, onElicit, roots } = options;
  const callbacks = { ...(onSample && { onSample }), ...(onElicit && { onElicit }), ...(roots && { roots }) };
  const entry = { target: asking(), revision: "2025-11-25" as const };
  const group = await ClientSessionGroup.connect({ s: entry }, { ...callbacks, readyTimeout: Infinity });
  onTestFinished(() => group.close());
  return group;
}

function gatewayOf(server: Servable): Servable {
  const gateway = createGateway({ servers: { s: { target: server, revision: "2025-11-25" } }, onError: () => undefined });
  onTestFinished(() => gateway.close());
  return gateway;
}

describe("Progress of an answer", () => {
  it.each(Object.keys(HEARD))("of the program that has a group is heard by the group's server: %s", async (method) => {
    expect(await heardOf(await groupOf(TELLING), "s__ask", method)).toEqual(HEARD[method]);
  });

  it.each(Object.keys(HEARD))("crosses a gateway to a server over HTTP: %s", async (method) => {
    const handler = createFetchHandler(asking());
    onTestFinished(() => handler.close());
    const fetch = ((url: string, init?: RequestInit) => handler(new Request(url, init))) as typeof globalThis.fetch;
    const gateway = createGateway({ servers: { s: { url: "http://localhost/mcp", fetch, revision: "2025-11-25" } } });
    onTestFinished(() => gateway.close());
    await using client = await connect(gateway, { ...TELLING, revision: "2025-11-25" });
    expect(await heardOf(client, "s__ask", method)).toEqual(HEARD[method]);
  });

  it("of a question in a result goes nowhere, because that revision has no way", async () => {
    const server = testServer();
    server.tool("ask", {}, async (_input, context) => String((await context.roots()).length));
    await using client = await connect(server, { ...TELLING, revision: "2026-07-28" });
    expect((await client.callTool("ask")).text).toBe("1");
  });
});
