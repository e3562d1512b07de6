/** Runs a task with a model of `tenon/models`, in its loop. */
import { loop, type ModelProvider } from "tenon/models";
import { NO_TOKENS, type Runner, type Said } from "./run.ts";
import type { Evals } from "./evals-file.ts";

/** @param provider called for the first run */
export function askModel(provider: () => Promise<ModelProvider<object>>, { maxTurns, timeout }: Evals): Runner {
  let opened: Promise<ModelProvider<object>> | undefined;
  return async ({ prompt }, tools, { signal }) => {
    const model = await (opened ??= provider());
    let answer = "";
    let reply: Said = { answer, tokens: NO_TOKENS };
    try {
      const events = loop({ provider: model, tools, messages: [model.userMessage(prompt)], maxTurns, maxTime: timeout, signal });
      for await (const event of events) {
        if (event.type === "text") answer += event.text;
        // The last text is the answer: what is said before a call is not.
        if (event.type === "call") {
          answer = "";
          const { name, arguments: args, tool } = event.call;
          if (tool === undefined) tools.calls.push({ tool: name, arguments: args, isError: true, wasMade: false });
        }
        if (event.type !== "end") continue;
        const { tokens, outputTokens, reason } = event;
        const spent = { input: tokens - outputTokens, output: outputTokens };
        reply = { answer, tokens: spent, ...(reason !== "done" && { failure: limitOf(reason, { maxTurns, timeout }) }) };
      }
      return reply;
    } catch (error) {
      signal.throwIfAborted();
      return { answer, tokens: NO_TOKENS, failure: error instanceof Error ? error.message : String(error) };
    }
  };
}

function limitOf(reason: string, { maxTurns, timeout }: Pick<Evals, "maxTurns" | "timeout">): string {
  return reason === "maxTurns" ? `it did not end within ${maxTurns} turns (maxTurns)` : `it did not end within ${timeout} ms (timeout)`;
}
