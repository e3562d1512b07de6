/** `tenon prompt`: fills in a prompt and shows its messages. */
import type { Client } from "tenon/client";
import type { Prompt } from "tenon";
import { withServer } from "../connection/connection.ts";
import { describeBlock } from "../terminal/content-text.ts";
import { UsageError } from "../failure.ts";
import { CLIENT_OPTIONS, type Command } from "../invocation.ts";
import { didYouMean } from "../typing-mistakes.ts";
import { toPromptArguments } from "./tool-arguments.ts";

export const prompt: Command = {
  summary: "fill in a prompt",
  usage: ["prompt <server> <name> [--arg name=value ...]", "prompt <name> [--arg name=value ...] -- <command> [argument ...]"],
  options: [...CLIENT_OPTIONS, "arg"],
  examples: ["tenon prompt server.ts review --arg language=TypeScript"],
  run: (invocation) =>
    withServer(invocation, ["name"], async (client, name) => {
      const { values, signal } = invocation;
      const declared = await findPrompt(client, name, signal);
      const result = await client.getPrompt(name, toPromptArguments(declared.arguments ?? [], values.arg ?? []), { signal });
      return {
        json: result,
        text: (paint) =>
          result.messages.map(({ role, content }) => `${paint("bold", `${role}:`)} ${describeBlock(content, paint)}`).join("\n"),
      };
    }),
};

/** @throws UsageError if the server does not list the name */
async function findPrompt(client: Client, name: string, signal: AbortSignal): Promise<Prompt> {
  const names: string[] = [];
  if (client.serverCapabilities.prompts === undefined) throw new UsageError("This server has no prompts.");
  for await (const found of client.prompts({ signal })) {
    if (found.name === name) return found;
    names.push(found.name);
  }
  throw new UsageError(`Unknown prompt ${JSON.stringify(name)}.${didYouMean(name, names)} "tenon list" shows what is listed.`);
}
