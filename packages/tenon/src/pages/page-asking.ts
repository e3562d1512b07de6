/**
 * Asks a user by a page, in the way that the client of a call can take:
 *
 * - A client that opens pages gets the address as a question. The call waits; a call without a back-channel comes again while it waits.
 * - A client on this machine that does not: the system's browser opens, and the call waits.
 * - Any other client gets the address in words, as an error. The same call later finds the answer.
 *
 * What is asked travels in steps of the call, so a handler that runs again opens no second page, and an answer counts for one call.
 */
import { randomId } from "../base/bytes.ts";
import type { ElicitResult } from "../protocol/elicitation.ts";
import type { InputRequest } from "../protocol/input-required.ts";
import { canSendRequests, hasDeclared } from "../session/client-capabilities.ts";
import { actionOf } from "../session/asking/questions/question.ts";
import type { AskingHandler } from "../session/asking/user-pages.ts";
import type { RequestContext } from "../session/request-context.ts";
import { isOfThisMachine } from "../state/owner.ts";
import type { AnswerPages, PageLink } from "./answer-pages.ts";
import type { OutcomeWaits } from "./outcome-waits.ts";
import { PageError } from "./page-error.ts";
import type { PagePlace, PageRecord, PageRecords } from "./page-records.ts";

/** Rounds in which a client without a back-channel waits for one answer, and milliseconds of one. */
const MAX_ROUNDS = 10;
const ROUND_WAIT = 45_000;

export interface AskedPage {
  readonly at: PagePlace;
  /** Distinguishes it among the questions of its call. */
  readonly label: string;
  readonly name: string;
  readonly message: string;
  /** A secret that cannot be used. */
  readonly damaged?: PageRecord | undefined;
  /** What a model reads if the user has to open a page by hand. */
  readonly words: string;
  /** What is there of the answer; undefined if there is none yet. */
  look(at: PagePlace, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** `"late"`: the user has not answered in time. */
export type Outcome = "yes" | "no" | "late";

export interface PageAskingOptions {
  readonly records: PageRecords;
  readonly waits: OutcomeWaits;
  readonly ttl: number;
  /** The pages for a client. @throws McpUsageError, or `otherwise`, if there are none */
  pagesFor(context: RequestContext, otherwise?: Error): Promise<AnswerPages>;
  /** Shows a page to the user of this machine. @throws Error if it cannot */
  show(url: URL, signal: AbortSignal): Promise<void>;
}

interface OpenedPage {
  readonly at: PagePlace;
  readonly id: string;
  readonly url: string;
}

export class PageAsking {
  readonly #options: PageAskingOptions;

  constructor(options: PageAskingOptions) {
    this.#options = options;
  }

  /** @param otherwise thrown if there is no page for this client @throws PageError if the user must open it by hand */
  async ask(handler: AskingHandler, page: AskedPage, otherwise?: Error): Promise<Outcome> {
    const { context, questions } = handler;
    const pages = await this.#options.pagesFor(context, otherwise);
    if (canAskPages(context)) return this.#inCall(handler, page, pages);
    if (isOfThisMachine(context)) return questions.ownStep(`~page ${page.label}`, () => this.#here(context, page, pages));
    const known = await questions.ownStep(`~answer ${page.label}`, async () => (await page.look(page.at, context.signal)) ?? null);
    if (known !== null) return known;
    throw await this.#inWords(page, pages);
  }

  // ---- by the client ----

  async #inCall({ context, questions }: AskingHandler, page: AskedPage, pages: AnswerPages): Promise<Outcome> {
    const opened = await questions.ownStep(`~page ${page.label}`, () => this.#open(page, pages, ofCall(page.at)));
    if (opened === null) return "yes";
    const question = questionOf(page, opened, context.codec.stateless);
    for (let round = 1; ; round++) {
      const name = `~page ${page.label} ${round}`;
      const answer = (await questions.passOn(name, question, undefined)) as unknown as ElicitResult; // checked by the codec
      if (actionOf(answer) !== "accept") return this.#refused(opened);
      const outcome = await questions.ownStep(`~answer ${page.label} ${round}`, () => this.#outcomeOf(context, page, opened));
      if (outcome !== "late" && !context.codec.stateless)
        await context.notify("notifications/elicitation/complete", { elicitationId: opened.id });
      if (outcome !== "late" || !context.codec.stateless || round >= MAX_ROUNDS) return outcome;
    }
  }

  async #refused({ at }: OpenedPage): Promise<"no"> {
    if (at.kind === "confirm") await this.#options.records.remove(at);
    return "no";
  }

  // ---- on this machine ----

  async #here(context: RequestContext, page: AskedPage, pages: AnswerPages): Promise<Outcome> {
    const opened = await this.#open(page, pages, ofCall(page.at));
    if (opened === null) return "yes";
    try {
      await this.#options.show(new URL(opened.url), context.signal);
    } catch (cause) {
      context.signal.throwIfAborted();
      throw Object.assign(notShown(page, opened), { cause });
    }
    return this.#outcomeOf(context, page, opened);
  }

  // ---- in words ----

  async #inWords(page: AskedPage, pages: AnswerPages): Promise<Error> {
    const opened = await this.#open(page, pages, page.at);
    if (opened === null) return new PageError(`${page.words} Call again.`);
    const { url } = opened;
    return new PageError(`${page.words} Ask the user to open this page, and then call again: ${url}`, url);
  }

  // ---- pages ----

  /** Null if the answer is there already. */
  async #open({ name, message, damaged }: AskedPage, pages: AnswerPages, at: PagePlace): Promise<OpenedPage | null> {
    const id = await this.#options.records.open(at, { name, message }, damaged);
    if (id === undefined) return null;
    const link: PageLink = { ...at, id };
    return { at, id, url: await pages.urlOf(link) };
  }

  /** Waits for the answer. A page of a call that ends before is closed, because its answer would count for nothing. */
  async #outcomeOf({ codec, signal }: RequestContext, page: AskedPage, { at, id }: OpenedPage): Promise<Outcome> {
    const { waits, ttl, records } = this.#options;
    const ms = codec.stateless ? Math.min(ROUND_WAIT, ttl) : ttl;
    try {
      return (await waits.until(id, () => page.look(at, signal), { ms, signal })) ?? "late";
    } catch (error) {
      if (at.kind === "confirm") await records.remove(at).catch(() => undefined);
      throw error;
    }
  }
}

/**
 * What is said if no browser opens. Security: a model reads it, and may be able to open a page of this machine itself, so it gets no
 * address of a page that asks for a yes.
 */
function notShown({ words, at }: AskedPage, { url }: OpenedPage): PageError {
  const why = `${words} No browser could be opened on this machine.`;
  if (at.kind === "secret") return new PageError(`${why} Ask the user to open this page, and then call again: ${url}`, url);
  return new PageError(`${why} Use a client that shows forms or opens pages, or the option "open" of userPages().`);
}

/** The place of a page that counts for one call only. */
function ofCall(at: PagePlace): PagePlace {
  return at.kind === "confirm" ? { ...at, place: `${at.place} ${randomId()}` } : at;
}

/** The address as a question. Revisions with a back-channel have an id for it. */
function questionOf({ message }: AskedPage, { id, url }: OpenedPage, isStateless: boolean): InputRequest {
  const params = { mode: "url", message, url, ...(!isStateless && { elicitationId: id }) };
  return { method: "elicitation/create", params } as InputRequest; // the id is a member of older revisions
}

function canAskPages(context: RequestContext): boolean {
  const needs = context.codec.encodeClientCapabilities({ elicitation: { url: {} } });
  // A revision without pages leaves them out.
  if (needs.elicitation?.url === undefined || !hasDeclared(context, needs)) return false;
  return context.codec.stateless || canSendRequests(context);
}
