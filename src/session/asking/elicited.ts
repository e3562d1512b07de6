/** What a handler gives for a question to a person, and what it gets. */
import type { AnySchema } from "../../schema/standard-schema.ts";

/**
 * What a person said to a form (TY-86): the `action`, and the `content` if they accepted. A decline is an answer: nothing is
 * asked again.
 */
export type Elicited<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" | "cancel"; readonly content?: undefined };

/** A form for a person: `ctx.elicit`. */
export interface ElicitOptions<Schema extends AnySchema> {
  /** What the person is asked. */
  message: string;
  /** The form: an object of strings, numbers, booleans and choices. Must not ask for secrets: use a page (L1.6). */
  schema: Schema;
  /** Whether the answer counts once, even if the client repeats it. Default false; on several nodes it needs a shared store. */
  once?: boolean;
}

/** A page for a person: `ctx.elicitUrl`. */
export interface ElicitUrlOptions {
  /** Why the person should go there. */
  message: string;
  /** The page, `https:`. Nothing in it may let its reader act as the user (L1.9). */
  url: string;
}
