/** The context that the servers of a group share. `Owner` is the type of a server in the catalog. */
import type { Clock } from "../base/clock.ts";
import type { Implementation } from "../protocol/capabilities.ts";
import type { JsonSchemaValidator } from "../schema/json-schema-validator.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { GroupChange } from "./group-events.ts";
import type { GroupLimits, GroupOptions, GroupTimes } from "./options.ts";
import type { NameHook } from "./catalog/naming.ts";
import type { ToldRoots } from "./told-roots.ts";
import type { Pins } from "./catalog/pins.ts";
import type { GroupSession } from "../upstream/session.ts";

export interface GroupContext<Owner extends { readonly name: string }> {
  readonly options: GroupOptions;
  readonly limits: GroupLimits;
  readonly times: GroupTimes;
  readonly clock: Clock;
  readonly validator: JsonSchemaValidator;
  readonly nameHook: NameHook;
  readonly catalog: Catalog<Owner>;
  readonly toldRoots: ToldRoots;
  /** Undefined if nothing is pinned. */
  readonly pins: Pins | undefined;
  /** Names a server without a configured name by the name it declares. @throws McpError if another server has the name */
  nameAfter(info: Implementation | undefined, server: Owner): string;
  joined(session: GroupSession, server: Owner): void;
  /** Tells the other servers that `by` has freed names. */
  namesFreed(by: Owner): void;
  emit(change: GroupChange): void;
  report(error: unknown, server: string): void;
}
