/** The steps a job can have: each is one call of the client, its result as the wire has it. */

const collect = async (member, items) => {
  const all = [];
  for await (const item of items) all.push(item);
  return { [member]: all };
};

const watch = async ({ client, streams }, key, filter) => {
  const stream = await client.listen(filter);
  streams.set(key, stream);
};

export const steps = {
  ping: ({ client }) => client.ping(),
  listTools: ({ client }) => collect("tools", client.tools()),
  listResources: ({ client }) => collect("resources", client.resources()),
  listResourceTemplates: ({ client }) => collect("resourceTemplates", client.resourceTemplates()),
  listPrompts: ({ client }) => collect("prompts", client.prompts()),

  callTool: ({ client }, { name, arguments: args, timeoutMs, abortAfterMs }, call) => {
    const options = { onProgress: ({ progress, total, message }) => call.progress.push({ progress, total, message }) };
    if (timeoutMs !== undefined) options.timeout = timeoutMs;
    if (abortAfterMs !== undefined) options.signal = abortAfter(abortAfterMs, call);
    return client.callTool(name, args, options);
  },

  readResource: ({ client }, { uri }) => client.readResource(uri),
  getPrompt: ({ client }, { name, arguments: args }) => client.getPrompt(name, args),
  complete: ({ client }, { ref, argument }) => client.complete({ ref, argument }),
  setLogLevel: ({ client }, { level }) => client.setLoggingLevel(level),

  subscribe: (context, { uri }) => watch(context, uri, { resources: [uri] }),
  unsubscribe: async ({ client, streams }, { uri }) => {
    const stream = streams.get(uri);
    streams.delete(uri);
    await (stream === undefined ? client.unsubscribeResource(uri) : stream.close());
  },

  listen: async (context, { filter }) => {
    const { toolsListChanged: tools = false, promptsListChanged: prompts = false } = filter;
    const { resourcesListChanged: list = false, resourceSubscriptions: uris = [] } = filter;
    await watch(context, "listen", { tools, prompts, resources: { list, uris } });
  },

  wait: (_context, { ms }) => new Promise((resolve) => setTimeout(resolve, ms)),
};

function abortAfter(ms, call) {
  const controller = new AbortController();
  call.timer = setTimeout(() => controller.abort(), ms);
  call.signal = controller.signal;
  return call.signal;
}
