/** The simulation of random interleavings, with dispatchers that load their extras in the middle of it. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { AnsweringDispatcher, type JsonRpcDispatcherOptions } from "../../src/dispatch/answering-dispatcher.ts";
import type { CreateExtras } from "../../src/dispatch/exchange.ts";
import { createExtras } from "../../src/dispatch/exchange-extras.ts";
import { LateExtras } from "../../src/dispatch/late-extras.ts";
import { receiveAllOf } from "../../src/dispatch/receive-all.ts";
import type { Transport } from "../../src/transport/transport.ts";
import { simulate } from "./simulate.ts";
import { run } from "./steps.ts";
import * as subject from "./subject.ts";

const RUNS = Number(process.env["TENON_SIM_RUNS"] ?? 1000);

it.each([0, 1, 7])(
  "D1 D2 D3 D4 D5 D6 D9 XT-20 the same rules hold where loading takes %i more turns of the microtask queue",
  { timeout: 10_000 + RUNS * 20 },
  async (turns) => {
    const load = async (): Promise<CreateExtras> => {
      for (let waited = 0; waited < turns; waited++) await Promise.resolve();
      return createExtras;
    };
    class LateDispatcher extends AnsweringDispatcher {
      constructor(transport: Transport, options: JsonRpcDispatcherOptions = {}) {
        super(transport, options, (exchange, link) => new LateExtras(exchange, link, load), receiveAllOf(transport));
      }
    }
    const late = { ...subject, JsonRpcDispatcher: LateDispatcher };
    await fc.assert(
      fc.asyncProperty(run, async (steps) => {
        expect(await simulate(late, "wire", steps)).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  },
);
