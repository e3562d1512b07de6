package peer;

import io.modelcontextprotocol.server.McpServer.SyncSpecification;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** The tools of the benchmark. */
final class Server {
    private Server() {}

    /** Adds the tools, and serves them. */
    static void offer(SyncSpecification<?> specification, boolean interop) {
        specification.serverInfo("java", "1.0.0");
        var capabilities = ServerCapabilities.builder().tools(true);
        if (interop) capabilities.resources(true, true).prompts(true);
        specification.capabilities(capabilities.build());
        Tool add = Tool.builder()
                .name("add")
                .description("Add two numbers")
                .inputSchema(schema(Map.of("a", "number", "b", "number")))
                .outputSchema(schema(Map.of("sum", "number")))
                .build();
        specification.toolCall(add, (exchange, request) -> {
            double sum = number(request, "a") + number(request, "b");
            return CallToolResult.builder().addTextContent(String.format("%.0f", sum)).structuredContent(Map.of("sum", sum)).build();
        });
        tool(specification, "echo", Map.of("text", "string"), (exchange, request) -> said((String) request.arguments().get("text")));
        Interop offered = interop ? new Interop(specification) : null;
        var server = specification.build();
        if (offered != null) offered.served(server);
    }

    static void tool(
            SyncSpecification<?> specification,
            String name,
            Map<String, String> input,
            BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> run) {
        Tool tool = Tool.builder().name(name).description(name).inputSchema(schema(input)).build();
        specification.toolCall(tool, run);
    }

    static CallToolResult said(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    static double number(CallToolRequest request, String name) {
        return ((Number) request.arguments().get(name)).doubleValue();
    }

    static Map<String, Object> schema(Map<String, String> properties) {
        Map<String, Object> described = new java.util.TreeMap<>();
        properties.forEach((name, type) -> described.put(name, Map.of("type", type)));
        return Map.of("type", "object", "properties", described, "required", List.copyOf(described.keySet()));
    }
}
