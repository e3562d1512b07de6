// Every guard that `npm run mutants` removes, one after the other. A guard is a check that a security rule asks for.
import { authGuards } from "./auth.mjs";
import { callGuards } from "./calls.mjs";
import { commandGuards } from "./command.mjs";
import { effectGuards } from "./effects.mjs";
import { gatewayGuards } from "./gateway.mjs";
import { httpGuards } from "./http.mjs";
import { loginGuards } from "./logins.mjs";
import { messageGuards } from "./messages.mjs";
import { policyGuards } from "./policies.mjs";
import { socketGuards } from "./sockets.mjs";

/**
 * `rule`: a row of packages/tenon/test/coverage/rows/rules.md. `find` occurs exactly once in the files below `folder`, and
 * becomes `replace`. `tests`: files of which at least one must fail.
 */
export const guards = [
  ...[
    ...httpGuards,
    ...socketGuards,
    ...messageGuards,
    ...authGuards,
    ...callGuards,
    ...effectGuards,
    ...loginGuards,
    ...gatewayGuards,
    ...policyGuards,
  ].map(within("packages/tenon")),
  ...commandGuards.map(within("packages/tenon-cli")),
];

/** The parts name paths of a package; here they become paths of the repository. */
function within(folder) {
  const path = (name) => `${folder}/${name}`;
  return (guard) => ({ ...guard, folder: path(guard.folder), tests: guard.tests.map(path) });
}
