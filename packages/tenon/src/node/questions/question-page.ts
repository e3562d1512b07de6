/**
 * One question on a page of 127.0.0.1, until it is answered.
 *
 * Security: the address has a random part that only the user's browser learns. Requests for another host, another path, from another
 * origin or after the answer change nothing. Values are checked against the form before they count.
 */
import type { HtmlPage } from "../../base/text/html-page.ts";
import { randomId } from "../../base/bytes.ts";
import { unlessAborted } from "../../base/abort.ts";
import type { ElicitRequestFormParams, ElicitRequestParams, ElicitResult, PrimitiveSchemaDefinition } from "../../protocol/elicitation.ts";
import type { HttpRequest, HttpResponse } from "../../server/http/http-message.ts";
import { listenOnLoopback } from "../http/listen-on-loopback.ts";
import { safeHref } from "../login/open-browser.ts";
import { checkValue, readField, type FieldValue, type FieldReading } from "./form.ts";
import { endPage, formPage, shownChoices, visitPage, type Problems } from "./question-html.ts";

export interface PageOptions {
  readonly port: number;
  readonly open: (url: URL) => void | Promise<void>;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
}

const HOST = "127.0.0.1";

/** @throws `signal.reason`; Node's error if nothing can listen on the port */
export async function askOnPage(
  server: string,
  params: ElicitRequestParams,
  { port, open, write, signal }: PageOptions,
): Promise<ElicitResult> {
  signal.throwIfAborted();
  const path = `/${randomId()}`;
  let answer!: (result: ElicitResult) => void;
  const answered = new Promise<ElicitResult>((resolve) => {
    answer = resolve;
  });
  const question = new Question(server, params, path, answer);
  const listener = await listenOnLoopback((request) => question.respond(request), { port, host: HOST });
  try {
    question.origin = `http://${HOST}:${listener.port}`;
    const address = new URL(question.origin + path);
    write(`${server} asks a question: ${address.href}`);
    await show(address, open, write);
    const result = await unlessAborted(answered, signal);
    if (params.mode === "url" && result.action === "accept") await show(new URL(params.url), open, write);
    return result;
  } finally {
    await listener.close();
  }
}

/** Opens a page. The user can open one that this machine cannot. */
async function show(page: URL, open: PageOptions["open"], write: PageOptions["write"]): Promise<void> {
  try {
    safeHref(page);
    await open(page);
  } catch (error) {
    write(`It cannot be opened from here (${String(error)}): copy the address into your browser: ${page.href}`);
  }
}

class Question {
  /** Where it is served. */
  origin = "";
  readonly #server: string;
  readonly #params: ElicitRequestParams;
  readonly #path: string;
  readonly #answer: (result: ElicitResult) => void;
  #isAnswered = false;

  constructor(server: string, params: ElicitRequestParams, path: string, answer: (result: ElicitResult) => void) {
    this.#server = server;
    this.#params = params;
    this.#path = path;
    this.#answer = answer;
  }

  async respond(request: HttpRequest): Promise<HttpResponse> {
    const { method, url } = request;
    if (request.header("host") !== this.origin.slice("http://".length)) return toResponse(421, endPage("Not this server", ""));
    if (url !== this.#path) return toResponse(404, endPage("Not found", "There is nothing here."));
    if (method === "GET" && !this.#isAnswered) return toResponse(200, this.#page({}, new URLSearchParams()));
    if (method !== "POST") return toResponse(405, endPage("Not allowed", "This page is only for the answer to a question."));
    if (request.header("origin") !== this.origin) return toResponse(403, endPage("Not allowed", "The answer came from another page."));
    if (this.#isAnswered) return toResponse(409, endPage("Answered already", "You can close this page."));
    return this.#take(new URLSearchParams(await request.text()));
  }

  #page(problems: Problems, typed: URLSearchParams): HtmlPage {
    const params = this.#params;
    return params.mode === "url" ? visitPage(this.#server, params) : formPage(this.#server, params, problems, typed);
  }

  async #take(typed: URLSearchParams): Promise<HttpResponse> {
    const action = typed.get("action");
    if (action !== "accept" && action !== "decline")
      return toResponse(400, endPage("Not an answer", "Go back and choose one of the buttons."));
    const form = action === "accept" && this.#params.mode !== "url" ? await readForm(this.#params, typed) : undefined;
    if (form !== undefined && Object.keys(form.problems).length > 0) return toResponse(422, this.#page(form.problems, typed));
    if (this.#isAnswered) return toResponse(409, endPage("Answered already", "You can close this page."));
    this.#isAnswered = true;
    const result: ElicitResult = form === undefined ? { action } : { action, content: form.content };
    setImmediate(() => this.#answer(result)); // after the response was written
    return toResponse(200, endPage("You can close this page", "Your answer has reached the program."));
  }
}

/** Reads the fields by their places, so that no name of the server is the name of a control. */
async function readForm(
  { requestedSchema }: ElicitRequestFormParams,
  typed: URLSearchParams,
): Promise<{ content: Record<string, FieldValue>; problems: Problems }> {
  const { properties, required = [] } = requestedSchema;
  const content: Record<string, FieldValue> = Object.create(null) as Record<string, FieldValue>; // a field may be named __proto__
  const problems: { [name: string]: string } = {};
  for (const [index, [name, field]] of Object.entries(properties).entries()) {
    const reading = await readControl(typed.getAll(`field${index}`), field, required.includes(name));
    if ("problem" in reading) problems[name] = reading.problem;
    else if (reading.value !== undefined) content[name] = reading.value;
  }
  return { content: { ...content }, problems };
}

/** The control shows the default, so a field that is empty was emptied by the user. */
async function readControl(sent: readonly string[], field: PrimitiveSchemaDefinition, required: boolean): Promise<FieldReading> {
  const choices = shownChoices(field);
  const filled = sent.filter((value) => value.trim() !== "");
  const values = choices.length === 0 ? filled : filled.map((place) => choices[Number(place)]?.value ?? "");
  if (values.length === 0) return required ? { problem: "An answer is needed here" } : { value: undefined };
  if (field.type === "boolean") return { value: values[0] === "yes" };
  return choices.length === 0 ? readField(values[0]!, field, required) : checkValue(field.type === "array" ? values : values[0]!, field);
}

function toResponse(status: number, { headers, html }: HtmlPage): HttpResponse {
  return { status, headers, body: html };
}
