/**
 * The claim of a round: which of the requests with the same state may run new steps, or use answers that are valid once.
 *
 * The first request that claims the state may. The claim is the number of claims that its call had before: so it also covers the
 * other states that a client got by sending an old one again. The first round of a call has no state and needs no claim.
 */
import { ErrorCode, McpError } from "../../../jsonrpc/mcp-error.ts";
import type { JsonObject } from "../../../jsonrpc/message.ts";
import type { Journal, JournalRecord } from "../questions/journal.ts";
import type { KeptResponses } from "./kept-responses.ts";
import { markOf } from "../questions/question.ts";
import type { RequestStates } from "./request-states.ts";

export interface ClaimStores {
  readonly states: RequestStates;
  readonly responses: KeptResponses;
}

export class RoundClaim {
  readonly #record: JournalRecord;
  readonly #journal: Journal;
  readonly #share: string;
  readonly #stores: ClaimStores;
  #made: Promise<boolean> | undefined;

  /** @param record the state as it was opened; the claim is counted in `journal` */
  constructor({ record, journal, share }: { record: JournalRecord; journal: Journal; share: string }, stores: ClaimStores) {
    this.#record = record;
    this.#journal = journal;
    this.#share = share;
    this.#stores = stores;
  }

  /** Claims the state at the first call. True if this round has the claim. @throws (rejects) what the store throws */
  make(): Promise<boolean> {
    return (this.#made ??= this.#make());
  }

  async #make(): Promise<boolean> {
    const isFirst = await this.#stores.states.claim(this.#record, this.#share);
    if (isFirst) this.#journal.countClaim();
    return isFirst;
  }

  /** Keeps the response if this round has the claim, for a client that sends its request again. */
  async keep(response: JsonObject): Promise<void> {
    if (this.#made !== undefined && (await this.#made)) await this.#stores.responses.keep(await this.#key(), response, this.#share);
  }

  /** The response of the round that claimed the state with the same answers, if it is still kept. */
  async earlierResponse(): Promise<JsonObject | undefined> {
    return this.#stores.responses.find(await this.#key());
  }

  async #key(): Promise<string> {
    const { c, n } = this.#record;
    return `${c} ${n} ${await markOf(this.#journal.answers)}`;
  }
}

/** The error for a state whose next step another request has run, or runs. */
export function stateUsedError(): McpError {
  return Object.freeze(
    new McpError(
      ErrorCode.InvalidParams,
      "This requestState was used by another request, which continues the call. Send the same request again a little later for its result; to start again, call without requestState",
      { reason: "stateUsed" },
    ),
  );
}
