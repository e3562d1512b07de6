/** What a group needs of the connection to a server: whatever answers as a `Client` does. */
import type { Client } from "../client/client.ts";

/** A connection in a group. Every {@link Client} is one. */
export type GroupSession = Pick<Client, keyof Client>;
