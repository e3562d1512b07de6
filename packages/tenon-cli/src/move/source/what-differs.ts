/** What is not as it was on the official SDK, by what the source uses. What stands in no row here stays the same. */
import { LATEST_PROTOCOL_VERSION } from "tenon";
import type { Use } from "./uses.ts";

export interface Differing {
  readonly about: string;
  readonly uses: readonly Use[];
}

const NEW = LATEST_PROTOCOL_VERSION;

const ROWS: readonly (readonly [readonly string[], string])[] = [
  [
    ["elicitInput()", "createMessage()", "listRoots()", "sendRequest()"],
    `Questions work on revisions with a handshake. On ${NEW} they need the option repeatableHandlers of the server, because a handler may run again there; or ask with ctx.elicit of a tool on server.tenon.`,
  ],
  [["oninitialized ="], `Called for clients with a handshake. Clients of ${NEW} make none.`],
  [
    ["getClientCapabilities()", "getClientVersion()"],
    `On ${NEW} each request says what its client can do: inside a handler the answer is of the client that calls, outside it is undefined.`,
  ],
  [["sendLoggingMessage()"], `On ${NEW} a client gets log messages only if its request asks for them.`],
  [["new SSEServerTransport"], "HTTP+SSE stays as it is, for clients of the first revision."],
  [
    ["new StreamableHTTPServerTransport", "new WebStandardStreamableHTTPServerTransport"],
    `Sessions stay as they are. A request of ${NEW} has none: the transport and the server that the source makes for isInitializeRequest() serve it alone. serveHttp(server.tenon) needs neither.`,
  ],
  [
    ["registerToolTask()", "taskStore", "callToolStream()"],
    `Tasks stay as they are on revisions with a handshake. On ${NEW} they are an extension: registerToolTask() begins a task for clients that declare it; others wait for optional ones, and get an error from required ones.`,
  ],
];

export function differingIn(uses: readonly Use[]): Differing[] {
  return ROWS.map(([names, about]) => ({ about, uses: uses.filter(({ what }) => names.includes(what)) })).filter(
    (row) => row.uses.length > 0,
  );
}
