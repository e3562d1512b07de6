/** Options that all functions of `tenon/models` share. */
import type { OptionKeys } from "../base/known-options.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Tool } from "../protocol/tools.ts";
import type { Progress } from "../dispatch/dispatcher.ts";
import type { SchemaNote } from "./schema/adapter.ts";
import type { ModelProfile } from "./schema/profile.ts";

/** A change that a tool needed before the API accepts it. */
export interface ToolNote extends SchemaNote {
  /** The tool, as its server calls it. */
  readonly tool: string;
}

/** How tools become definitions for a model, and results become messages. */
export interface ModelToolOptions {
  /**
   * Whether the API makes the model follow the schemas exactly. Default false: strict modes refuse many schemas, and the server checks the
   * arguments anyway. A tool without a strict form is offered without it, and a note says so.
   */
  strict?: boolean;
  /** Chooses the tools that the model gets, by name and definition. Default: all. */
  pick?: (name: string, tool: Tool) => boolean;
  /** Called with each change that a schema needed. Default: `notes` of the result only. */
  onNote?: (note: ToolNote) => void;
  /** The rules of the API. Default: the rules of {@link profiles} for it. */
  profile?: ModelProfile;
  /** Whether a link to a resource in a result is read and given to the model. Default false: the model sees its name and URI. */
  readLinks?: boolean;
  /** The most characters of text of one result. Longer ones are cut, and a line says so. Default 100 000. */
  maxText?: number;
  /** The most characters of base64 of all images and files of one result. More are left out, and a line says so. Default 10 000 000. */
  maxMedia?: number;
}

export const MODEL_TOOL_OPTIONS: OptionKeys<ModelToolOptions> = {
  strict: 1,
  pick: 1,
  onNote: 1,
  profile: 1,
  readLinks: 1,
  maxText: 1,
  maxMedia: 1,
};

/** A call that a model wants. */
export interface ModelCall {
  /** The id by which the model knows the call. */
  readonly id: string;
  /** The tool, as its server calls it; as the model wrote it, if there is no such tool. */
  readonly name: string;
  /** The arguments for the tool. */
  readonly arguments: JsonObject;
  /** The definition of the tool; undefined if there is no such tool. */
  readonly tool: Tool | undefined;
}

/** How the calls of one message are made. */
export interface RunOptions {
  /** Cancels calls. Those that have not ended get an error as their result, so that every call of the model has one. */
  signal?: AbortSignal;
  /**
   * Asked before each call; the call is made if it returns true. A refused call gets an error as its result. Default: every call is made.
   * Security: descriptions and annotations of tools are claims of their server. Ask the user before calls that change something.
   */
  approve?: (call: ModelCall) => MaybePromise<boolean>;
  /** The most calls at the same time. Default 4. */
  concurrency?: number;
  /** Milliseconds that each call may take. Default: the client's. */
  timeout?: number;
  /** Called with the progress of a call. */
  onProgress?: (progress: Progress, call: ModelCall) => void;
}

export const RUN_OPTIONS: OptionKeys<RunOptions> = { signal: 1, approve: 1, concurrency: 1, timeout: 1, onProgress: 1 };
