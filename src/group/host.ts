/** What the servers of a group share. */
import type { Clock } from "../dispatch/clock.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Catalog } from "./catalog.ts";
import type { GroupChange } from "./changes.ts";
import type { GroupLimits, GroupTimes } from "./limits.ts";
import type { Member } from "./member.ts";
import type { NameHook } from "./naming.ts";
import type { GroupOptions } from "./options.ts";
import type { Pins } from "./pins.ts";
import type { GroupSession } from "./session.ts";

export interface Host {
  readonly options: GroupOptions;
  readonly limits: GroupLimits;
  readonly times: GroupTimes;
  readonly clock: Clock;
  readonly validator: JsonSchemaValidator;
  readonly nameHook: NameHook;
  readonly catalog: Catalog<Member>;
  /** Undefined where tools may change as they like. */
  readonly pins: Pins | undefined;
  /** Names a server that nobody named after what it says it is. @throws McpError where another one has the name */
  nameAfter(info: Implementation | undefined, member: Member): string;
  /** That session is the member's from now on. */
  joined(session: GroupSession, member: Member): void;
  /** That member has given up names. */
  namesFreed(by: Member): void;
  emit(change: GroupChange): void;
  report(error: unknown, server: string): void;
}
