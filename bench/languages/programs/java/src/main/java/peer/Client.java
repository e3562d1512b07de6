package peer;

import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageResult;
import io.modelcontextprotocol.spec.McpSchema.ElicitResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceRequest;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.SubscribeRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The client of the interoperability run: asks a server for what all of them have, and prints what it got as lines of JSON. */
final class Client {
    private static final String ODD_TEXT = "héllo 世界 \"quoted\"\\n";
    private final BlockingQueue<Double> progress = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> updates = new LinkedBlockingQueue<>();
    private final McpSyncClient client;

    private Client(McpClientTransport transport) {
        client = McpClient.sync(transport)
                .requestTimeout(Duration.ofSeconds(30))
                .capabilities(ClientCapabilities.builder().elicitation().sampling().build())
                .elicitation(request -> new ElicitResult(ElicitResult.Action.ACCEPT, Map.of("name", "Bo")))
                .sampling(request -> CreateMessageResult.builder(Role.ASSISTANT, "hi", "none").build())
                .progressConsumer(step -> progress.add(step.progress()))
                .resourcesUpdateConsumer(contents -> contents.forEach(one -> updates.add(one.uri())))
                .build();
    }

    static void run(String transport, List<String> target) throws Exception {
        Client asking = new Client(transport.equals("http") ? http(target.get(0)) : stdio(target));
        asking.checks();
        asking.client.closeGracefully();
    }

    private static McpClientTransport http(String url) {
        URI uri = URI.create(url);
        return HttpClientStreamableHttpTransport.builder(uri.resolve("/").toString()).endpoint(uri.getPath()).openConnectionOnStartup(true).build();
    }

    private static McpClientTransport stdio(List<String> target) {
        var parameters = ServerParameters.builder(target.get(0)).args(target.subList(1, target.size())).build();
        return new StdioClientTransport(parameters, McpJsonDefaults.getMapper());
    }

    private static void check(String name, Callable<Object> value) throws Exception {
        var running = CompletableFuture.supplyAsync(() -> {
            try {
                return value.call();
            } catch (Exception failure) {
                throw new IllegalStateException(failure.getMessage(), failure);
            }
        });
        String key = "value";
        Object shown;
        try {
            shown = running.get(15, TimeUnit.SECONDS);
        } catch (ExecutionException failure) {
            key = "error";
            shown = String.valueOf(failure.getCause().getMessage());
        } catch (TimeoutException late) {
            key = "error";
            shown = "no end after 15 seconds";
        }
        System.out.println(McpJsonDefaults.getMapper().writeValueAsString(Map.of("check", name, key, shown)));
    }

    private CallToolResult call(String name, Map<String, Object> arguments) {
        Map<String, Object> meta = name.equals("steps") ? Map.of("progressToken", "steps-1") : null;
        return client.callTool(new CallToolRequest(name, arguments, meta));
    }

    private static String text(CallToolResult result) {
        return ((TextContent) result.content().get(0)).text();
    }

    private String said(String name) {
        return text(call(name, Map.of()));
    }

    private void checks() throws Exception {
        check("revision", () -> client.initialize().protocolVersion());
        check("lists", this::lists);
        check("call", () -> {
            var result = call("add", Map.of("a", 2, "b", 3));
            return Map.of("text", text(result), "structured", result.structuredContent());
        });
        check("text", () -> text(call("echo", Map.of("text", ODD_TEXT))));
        check("resource", () -> ((TextResourceContents) client.readResource(new ReadResourceRequest(Interop.NOTE)).contents().get(0)).text());
        check("prompt", () -> {
            var result = client.getPrompt(new GetPromptRequest("greet", Map.of("name", "Bo")));
            return ((TextContent) result.messages().get(0).content()).text();
        });
        check("tool error", () -> {
            var result = call("fail", Map.of());
            return Map.of("isError", result.isError(), "text", text(result));
        });
        check("unknown tool", () -> refused("nope", Map.of()));
        check("wrong arguments", () -> refused("add", Map.of("a", "x", "b", 3)));
        check("progress", () -> {
            call("steps", Map.of("count", 5));
            return gather(progress, 5);
        });
        check("elicitation", () -> said("ask"));
        check("sampling", () -> said("sample"));
        check("subscription", () -> {
            client.subscribeResource(new SubscribeRequest(Interop.NOTE));
            said("touch");
            return gather(updates, 1);
        });
    }

    private Object lists() {
        return Map.of(
                "tools", client.listTools().tools().stream().map(tool -> tool.name()).sorted().toList(),
                "resources", client.listResources().resources().stream().map(one -> one.uri()).toList(),
                "prompts", client.listPrompts().prompts().stream().map(one -> one.name()).toList());
    }

    private String refused(String name, Map<String, Object> arguments) {
        try {
            return Boolean.TRUE.equals(call(name, arguments).isError()) ? "refused" : "no error";
        } catch (RuntimeException refusal) {
            return "refused";
        }
    }

    private static <T> List<T> gather(BlockingQueue<T> values, int wanted) throws InterruptedException {
        List<T> got = new ArrayList<>();
        while (got.size() < wanted) {
            T value = values.poll(10, TimeUnit.SECONDS);
            if (value == null) break;
            got.add(value);
        }
        return got;
    }
}
