/** What a server says of itself when a client connects. It belongs to the callers of that connection. */
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

/** What a server says of itself on one connection. */
export interface Words {
  /** Its instructions for a model. */
  readonly instructions: string | undefined;
  /** The extensions that it declares, with their settings. */
  readonly extensions: Readonly<Record<string, JsonObject>>;
}

export function wordsOf({ instructions, serverCapabilities }: Pick<Client, "instructions" | "serverCapabilities">): Words {
  return { instructions, extensions: serverCapabilities.extensions ?? {} };
}
