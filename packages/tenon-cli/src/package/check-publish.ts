/** The work of `tenon publish --check`: makes a `server.json`, or takes the one of the package, and says what the registry would refuse. */
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { cleanLine, defaultJsonSchemaValidator, isJsonObject } from "tenon/internal";
import type { JsonObject, Implementation } from "tenon";
import { lintLines } from "../check/lint.ts";
import { collect } from "../commands/collect.ts";
import { withServer } from "../connection/connection.ts";
import { UsageError } from "../failure.ts";
import type { Invocation, Outcome } from "../invocation.ts";
import { projectOf, variablesOf, type Project, isSecretName } from "./project.ts";
import { serverJsonSchema, SERVER_JSON_SCHEMA } from "./server-json-schema.ts";

export async function checkPublish(invocation: Invocation): Promise<Outcome> {
  const { values, shell, signal } = invocation;
  if (values.check !== true)
    throw new UsageError("This command only checks: write tenon publish <server> --check, and publish with mcp-publisher publish.");
  const project = await projectOf(invocation);
  const variables = variablesOf(invocation);
  const listing = await withServer(invocation, [], (client) => collect(client, signal));
  const { serverInfo } = listing;
  const marks = lintLines(listing);
  const own = await ownDocument(project);
  const document = own ?? serverJsonOf({ package: project.package, serverInfo, variables, remote: values.remote });
  const problems = [
    ...packageProblems(project, document),
    ...(await schemaProblems(own ?? { ...document, name: document["name"] ?? PLACEHOLDER_NAME })),
  ];
  if (serverInfo !== undefined && serverInfo.version !== project.package["version"])
    problems.push(
      `the server says that it has version ${serverInfo.version}: make it the version of package.json, ${String(project.package["version"])}`,
    );
  const file = values.output;
  if (file !== undefined && problems.length === 0) await writeFile(resolve(shell.cwd, file), `${JSON.stringify(document, undefined, 2)}\n`);
  const source = own === undefined ? "made from package.json" : "server.json";
  return {
    json: { source, problems, marks, document },
    foundFaults: problems.length > 0,
    text: (paint) => {
      const verdict =
        problems.length === 0
          ? [`${paint("bold", "The registry would take this")} (${source}):`, JSON.stringify(document, undefined, 2)]
          : [`The registry would refuse this (${source}):`, ...problems.map((problem) => `${paint("red", "-")} ${problem}`)];
      const noted =
        marks.length === 0
          ? []
          : ["Models will get on badly with this:", ...marks.map((mark) => `${paint("yellow", "-")} ${cleanLine(mark)}`)];
      return [...verdict, ...noted].join("\n");
    },
  };
}

/** The `server.json` beside package.json; undefined if there is none. @throws UsageError if it is not JSON */
async function ownDocument({ folder }: Project): Promise<JsonObject | undefined> {
  const text = await readFile(join(folder, "server.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    if (isJsonObject(value)) return value;
  } catch (cause) {
    throw new UsageError(`server.json is not JSON: ${(cause as Error).message}`, { cause }); // JSON.parse throws only SyntaxErrors
  }
  throw new UsageError("server.json is not an object.");
}

/** What the registry compares with the package on npm, and what npx needs. */
function packageProblems({ package: own, file }: Project, document: JsonObject): string[] {
  const problems: string[] = [];
  const { mcpName, name, version, bin, private: isPrivate } = own;
  if (typeof mcpName !== "string")
    problems.push(
      'package.json has no "mcpName": add the name in the registry, such as "io.github.<user>/<server>"; it proves that the package is yours',
    );
  else if (document["name"] !== mcpName)
    problems.push(
      `its name is ${JSON.stringify(document["name"])}, and "mcpName" of package.json is ${JSON.stringify(mcpName)}: make them the same`,
    );
  if (document["version"] !== version)
    problems.push(`its version is ${String(document["version"])}, and package.json has ${String(version)}`);
  const packages = Array.isArray(document["packages"]) ? document["packages"].filter(isJsonObject) : [];
  const npm = packages.filter(({ registryType }) => registryType === "npm");
  if (packages.length === 0 && !Array.isArray(document["remotes"]))
    problems.push('there is nothing to connect to: remove "private" from package.json, or name the URL of a running server with --remote');
  for (const { identifier, version: of } of npm) {
    if (identifier !== name) problems.push(`its package is ${String(identifier)}, and package.json has the name ${String(name)}`);
    if (of !== version) problems.push(`its package has version ${String(of)}, and package.json ${String(version)}`);
  }
  if (npm.length > 0 && isPrivate === true) problems.push('package.json has "private": npm refuses to publish it');
  if (npm.length > 0 && bin === undefined)
    problems.push(`package.json has no "bin", so that npx cannot start it: add one that serves stdio, made from ${file}`);
  return problems;
}

/** Used in place of a name that `mcpName` does not give: that is a problem already, and must not hide others. */
const PLACEHOLDER_NAME = "com.example/server";

/** What does not fit the schema, by the path in the document. */
async function schemaProblems(document: JsonObject): Promise<string[]> {
  const { issues = [] } = (await defaultJsonSchemaValidator.compile(serverJsonSchema))(JSON.parse(JSON.stringify(document)));
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((key) => String(typeof key === "object" ? key.key : key));
    return `${keys.join(".") || "the document"}: ${message}${HINTS.get(keys.at(-1) ?? "") ?? ""}`;
  });
}

const HINTS: ReadonlyMap<string, string> = new Map([
  [
    "name",
    '. The name is a domain of yours backwards, one "/", and the server: "com.example/weather" or "io.github.<user>/weather" (mcpName)',
  ],
  ["description", ". At most 100 characters are shown: shorten the one in package.json"],
  ["version", ". It must be one version, and no range"],
]);

interface ServerJsonSource {
  readonly package: JsonObject;
  readonly serverInfo: Implementation | undefined;
  readonly variables: readonly string[];
  /** The URL of a server that runs already. */
  readonly remote: string | undefined;
}

/** What is missing in package.json is missing in the document, and the check says so. */
function serverJsonOf({ package: own, serverInfo, variables, remote }: ServerJsonSource): JsonObject {
  const repository = repositoryOf(own);
  const isPackage = own["private"] !== true;
  return {
    $schema: SERVER_JSON_SCHEMA,
    name: own["mcpName"],
    ...(serverInfo?.title !== undefined && { title: serverInfo.title }),
    description: own["description"],
    version: own["version"],
    ...(typeof own["homepage"] === "string" && { websiteUrl: own["homepage"] }),
    ...(repository !== undefined && { repository }),
    ...(isPackage && { packages: [packageOf(own, variables)] }),
    ...(remote !== undefined && { remotes: [{ type: "streamable-http", url: remote }] }),
  };
}

function packageOf({ name, version }: JsonObject, variables: readonly string[]): JsonObject {
  const environmentVariables = variables.map((variable) => ({ name: variable, isRequired: true, isSecret: isSecretName(variable) }));
  return {
    registryType: "npm",
    identifier: name,
    version,
    runtimeHint: "npx",
    transport: { type: "stdio" },
    ...(environmentVariables.length > 0 && { environmentVariables }),
  };
}

/** The repository as a URL for browsers; undefined if the registry does not know its host. */
function repositoryOf({ repository }: JsonObject): JsonObject | undefined {
  const address = isJsonObject(repository) ? repository["url"] : repository;
  if (typeof address !== "string") return undefined;
  const [, host, path] = /(?:^|[/@.:])(github|gitlab)(?:\.com[/:]|:)([^/\s]+\/[^/\s#]+?)(?:\.git)?(?:#.*)?$/.exec(address) ?? [];
  const short = /^[^/\s:]+\/[^/\s:]+$/.test(address) ? address : undefined; // npm's short form means GitHub
  const [source, place] = short !== undefined ? ["github", short] : [host, path];
  if (source === undefined || place === undefined) return undefined;
  const subfolder = isJsonObject(repository) && typeof repository["directory"] === "string" ? repository["directory"] : undefined;
  return { url: `https://${source}.com/${place}`, source, ...(subfolder !== undefined && { subfolder }) };
}
