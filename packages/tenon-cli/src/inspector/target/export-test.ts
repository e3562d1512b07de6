/**
 * Writes a recording as a test file for vitest.
 *
 * The steps run once more first. What was equal both times is compared; what differs, such as a time or an id, is left out with a comment.
 *
 * Security: secrets are left out. What the client sends of them comes from the environment, and results are compared without them.
 */
import { escapeInvisible, isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { InspectorTarget } from "./inspector-target.ts";
import type { Recording, Step } from "./recording.ts";
import type { Replayed } from "./replay.ts";
import { fromEnvironment, hasMark, Secrets, variableOf } from "./secrets.ts";

/** What tests import. */
const PACKAGE = "tenon";
const RUNNER = "vitest";

export interface ExportParts {
  readonly target: InspectorTarget;
  readonly recording: Recording;
  readonly again: readonly Replayed[];
  /** How the test file imports the server: a path from the test's folder. Undefined if the server is not a module. */
  readonly specifier: string | undefined;
}

export function exportTest({ target, recording, again: replayed, specifier }: ExportParts): string {
  const isModule = specifier !== undefined && target.module !== undefined;
  const secrets = secretsOf(target, replayed);
  const again = secrets.without(replayed);
  const body = again.map((one, index) => stepText(one, index + 1)).join("\n");
  const answers = secrets.without(recording.steps.flatMap((step) => step.answers.map(({ answer }) => answer)));
  const asks = answers.length > 0;
  const binding = target.module?.name === "default" ? "server" : `{ ${target.module?.name} }`;
  const server = target.module?.name === "default" ? "server" : target.module?.name;
  const lines = [
    ...variablesText(secrets),
    `import { ${isModule ? "testClient" : "connect"} } from "${PACKAGE}/${isModule ? "testing" : "client"}";`,
    `import { expect, test } from "${RUNNER}";`,
    ...(isModule ? [`import ${binding} from ${literal(specifier)};`] : []),
    "",
    `test(${literal(`${target.name} on ${recording.revision}: what was recorded`)}, async () => {`,
    ...(asks ? [`  const answers = ${sentText(answers)};`] : []),
    ...(isModule
      ? [
          `  await using tested = await testClient(${server}, { revision: ${literal(recording.revision)}${asks ? ", elicit: () => answers.shift() as never, sample: () => answers.shift() as never" : ""} });`,
          `  const { client } = tested;`,
        ]
      : [
          `  await using client = await connect(${targetText(target, secrets)}, { revision: ${literal(recording.revision)}${asks ? ", onElicit: () => answers.shift() as never, onSample: () => answers.shift() as never" : ""} });`,
        ]),
    body,
    "});",
    "",
  ];
  return lines.join("\n");
}

/** The secrets of the steps, of both their results, and of the address. */
function secretsOf({ server }: InspectorTarget, again: readonly Replayed[]): Secrets {
  const secrets = new Secrets();
  for (const { step, result } of again) secrets.find([step.params, step.answers, step.result, result]);
  if ("url" in server) {
    const { password, searchParams } = new URL(server.url);
    secrets.find({ password, ...Object.fromEntries(searchParams) });
  }
  return secrets;
}

function variablesText({ count }: Secrets): readonly string[] {
  if (count === 0) return [];
  const names = Array.from({ length: count }, (_, at) => variableOf(at + 1)).join(", ");
  return [`// Values that look like secrets are left out. Those that the client sends come from the environment: ${names}.`];
}

function targetText({ server, start }: InspectorTarget, secrets: Secrets): string {
  if ("url" in server) return literal(secrets.without(String(server.url)));
  const program = start ?? ("command" in server ? server : undefined);
  return program === undefined ? "server" : sentText(secrets.without({ command: program.command, args: program.args ?? [] }));
}

/** What the client sends, as source text. */
function sentText(value: unknown): string {
  return fromEnvironment(literal(value, 2));
}

function stepText({ step, result, failure, unexpected }: Replayed, number: number): string {
  const note = unexpected.length > 0 ? `  // It asked something that was not recorded: ${oneLine(unexpected.join("; "))}\n` : "";
  if (step.failure !== undefined && failure !== undefined) {
    const code =
      step.failure.code === failure.code && failure.code !== undefined
        ? `.toMatchObject({ code: ${literal(failure.code)} })`
        : ".toThrow()";
    return `${note}  await expect(${callText(step)}).rejects${code};`;
  }
  if (step.result === undefined || result === undefined)
    return `${note}  // Step ${number}, ${oneLine(step.name)}, did not end the same way twice, so it is left out.`;
  const left: string[] = [];
  const pinned = pin(withoutMeta(step.result), withoutMeta(result), "", left);
  const comments = left.slice(0, 10).map((path) => `  // Left out, because it was not equal twice: ${oneLine(path)}\n`);
  return `${note}${comments.join("")}  expect(await ${callText(step)}).toMatchObject(${literal(pinned ?? {}, 2)});`;
}

/** Without `_meta`, which says who made the result: the name and version of the server. */
function withoutMeta(result: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(result).filter(([name]) => name !== "_meta"));
}

function callText({ op, name, params }: Step): string {
  const args = Object.keys(params).length === 0 ? "" : `, ${sentText(params)}`;
  if (op === "call") return `client.callTool(${sentText(name)}${args})`;
  if (op === "read") return `client.readResource(${sentText(name)})`;
  if (op === "prompt") return `client.getPrompt(${sentText(name)}${args})`;
  return `client.request(${sentText(name)}${args || ", {}"})`;
}

/** What is equal in both values; undefined if nothing is. Lists of different lengths are left out as a whole. */
function pin(one: unknown, other: unknown, path: string, left: string[]): unknown {
  if (typeof one === "string" && hasMark(one)) return undefined; // it cannot be equal to what the server sends
  if (!hasMark(JSON.stringify(one) ?? "") && JSON.stringify(one) === JSON.stringify(other)) return one;
  const bothLists = Array.isArray(one) && Array.isArray(other) && one.length === other.length;
  if (bothLists) {
    const items = one.map((item: unknown, at) => pin(item, (other as unknown[])[at], `${path}/${at}`, left));
    return items.every((item) => isJsonObject(item)) ? items : undefined;
  }
  if (!isJsonObject(one) || !isJsonObject(other)) {
    left.push(path);
    return undefined;
  }
  const pinned: JsonObject = {};
  for (const [name, value] of Object.entries(one)) {
    const same = pin(value, other[name], `${path}/${name}`, left);
    if (same !== undefined) Object.defineProperty(pinned, name, { value: same, enumerable: true });
  }
  return pinned;
}

/** A value as source text. Security: nothing in it ends a string, a line or a comment, and it reads as it runs. */
function literal(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, undefined, indent) ?? "undefined";
  const safe = escapeInvisible(text).replace(/[\u2028\u2029]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
  return indent === undefined ? safe : safe.replaceAll("\n", "\n  ");
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, " ").slice(0, 120);
}
