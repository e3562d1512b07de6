/** The simulation bites: each of these bugs, put into the real source, is caught within a thousand runs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadBundle, type Mutant } from "../support/bundle.ts";
import { simulate } from "./simulate.ts";
import { run } from "./steps.ts";
import type { WorldKind } from "./world.ts";

const OUTBOUND = "dispatch/outbound-requests.ts";
const INBOUND = "dispatch/inbound-requests.ts";
const PENDING = "dispatch/pending.ts";
const IN_FLIGHT = "dispatch/in-flight.ts";

const BOTH: readonly WorldKind[] = ["direct", "wire"];
const DIRECT: readonly WorldKind[] = ["direct"];
const WIRE: readonly WorldKind[] = ["wire"];

const MUTANTS: readonly (Mutant & { readonly kinds: readonly WorldKind[] })[] = [
  { name: "D1 a settled call stays in the table", file: OUTBOUND, find: "this.#pending.delete(key);", replace: "", kinds: BOTH },
  {
    name: "D4 correlation by Number(id)",
    file: OUTBOUND,
    find: "return this.#pending.get(coerceRequestId(id));",
    replace: "return this.#pending.get(Number.isNaN(Number(id)) ? id : Number(id));",
    kinds: WIRE,
  },
  {
    name: "D3 ids are minted again and again",
    file: OUTBOUND,
    find: "return this.#nextId++;",
    replace: "return this.#nextId;",
    kinds: WIRE,
  },
  {
    name: "D5 a second handler for a duplicate id",
    file: INBOUND,
    find: "if (all.has(id)) return {",
    replace: "if (all.has(id) && this.#draining) return {",
    kinds: WIRE,
  },
  {
    name: "D6 CF-02 an answer after a cancel",
    file: IN_FLIGHT,
    find: "this.cancelled ? undefined : this.#toResponse(outcome)",
    replace: "this.#toResponse(outcome)",
    kinds: WIRE,
  },
  {
    name: "D13 a request is kept after its handler has begun",
    file: INBOUND,
    find: "    this.#starting = inFlight;\n    inFlight.run(onRequest);\n    this.#keepStarting();",
    replace: "    inFlight.run(onRequest);\n    if (!inFlight.done) this.#starting = inFlight;\n    this.#keepStarting();",
    kinds: DIRECT,
  },
  {
    name: "T8 an answered request keeps its slot",
    file: INBOUND,
    find: "waiting.delete(waiting.get(id) === inFlight ? id : inFlight);",
    replace: ";",
    kinds: DIRECT,
  },
  {
    name: "T8 a cancelled handler gives up its slot at once",
    file: INBOUND,
    find: "    this.#waiting!.set(inFlight, inFlight);\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "BS-50 handlers are not told of the end",
    file: INBOUND,
    find: "for (const inFlight of [...this.#all().values()]) inFlight.cancel(reason);",
    replace: "",
    kinds: BOTH,
  },
  {
    name: "XT-20 timers of handlers outlive the connection",
    file: INBOUND,
    find: "    this.#waiting = undefined;\n    this.#deadlines?.stop();\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "F12 what cannot be serialised is never answered",
    file: IN_FLIGHT,
    find: 'return { jsonrpc: "2.0", id, error: { code: ErrorCode.InternalError, message: "Internal error" } };',
    replace: "throw error;",
    kinds: DIRECT,
  },
  { name: "D6 the peer is not told of a cancel", file: PENDING, find: "if (this.#sent) this.#tellPeer(reason);", replace: "", kinds: WIRE },
  {
    name: "D3 a call settles by its deadline and stays",
    file: PENDING,
    find: "    this.#owner.forget(this);\n",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "D8 progress extends a call for ever",
    file: PENDING,
    find: "Math.min(this.#owner.channel.clock.now() + this.#timeout, this.#hardDeadline)",
    replace: "Infinity",
    kinds: DIRECT,
  },
  {
    name: "D8 progress goes on after the call has settled",
    file: PENDING,
    find: "    this.#progress?.stop();\n",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "G6 progress that goes back is delivered",
    file: "dispatch/progress.ts",
    find: "if (!(step.progress > this.#last)) return false;",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "D9 a handler that does not end keeps its slot",
    file: IN_FLIGHT,
    find: "this.deadline = Infinity;\n      this.#endWithin(handlerGrace);",
    replace: "",
    kinds: WIRE,
  },
  {
    name: "D13 close does not reach the other end",
    file: "dispatch/direct-dispatcher.ts",
    find: "this.peer.#closeWith(new ConnectionClosedError());",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "BS-23 calls wait on after the peer's end",
    file: "dispatch/exchange.ts",
    find: "    this.peerClosed(error);\n",
    replace: "",
    kinds: DIRECT,
  },
  {
    name: "D12 a progress callback that throws breaks the connection",
    file: "dispatch/progress.ts",
    find: "    } catch (error) {\n      this.#owner.report(error);",
    replace: "    } catch (error) {\n      throw error;",
    kinds: WIRE,
  },
];

describe.each(MUTANTS)("$name", (mutant) => {
  it.each(mutant.kinds)("is caught: %s", async (kind) => {
    const subject = await loadBundle<typeof import("./subject.ts")>(new URL("subject.ts", import.meta.url), mutant);
    const { failed, numRuns } = await fc.check(
      fc.asyncProperty(run, async (steps) => {
        expect(await simulate(subject, kind, steps)).toEqual([]);
      }),
      { numRuns: 1000, endOnFailure: true, seed: 7 },
    );

    expect(failed, `survived ${numRuns} runs`).toBe(true);
  });
});
