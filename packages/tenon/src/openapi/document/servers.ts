/**
 * Where an operation is sent: the option `baseUrl`, or the first server of the operation, of its path or of the document.
 *
 * A document may name other hosts for single operations. Credentials belong to one API, so such an operation is left out unless the
 * operator allows its origin.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { UrlPolicy } from "../../auth/url-policy.ts";
import type { OpenApiDocument } from "./document.ts";
import { UnmappableError } from "./errors.ts";
import type { FoundOperation } from "./operation.ts";
import type { OpenApiOptions } from "../options.ts";
import { listIn, memberOf, objectIn, textIn, textsIn } from "./values.ts";

export class Servers {
  readonly policy: UrlPolicy;
  readonly #document: OpenApiDocument;
  readonly #variables: NonNullable<OpenApiOptions["serverVariables"]>;
  readonly #named: URL | undefined;
  readonly #allowed: ReadonlySet<string>;
  /** The URL of the document's first server, or why it has none. */
  readonly #main: URL | UnmappableError;

  /** @param fetchedFrom the URL of the document that the operator named: its host is trusted @throws TypeError if the options name an invalid URL, or if there is not any server */
  constructor(document: OpenApiDocument, options: OpenApiOptions, fetchedFrom?: URL) {
    this.#document = document;
    this.#variables = options.serverVariables ?? {};
    this.#named = options.baseUrl === undefined ? undefined : toBaseUrl(options.baseUrl);
    this.policy = new UrlPolicy(options, this.#named ?? fetchedFrom);
    this.#main = this.#named ?? this.#find([document.root]);
    this.#allowed = new Set((options.origins ?? []).map((origin) => toBaseUrl(origin, "origins").origin));
  }

  /** The base URL of the document, for documentation; undefined if it has none that can be used. */
  get main(): URL | undefined {
    return this.#main instanceof URL ? this.#main : undefined;
  }

  /** The URL below which an operation is sent. @throws UnmappableError if there is none that may be used */
  baseOf({ source, pathItem }: FoundOperation): URL {
    if (this.#named !== undefined) return this.#named;
    const base = this.#find([source, pathItem, this.#document.root]);
    if (base instanceof UnmappableError) throw base;
    const problem = this.policy.refuses(base);
    if (problem !== undefined) throw new UnmappableError(`its server ${base.href} ${problem}: name it in option "baseUrl" if you trust it`);
    if (base.origin !== this.main?.origin && !this.#allowed.has(base.origin))
      throw new UnmappableError(`its server ${base.origin} is not the document's: allow it in option "origins"`);
    return base;
  }

  #find(owners: readonly JsonObject[]): URL | UnmappableError {
    const [server] = owners.map((owner) => listIn(owner, "servers")[0]).filter((each) => each !== undefined);
    const template = textIn(server, "url") ?? "/";
    try {
      const text = this.#fill(template, objectIn(server, "variables"));
      const base = this.#document.url?.href;
      if (!URL.canParse(text, base))
        return new UnmappableError(`its server ${JSON.stringify(text)} is not a whole URL: give option "baseUrl"`);
      const url = new URL(text, base);
      [url.search, url.hash] = ["", ""];
      return url;
    } catch (error) {
      if (error instanceof UnmappableError) return error;
      throw error;
    }
  }

  #fill(template: string, variables: JsonObject): string {
    return template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
      const value = Object.hasOwn(this.#variables, name) ? this.#variables[name] : textIn(memberOf(variables, name), "default");
      if (value === undefined) throw new UnmappableError(`its server needs the variable ${name}: give it in option "serverVariables"`);
      const choices = textsIn(memberOf(variables, name), "enum");
      if (choices.length > 0 && !choices.includes(value))
        throw new UnmappableError(`the variable ${name} of its server must be one of ${choices.join(", ")}, not ${value}`);
      return value;
    });
  }
}

/** @throws TypeError if it is not a URL of HTTP */
function toBaseUrl(given: string | URL, option = "baseUrl"): URL {
  const text = String(given);
  if (!URL.canParse(text) || !/^https?:/i.test(text))
    throw new TypeError(`Option "${option}" must be a URL of https: or http:, not ${JSON.stringify(text)}`);
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new TypeError(`Option "${option}" must not contain a user name or a password: use option "auth"`);
  [url.search, url.hash] = ["", ""];
  return url;
}
