/** The address of the client that sent a request, by which limits count. */
import type { IncomingMessage } from "node:http";
import { addressOf } from "../../server/http/client-address.ts";
import type { Settings } from "../options.ts";

export function senderOf(request: IncomingMessage, { clientAddress }: Pick<Settings, "clientAddress">): string {
  const header = (name: string): string | undefined => [request.headers[name]].flat().join(",") || undefined;
  return addressOf(clientAddress, { request, header, peer: request.socket.remoteAddress }) ?? "unknown";
}
