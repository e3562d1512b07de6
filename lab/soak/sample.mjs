// What a process holds, when everything that is garbage has gone.

/** `descriptors`: counts the open file descriptors. Needs --expose-gc. */
export async function sample(descriptors) {
  for (let i = 0; i < 2; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  globalThis.gc();
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  return {
    heap: heapUsed + external,
    rss,
    descriptors: descriptors(),
    timers: resources.filter((name) => name === "Timeout").length,
  };
}
