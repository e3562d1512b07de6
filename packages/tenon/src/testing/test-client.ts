/**
 * `testClient`: connects a client to a server in one process, on any revision, with prepared answers of the user and the model. Every
 * message is sent as JSON text and recorded.
 */
import { assertKnown, type OptionKeys, type Replacements } from "../base/known-options.ts";
import { acceptorOf, isServable, type Servable } from "../dispatch/acceptor.ts";
import { JsonRpcDispatcher } from "../dispatch/json-rpc-dispatcher.ts";
import type { Client } from "../client/client.ts";
import { connect } from "../client/connect.ts";
import { connectOptionKeys } from "../client/option-keys.ts";
import type { ConnectOptions, ElicitHandler, Roots, SampleHandler, ServerRequestContext } from "../client/options.ts";
import type { RequestId } from "../jsonrpc/message.ts";
import { createMemoryPair } from "../transport/memory.ts";
import { NamedQuestions } from "./question-names.ts";
import { Recorder } from "./recorder.ts";
import {
  assertScripts,
  scriptElicit,
  scriptSample,
  type AskedQuestion,
  type ScriptedElicit,
  type ScriptedSample,
} from "./scripted-answers.ts";

/** Options of {@link testClient}: the options of `connect`, and prepared answers. `revision` chooses the wire; default: the newest. */
export interface TestClientOptions extends Omit<ConnectOptions, "onElicit" | "onSample"> {
  /** The user's answers by the name of the question, or a function that answers every question. Declares elicitation. */
  elicit?: ElicitHandler | { readonly [question: string]: ScriptedElicit };
  /** The model's answers, in the same way. Declares sampling. */
  sample?: SampleHandler | { readonly [question: string]: ScriptedSample };
}

function testClientOptionKeys(): OptionKeys<TestClientOptions> {
  const { onElicit: _onElicit, onSample: _onSample, ...keys } = connectOptionKeys();
  return { ...keys, elicit: 1, sample: 1 };
}
const OF_SCRIPTS: Replacements = { onElicit: 'Did you mean "elicit"?', onSample: 'Did you mean "sample"?' };

/** A client of a server in this process, and what a test can check besides results. */
export interface TestClient extends AsyncDisposable {
  /** The client itself, connected. */
  readonly client: Client;
  /** The questions that the client received, in order. */
  readonly questions: readonly AskedQuestion[];
  /** Errors of both ends outside a call, such as dropped messages. A correct server causes none. */
  readonly errors: readonly Error[];
  /** Every message so far, as recorded. */
  readonly wire: Pick<Recorder, "lines" | "text">;
  /** Ends the connection; the server stays open. Idempotent. */
  close(): Promise<void>;
}

/**
 * Connects a client to `server`, ready for calls when the promise resolves. This is the way in tests: it records messages and answers
 * questions; in a program use `connect(server)`.
 *
 * @throws McpError if the client cannot connect; TypeError, RangeError if an option has a wrong value
 * @example
 * ```ts
 * import { McpServer } from "tenon/server";
 * import { testClient } from "tenon/testing";
 *
 * const server = new McpServer({ name: "sums", version: "1.0.0" });
 * server.tool("hello", {}, () => "Hello");
 * await using test = await testClient(server, { revision: "2025-06-18" });
 * console.log((await test.client.callTool("hello")).text, test.errors.length); // Hello 0
 * ```
 */
export async function testClient(given: Servable, options: TestClientOptions = {}): Promise<TestClient> {
  assertKnown("testClient()", options, testClientOptionKeys(), OF_SCRIPTS);
  assertScripts(options);
  const { elicit, sample, roots, onError, clock, ...rest } = options;
  if (!isServable(given)) throw new TypeError("testClient needs a server");
  const server = acceptorOf(given);
  const errors: Error[] = [];
  const questions: AskedQuestion[] = [];
  const report = (error: Error): void => {
    errors.push(error);
    onError?.(error);
  };
  const [near, far] = createMemoryPair();
  const wire = new Recorder(near);
  const serverEnd = new NamedQuestions(new JsonRpcDispatcher(far, { onError: report, ...(clock && { clock }) }));
  server.accept(serverEnd).catch((error: unknown) => serverEnd.close(error));
  const nameOf = (id: RequestId): string | undefined => serverEnd.nameOf(id) ?? (typeof id === "string" ? id : undefined);
  const noteQuestion = (method: AskedQuestion["method"], params: object, { requestId }: ServerRequestContext): void => {
    questions.push({ name: nameOf(requestId), method, params: { ...params } });
  };
  const client = await connect(wire, {
    ...rest,
    ...(clock && { clock }),
    ...(elicit && { onElicit: recordQuestion("elicitation/create", noteQuestion, scriptElicit(elicit, nameOf)) }),
    ...(sample && { onSample: recordQuestion("sampling/createMessage", noteQuestion, scriptSample(sample, nameOf)) }),
    ...(roots && { roots: recordRootsQuestion(noteQuestion, roots) }),
    onError: report,
  }).catch(async (error: unknown) => {
    await serverEnd.close();
    throw error;
  });
  const close = (): Promise<void> => client.close();
  return { client, questions, errors, wire, close, [Symbol.asyncDispose]: close };
}

type Note = (method: AskedQuestion["method"], params: object, context: ServerRequestContext) => void;

function recordQuestion<Params extends object, Answer>(
  method: AskedQuestion["method"],
  note: Note,
  answer: (params: Params, context: ServerRequestContext) => Answer,
): (params: Params, context: ServerRequestContext) => Answer {
  return (params, context) => {
    note(method, params, context);
    return answer(params, context);
  };
}

function recordRootsQuestion(note: Note, roots: Roots): Roots {
  return (context) => {
    note("roots/list", {}, context);
    return typeof roots === "function" ? roots(context) : roots;
  };
}
