/** What becomes of one place that names a server. */
import type { Splice } from "../../hosts/file-edit.ts";
import type { Node } from "../source/syntax-tree.ts";
import type { Wiring } from "./http/wiring.ts";
import { writtenHandler } from "./handlers.ts";
import type { LocalFunction } from "./local-functions.ts";
import { indentAt, keyOf, removalOf, replace, type Source, StaysError, textOf } from "./pieces.ts";
import { REGISTRATIONS } from "./registrations.ts";
import { methodOf, requestText } from "./requests.ts";
import { isFunction, type Place } from "./scopes.ts";
import { argumentAt, callAt, factoryAt, lowLevelAt } from "./place-kinds.ts";
import type { ServerVariable } from "./server-variable.ts";
import { connectSplices } from "./stdio.ts";
import { switchTools } from "./switch-tools.ts";

export interface Surroundings {
  readonly source: Source;
  readonly functions: readonly LocalFunction[];
  readonly servers: readonly ServerVariable[];
  readonly transports: readonly ServerVariable[];
  readonly wiring: Wiring;
  /** Why the wiring of HTTP stays as it is. */
  readonly why: string | undefined;
}

export interface Outcome {
  readonly splices: readonly Splice[];
  readonly edits: number;
  /** Options for the place that makes the server. */
  readonly options?: readonly string[];
  /** Whether it handles a method by itself, whose capability must be declared. */
  readonly isHandler?: boolean;
}

const AS_IT_IS: Outcome = { splices: [], edits: 0 };
const one = (...splices: readonly Splice[]): Outcome => ({ splices, edits: 1 });

const LISTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    sendToolListChanged: "tools",
    sendResourceListChanged: "resources",
    sendPromptListChanged: "prompts",
  }),
);

/** @throws StaysError if the place stays on the layer */
export function outcomeOf(server: ServerVariable, place: Place, around: Surroundings): Outcome {
  const { source, functions } = around;
  const found = callAt(place);
  if (found !== undefined) return callOutcome(server, place, { ...around, found });
  const low = lowLevelAt(place);
  const lowCall = low === undefined ? undefined : callAt(low);
  if (low !== undefined && lowCall?.method === "setRequestHandler") return handlerOutcome(server, low, { ...around, call: lowCall.call });
  if (low !== undefined) return errorOutcome(server, low, source) ?? stays("the server is used as a value");
  if (factoryAt(place, functions) !== undefined) return AS_IT_IS;
  const taker = argumentAt(place, functions)?.by;
  if (taker !== undefined && (taker.isKnown || !source.isWhole)) return AS_IT_IS;
  return errorOutcome(server, place, source) ?? stays("the server is used as a value");
}

function stays(why: string): never {
  throw new StaysError(why);
}

type Found = NonNullable<ReturnType<typeof callAt>>;

function callOutcome(server: ServerVariable, place: Place, around: Surroundings & { readonly found: Found }): Outcome {
  const { source, found, wiring, why } = around;
  const { method, call } = found;
  const receiver = receiverOf(server, place, source);
  if (method === "connect") {
    const splices = connectSplices(call, place, {
      ...around,
      imports: source.imports,
      why: wiring.edits > 0 ? undefined : why,
      text: textOf(source, place.name),
    });
    return source.isWhole ? one(...splices) : AS_IT_IS;
  }
  if (method === "close") return AS_IT_IS;
  if (method === "setRequestHandler") return handlerOutcome(server, place, { ...around, call });
  const list = LISTS.get(method);
  if (list !== undefined) return source.isWhole ? one(replace(call, `${receiver}.listChanged(${JSON.stringify(list)})`)) : AS_IT_IS;
  const register = server.official === "McpServer" ? REGISTRATIONS.get(method) : undefined;
  if (register === undefined) throw new StaysError(`${method}() has no counterpart here`);
  return one(replace(call, `${receiver}.${register(source, call.arguments)}`));
}

/** The server by its name in the file, or Tenon's below it. */
function receiverOf(server: ServerVariable, { name }: Place, source: Source): string {
  const text = server.name === "" ? textOf(source, name) : server.name;
  return source.isWhole ? text : `${text}.tenon`;
}

type Call = Found["call"];

/** `setRequestHandler()`: the list and the calls of tools together, if they are taken apart; else one method. */
function handlerOutcome(server: ServerVariable, place: Place, around: Surroundings & { readonly call: Call }): Outcome {
  const { source, call } = around;
  const receiver = receiverOf(server, place, source);
  const method = methodOf(source, call.arguments[0]);
  const pair = method === "tools/list" || method === "tools/call" ? pairOf(server, source) : undefined;
  const apart = pair && switchTools(source, writtenHandler(pair.list.arguments[1]), writtenHandler(pair.call.arguments[1]));
  const statement = place.around.findLast((each) => each.type === "ExpressionStatement");
  if (apart === undefined || statement === undefined)
    return { ...one(replace(call, `${receiver}.${requestText(source, call.arguments)}`)), isHandler: true };
  if (method === "tools/list") return one(removalOf(source.text, statement));
  return one(replace(statement, apart.map((text) => `${receiver}.${text};`).join(`\n\n${indentAt(source.text, statement.start!)}`)));
}

/** The handlers of `tools/list` and of `tools/call` of a server, if it has one of each and both are written in place. */
function pairOf(server: ServerVariable, source: Source): { list: Call; call: Call } | undefined {
  const calls = server.places.flatMap((place) => {
    const found = callAt(place) ?? callAt(lowLevelAt(place) ?? place);
    return found?.method === "setRequestHandler" ? [found.call] : [];
  });
  const of = (schema: string): Call[] =>
    calls.filter(({ arguments: [first] }) => first?.type === "Identifier" && source.imports.names.get(first.name)?.name === schema);
  const [lists, handlers] = [of("ListToolsRequestSchema"), of("CallToolRequestSchema")];
  const [list, call] = [lists[0], handlers[0]];
  if (list === undefined || call === undefined || lists.length + handlers.length > 2) return undefined;
  return [list, call].every(({ arguments: [, handler] }) => handler !== undefined && isFunction(handler)) ? { list, call } : undefined;
}

/** `server.onerror = (error) => …` as the option `onError`; undefined for another place. */
function errorOutcome(server: ServerVariable, { name, around }: Place, source: Source): Outcome | undefined {
  const [statement, assignment, member] = [around.at(-3), around.at(-2), around.at(-1)];
  if (member?.type !== "MemberExpression" || member.object !== name || keyOf(member.property) !== "onerror") return undefined;
  if (assignment?.type !== "AssignmentExpression" || statement?.type !== "ExpressionStatement") return undefined;
  if (!source.isWhole) return AS_IT_IS;
  const { right } = assignment;
  const isSimple =
    isFunction(right) && "params" in right && (right.params as Node[]).every((each) => each.type === "Identifier" && !each.typeAnnotation); // parameters
  const makes = server.around.findLast(isFunction);
  if (!isSimple || server.made === undefined || makes !== around.findLast(isFunction)) return undefined;
  return { ...one(removalOf(source.text, statement)), options: [`onError: ${textOf(source, right)}`] };
}
