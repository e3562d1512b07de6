/** Which part of the gateway handles each method. A method that is not in the table belongs to an extension. */
import { ErrorCode, McpError } from "../../jsonrpc/mcp-error.ts";
import { isJsonObject, type JsonObject } from "../../jsonrpc/message.ts";
import { TASK_HEADERS } from "../../protocol/methods.ts";
import type { LoggingLevel } from "../../protocol/types.ts";
import type { FeatureMethod } from "../../server/features/feature-source.ts";
import { setLevel } from "../../server/serving/lifecycle.ts";
import type { Handler } from "../../session/handler.ts";
import type { RequestContext } from "../../session/request-context.ts";
import type { Codec } from "../../wire/codec.ts";
import { Calls } from "./calls.ts";
import { Description } from "./description.ts";
import { isExtensionMethod } from "./extension-methods.ts";
import { KIND_ROWS, KINDS } from "../../upstream/listing.ts";
import { ListMethods } from "./lists.ts";
import type { GatewayParts } from "../parts.ts";
import { Subscriptions } from "./subscriptions.ts";
import { TASK_METHODS } from "../tasks/gateway-tasks.ts";

/** The members of params that the policy and the routes read. Unknown members pass. */
const KNOWN = [
  ...["_meta", "name", "arguments", "uri", "ref", "argument", "context", "cursor", "level", "task", "taskId"],
  ...["inputResponses", "requestState", "notifications", "protocolVersion", "capabilities", "clientInfo"],
];
const EXACT: ReadonlySet<string> = new Set(KNOWN);
const FOLDED: ReadonlyMap<string, string> = new Map(KNOWN.map((name) => [fold(name), name]));

type MethodTable = ReadonlyMap<string, Handler<RequestContext>>;

export class Methods {
  readonly #parts: GatewayParts;
  readonly #calls: Calls;
  readonly #table: MethodTable;

  constructor(parts: GatewayParts, instructions: string | undefined) {
    const lists = new ListMethods(parts);
    this.#parts = parts;
    this.#calls = new Calls(parts, lists);
    this.#table = new Map([
      ...this.#sessionMethods(new Description(parts, instructions)),
      ...KINDS.map((kind) => [KIND_ROWS[kind].method, lists.lister(kind)] as const),
      ...Object.entries(this.#callMethods(this.#calls)),
      ...this.#taskMethods(this.#calls),
      ...this.#subscriptionMethods(new Subscriptions(parts, this.#calls)),
    ]);
  }

  /** Whether there is a handler for a method of that revision. */
  has(method: string, codec: Codec): boolean {
    if (codec.hasRequest(method, "client")) return this.#table.has(method);
    // Requests of the extension for tasks, and of any other one.
    return isExtensionMethod(method) || (codec.stateless && TASK_HEADERS.has(method));
  }

  readonly run: Handler<RequestContext> = (context) => {
    assertExactMembers(context.params);
    const known = this.#table.get(context.method);
    return known === undefined ? this.#calls.extended(context) : known(context);
  };

  #sessionMethods(description: Description): MethodTable {
    return new Map<string, Handler<RequestContext>>([
      ["initialize", (context) => description.initialize(context)],
      ["server/discover", (context) => description.discover(context)],
      ["ping", () => ({})],
      ["logging/setLevel", (context) => this.#setLevel(context)],
    ]);
  }

  #callMethods(calls: Calls): Readonly<Record<FeatureMethod, Handler<RequestContext>>> {
    return {
      "tools/call": this.#withLogin((context) => calls.named("tool", context)),
      "prompts/get": this.#withLogin((context) => calls.named("prompt", context)),
      "resources/read": this.#withLogin((context) => calls.read(context)),
      "completion/complete": (context) => calls.complete(context),
    };
  }

  #taskMethods({ tasks }: Calls): MethodTable {
    const { fronts } = this.#parts;
    return new Map<string, Handler<RequestContext>>([
      ["tasks/list", (context) => tasks.list(context, fronts.caller(context))],
      ...[...TASK_METHODS].map((method) => [method, (context: RequestContext) => tasks.run(context, fronts.caller(context))] as const),
    ]);
  }

  #subscriptionMethods(subscriptions: Subscriptions): MethodTable {
    return new Map<string, Handler<RequestContext>>([
      ["resources/subscribe", (context) => subscriptions.subscribe(context)],
      ["resources/unsubscribe", (context) => subscriptions.unsubscribe(context)],
      ["subscriptions/listen", (context) => subscriptions.listen(context)],
    ]);
  }

  /** A call of a caller who has to log in at a server asks for that. */
  #withLogin(handler: Handler<RequestContext>): Handler<RequestContext> {
    const { router, logins } = this.#parts;
    const asking = logins.desk.around(handler);
    return (context) => (router.hasLogins ? asking : handler)(context);
  }

  async #setLevel(context: RequestContext): Promise<JsonObject> {
    const result = setLevel(context);
    await this.#parts.fronts.of(context).setLevel(context.params["level"] as LoggingLevel); // checked by the codec
    return result;
  }
}

/** Upper case first: the letters U+017F and U+212A become S and K there, as for readers that fold case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/**
 * A server that ignores case reads `Name` as `name`, so it would run another tool than the one that the policy has seen. What is completed
 * is named in an object of its own, `ref`.
 * @throws McpError -32602 that names a member that differs from a known one by case only
 */
export function assertExactMembers(params: JsonObject): void {
  assertExact(params);
  if (isJsonObject(params["ref"])) assertExact(params["ref"]);
}

function assertExact(params: JsonObject): void {
  for (const key of Object.keys(params)) {
    if (EXACT.has(key)) continue;
    const known = FOLDED.get(fold(key.normalize("NFKC")));
    if (known === undefined) continue;
    throw new McpError(ErrorCode.InvalidParams, `The member ${JSON.stringify(key)} of the params differs from "${known}" by case only`, {
      member: key,
    });
  }
}
