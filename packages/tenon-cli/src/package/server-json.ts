/** Makes a `server.json` from a package and from what its server says of itself. */
import { isJsonObject } from "tenon/internal";
import type { Implementation, JsonObject } from "tenon";
import { isSecretName } from "./project.ts";
import { SERVER_JSON_SCHEMA } from "./server-json-schema.ts";

/** What a document is made from. */
export interface ServerJsonSource {
  readonly package: JsonObject;
  readonly serverInfo: Implementation | undefined;
  readonly variables: readonly string[];
  /** The URL of a server that runs already. */
  readonly remote: string | undefined;
}

/** What is missing in package.json is missing in the document, and the check says so. */
export function serverJsonOf({ package: own, serverInfo, variables, remote }: ServerJsonSource): JsonObject {
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
