/**
 * The pages at which a user gives a secret, or says yes or no.
 *
 * 1. `GET <url>/<link>`: the browser shows whose it is. It must be the user whose call asked (MCP 2025-11-25, Elicitation, Phishing).
 * 2. `GET <url>/identity`: back from the identity provider, if there is one. Then the question is shown.
 * 3. `POST <url>/answer`: the answer is kept, once.
 *
 * A sealed cookie carries the page from step to step, so the browser that answers is the one that was asked.
 */
import { randomId } from "../base/bytes.ts";
import { escapeInvisible } from "../base/text/clean-text.ts";
import { escapeHtml } from "../base/text/html-page.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { PageRequest, Pages } from "../dispatch/acceptor.ts";
import { isSameUser, userOf, type UserName } from "../state/owner.ts";
import type { BegunIdentity, BrowserIdentity } from "./browser-identity.ts";
import type { KeptSecrets } from "./kept-secrets.ts";
import { PageCookie } from "./page-cookie.ts";
import { failedLogin, form, message, page, redirect, unusable, type PageResponse } from "./page-html.ts";
import type { PagePlace, PageRecord, PageRecords } from "./page-records.ts";
import type { PageSeals } from "./page-seals.ts";
import { isBelow } from "./page-url.ts";

/** What a link says: which page of which user. */
export interface PageLink extends PagePlace {
  readonly id: string;
}

/** How far a browser has come. */
export type BrowserStep =
  | { readonly step: "identity"; readonly link: PageLink; readonly begun: BegunIdentity }
  | { readonly step: "answer"; readonly link: PageLink; readonly token: string; readonly isLoggedIn: boolean };

/** Whose a browser is: what the program says, or else what an identity provider says. A page of this machine is of its user. */
export type BrowserUser =
  | {
      readonly provider: BrowserIdentity | undefined;
      readonly identify: ((request: PageRequest) => MaybePromise<UserName | undefined>) | undefined;
    }
  | "this machine's";

export interface AnswerPagesOptions {
  readonly server: string;
  readonly url: URL;
  readonly ttl: number;
  readonly whose: BrowserUser;
  readonly seals: PageSeals<PageLink, BrowserStep>;
  readonly records: PageRecords;
  readonly secrets: KeptSecrets;
  answered(id: string): void;
  report(error: unknown): void;
}

/** Most characters of a form, and of a secret. */
const MAX_FORM = 65_536;
export const MAX_SECRET = 8_192;
const LINK_SEGMENT = /^[\w.-]{1,8192}$/;

export class AnswerPages implements Pages {
  readonly #options: AnswerPagesOptions;
  readonly #cookie: PageCookie<BrowserStep>;

  constructor(options: AnswerPagesOptions) {
    this.#options = options;
    const isSecure = options.url.protocol === "https:";
    this.#cookie = new PageCookie<BrowserStep>(options.seals, { name: "tenon-page", isSecure, ttl: options.ttl });
  }

  async urlOf(link: PageLink): Promise<string> {
    return `${this.#options.url.href}/${await this.#options.seals.sealLink(link)}`;
  }

  isAt(path: string): boolean {
    return isBelow(this.#options.url, path);
  }

  async respond(request: PageRequest): Promise<PageResponse> {
    try {
      return await this.#respond(request, new URL(request.url, this.#options.url));
    } catch (error) {
      this.#options.report(error);
      return failedLogin(error, "Nothing was changed. Open the link again to log in.");
    }
  }

  async #respond(request: PageRequest, { pathname, searchParams }: URL): Promise<PageResponse> {
    const step = pathname.slice(this.#options.url.pathname.length + 1);
    if (request.method === "POST" && step === "answer") return this.#posted(request);
    if (request.method !== "GET") return message(405, "Not allowed", "This page is for browsers.", ["Allow", "GET"]);
    if (step === "identity") return this.#identified(request, searchParams);
    const link = LINK_SEGMENT.test(step) ? await this.#options.seals.openLink(step) : undefined;
    if (link === undefined || (await this.#openRecord(link)) === undefined) return unusable();
    return this.#identify(request, link);
  }

  // ---- whose browser it is ----

  async #identify(request: PageRequest, link: PageLink): Promise<PageResponse> {
    const { whose } = this.#options;
    if (whose === "this machine's") return this.#ask(link, { isLoggedIn: false });
    const { provider, identify } = whose;
    const user = await identify?.(request);
    if (user !== undefined && isSameUser(userOf(user), link.user)) return this.#ask(link, { isLoggedIn: false });
    if (provider?.knows(link.user) !== true) return this.#refuse(user);
    const { page: login, begun } = await provider.begin();
    return redirect(login.href, await this.#cookie.remember({ step: "identity", link, begun }));
  }

  async #identified(request: PageRequest, callback: URLSearchParams): Promise<PageResponse> {
    const { whose } = this.#options;
    const state = await this.#cookie.read(request);
    if (whose === "this machine's" || whose.provider === undefined) return unusable();
    if (state?.step !== "identity" || callback.get("state") !== state.begun.state) return unusable();
    const user = await whose.provider.finish(callback, state.begun);
    return isSameUser(userOf(user), state.link.user) ? this.#ask(state.link, { isLoggedIn: true }) : this.#refuse(user);
  }

  /** @param user who the browser's user is, if anyone is logged in */
  #refuse(user: UserName | undefined): PageResponse {
    if (user === undefined) return message(401, "Log in first", "Log in to this site, and open the link again.");
    const text = "You are logged in as another user than the one whose program asked. Nothing was changed.";
    return message(403, "This page is not yours", text, this.#cookie.forget());
  }

  /** Whether a browser may still answer for the user of a link: its user may have logged out of your site, or another one in. */
  async #isStillOf({ link, isLoggedIn }: AnswerStep, request: PageRequest): Promise<boolean> {
    const { whose } = this.#options;
    if (whose === "this machine's" || isLoggedIn) return true;
    const user = await whose.identify?.(request);
    return user !== undefined && isSameUser(userOf(user), link.user);
  }

  // ---- the question ----

  /** @param isLoggedIn whether the browser has just shown at the identity provider whose it is */
  async #ask(link: PageLink, { isLoggedIn }: Pick<AnswerStep, "isLoggedIn">, problem?: string): Promise<PageResponse> {
    const record = await this.#openRecord(link);
    if (record === undefined) return unusable(this.#cookie.forget());
    const token = randomId();
    const { server, url } = this.#options;
    const { title, words, field, choices } = questionOf(server, link, record, problem);
    const question = form(`${url.pathname}/answer`, { token }, choices, field);
    const cookie = await this.#cookie.remember({ step: "answer", link, token, isLoggedIn });
    return page(problem === undefined ? 200 : 400, title, words + question, cookie);
  }

  async #openRecord(link: PageLink): Promise<OpenRecord | undefined> {
    const record = await this.#options.records.read(link);
    return record?.state === "open" && record.id === link.id ? record : undefined;
  }

  // ---- the answer ----

  async #posted(request: PageRequest): Promise<PageResponse> {
    const state = await this.#cookie.read(request);
    if (request.header("origin") !== this.#options.url.origin) return unusable();
    const text = await request.text();
    if (text.length > MAX_FORM) return unusable();
    const fields = new URLSearchParams(text);
    if (state?.step !== "answer" || fields.get("token") !== state.token) return unusable();
    if (!(await this.#isStillOf(state, request))) return unusable(this.#cookie.forget());
    return this.#answer(state, fields);
  }

  async #answer(step: AnswerStep, fields: URLSearchParams): Promise<PageResponse> {
    const { link } = step;
    const isYes = fields.get("choice") === "yes";
    const secret = fields.get("secret")?.trim() ?? "";
    const isGiven = isYes && link.kind === "secret";
    if (isGiven && (secret === "" || secret.length > MAX_SECRET))
      return this.#ask(link, step, secret === "" ? "Enter the key first." : "This is too long for a key.");
    const { records, secrets } = this.#options;
    const isDone = isGiven
      ? await secrets.keep(link, link.id, secret)
      : await records.answer(link, link.id, { state: isYes ? "yes" : "no", id: link.id });
    if (!isDone) return unusable(this.#cookie.forget());
    this.#options.answered(link.id);
    const [title, words] = isYes ? ["Thank you", "The program can go on."] : ["You said no", "Nothing was done."];
    return message(200, title, `${words} You can close this page.`, this.#cookie.forget());
  }
}

type AnswerStep = Extract<BrowserStep, { readonly step: "answer" }>;
type OpenRecord = Extract<PageRecord, { readonly state: "open" }>;

/** The words of a page. Security: text of a server is escaped, and characters that hide or reorder text are written out. */
function questionOf(
  server: string,
  { kind }: PageLink,
  { name, message: asked }: OpenRecord,
  problem: string | undefined,
): { readonly title: string; readonly words: string; readonly field: string; readonly choices: Readonly<Record<string, string>> } {
  const words = `<p>A program of yours uses <strong>${show(server)}</strong>, which asks:</p><p class="message">${show(asked)}</p>`;
  if (kind === "confirm") return { title: "Do you want this?", words, field: "", choices: { yes: "Yes, do this", no: "No" } };
  const note = problem === undefined ? "" : `<small class="problem" role="alert">${show(problem)}</small>`;
  const field = `<label>Your key for <strong>${show(name)}</strong>${note}<input type="password" name="secret" autocomplete="off" maxlength="${MAX_SECRET}"></label>`;
  const assurance = "<p>It is kept sealed for you. Neither programs nor models see it.</p>";
  return { title: `Your key for ${escapeInvisible(name)}`, words: words + assurance, field, choices: { yes: "Save", no: "Cancel" } };
}

function show(text: string): string {
  return escapeHtml(escapeInvisible(text));
}
