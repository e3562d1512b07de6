/** `tenon openapi`: serves the tools of an OpenAPI document, shows what becomes of its operations, or writes the server as a program. */
import { readFile, realpath } from "node:fs/promises";
import { resolve, dirname, relative } from "node:path";
import { estimateTokens } from "tenon/internal";
import { serveStdio, resolveInside } from "tenon/node";
import type { OpenApi, OpenApiOptions } from "tenon/openapi";
import { UsageError } from "../../failure.ts";
import type { Command, Invocation, Outcome } from "../../invocation.ts";
import { runHttp } from "../run.ts";
import { servedPortOf } from "../run-options.ts";
import { authIn, filterIn, isChosen, isUrl, toTypedNames } from "./typed-options.ts";
import { fileURLToPath, pathToFileURL } from "node:url";

/** More tools than this have to be chosen: a model that sees them all chooses badly and pays for each. */
const MAX_UNCHOSEN = 100;

export const openapi: Command = {
  summary: "serve the API that an OpenAPI document describes",
  usage: [
    "openapi <document> [--include kind:value ...] [--base-url url] [--auth scheme=VARIABLE ...] [--http [--port number]]",
    "openapi <document> --check [--json]",
    "openapi <document> --write server.ts",
  ],
  options: ["include", "base-url", "auth", "stdio", "http", "port", "check", "write", "json"],
  optionHelp: { check: ["--check", "only show what becomes of each operation"], json: ["--json", "with --check: the report as JSON"] },
  about: "<document> is a file or a URL: OpenAPI 3.0, 3.1 or 3.2, in JSON or YAML.",
  examples: [
    "tenon openapi petstore.yaml --check",
    "tenon openapi https://api.example.com/openapi.json --include tag:issues --include method:get",
    "tenon openapi api.yaml --auth bearerAuth=API_TOKEN --http",
    "tenon openapi api.yaml --include id:getPet --write server.ts",
  ],
  run: async (invocation) => {
    const { values, shell, terminal } = invocation;
    const port = servedPortOf(values);
    if (values.json === true && values.check !== true) throw new UsageError("--json goes with --check.");
    const source = sourceIn(invocation);
    const options = optionsIn(invocation);
    const { api, hasReferences } = await load(source, shell.cwd, options);
    if (values.check === true) return checked(api);
    assertChosen(api, isChosen(values.include));
    if (values.write !== undefined) {
      const { writeServer } = await import("./write-server.ts");
      await writeServer(values.write, { api, cwd: shell.cwd, source, values, hasReferences });
      terminal.note(`Wrote ${values.write}. To try it: npx tenon list ${values.write}`);
      return undefined;
    }
    if (values.http === true) return runHttp(api.server, { file: source, port }, invocation);
    if (shell.stdin.isTTY === true) terminal.note(`Serving ${source} on stdin and stdout, where a client talks to it.`);
    await serveStdio(api.server);
    return undefined;
  },
};

function sourceIn({ positionals: [source, ...more] }: Invocation): string {
  if (source === undefined) throw new UsageError("The document is missing.");
  if (more.length > 0) throw new UsageError(`${JSON.stringify(more[0])} is one word too many.`);
  return source;
}

function optionsIn({ values, shell, terminal }: Invocation): OpenApiOptions {
  const include = filterIn(values.include);
  const auth = authIn(values.auth, shell.env);
  const base = values["base-url"];
  if (base !== undefined && !isUrl(base)) throw new UsageError(`--base-url must be a URL of https: or http:, not ${JSON.stringify(base)}.`);
  return {
    ...(include !== undefined && { include }),
    ...(auth !== undefined && { auth }),
    ...(base !== undefined && { baseUrl: base }),
    onError: (error) => terminal.note(toTypedNames(error.message)),
  };
}

interface Loaded {
  readonly api: OpenApi;
  readonly hasReferences: boolean;
}

/** @throws UsageError if the document cannot be read or used */
async function load(source: string, cwd: string, options: OpenApiOptions): Promise<Loaded> {
  const { fromOpenApi } = await import("tenon/openapi");
  try {
    if (isUrl(source)) return { api: await fromOpenApi(new URL(source), options), hasReferences: false };
    const path = resolve(cwd, source);
    const nearby = await nearbyDocuments(path);
    const api = await fromOpenApi(await readFile(path, "utf8"), { ...options, ...nearby.options });
    return { api, hasReferences: nearby.wereRead() };
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
    const why = isMissing ? "there is no such file" : toTypedNames(cause instanceof Error ? cause.message : String(cause));
    throw new UsageError(`${source} cannot be served: ${why}.`, { cause });
  }
}

/** @throws UsageError if there is not any tool, or if there are many and the user did not choose */
function assertChosen({ tools, report }: OpenApi, chosen: boolean): void {
  const count = Object.keys(tools).length;
  if (count === 0)
    throw new UsageError(`Not one operation becomes a tool: ${toTypedNames(report[0]?.why ?? "the document has none")}. See --check.`);
  if (count <= MAX_UNCHOSEN || chosen) return;
  throw new UsageError(
    `The document makes ${count} tools of about ${tokensOf(tools)} tokens: choose some with --include, or --include all.`,
  );
}

/** About how many tokens a model reads for the tools. */
function tokensOf(tools: OpenApi["tools"]): number {
  return Object.values(tools).reduce((sum, { options }) => sum + estimateTokens([options.description, options.input]), 0);
}

function checked(api: OpenApi): Outcome {
  const { report, tools } = api;
  const count = Object.keys(tools).length;
  const tokens = tokensOf(tools);
  return {
    json: { tools: count, tokens, report },
    foundFaults: count === 0,
    text: (paint) => {
      const lines = report.map(({ operation, tool, status, why }) => {
        const what = tool === undefined ? paint("yellow", "left out") : `${paint("cyan", tool)}${status === "reduced" ? " (reduced)" : ""}`;
        return `${operation}: ${what}${why === undefined ? "" : `, ${toTypedNames(why)}`}`;
      });
      return [...lines, "", `${count} of ${report.length} operations become tools, of about ${tokens} tokens`].join("\n");
    },
  };
}

/** The options that let a document in a file refer to files beside it, and whether it did. */
interface NearbyDocuments {
  readonly options: Required<Pick<OpenApiOptions, "documentUrl" | "resolve">>;
  wereRead(): boolean;
}

/**
 * The other files that a document in a file refers to. Security: the document chooses the names, so only files in its folder and below are
 * read, and no URL is fetched. @throws Error with the code ENOENT if there is no such file
 */
async function nearbyDocuments(file: string): Promise<NearbyDocuments> {
  const path = await realpath(file);
  let isUsed = false;
  const options = {
    documentUrl: pathToFileURL(path),
    resolve: async (url: URL) => {
      if (url.protocol !== "file:") throw new Error("the command fetches no URL that a document names");
      const found = await resolveInside(dirname(path), relative(dirname(path), fileURLToPath(url))).catch(() => {
        throw new Error("it is not a file in the folder of the document");
      });
      isUsed = true;
      return readFile(found, "utf8");
    },
  };
  return { options, wereRead: () => isUsed };
}
