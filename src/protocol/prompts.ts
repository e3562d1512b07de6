/** Prompts, and the completion of their arguments and of resource templates. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, RequestParams, Result, Role } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

/** An argument of a prompt (K3.1): always a string. */
export type PromptArgument = BaseMetadata & {
  /** What to fill in, for people. */
  description?: string;
  /** Whether the prompt cannot be had without it. Default false. */
  required?: boolean;
};

/** A prompt people choose by name (K3.1). `description` is for people, `arguments` are what it is filled in with, `_meta` is free. */
export type Prompt = BaseMetadata &
  Icons & {
    description?: string;
    arguments?: readonly PromptArgument[];
    _meta?: Meta;
  };

/** One message of a prompt: what `role` says, as one block of `content` (K3.3). */
export type PromptMessage = { role: Role; content: ContentBlock };

/** One page of `prompts` (TY-50). */
export type ListPromptsResult = PaginatedResult & CacheableResult & { prompts: readonly Prompt[] };
/** What `prompts/get` is given: the `name` of the prompt, and its `arguments` by name (TY-51). */
export type GetPromptRequestParams = InputResponseRequestParams & {
  name: string;
  arguments?: { [name: string]: string };
};
/** A prompt filled in: the `messages` for the model, and a `description` for people (TY-52). */
export type GetPromptResult = Result & {
  description?: string;
  messages: readonly PromptMessage[];
};

/** Names the prompt whose argument is completed; told from a template by `type` (TY-59). */
export type PromptReference = BaseMetadata & { type: "ref/prompt" };
/** Names the resource template whose variable is completed; told from a prompt by `type` (TY-59). */
export type ResourceTemplateReference = {
  type: "ref/resource";
  /** A URI or a URI template. */
  uri: string;
};

/** What `completion/complete` is given (TY-59). */
export type CompleteRequestParams = RequestParams & {
  /** The prompt or the template whose argument it is. */
  ref: PromptReference | ResourceTemplateReference;
  /** The argument, and what has been typed of it. */
  argument: { name: string; value: string };
  /** The arguments chosen so far. */
  context?: { arguments?: { [name: string]: string } };
};
/** What could be meant (TY-60). */
export type CompleteResult = Result & {
  /** The best ones first; `total` may be more than there are `values`, and `hasMore` says so where nobody counted. */
  completion: {
    /** At most 100. */
    values: readonly string[];
    total?: number;
    hasMore?: boolean;
  };
};
