/** Runs a task that another process began, with its stored record and without its connection. */
import { ErrorCode, McpError, NoBackChannelError } from "../../../jsonrpc/mcp-error.ts";
import type { Dispatcher } from "../../../dispatch/dispatcher.ts";
import { Connection } from "../../../session/connection.ts";
import type { ServerHost } from "../../../session/extension.ts";
import { RequestContext } from "../../../session/request-context.ts";
import type { TransportContext } from "../../../transport/transport-context.ts";
import { codecFor } from "../../../wire/revisions.ts";
import { TaskQuestionChannel } from "./task-question-channel.ts";
import type { TaskExecution } from "./task-execution.ts";
import type { TaskCall } from "../store/task-record.ts";
import { TaskRequest, withProgress } from "./task-request.ts";
import type { TaskRun } from "./task-run.ts";

/** @param host runs the call without middleware, because middleware ran when the task began */
export function rerun(host: ServerHost, execution: TaskExecution, run: TaskRun): void {
  const { call } = run.record;
  const codec = codecFor(call.version);
  const request = new TaskRequest(run, run.id, transportOf(call), undefined);
  const own = { codec, identity: call.client };
  const context = new RequestContext(request, new Connection(closedDispatcher()), withProgress(call.params), host.lifespan, own);
  context.task = run;
  context.questionChannel = new TaskQuestionChannel(run);
  void execution.run(run, context, (again) => host.run(again));
}

function transportOf({ auth, principal }: TaskCall): TransportContext {
  if (auth === undefined) return { kind: "task", principal };
  return {
    kind: "task",
    principal,
    auth,
    requirements: {
      check({ scopes }) {
        const missing = scopes.filter((scope) => !auth.scopes.includes(scope));
        if (missing.length > 0) throw new McpError(ErrorCode.InvalidRequest, `Insufficient scope: ${missing.join(" ")}`);
      },
    },
  };
}

function closedDispatcher(): Dispatcher {
  return {
    acceptsBatches: false,
    run: () => Promise.resolve(),
    request: (method) => Promise.reject(new NoBackChannelError(method)),
    notify: () => undefined,
    close: () => Promise.resolve(),
  };
}
