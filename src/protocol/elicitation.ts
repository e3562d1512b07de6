/** Servers asking people: with a form, or by sending them to a page. */
import type { NotificationParams, RequestParams, Result } from "./base.ts";
import type { TaskMetadata } from "./tasks.ts";

/** What people see of a field, whatever its type (L1.4): the `title` above it and the `description` beside it. */
type Field = { title?: string; description?: string };

/** A field for text, told from others by `type`; from `minLength` to `maxLength` characters, `default` where nothing was typed (L1.4). */
export type StringSchema = Field & {
  type: "string";
  minLength?: number;
  maxLength?: number;
  /** What the text must be, such as a date. */
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
};
/** A field for a number, whole where `type` is `"integer"`; from `minimum` to `maximum`, `default` where nothing was typed (L1.4). */
export type NumberSchema = Field & { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number };
/** A field for yes or no, told from others by `type`; `default` is how it stands at first (L1.4). */
export type BooleanSchema = Field & { type: "boolean"; default?: boolean };

/** A choice (`const`) and what people see of it (`title`) (L1.4). */
export type TitledChoice = { const: string; title: string };

/** A field for one of the choices in `enum`, shown as they are; `type` is that of a string, `default` is chosen at first (L1.4). */
export type UntitledSingleSelectEnumSchema = Field & { type: "string"; enum: readonly string[]; default?: string };
/**
 * A field for one of the choices in `oneOf`, shown by their titles; `type` is that of a string, `default` is chosen at first
 * (L1.4, since 2025-11-25).
 */
export type TitledSingleSelectEnumSchema = Field & { type: "string"; oneOf: readonly TitledChoice[]; default?: string };
/** Titles beside the choices, as `enumNames`: the only way before 2025-11-25 (L1.4). */
export type LegacyTitledEnumSchema = UntitledSingleSelectEnumSchema & { enumNames?: readonly string[] };

/**
 * A field for several choices (L1.4, since 2025-11-25): `type` is that of an array, from `minItems` to `maxItems` of them,
 * `default` is chosen at first.
 */
type MultiSelect = Field & { type: "array"; minItems?: number; maxItems?: number; default?: readonly string[] };
/** A field for several of the choices in `items`, shown as they are (L1.4). */
export type UntitledMultiSelectEnumSchema = MultiSelect & { items: { type: "string"; enum: readonly string[] } };
/** A field for several of the choices in `items`, shown by their titles (L1.4). */
export type TitledMultiSelectEnumSchema = MultiSelect & { items: { anyOf: readonly TitledChoice[] } };

/** A field for one of several choices (L1.4). */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
/** A field for some of several choices (L1.4). */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
/** A field with choices (L1.4). */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
/** A field of a form (L1.4). There are no fields in fields. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A flat form (TY-85, L1.4): JSON Schema of the `type` of an object, whose `properties` are the fields by name. */
export type ElicitRequestedSchema = {
  /** The dialect; default 2020-12. Since 2025-11-25. */
  $schema?: string;
  type: "object";
  properties: { [name: string]: PrimitiveSchemaDefinition };
  /** Names of the fields that must be filled in. */
  required?: readonly string[];
};

/**
 * A form for the user (TY-83): `message` says what it is for, `requestedSchema` what it looks like. Must not ask for secrets:
 * what people type passes through the client (L1.6).
 */
export type ElicitRequestFormParams = RequestParams & {
  /** Tells it from a page; absent means `"form"`. */
  mode?: "form";
  message: string;
  requestedSchema: ElicitRequestedSchema;
  /** Asks for the answer as a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/**
 * A page for the user (TY-84): `message` says what it is for. It is opened only after the user has seen the whole `url` and
 * agreed (L1.9).
 */
export type ElicitRequestURLParams = RequestParams & {
  /** Tells it from a form. */
  mode: "url";
  message: string;
  url: string;
  /** Required on 2025-11-25, unknown to later revisions. */
  elicitationId?: string;
  /** Asks for the answer as a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/** What `elicitation/create` asks the user: with a form, or on a page (TY-83, TY-84). */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** What the user did (TY-86, L1.3). */
export type ElicitResult = Result & {
  /** Agreed, refused, or went away without either. For a page, `"accept"` means only that the user agreed to open it. */
  action: "accept" | "decline" | "cancel";
  /** What was filled in, by the names of the fields. Only for an accepted form. */
  content?: { [field: string]: string | number | boolean | readonly string[] };
};

/** What was asked for on the page with that `elicitationId` is done (TY-87, 2025-11-25 only). */
export type ElicitationCompleteNotificationParams = NotificationParams & { elicitationId: string };
/** The name the seeds use for {@link ElicitationCompleteNotificationParams}. */
export type ElicitCompleteNotificationParams = ElicitationCompleteNotificationParams;
