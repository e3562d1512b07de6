/** What a server says of itself when a client connects. It belongs to the callers of that connection. */
import type { Client } from "../../client/client.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

export interface Words {
  readonly instructions: string | undefined;
  /** The extensions that it declares, with their settings. */
  readonly extensions: Readonly<Record<string, JsonObject>>;
  /** Characters of all that it says of itself, its name and icons among them. */
  readonly size: number;
}

export function wordsOf({ instructions, serverCapabilities, serverInfo }: Client): Words {
  const { length: size } = JSON.stringify([serverInfo, serverCapabilities, instructions]);
  return { instructions, extensions: serverCapabilities.extensions ?? {}, size };
}
