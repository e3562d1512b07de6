/** A question that cannot be asked is refused at once, on every revision, and no caller waits for a timeout. */
import { expect, it } from "vitest";
import { connect, type McpServer, type Client, type ConnectOptions, type McpServerOptions, type RequestContext } from "tenon";
import { describeAsking } from "./ways.ts";
import { testServer } from "../support/test-server.ts";

const FORM = { type: "object", properties: {} } as const;
const yes: ConnectOptions = { onElicit: () => ({ action: "accept", content: {} }) };

type Handler = (ctx: RequestContext) => Promise<string>;

/** A server whose one tool does that, and what it reports to its operator. */
function serverThat(handler: Handler, options: McpServerOptions = {}): { server: McpServer; told: unknown[] } {
  const told: unknown[] = [];
  const server = testServer({ onError: (error) => void told.push(error), ...options });
  server.tool("t", {}, (_input, ctx) => handler(ctx));
  return { server, told };
}

describeAsking("A question inside a step", ({ connect }) => {
  const misuses: Readonly<Record<string, Handler>> = {
    "at once": (ctx) => ctx.step("hold", async () => String(await ctx.confirm("sure", "Sure?"))),
    "after an await": (ctx) =>
      ctx.step("hold", async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return (await ctx.elicit("form", { message: "?", schema: FORM })).action;
      }),
    "in a step inside it": (ctx) =>
      ctx.step("hold", () => ctx.step("inner", async () => String(await ctx.confirm("sure", "Sure?")))),
    "from another step of the same handler": async (ctx) => {
      await ctx.step("first", () => 1);
      return ctx.step("hold", async () => JSON.stringify(await ctx.roots()));
    },
  };

  it.each(Object.keys(misuses))("%s is an error that names the step, and the next call works", async (how) => {
    let misuse = true;
    const { server, told } = serverThat((ctx) => (misuse ? misuses[how]!(ctx) : Promise.resolve("fine")));
    const client = await connect(server, { ...yes, roots: [] });
    const { isError, text } = await client.callTool("t");
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Tool "t" failed \(error \w+\)$/)]);
    expect(told.map(String)).toEqual([
      expect.stringMatching(/^McpUsageError: A question cannot be asked inside step "(?:hold|inner)": ask before the step/),
    ]);
    misuse = false;
    expect((await client.callTool("t")).text).toBe("fine");
  });

  it("beside a step, and by a step's own calls of other servers, everything can be asked", async () => {
    const inner = serverThat(async (ctx) => `inner ${String(await ctx.confirm("sure", "Sure?"))}`);
    const { server, told } = serverThat(async (ctx) => {
      const [sure, said] = await Promise.all([
        ctx.confirm("sure", "Sure?"),
        ctx.step("call", async () => {
          const other = await connectTo(inner.server);
          const { text } = await other.callTool("t");
          await other.close();
          return text;
        }),
      ]);
      return `${String(sure)}, ${said}`;
    });
    const client = await connect(server, yes);
    expect((await client.callTool("t")).text).toBe("true, inner true");
    expect([...told, ...inner.told]).toEqual([]);
  });
});

function connectTo(server: McpServer): Promise<Client> {
  return connect(server, yes);
}

describeAsking("Middleware", ({ connect }) => {
  it.each(["before", "after"])("gets an error if it asks %s the handler; handlers can still ask", async (when) => {
    const failures: string[] = [];
    const { server } = serverThat(async (ctx) => `asked: ${String(await ctx.confirm("sure", "Sure?"))}`);
    server.use("tools/call", (next) => async (context) => {
      const ask = (): Promise<unknown> =>
        context.confirm("allow", "Allow?").catch((error: unknown) => failures.push(String(error)));
      if (when === "before") await ask();
      const result = await next(context);
      // A round that ends with questions is not the end of the call.
      if (when === "after" && result["resultType"] !== "input_required") await ask();
      return result;
    });
    const client = await connect(server, yes);
    expect((await client.callTool("t")).text).toBe("asked: true");
    expect(new Set(failures)).toEqual(
      new Set([expect.stringMatching(/^McpUsageError: Only .* can ask, (?:and only )?while (?:it|they) run/) as string]),
    );
  });

  it.each(["before", "after"])("cannot ask %s a handler that never asks either", async (when) => {
    const failures: string[] = [];
    const { server } = serverThat(() => Promise.resolve("quiet"));
    server.tool("quick", {}, () => "quick");
    server.use("tools/call", (next) => async (context) => {
      const ask = (): Promise<unknown> =>
        context.confirm("allow", "Allow?").catch((error: unknown) => failures.push(String(error)));
      if (when === "before") await ask();
      const result = await next(context);
      if (when === "after") await ask();
      return result;
    });
    const client = await connect(server, yes);
    expect([(await client.callTool("t")).text, (await client.callTool("quick")).text]).toEqual(["quiet", "quick"]);
    expect(failures).toHaveLength(2);
    for (const failure of failures)
      expect(failure).toMatch(/^McpUsageError: Only .* can ask, (?:and only )?while (?:it|they) run/);
  });
});
