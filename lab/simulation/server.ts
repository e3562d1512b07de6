/**
 * The server of a simulated process: a tool for each promise of the documentation. All that its handlers do is written into the
 * ledger.
 */
import { tasks } from "tenon/ext/tasks";
import { McpServer, type RequestContext } from "tenon/server";
import type { Process } from "./process.ts";
import type { World } from "./world.ts";

const STRING = { type: "string" } as const;
const NUMBER = { type: "number" } as const;
const INPUT = { type: "object", properties: { nonce: STRING, ms: NUMBER, total: NUMBER }, required: ["nonce"] } as const;
const FORM = { type: "object", properties: { note: STRING }, required: ["note"] } as const;

/** The resource that changes. */
export const COUNTER = "counter://value";
/** Milliseconds after which a silent process counts as gone. */
export const LEASE = 3_000;
/** Runs of a task that may end with their process. */
export const MAX_RUNS = 3;

interface Input {
  readonly nonce: string;
  readonly ms?: number;
  readonly total?: number;
}

type Work = (input: Input, ctx: RequestContext) => Promise<string>;

export function createServer(world: World, process: Process): McpServer {
  const { clock, stores } = process;
  const server = new McpServer(
    { name: "simulated", version: "1.0.0" },
    {
      clock,
      requestState: { keys: ["a key of at least thirty-two bytes"], store: stores.states },
      extensions: [tasks({ store: stores.tasks, lease: LEASE, ttl: 600_000, maxWait: 60_000, pollInterval: 500 })],
      onError: () => undefined,
    },
  );
  for (const [name, work] of Object.entries(works(world, process))) {
    // as INPUT says
    server.tool(name, { input: INPUT, ...TASKS[name] }, (input, ctx) => work(input as Input, ctx as RequestContext));
  }
  server.resource(COUNTER, { name: "counter" }, () => String(world.counter));
  return server;
}

const TASKS: Readonly<Record<string, { task: { restart: boolean; maxRuns?: number } }>> = {
  job: { task: { restart: true, maxRuns: 10 } },
  fragile: { task: { restart: false } },
  poison: { task: { restart: true, maxRuns: MAX_RUNS } },
};

function works(world: World, process: Process): Readonly<Record<string, Work>> {
  const { clock } = process;
  const { ledger, random } = world;
  const pause = (ctx: RequestContext, most: number): Promise<void> => clock.sleep(random.between(0, most), ctx.signal);
  const ask = async (ctx: RequestContext, name: string, once = false): Promise<string> => {
    const answer = await ctx.elicit(name, { message: `${name}?`, schema: FORM, once });
    return answer.action === "accept" ? String((answer.content as { note: unknown }).note) : answer.action; // as FORM says
  };
  const step = async (ctx: RequestContext, { nonce }: Input, name: string, most = 30): Promise<void> => {
    const task = ctx.task?.id;
    await ctx.step(name, async ({ key }) => {
      await clock.sleep(random.between(0, most));
      await process.effect(nonce, name, { key, task });
      await clock.sleep(random.between(0, most));
      return name;
    });
    if (!process.dead) ledger.finished.add(`${nonce} ${task ?? ""} ${name}`);
  };
  const begun = (ctx: RequestContext): void => {
    const id = ctx.task?.id;
    if (id !== undefined) ledger.runs.set(id, (ledger.runs.get(id) ?? 0) + 1);
  };
  return {
    async echo({ nonce, ms = 0 }, ctx) {
      await clock.sleep(ms, ctx.signal);
      return nonce;
    },
    async count({ nonce, total = 0 }, ctx) {
      for (let number = 1; number <= total; number++) {
        await ctx.progress(number, total);
        if (!ctx.codec.stateless) await ctx.log.info({ nonce, number });
        await clock.sleep(random.between(30, 400), ctx.signal);
      }
      return nonce;
    },
    async book(input, ctx) {
      await ask(ctx, "seat");
      await step(ctx, input, "hold");
      await ask(ctx, "sure");
      await step(ctx, input, "pay");
      return input.nonce;
    },
    async consent(input, ctx) {
      await ask(ctx, "consent", true);
      await process.effect(input.nonce, "consent", { key: "", task: undefined });
      return input.nonce;
    },
    async early(input, ctx) {
      const later = async (): Promise<void> => {
        await clock.sleep(random.between(1, 400));
        await step(ctx, input, "pay");
      };
      await Promise.all([ask(ctx, "sure"), later()]);
      return input.nonce;
    },
    async job(input, ctx) {
      begun(ctx);
      // With sessions a call that the network repeats is another call, and so are its steps, unless it is a task.
      const isAnother = ctx.task?.id === undefined && !ctx.codec.stateless;
      if (isAnother && !world.isExtended) return input.nonce;
      const call = isAnother ? { nonce: ledger.nonce(input.nonce) } : input;
      for (const part of ["one", "two", "three"]) {
        await step(ctx, call, part, 300);
        if (!process.dead && !ledger.effects.some((effect) => effect.call === call.nonce && effect.step === part))
          ledger.violated(`${part} of ${call.nonce} was left out`);
        await pause(ctx, 1_500);
      }
      return input.nonce;
    },
    async fragile(input, ctx) {
      begun(ctx);
      await pause(ctx, 4_000);
      return input.nonce;
    },
    async poison(_input, ctx) {
      begun(ctx);
      ledger.poisoned.add(ctx.task?.id ?? "");
      await pause(ctx, 20);
      process.crash();
      return new Promise(() => undefined);
    },
  };
}
