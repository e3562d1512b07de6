/** `tenon call`: calls a tool and shows its result. */
import { type Client, InputRequiredError, ToolOutputValidationError, type ToolResult } from "tenon/client";
import { type Paint, clean, stringifyExact, jsonIn } from "tenon/internal";
import { withServer } from "../connection/connection.ts";
import { describeBlock, describeData } from "../terminal/content-text.ts";
import { findTool } from "./find-tool.ts";
import { bytesOfBlocks, save } from "./saved-bytes.ts";
import { CLIENT_OPTIONS, type Command, type Invocation, type Outcome } from "../invocation.ts";
import { toToolArguments } from "./tool-arguments.ts";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { UsageError } from "../failure.ts";

export const call: Command = {
  summary: "call a tool",
  usage: [
    "call <server> <tool> [--arg name=value ...] [--args '{json}'|-|@file]",
    "call <tool> [--arg name=value ...] -- <command> [argument ...]",
  ],
  options: [...CLIENT_OPTIONS, "arg", "args", "output"],
  optionHelp: { output: ["-o, --output file", "write the picture or file of the result, else its text, to this file; - is stdout"] },
  examples: [
    "tenon call server.ts add --arg a=1 --arg b=2",
    `tenon call server.ts add --args '{"a":1,"b":2}'`,
    "tenon call server.ts draw --args @drawing.json -o drawing.png",
    'tenon call "npx -y @modelcontextprotocol/server-everything" echo --arg message=hi',
  ],
  run: (invocation) =>
    withServer(invocation, ["tool"], async (client, name) => {
      const { values, signal, terminal } = invocation;
      const tool = await findTool(client, name, invocation);
      const args = toToolArguments(tool.inputSchema, values.arg ?? [], await argsText(invocation));
      const { result, fault } = await callTool(client, name, args, {
        signal,
        validateOutput: tool.outputSchema !== undefined,
        onProgress: (step) => terminal.progress(step),
        onTask: ({ status, statusMessage }) => terminal.activity(statusMessage ?? status),
      });
      return outcomeOf(result, fault, invocation);
    }),
};

/** Shows the result, or writes it to the file of `-o`. A result that does not fit its schema is shown with what is wrong. */
async function outcomeOf(result: Result, fault: Error | undefined, invocation: Invocation): Promise<Outcome | undefined> {
  const { values, terminal } = invocation;
  const failed = result.isError;
  if (fault !== undefined) terminal.note(`${terminal.paintNote("red", "tenon:")} ${clean(fault.message)}`);
  const files = values.json === true || failed ? [] : bytesOfBlocks(result.content);
  const shown: Outcome = {
    json: result,
    text: (paint) => describe(result, paint),
    failed,
    foundFaults: fault !== undefined,
  };
  if (values.output === undefined || failed) return shown;
  const text = values.json === true ? stringifyExact(result, 2) : describe(result, plain);
  await save(files.length > 0 ? files : [Buffer.from(text)], values.output, invocation);
  return fault === undefined ? undefined : { ...shown, text: () => "", json: undefined };
}

type Result = Pick<ToolResult, "content" | "structuredContent" | "isError">;

const plain: Paint = (_style, text) => text;

async function callTool(
  client: Client,
  ...call: Parameters<Client["callTool"]>
): Promise<{ readonly result: Result; readonly fault?: ToolOutputValidationError }> {
  try {
    return { result: await client.callTool(...call) };
  } catch (cause) {
    if (cause instanceof ToolOutputValidationError) return { result: cause.result as Result, fault: cause }; // a result of a tool
    if (!(cause instanceof InputRequiredError)) throw cause;
    const reason = cause.cause instanceof Error ? cause.cause.message : cause.message;
    throw new Error(`The tool asks for something this command cannot answer: ${reason}`, { cause });
  }
}

/** Describes the content, and the data unless a text block equals it. */
function describe({ content, structuredContent }: Result, paint: Paint): string {
  const isInText = content.some((block) => block.type === "text" && isJsonOf(block.text, structuredContent));
  const parts = content
    .filter((block) => !(isInText && block.type === "text" && isJsonOf(block.text, structuredContent)))
    .map((block) => describeBlock(block, paint));
  if (structuredContent !== undefined) parts.push(describeData(structuredContent));
  return parts.length === 0 ? paint("dim", "(no content)") : parts.join("\n");
}

/** What is wrapped because structured content must be an object: `{ "result": [1, 2] }`. */
function onlyResult(value: unknown): unknown {
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  return names.length === 1 && names[0] === "result" ? (value as { result: unknown }).result : undefined; // it has that name
}

function isJsonOf(text: string, value: unknown): boolean {
  const json = JSON.stringify(jsonIn(text));
  return json !== undefined && (json === JSON.stringify(value) || json === JSON.stringify(onlyResult(value)));
}

/** The JSON of `--args`: as it was typed, from stdin (`-`), or from a file (`@file`). Undefined without it. @throws UsageError if the file cannot be read */
async function argsText({ values: { args }, shell }: Invocation): Promise<string | undefined> {
  if (args === "-") return text(shell.stdin);
  if (args?.startsWith("@") !== true) return args;
  try {
    return await readFile(resolve(shell.cwd, args.slice(1)), "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException; // reading a file throws only these
    throw new UsageError(`--args ${args} cannot be read: ${code === "ENOENT" ? "there is no such file" : String(code)}`, { cause });
  }
}
