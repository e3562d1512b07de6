/** Prompts, and the completion of their arguments and of resource templates. */
import type { BaseMetadata, CacheableResult, Icons, Meta, PaginatedResult, RequestParams, Result, Role } from "./base.ts";
import type { ContentBlock } from "./content.ts";
import type { InputResponseRequestParams } from "./input-required.ts";

export type PromptArgument = BaseMetadata & {
  description?: string;
  required?: boolean;
};

/** A prompt people choose by name. */
export type Prompt = BaseMetadata &
  Icons & {
    description?: string;
    arguments?: readonly PromptArgument[];
    _meta?: Meta;
  };

export type PromptMessage = { role: Role; content: ContentBlock };

export type ListPromptsResult = PaginatedResult & CacheableResult & { prompts: readonly Prompt[] };
export type GetPromptRequestParams = InputResponseRequestParams & {
  name: string;
  arguments?: { [name: string]: string };
};
export type GetPromptResult = Result & {
  description?: string;
  messages: readonly PromptMessage[];
};

export type PromptReference = BaseMetadata & { type: "ref/prompt" };
export type ResourceTemplateReference = {
  type: "ref/resource";
  /** A URI or a URI template. */
  uri: string;
};

export type CompleteRequestParams = RequestParams & {
  ref: PromptReference | ResourceTemplateReference;
  argument: { name: string; value: string };
  /** The arguments chosen so far. */
  context?: { arguments?: { [name: string]: string } };
};
export type CompleteResult = Result & {
  completion: {
    /** At most 100. */
    values: readonly string[];
    total?: number;
    hasMore?: boolean;
  };
};
