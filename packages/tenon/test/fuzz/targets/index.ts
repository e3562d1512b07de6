/** Everything that `npm run fuzz` tries. */
import { documents } from "./documents.ts";
import { deviations } from "./readings.ts";
import { events } from "./events.ts";
import { challenge, headers } from "./headers.ts";
import { lists } from "./lists.ts";
import { callbacks, issuers } from "./logins.ts";
import { json, lines, message } from "./messages.ts";
import { patterns, schemas } from "./schemas.ts";
import { config, sealed } from "./secrets.ts";
import type { Target } from "./target.ts";
import { templates, urls } from "./uris.ts";

export const targets: readonly Target[] = [
  json,
  message,
  deviations,
  lines,
  events,
  headers,
  challenge,
  templates,
  urls,
  patterns,
  schemas,
  sealed,
  config,
  documents,
  callbacks,
  issuers,
  lists,
];
