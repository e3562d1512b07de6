/** What a stranger's document becomes: the tools of an OpenAPI document. */
import { LimitExceededError } from "../../../src/jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../src/jsonrpc/message.ts";
import { OpenApiDocumentError } from "../../../src/openapi/document/errors.ts";
import { fromOpenApi } from "../../../src/openapi/from-openapi.ts";
import { assert, type Target } from "./target.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Becomes tools whose names and schemas models take, or is refused with an error that says what is wrong. Nothing is fetched. */
export const documents: Target = {
  name: "documents",
  kind: "json",
  share: 0.05,
  async run(text) {
    if (/https?:/i.test(text.slice(0, 20))) return; // it would be the URL of one
    const api = await fromOpenApi(text, { baseUrl: "https://api.example.com" }).catch((error: unknown) => {
      assert(error instanceof OpenApiDocumentError || error instanceof LimitExceededError, `it fails with ${String(error)}`);
      return undefined;
    });
    for (const [name, { options }] of Object.entries(api?.tools ?? {})) {
      assert(NAME.test(name), `a tool with the name ${JSON.stringify(name)}`);
      assert((options.input as JsonObject)["type"] === "object", `the arguments of ${name} are no object`);
    }
  },
};
