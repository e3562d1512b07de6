/** Servers asking people: with a form, or by sending them to a page. */
import type { NotificationParams, RequestParams, Result } from "./base.ts";
import type { TaskMetadata } from "./tasks.ts";

type Field = { title?: string; description?: string };

export type StringSchema = Field & {
  type: "string";
  minLength?: number;
  maxLength?: number;
  format?: "email" | "uri" | "date" | "date-time";
  default?: string;
};
export type NumberSchema = Field & { type: "number" | "integer"; minimum?: number; maximum?: number; default?: number };
export type BooleanSchema = Field & { type: "boolean"; default?: boolean };

/** A choice and what people see of it. */
export type TitledChoice = { const: string; title: string };

export type UntitledSingleSelectEnumSchema = Field & { type: "string"; enum: readonly string[]; default?: string };
export type TitledSingleSelectEnumSchema = Field & { type: "string"; oneOf: readonly TitledChoice[]; default?: string };
/** Titles beside the choices: the only way before 2025-11-25. */
export type LegacyTitledEnumSchema = UntitledSingleSelectEnumSchema & { enumNames?: readonly string[] };

type MultiSelect = Field & { type: "array"; minItems?: number; maxItems?: number; default?: readonly string[] };
export type UntitledMultiSelectEnumSchema = MultiSelect & { items: { type: "string"; enum: readonly string[] } };
export type TitledMultiSelectEnumSchema = MultiSelect & { items: { anyOf: readonly TitledChoice[] } };

export type SingleSelectEnumSchema = UntitledSingleSelectEnumSchema | TitledSingleSelectEnumSchema;
export type MultiSelectEnumSchema = UntitledMultiSelectEnumSchema | TitledMultiSelectEnumSchema;
export type EnumSchema = SingleSelectEnumSchema | MultiSelectEnumSchema | LegacyTitledEnumSchema;
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | BooleanSchema | EnumSchema;

/** A flat form. */
export type ElicitRequestedSchema = {
  $schema?: string;
  type: "object";
  properties: { [name: string]: PrimitiveSchemaDefinition };
  required?: readonly string[];
};

/** Must not ask for secrets: what people type passes through the client. */
export type ElicitRequestFormParams = RequestParams & {
  /** Absent means `"form"`. */
  mode?: "form";
  message: string;
  requestedSchema: ElicitRequestedSchema;
  /** 2025-11-25 only. */
  task?: TaskMetadata;
};

/** The page is opened only after the user has seen the whole URL and agreed. */
export type ElicitRequestURLParams = RequestParams & {
  mode: "url";
  message: string;
  url: string;
  /** Required on 2025-11-25, unknown to later revisions. */
  elicitationId?: string;
  /** 2025-11-25 only. */
  task?: TaskMetadata;
};

export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams;

export type ElicitResult = Result & {
  /** For a page, `"accept"` means only that the user agreed to open it. */
  action: "accept" | "decline" | "cancel";
  /** Only for an accepted form. */
  content?: { [field: string]: string | number | boolean | readonly string[] };
};

/** 2025-11-25 only: what was asked for with that id is done. */
export type ElicitationCompleteNotificationParams = NotificationParams & { elicitationId: string };
export type ElicitCompleteNotificationParams = ElicitationCompleteNotificationParams;
