/** The pages of one server: what `ctx.confirm` and `ctx.secret` use, and what its endpoint serves to browsers. */
import { systemClock } from "../base/clock.ts";
import { devHost } from "../base/dev-host.ts";
import { hashed } from "../base/hash.ts";
import { assertKnown } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { isWorkerStore, workerHost } from "../base/worker-host.ts";
import type { PageRequest } from "../dispatch/acceptor.ts";
import { canonicalExactJson } from "../jsonrpc/exact-numbers.ts";
import { McpUsageError, NoBackChannelError } from "../jsonrpc/mcp-error.ts";
import { shorten } from "../base/text/clean-text.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { MissingClientCapabilityError } from "../protocol/errors.ts";
import { askedParams } from "../session/asking/asked-params.ts";
import type { SealingKey } from "../session/asking/options.ts";
import type { SecretOptions } from "../session/asking/questions/asking-context.ts";
import { KeyRing } from "../session/asking/rounds/key-ring.ts";
import type { AskingHandler, ServedUserPages, UserPagesHost } from "../session/asking/user-pages.ts";
import type { RequestContext } from "../session/request-context.ts";
import { isOfThisMachine, isUserOf, ownerOf, userIn } from "../state/owner.ts";
import { remember, storeOf } from "../state/stores.ts";
import type { KeyedStore } from "../storage/keyed-store.ts";
import { MemoryKeyedStore } from "../storage/memory/keyed-store.ts";
import { AnswerPages, type BrowserStep, type BrowserUser, type PageLink } from "./answer-pages.ts";
import { BrowserIdentity } from "./browser-identity.ts";
import { KeptSecrets, placeOfSecret } from "./kept-secrets.ts";
import type { LocalPages } from "./local-pages.ts";
import type { UserPagesSettings } from "./options.ts";
import { OutcomeWaits } from "./outcome-waits.ts";
import { PageAsking, type Outcome } from "./page-asking.ts";
import { PageError } from "./page-error.ts";
import type { PageResponse } from "./page-html.ts";
import { PageRecords, type PagePlace } from "./page-records.ts";
import { PageSeals } from "./page-seals.ts";
import { isBelow } from "./page-url.ts";
import { ReadSecrets } from "./read-secrets.ts";

const NAME = /^[\w.-]{1,64}$/;
const MAX_MESSAGE = 2_000;
/** Characters of what a page asks to confirm. */
const MAX_QUESTION = 8_000;

export class EndpointPages implements ServedUserPages {
  readonly #settings: UserPagesSettings;
  readonly #host: UserPagesHost;
  readonly #records: PageRecords;
  readonly #secrets: KeptSecrets;
  readonly #waits = new OutcomeWaits(systemClock);
  readonly #read = new ReadSecrets();
  readonly #asking: PageAsking;
  readonly #url: URL | undefined;
  #served: AnswerPages | undefined;
  #ring: KeyRing | undefined;
  #local: Promise<LocalPages<AnswerPages>> | undefined;

  /** @throws RangeError if an option of the identity provider has a wrong value */
  constructor(settings: UserPagesSettings, host: UserPagesHost) {
    this.#settings = settings;
    this.#host = host;
    this.#url = settings.url === undefined ? undefined : new URL(settings.url);
    this.#records = new PageRecords(() => this.#store, settings);
    this.#secrets = new KeptSecrets(this.#records, () => this.#keys);
    this.#asking = new PageAsking({
      records: this.#records,
      waits: this.#waits,
      ttl: settings.ttl,
      pagesFor: (context, otherwise) => this.#pagesFor(context, otherwise),
      show: async (url, signal) => (settings.open ?? (await import("#local-pages")).showPage)(url, signal),
    });
  }

  // ---- for handlers ----

  async confirm(handler: AskingHandler, name: string, message: string, error: unknown): Promise<boolean> {
    if (!(error instanceof MissingClientCapabilityError) && !(error instanceof NoBackChannelError)) throw error;
    const { context } = handler;
    const user = userIn(context);
    if (user === undefined || message.length > MAX_QUESTION) throw error;
    const at: PagePlace = { user, kind: "confirm", place: await digestOf(this.#host.home.name, context, [name, message]) };
    const words = `The user has to say yes first: "${shorten(message, 200)}". Nothing was done.`;
    const look = (place: PagePlace, signal: AbortSignal): Promise<Outcome | undefined> => this.#taken(place, signal);
    const outcome = await this.#asking.ask(handler, { at, label: `confirm ${name}`, name, message, words, look }, error);
    return outcome === "yes";
  }

  /** A page that is gone has been answered for another call, or is too old. */
  async #taken(at: PagePlace, signal: AbortSignal): Promise<Outcome | undefined> {
    const taken = await this.#records.take(at, signal);
    const isOfCall = at.place.includes(" ");
    return taken === "gone" ? (isOfCall ? "no" : undefined) : taken;
  }

  async secret(handler: AskingHandler, name: string, options: SecretOptions): Promise<string> {
    const message = checkSecret(name, options);
    const { context } = handler;
    const server = this.#host.home.name;
    const { user } = ownerOf(context, "user", `Secret "${name}"`, "");
    const at: PagePlace = { user, kind: "secret", place: placeOfSecret(server, name) };
    const { secret, damaged } = await this.#secrets.find(at);
    if (secret !== undefined) return this.#read.note(user, secret);
    const words = `The user has to give "${name}" to "${server}" first.`;
    const look = async (place: PagePlace): Promise<Outcome | undefined> => this.#given(place);
    await this.#asking.ask(handler, { at, label: `secret ${name}`, name, message, damaged, words, look });
    const answer = (await this.#secrets.find(at)).secret;
    if (answer === undefined) throw new PageError(`The user did not give "${name}" to "${server}".`);
    return this.#read.note(user, answer);
  }

  /** A refusal is taken away, so that a later call asks again. */
  async #given(at: PagePlace): Promise<Outcome | undefined> {
    const record = await this.#records.read(at);
    if (record?.state === "kept") return (await this.#secrets.find(at)).secret === undefined ? undefined : "yes";
    if (record?.state !== "no") return undefined;
    await this.#records.remove(at);
    return "no";
  }

  guard(context: RequestContext, run: () => MaybePromise<JsonObject>): Promise<JsonObject> {
    return this.#read.guard(context, run);
  }

  clean<T>(value: T, principal: string | undefined): T {
    return this.#read.clean(value, principal);
  }

  // ---- for browsers ----

  isAt(path: string): boolean {
    return this.#url !== undefined && isBelow(this.#url, path);
  }

  async respond(request: PageRequest): Promise<PageResponse> {
    return this.#remote.respond(request);
  }

  async close(): Promise<void> {
    await (await this.#local?.catch(() => undefined))?.close();
  }

  // ---- parts ----

  /** The pages of the endpoint, if the option `url` is set. */
  get #remote(): AnswerPages {
    if (this.#served !== undefined) return this.#served;
    const { identityProvider, identify } = this.#settings;
    const url = this.#url!;
    const provider = identityProvider && new BrowserIdentity("identityProvider", identityProvider, `${url.href}/identity`);
    return (this.#served = this.#pagesAt(url, { provider, identify }));
  }

  /** @throws McpUsageError, or `otherwise`, if this client can be shown none */
  async #pagesFor(context: RequestContext, otherwise: Error | undefined): Promise<AnswerPages> {
    if (isOfThisMachine(context)) {
      this.#local ??= import("#local-pages").then(({ openLocalPages: open }) => open((url) => this.#pagesAt(url, "this machine's")));
      return (await this.#local).pages;
    }
    const problem = this.#problemOf(userIn(context)!); // who asks has looked
    if (problem === undefined) return this.#remote;
    throw otherwise ?? new McpUsageError(problem);
  }

  /** Why a user could open no page of the endpoint; undefined if nothing is in the way. */
  #problemOf(user: string): string | undefined {
    if (this.#url === undefined)
      return 'ctx.secret() over HTTP needs the options "url" and "identityProvider" or "identify" of userPages()';
    const { identityProvider, identify } = this.#settings;
    const issuer = identityProvider?.issuer;
    if (issuer === undefined || identify !== undefined || isUserOf(user, issuer)) return undefined;
    const isKnown = 'such as users with API keys, or of another issuer: say by the option "identify" whose a browser is';
    return `The user ${user} cannot log in at the "identityProvider" of userPages(), ${issuer}. For users who cannot, ${isKnown}`;
  }

  #pagesAt(url: URL, whose: BrowserUser): AnswerPages {
    const { ttl } = this.#settings;
    const isLocal = whose === "this machine's";
    const server = this.#host.home.name;
    const keys = isLocal ? undefined : this.#sealingKeys;
    const seals = new PageSeals<PageLink, BrowserStep>({ keys, purpose: `mcp-user-pages/v1/${server}`, clock: systemClock, ttl });
    const { records, secrets } = { records: this.#records, secrets: this.#secrets };
    const answered = (id: string): void => this.#waits.ended(id);
    return new AnswerPages({ server, url, ttl, whose, seals, records, secrets, answered, report: (error) => this.#host.report(error) });
  }

  get #store(): KeyedStore {
    const store = this.#settings.store ?? storeOf(this.#host.home);
    remember(store);
    return store;
  }

  get #keys(): KeyRing {
    return (this.#ring ??= new KeyRing(
      this.#sealingKeys ?? [crypto.getRandomValues(new Uint8Array(32))],
      `mcp-user-secret/v1/${this.#host.home.name}`,
    ));
  }

  /** Undefined for a random key of this process. @throws McpUsageError if another process has the store, and not the key */
  get #sealingKeys(): readonly SealingKey[] | undefined {
    const keys = this.#settings.keys ?? this.#host.keys;
    if (keys !== undefined) return keys;
    const shared = devHost()?.stateKey ?? workerHost()?.key;
    const store = this.#store;
    if (store instanceof MemoryKeyedStore || isWorkerStore(store)) return shared && [shared];
    throw new McpUsageError(
      'userPages() needs the option "keys" with this store, the same on all nodes. To make one: openssl rand -base64 32',
    );
  }
}

/** The message. @throws RangeError, TypeError */
function checkSecret(name: string, options: SecretOptions): string {
  if (typeof name !== "string" || !NAME.test(name))
    throw new RangeError(`The name of a secret must be 1 to 64 of A-Z a-z 0-9 _ . -, not ${JSON.stringify(name)}`);
  assertKnown(`secret "${name}"`, options, { message: 1 });
  const { message } = options;
  if (typeof message === "string" && message.trim() !== "" && message.length <= MAX_MESSAGE) return message;
  throw new TypeError(`Secret "${name}" needs a message, the text that the user sees, of at most ${MAX_MESSAGE} characters`);
}

async function digestOf(server: string, { method, params }: RequestContext, question: readonly string[]): Promise<string> {
  return hashed(canonicalExactJson([server, method, askedParams(params), question]));
}
