// What the referee says at the end: the share of green runs by task and in all, as a table or as JSON.

/** @param results one for each turn */
export function report(results, { skills, replay, json }) {
  const tasks = [...new Set(results.map(({ task }) => task))].map((task) => {
    const own = results.filter((result) => result.task === task && result.expected);
    return { task, runs: own.length, green: own.filter(({ green }) => green).length };
  });
  const runs = tasks.reduce((sum, each) => sum + each.runs, 0);
  const green = tasks.reduce((sum, each) => sum + each.green, 0);
  const surprises = results.filter((result) => result.green !== result.expected);
  const ok = replay ? surprises.length === 0 : true;
  if (json)
    return { ok, text: JSON.stringify({ skills, replay, runs, green, share: green / runs, tasks, results }, undefined, 2) };
  const width = Math.max(...tasks.map(({ task }) => task.length));
  const rows = tasks.map((each) => `${each.task.padEnd(width)}  ${each.green} of ${each.runs}`);
  const share = `${green} of ${runs} green (${Math.round((100 * green) / runs)} %), ${skills ? "with" : "without"} skills`;
  const wrong = results.filter(({ expected }) => !expected);
  const red = wrong.filter((result) => !result.green).length;
  const recorded = replay ? [`${red} of ${wrong.length} wrong answers came out red`] : [];
  const reasons = surprises.map(
    ({ task, answer, reason }) => `\n${task}, ${answer}: ${reason ?? "green, but its answer is wrong"}`,
  );
  return { ok, text: ["", ...rows, "", share, ...recorded, ...reasons].join("\n") };
}
