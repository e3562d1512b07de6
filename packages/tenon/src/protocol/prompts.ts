/** Prompts, and the completion of their arguments and of resource templates. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, RequestParams, Result, Role } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

/** An argument of a prompt: always a string. */
export type PromptArgument = BaseMetadata & {
  /** What to enter, for people. */
  description?: string;
  /** Whether the prompt needs it. Default false. */
  required?: boolean;
};

/** A prompt that people choose by name (MCP schema). `description` is for people, `arguments` are its parameters, `_meta` is free. */
export type Prompt = BaseMetadata &
  Icons & {
    description?: string;
    arguments?: readonly PromptArgument[];
    _meta?: Meta;
  };

/** One message of a prompt (MCP schema): its `role`, and one block of `content`. */
export type PromptMessage = { role: Role; content: ContentBlock };

/** One page of `prompts` (MCP schema). */
export type ListPromptsResult = PaginatedResult & CacheableResult & { prompts: readonly Prompt[] };
/** Params of `prompts/get` (MCP schema): the `name` of the prompt, and its `arguments` by name. */
export type GetPromptRequestParams = InputResponseRequestParams & {
  name: string;
  arguments?: { [name: string]: string };
};
/** A prompt with its arguments filled in (MCP schema): the `messages` for the model, and a `description` for people. */
export type GetPromptResult = Result & {
  description?: string;
  messages: readonly PromptMessage[];
};

/** Names the prompt whose argument is completed (MCP schema); `type` distinguishes it from a template. */
export type PromptReference = BaseMetadata & { type: "ref/prompt" };
/** Names the resource template whose variable is completed (MCP schema); `type` distinguishes it from a prompt. */
export type ResourceTemplateReference = {
  type: "ref/resource";
  /** A URI or a URI template. */
  uri: string;
};

/** Params of `completion/complete`. */
export type CompleteRequestParams = RequestParams & {
  /** The prompt or the template that has the argument. */
  ref: PromptReference | ResourceTemplateReference;
  /** The argument, and its value so far. */
  argument: { name: string; value: string };
  /** The arguments chosen so far. */
  context?: { arguments?: { [name: string]: string } };
};
/** Suggested values (MCP schema). */
export type CompleteResult = Result & {
  /**
   * The best ones first; `total` may be more than the number of `values`, and `hasMore` says that there are more if the total is
   * unknown.
   */
  completion: {
    /** At most 100. */
    values: readonly string[];
    total?: number;
    hasMore?: boolean;
  };
};
