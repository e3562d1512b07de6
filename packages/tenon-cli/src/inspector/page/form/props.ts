/** What fields and their controls are given. */
import type { VNode } from "preact";
import type { Issue } from "../../entries.ts";
import type { FieldKind } from "tenon/internal";
import type { Schema } from "./schema.ts";

export interface FieldProps {
  readonly name: string;
  readonly schema: unknown;
  readonly root: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** The JSON pointer of the value. */
  readonly path: string;
  readonly required: boolean;
  readonly issues: readonly Issue[];
  readonly depth?: number;
  /** Suggestions as the user types. Default: none. */
  readonly suggest?: (name: string, typed: string) => Promise<readonly string[]>;
}

export interface ControlProps extends Omit<FieldProps, "schema"> {
  /** With references followed. */
  readonly schema: Schema;
  readonly kind: FieldKind;
  readonly id: string;
  readonly isWrong: boolean;
  /** Draws a field inside this one. */
  readonly Field: (props: FieldProps) => VNode;
}
