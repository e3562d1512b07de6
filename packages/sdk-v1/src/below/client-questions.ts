/** Questions of a server in the results of calls, answered by the handlers of an official `Client`. */
import { getSupportedElicitationModes } from "mcp-sdk-v1/client/index.js";
import type { JSONRPCErrorResponse, JSONRPCResultResponse, RequestId } from "mcp-sdk-v1/types.js";
import type { ErrorData, JsonObject } from "tenon";
import type { ConnectOptions } from "tenon/client";
import type { OfficialClientParts } from "./client-parts.ts";

type Response = JSONRPCResultResponse | JSONRPCErrorResponse;
type Declared = Pick<ConnectOptions, "onElicit" | "elicitationModes" | "onSample" | "samplingCapabilities" | "roots" | "experimental">;
/** What a callback of Tenon may return. */
type Answer<Name extends "onElicit" | "onSample"> = Awaited<ReturnType<NonNullable<ConnectOptions[Name]>>>;

const MODES = { form: "supportsFormMode", url: "supportsUrlMode" } as const;

export class ClientQuestions {
  readonly #official: OfficialClientParts;
  readonly #waiting = new Map<RequestId, (response: Response) => void>();
  #asked = 0;

  constructor(official: OfficialClientParts) {
    this.#official = official;
  }

  options(): Declared {
    const { elicitation, sampling, roots, experimental } = this.#official._capabilities;
    const modes = getSupportedElicitationModes(elicitation);
    // The answers were checked by the schemas of the official client.
    return {
      ...(elicitation && {
        onElicit: async (params, { signal }) => (await this.#ask("elicitation/create", { ...params }, signal)) as Answer<"onElicit">,
        elicitationModes: (["form", "url"] as const).filter((mode) => modes[MODES[mode]]),
      }),
      ...(sampling && {
        onSample: async (params, { signal }) => (await this.#ask("sampling/createMessage", { ...params }, signal)) as Answer<"onSample">,
        samplingCapabilities: sampling as NonNullable<ConnectOptions["samplingCapabilities"]>,
      }),
      ...(roots && {
        roots: async ({ signal }) => {
          const answer = await this.#ask("roots/list", undefined, signal);
          return "roots" in answer ? (answer["roots"] as { uri: string }[]) : (answer as ErrorData);
        },
      }),
      ...(experimental && { experimental: experimental as NonNullable<ConnectOptions["experimental"]> }),
    };
  }

  /** Runs the official handler. Resolves with its result, or with the error of its response. */
  #ask(method: string, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject | ErrorData> {
    const id = `question ${++this.#asked}`;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(id);
        this.#official._requestHandlerAbortControllers.get(id)?.abort(signal.reason);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      this.#waiting.set(id, (response) => {
        signal.removeEventListener("abort", stop);
        resolve("result" in response ? response.result : response.error);
      });
      signal.addEventListener("abort", stop, { once: true });
      this.#official._onrequest({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    });
  }

  /** Takes the response of an official handler. */
  answered(response: Response): void {
    const waiting = this.#waiting.get(response.id ?? "");
    this.#waiting.delete(response.id ?? "");
    waiting?.(response);
  }
}
