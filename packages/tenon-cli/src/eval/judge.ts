/** Says what is wrong with a run of a task; a run without faults is right. */
import { isSameJson, isJsonObject } from "tenon/internal";
import type { JsonObject } from "tenon";
import type { EvalAnswer, EvalArguments, EvalTask, ExpectedCall } from "tenon/testing";
import type { Run } from "./run.ts";
import { isNamed, type Call } from "./watched-tools.ts";

export interface Verdict {
  /** What is wrong, one sentence each. */
  readonly faults: readonly string[];
  /** The tools that the task expects, and whether each was called rightly. */
  readonly expected: readonly { readonly tool: string; readonly isRight: boolean }[];
  readonly others: readonly string[];
}

export async function judge(task: EvalTask, { calls, answer, failure }: Run): Promise<Verdict> {
  const wanted = expectedIn(task);
  const found = await Promise.all((wanted ?? []).map((one) => find(one, calls)));
  const others = calls.filter(({ tool }) => !(wanted ?? []).some((one) => isNamed(tool, one.tool))).map(({ tool }) => tool);
  const faults = [
    ...(failure === undefined ? [] : [failure]),
    ...found.flatMap(({ fault }) => fault ?? []),
    ...(wanted?.length === 0 ? [...new Set(others)].map((tool) => `${tool} was called, and no call was expected`) : []),
    ...(task.forbid ?? [])
      .filter((name) => calls.some(({ tool }) => isNamed(tool, name)))
      .map((name) => `${name} was called, and is forbidden`),
    ...(await answerFaults(task.answer, answer)),
  ];
  return { faults, expected: found.map(({ tool, fault }) => ({ tool, isRight: fault === undefined })), others };
}

/** The calls that a task expects; undefined if it says nothing. */
export function expectedIn({ expect }: EvalTask): readonly ExpectedCall[] | undefined {
  if (expect === undefined) return undefined;
  const list = Array.isArray(expect) ? (expect as readonly (string | ExpectedCall)[]) : [expect as string | ExpectedCall]; // one, or a list
  return list.map((one) => (typeof one === "string" ? { tool: one } : one));
}

async function find({ tool, arguments: rule }: ExpectedCall, calls: readonly Call[]): Promise<{ tool: string; fault?: string }> {
  const named = calls.filter((call) => isNamed(call.tool, tool));
  if (named.length === 0) return { tool, fault: `${tool} was not called${instead(calls)}` };
  let why = "";
  for (const call of named) {
    const fault = await argumentFault(rule, call.arguments);
    if (fault === undefined) return { tool };
    why = `${tool} was called with ${JSON.stringify(call.arguments).slice(0, 200)}: ${fault}`;
  }
  return { tool, fault: why };
}

function instead(calls: readonly Call[]): string {
  const names = [...new Set(calls.map(({ tool }) => tool))];
  return names.length === 0 ? ", and nothing else" : `; ${names.join(", ")} ${names.length === 1 ? "was" : "were"}`;
}

/** What is wrong with arguments; undefined if they are right. */
async function argumentFault(rule: EvalArguments | undefined, args: JsonObject): Promise<string | undefined> {
  if (rule === undefined) return undefined;
  if (typeof rule === "function" && !("~standard" in rule)) return (await rule(args)) ? undefined : "not what the task expects";
  if ("~standard" in rule) {
    const { issues } = await (rule as Extract<EvalArguments, { "~standard": unknown }>)["~standard"].validate(args);
    return issues
      ?.map(({ message, path = [] }) => `${path.map((key) => String(typeof key === "object" ? key.key : key)).join(".")} ${message}`.trim())
      .join("; ");
  }
  const wrong = Object.entries(rule).find(([name, value]) => !contains(args[name], value));
  return wrong && `${wrong[0]} is ${JSON.stringify(args[wrong[0]]) ?? "missing"}, and should be ${JSON.stringify(wrong[1])}`;
}

/** Whether a value is another one, or an object that has its members. */
function contains(value: unknown, wanted: unknown): boolean {
  if (!isJsonObject(wanted) || !isJsonObject(value)) return isSameJson(value, wanted);
  return Object.entries(wanted).every(([name, one]) => contains(value[name], one));
}

async function answerFaults(rules: EvalTask["answer"], answer: string): Promise<readonly string[]> {
  const all = rules === undefined ? [] : Array.isArray(rules) ? (rules as readonly EvalAnswer[]) : [rules as EvalAnswer]; // one, or a list
  const faults = await Promise.all(
    all.map(async (rule) => {
      if (typeof rule === "function") return (await rule(answer)) ? undefined : "the answer is not what the task expects";
      if (typeof rule !== "string")
        return new RegExp(rule.source, rule.flags.replace(/[gy]/g, "")).test(answer)
          ? undefined
          : `the answer does not match ${String(rule)}`;
      return answer.toLowerCase().includes(rule.toLowerCase()) ? undefined : `the answer does not have ${JSON.stringify(rule)}`;
    }),
  );
  return faults.filter((fault) => fault !== undefined);
}
