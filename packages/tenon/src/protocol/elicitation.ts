/** Elicitation: a server asks the user, with a form or on a page. */
import type { NotificationParams, RequestParams, Result } from "./base.ts";
import type { TaskMetadata } from "./tasks.ts";

/** What people see of a field of any type (MCP schema): the `title` above it and the `description` beside it. */
type Field = { title?: string; description?: string };

/**
 * A text field (MCP schema): `type` identifies it, the text has `minLength` to `maxLength` characters, and `default` is the value
 * if the user types nothing.
 */
export type StringSchema = Field & {
  type: "string";
  minLength?: number;
  maxLength?: number;
  /** The format of the text, such as a date. */
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
};
/**
 * A number field (MCP schema): whole numbers if `type` is `"integer"`, from `minimum` to `maximum`; `default` is the value if the
 * user types nothing.
 */
export type NumberSchema = Field & { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number };
/** A yes-or-no field (MCP schema): `type` identifies it, and `default` is its initial value. */
export type BooleanSchema = Field & { type: "boolean"; default?: boolean };

/** A choice (MCP schema): its value `const` and the `title` that people see. */
export type TitledChoice = { const: string; title: string };

/** A field for one of the choices in `enum`, shown as they are (MCP schema); its `type` is string, and `default` is chosen at first. */
export type UntitledSingleSelectEnumSchema = Field & { type: "string"; enum: readonly string[]; default?: string };
/**
 * A field for one of the choices in `oneOf`, shown by their titles (MCP schema, since 2025-11-25); its `type` is string, and
 * `default` is chosen at first.
 */
export type TitledSingleSelectEnumSchema = Field & { type: "string"; oneOf: readonly TitledChoice[]; default?: string };
/** Titles for the choices as `enumNames` (MCP schema): the only way before 2025-11-25. */
export type LegacyTitledEnumSchema = UntitledSingleSelectEnumSchema & { enumNames?: readonly string[] };

/**
 * A field for several choices (MCP schema, since 2025-11-25): its `type` is array, it takes `minItems` to `maxItems` choices, and
 * `default` is chosen at first.
 */
type MultiSelect = Field & { type: "array"; minItems?: number; maxItems?: number; default?: readonly string[] };
/** A field for several of the choices in `items`, shown as they are (MCP schema). */
export type UntitledMultiSelectEnumSchema = MultiSelect & { items: { type: "string"; enum: readonly string[] } };
/** A field for several of the choices in `items`, shown by their titles (MCP schema). */
export type TitledMultiSelectEnumSchema = MultiSelect & { items: { anyOf: readonly TitledChoice[] } };

/** A field for one choice. */
export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
/** A field for some choices. */
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
/** A field with choices. */
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
/** A field of a form. Fields are not nested. */
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A flat form (MCP schema): a JSON Schema whose `type` is object and whose `properties` are the fields by name. */
export type ElicitRequestedSchema = {
  /** The dialect; default 2020-12. Since 2025-11-25. */
  $schema?: string;
  type: "object";
  properties: { [name: string]: PrimitiveSchemaDefinition };
  /** Names of the fields that must be filled in. */
  required?: readonly string[];
};

/**
 * A form for the user (MCP schema): `message` says what it is for, `requestedSchema` describes its fields. Security: it must not
 * ask for secrets, because what people type passes through the client.
 */
export type ElicitRequestFormParams = RequestParams & {
  /** Distinguishes a form from a page; absent means `"form"`. */
  mode?: "form";
  message: string;
  requestedSchema: ElicitRequestedSchema;
  /** Requests a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/**
 * A page for the user (MCP schema): `message` says what it is for. Security: the client opens it only after the user has seen the
 * whole `url` and agreed.
 */
export type ElicitRequestURLParams = RequestParams & {
  /** Distinguishes a page from a form. */
  mode: "url";
  message: string;
  url: string;
  /** Required on 2025-11-25, unknown to later revisions. */
  elicitationId?: string;
  /** Requests a task. 2025-11-25 only. */
  task?: TaskMetadata;
};

/** Params of `elicitation/create`: a form or a page for the user. */
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

/** What the user did (MCP schema). */
export type ElicitResult = Result & {
  /** The user agreed, refused, or dismissed the question. For a page, `"accept"` means only that the user agreed to open it. */
  action: "accept" | "decline" | "cancel";
  /** The values of the fields by name; a field that is undefined is not sent. Only for an accepted form. */
  content?: { [field: string]: string | number | boolean | readonly string[] | undefined };
};

/** The user finished what the page with that `elicitationId` was for (MCP schema, 2025-11-25 only). */
export type ElicitationCompleteNotificationParams = NotificationParams & { elicitationId: string };
/** The name the seeds use for {@link ElicitationCompleteNotificationParams}. */
export type ElicitCompleteNotificationParams = ElicitationCompleteNotificationParams;
