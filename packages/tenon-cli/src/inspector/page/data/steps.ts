/** The steps of a handler, as a server of Tenon tells them in the `_meta` of a result. */
import type { Exchange } from "./rounds.ts";
import { contentOf } from "./rounds.ts";
import { isObject } from "./json.ts";

/** The member of `_meta`. The server has the same name for it. */
const STEPS = "dev.tenon/steps";
/** Most steps that are shown of one request. */
const MAX_SHOWN = 200;

export interface ShownStep {
  readonly name: string;
  readonly state: string;
  readonly from: number;
  readonly to: number;
}

export interface ShownSteps {
  /** How the handler came to run: "began", "continued" or "ran again". */
  readonly handler: string;
  readonly steps: readonly ShownStep[];
}

/** Undefined if the server tells nothing. The server's times are kept within the times of the request. */
export function stepsOf({ request, response }: Exchange): ShownSteps | undefined {
  const result = response === undefined ? undefined : contentOf(response)?.["result"];
  const meta = isObject(result) ? result["_meta"] : undefined;
  const report = isObject(meta) ? meta[STEPS] : undefined;
  if (response === undefined || !isObject(report) || !Array.isArray(report["steps"])) return undefined;
  const within = (at: number): number => Math.min(Math.max(at, request.at), response.at);
  const steps = report["steps"]
    .filter(isObject)
    .slice(0, MAX_SHOWN)
    .map(({ name, state, at, ms }) => {
      const from = within(Number(at) || 0);
      return { name: String(name), state: String(state), from, to: within(from + (Number(ms) || 0)) };
    });
  return { handler: String(report["handler"]), steps };
}
