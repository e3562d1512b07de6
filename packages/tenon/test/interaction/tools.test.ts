/** Tools: what schemas of every kind do to a call, what becomes of results, and the list as it changes. */
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  McpError,
  type McpServer,
  McpUsageError,
  text,
  ToolError,
  withJsonSchema,
  type McpServerOptions,
  type StandardSchema,
} from "tenon";
import { failureOf } from "../support/failure-of.ts";
import { describeMatrix, open } from "../support/matrix.ts";
import { testServer } from "../support/test-server.ts";

function createServer(define: (server: McpServer) => void, options: McpServerOptions = {}): McpServer {
  const server = testServer({ name: "tools", onError: () => undefined, ...options });
  define(server);
  return server;
}

const json = { type: "object", properties: { name: { type: "string" }, times: { type: "number" } }, required: ["name"] } as const;
const zod = z.object({ name: z.string(), times: z.number().default(2) });
const valibot = withJsonSchema(v.object({ name: v.string(), times: v.optional(v.number(), 2) }), json);
const ark = type({ name: "string", "times?": "number" });

describeMatrix("Schemas", ({ connect, since }) => {
  const kinds: [string, StandardSchema | typeof json][] = [
    ["zod", zod],
    ["valibot", valibot],
    ["arktype", ark],
    ["JSON Schema", json],
  ];
  it.each(kinds)("%s: fitting arguments reach the handler, others do not [K1.11 A8.5]", async (_kind, schema) => {
    let calls = 0;
    const server = createServer((own) => {
      own.tool(
        "repeat",
        { input: schema as StandardSchema<{ name: string }, { name: string; times?: number }> },
        ({ name, times = 2 }) => {
          calls++;
          return name.repeat(times);
        },
      );
    });
    const client = await connect(server);
    const { tools } = await client.listTools();
    expect(tools[0]!.inputSchema).toMatchObject({ type: "object", required: ["name"] });
    expect((await client.callTool("repeat", { name: "ab" })).text).toBe("abab");
    expect((await client.callTool("repeat", { name: "ab", times: 3 })).text).toBe("ababab");
    expect(await client.callTool("repeat", { times: 3 })).toMatchObject({ isError: true });
    expect(calls).toBe(2);
  });

  it("awaits schemas that check asynchronously [K1.11]", async () => {
    const input = z.object({ id: z.string().refine((id) => Promise.resolve(id.startsWith("x"))) });
    const server = createServer((own) => void own.tool("find", { input }, ({ id }) => `found ${id}`));
    const client = await connect(server);
    expect((await client.callTool("find", { id: "x1" })).text).toBe("found x1");
    expect(await client.callTool("find", { id: "y1" })).toMatchObject({ isError: true });
  });

  it("output that does not fit its schema fails the call, and only the operator gets the reason [K1.7 XT-16]", async () => {
    const reports: unknown[] = [];
    const server = createServer(
      (own) => {
        own.tool("sum", { output: z.object({ sum: z.number() }) }, () => ({ sum: "secret" }) as never);
        own.tool("none", { output: z.object({ sum: z.number() }) }, () => ({ content: [] }));
        own.tool("sorry", { output: z.object({ sum: z.number() }) }, () => ({ content: [text("no")], isError: true }));
      },
      { onError: (error) => void reports.push(error) },
    );
    const client = await connect(server);
    for (const name of ["sum", "none"]) {
      const error = await failureOf(client.callTool(name));
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining(`"${name}"`) });
      expect(error.message + JSON.stringify(error.data)).not.toMatch(/secret|expected/i);
    }
    expect(reports).toHaveLength(2);
    expect(await client.callTool("sorry")).toMatchObject({ isError: true, text: "no" });
  });

  it("what a schema of the output adds by default is not missed by the client [K1.7 CS-53]", async () => {
    const output = z.object({ sum: z.number(), unit: z.string().default("m") });
    const server = createServer((own) => void own.tool("sum", { output }, () => ({ sum: 1 })));
    const client = await connect(server);
    expect((await client.callTool("sum")).isError).toBe(false);
  });

  it("structured results are objects, or from 2026-07-28 on any JSON value [K1.6 K1.7]", async () => {
    const server = createServer((own) => {
      own.tool("list", { output: z.array(z.number()) }, () => [1, 2]);
      own.tool("nothing", { output: z.null() }, () => null);
      own.tool("object", {}, () => ({ a: null }));
    });
    const client = await connect(server, { validateOutput: false });
    const [list, nothing, object] = [
      await client.callTool("list"),
      await client.callTool("nothing"),
      await client.callTool("object"),
    ];
    expect([list.text, nothing.text, object.text]).toEqual(["[1,2]", "null", '{"a":null}']);
    expect(list.data).toEqual(since("2026-07-28") ? [1, 2] : undefined);
    expect(nothing.data).toEqual(since("2026-07-28") ? null : undefined);
    expect(object.data).toEqual(since("2025-06-18") ? { a: null } : undefined);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => "outputSchema" in tool)).toEqual(
      since("2026-07-28") ? [true, true, false] : [false, false, false],
    );
  });
});

describeMatrix(
  "Results of other kinds",
  ({ connect }) => {
    it("are not checked against the output schema, and are not results of the tool [K1.13 A2.1]", async () => {
      const questions = { resultType: "input_required", requestState: "s" };
      const server = createServer(
        (own) => void own.tool("ask", { output: z.object({ sum: z.number() }) }, () => questions as never),
      );
      const client = await connect(server, { limits: { maxRounds: 0 } });
      const result = { ...questions, requestState: expect.stringMatching(/^v1\./) as string };
      await expect(client.callTool("ask")).rejects.toMatchObject({ name: "InputRequiredError", result });
    });
  },
  ["2026-07-28"],
);

describeMatrix("Results", ({ connect, since }) => {
  it("structured content is what JSON makes of it: an object with toJSON is sent where the revision allows [K1.7]", async () => {
    const values: Record<string, [value: object, json: unknown]> = {
      date: [new Date(0), "1970-01-01T00:00:00.000Z"],
      url: [new URL("https://example.com/"), "https://example.com/"],
      list: [{ toJSON: () => [1] }, [1]],
      object: [{ toJSON: () => ({ a: 1 }) }, { a: 1 }],
    };
    const server = createServer((own) => {
      for (const [name, [value]] of Object.entries(values)) own.tool(name, {}, () => value);
    });
    const client = await connect(server);
    for (const [name, [, json]] of Object.entries(values)) {
      const result = await client.callTool(name);
      expect(JSON.parse(result.text)).toEqual(json);
      const fits = since("2026-07-28") || (since("2025-06-18") && name === "object");
      expect(result.structuredContent).toEqual(fits ? json : undefined);
    }
  });

  it("what a handler changes after it returned has no effect [F13]", async () => {
    const kept = { list: [1] };
    const server = createServer((own) => {
      own.tool("now", {}, () => {
        queueMicrotask(() => kept.list.push(2));
        return kept;
      });
      own.tool("later", {}, async () => {
        await Promise.resolve();
        const result = { content: [text("before")] };
        setImmediate(() => (result.content[0]!.text = "after"));
        return result;
      });
    });
    const client = await connect(server);
    expect((await client.callTool("now")).text).toBe('{"list":[1]}');
    expect((await client.callTool("later")).text).toBe("before");
  });

  it("what cannot be serialised is -32603 at once, and the error names the tool [F12 R10]", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    const values: Record<string, () => unknown> = {
      cycle: () => cycle,
      bigint: () => ({ n: 10n }),
      getter: () => ({
        get secret(): never {
          throw new Error("hunter2");
        },
      }),
      toJSON: () => ({
        toJSON(): never {
          throw new Error("hunter2");
        },
      }),
      content: () => ({ content: [text("x")], _meta: cycle }),
      symbol: () => Symbol("s"),
      bytes: () => new Uint8Array(3),
    };
    const reports: unknown[] = [];
    const server = createServer(
      (own) => {
        for (const [name, make] of Object.entries(values)) own.tool(name, {}, () => make() as object);
      },
      { onError: (error) => void reports.push(error) },
    );
    const client = await connect(server);
    for (const name of Object.keys(values)) {
      const error = await failureOf(client.callTool(name));
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining(name) });
      expect(error.message + JSON.stringify(error.data)).not.toContain("hunter2");
    }
    expect(reports).toHaveLength(Object.keys(values).length);
  });

  it("every thrown value is masked: thrown at once or later, an Error or not [R11 D10]", async () => {
    const bomb = {
      get message(): never {
        throw new Error("no");
      },
      toString(): never {
        throw new Error("no");
      },
    };
    const thrown: unknown[] = [new Error("secret"), "secret", undefined, null, bomb, { code: -1, message: "secret" }];
    const server = createServer((own) => {
      thrown.forEach((value, index) => {
        own.tool(`now${index}`, {}, () => {
          throw value;
        });
        // eslint-disable-next-line typescript/prefer-promise-reject-errors
        own.tool(`later${index}`, {}, () => Promise.reject(value));
      });
      own.tool("empty", {}, () => undefined);
    });
    const client = await connect(server);
    for (let index = 0; index < thrown.length; index++) {
      for (const name of [`now${index}`, `later${index}`]) {
        const result = await client.callTool(name);
        expect(result.isError).toBe(true);
        expect(result.text).toMatch(new RegExp(`^Tool "${name}" failed \\(error [0-9a-f]{8}\\)$`));
      }
    }
    expect(await client.callTool("empty")).toMatchObject({ isError: false, content: [] });
  });

  it("a ToolError sends everything it has, except its cause [K1.10]", async () => {
    const server = createServer((own) => {
      own.tool("fail", { output: z.object({ n: z.number() }) }, () => {
        const content = [text("more")];
        throw new ToolError("Sorry", { content, structuredContent: { why: null }, cause: new Error("hunter2") });
      });
    });
    const client = await connect(server);
    const result = await client.callTool("fail");
    expect(result).toMatchObject({ isError: true, text: "Sorry\nmore" });
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});

describeMatrix("Arguments that do not match the schema of a tool", ({ connect }) => {
  const createAdder = (options: McpServerOptions = {}): McpServer => {
    const server = testServer(options);
    server.tool("add", { input: z.object({ a: z.number() }) }, ({ a }) => {
      if (typeof a !== "number") throw new McpError(4711, "The handler ran");
      return String(a);
    });
    return server;
  };

  it("are a result with isError that names the argument, unless the server has another choice [K1.10]", async () => {
    const client = await connect(createAdder());
    const result = await client.callTool("add", { a: "1" });
    expect(result).toMatchObject({ isError: true, data: undefined });
    expect(result.text).toMatch(/^Invalid arguments for tool "add": a: /);
  });

  it("are a protocol error if the server has the option invalidArguments: error [K1.10]", async () => {
    const client = await connect(createAdder({ invalidArguments: "error" }));
    const failure = await failureOf(client.callTool("add", { a: "1" }));
    expect(failure).toMatchObject({ code: -32602, message: expect.stringMatching(/^Invalid arguments for tool "add": a: /) });
    expect((await client.callTool("add", { a: 1 })).text).toBe("1");
  });

  it("an unknown choice is refused when the server is made", () => {
    const choice = "throw" as "error";
    expect(() => createAdder({ invalidArguments: choice })).toThrow(
      'Option "invalidArguments" must be "result" or "error", not "throw"',
    );
  });
});

describeMatrix("The list of tools", ({ connect }) => {
  it("disabled, removed, updated: gone means unknown, new means listed [K1.1]", async () => {
    const server = createServer((own) => void own.tool("kept", {}, () => "kept"));
    const one = server.tool("one", { description: "old" }, () => "one");
    const client = await connect(server);
    const names = async (): Promise<string[]> => (await client.listTools()).tools.map((tool) => tool.name);
    expect(await names()).toEqual(["kept", "one"]);

    one.disable();
    expect(one.enabled).toBe(false);
    expect(await names()).toEqual(["kept"]);
    expect(await failureOf(client.callTool("one"))).toMatchObject({ code: -32602, message: "Unknown tool: one" });
    one.enable();
    expect((await client.callTool("one")).text).toBe("one");

    one.update({ description: "new", input: z.object({ n: z.number() }) });
    expect((await client.listTools()).tools[1]).toMatchObject({ description: "new", inputSchema: { required: ["n"] } });
    const refused = await client.callTool("one").catch((error: unknown) => error);
    expect(refused).not.toMatchObject({ text: "one" });
    expect((await client.callTool("one", { n: 1 })).text).toBe("one");

    one.remove();
    expect(await names()).toEqual(["kept"]);
    server.tool("one", {}, () => "again");
    expect((await client.callTool("one")).text).toBe("again");
  });

  it("a server that has lost its last tool still lists: none [K1.2 A6.2]", async () => {
    const server = createServer(() => undefined);
    const only = server.tool("only", {}, () => "only");
    const client = await connect(server);
    only.remove();
    expect((await client.listTools()).tools).toEqual([]);
    expect(await failureOf(client.callTool("only"))).toMatchObject({ code: -32602 });
  });

  it("a thousand tools: one page, or as many as asked for; each is found at once [K5.1]", async () => {
    const define = (own: McpServer): void => {
      for (let index = 0; index < 1_000; index++) own.tool(`tool-${index}`, {}, () => `I am ${index}`);
    };
    const whole = await connect(createServer(define));
    const page = await whole.listTools();
    expect(page.tools).toHaveLength(1_000);
    expect(page.nextCursor).toBeUndefined();
    expect((await whole.callTool("tool-999")).text).toBe("I am 999");

    const paged = await connect(createServer(define, { pageSize: 300 }));
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const next: { tools: readonly unknown[]; nextCursor?: string } = await paged.listTools(
        cursor === undefined ? {} : { cursor },
      );
      sizes.push(next.tools.length);
      cursor = next.nextCursor;
    } while (cursor !== undefined && sizes.length < 10); // a cursor that comes back must fail this, not hold it up
    expect(sizes).toEqual([300, 300, 300, 100]);
    const names: string[] = [];
    for await (const tool of paged.tools()) names.push(tool.name);
    expect(names).toEqual(Array.from({ length: 1_000 }, (_, index) => `tool-${index}`));
  });
});

describe("Registering tools", () => {
  it("accepts names of 1 to 128 legal characters, each once [K1.3]", () => {
    const server = createServer(() => undefined);
    for (const name of ["", "a b", "ä", "a/b", "x".repeat(129)])
      expect(() => server.tool(name, {}, () => "")).toThrow(RangeError);
    for (const name of ["a", "A-z_0.9", "x".repeat(128), "constructor", "__proto__"]) server.tool(name, {}, () => "");
    expect(() => server.tool("a", {}, () => "")).toThrow(McpUsageError);
  });

  it("tools named like members of every object are tools like any other [F5]", async () => {
    const server = createServer((own) => {
      for (const name of ["constructor", "__proto__", "toString"]) own.tool(name, {}, () => `I am ${name}`);
    });
    const client = await open("memory", server);
    for (const name of ["constructor", "__proto__", "toString"]) expect((await client.callTool(name)).text).toBe(`I am ${name}`);
    await client.close();
  });

  it("refuses schemas that cannot be published [A8.5]", () => {
    const server = createServer(() => undefined);
    expect(() => server.tool("a", { input: z.string() }, () => "")).toThrow(/must be an object schema/);
    expect(() => server.tool("a", { input: { type: "string" } }, () => "")).toThrow(TypeError);
    expect(() => server.tool("a", { input: v.object({}) }, () => "")).toThrow(/withJsonSchema/);
    expect(() => server.tool("a", { input: z.object({ when: z.date() }) }, () => "")).toThrow(/cannot be converted/);
    expect(server.capabilities.tools).toBeUndefined();
  });
});

it.each([0, -1, Number.NaN])("pages of %d items are refused when they are requested", (pageSize) => {
  expect(() => createServer(() => undefined, { pageSize })).toThrow(`Option "pageSize" must be a number >= 1, not ${pageSize}`);
});
