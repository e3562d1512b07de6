package peer;

import static peer.Server.said;
import static peer.Server.tool;

import io.modelcontextprotocol.server.McpServer.SyncSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageRequest;
import io.modelcontextprotocol.spec.McpSchema.ElicitFormRequest;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourcesUpdatedNotification;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.SamplingMessage;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import java.util.List;
import java.util.Map;

/** What the server has for the interoperability run alone: errors, progress, a call that waits, questions, a resource and a prompt. */
final class Interop {
    static final String NOTE = "mem://note";
    private static final Map<String, String> NOTHING = Map.of();
    private volatile String waited = "nothing";
    private volatile McpSyncServer server;

    Interop(SyncSpecification<?> specification) {
        tool(specification, "fail", NOTHING, (exchange, request) -> CallToolResult.builder().addTextContent("it failed").isError(true).build());
        tool(specification, "steps", Map.of("count", "number"), Interop::steps);
        tool(specification, "wait", NOTHING, (exchange, request) -> waits());
        tool(specification, "waited", NOTHING, (exchange, request) -> said(waited));
        tool(specification, "ask", NOTHING, (exchange, request) -> ask(exchange));
        tool(specification, "sample", NOTHING, (exchange, request) -> sample(exchange));
        tool(specification, "touch", NOTHING, (exchange, request) -> {
            server.notifyResourcesUpdated(new ResourcesUpdatedNotification(NOTE));
            return said("touched");
        });
        Resource note = Resource.builder().uri(NOTE).name("note").mimeType("text/plain").build();
        specification.resources(new SyncResourceSpecification(note, (exchange, request) -> new ReadResourceResult(List.of(new TextResourceContents(NOTE, "text/plain", "a note")))));
        Prompt greet = new Prompt("greet", "greet", List.of(new PromptArgument("name", "who", true)));
        specification.prompts(new SyncPromptSpecification(greet, (exchange, request) -> {
            var text = new TextContent("Hello " + request.arguments().get("name"));
            return new GetPromptResult(null, List.of(new PromptMessage(Role.USER, text)));
        }));
    }

    void served(McpSyncServer built) {
        server = built;
    }

    private static CallToolResult steps(McpSyncServerExchange exchange, CallToolRequest request) {
        int count = (int) Server.number(request, "count");
        Object token = request.progressToken();
        for (int step = 1; step <= count && token != null; step++) {
            exchange.progressNotification(new ProgressNotification(token, step, (double) count, null));
        }
        return said("done");
    }

    private CallToolResult waits() {
        waited = "waiting";
        try {
            Thread.sleep(20_000);
        } catch (InterruptedException interrupted) {
            waited = "cancelled";
            return said("cancelled");
        }
        waited = "ended";
        return said("not cancelled");
    }

    private static CallToolResult ask(McpSyncServerExchange exchange) {
        var answer = exchange.createElicitation(ElicitFormRequest.builder("Who?", Server.schema(Map.of("name", "string"))).build());
        Object name = answer.content() == null ? "" : answer.content().get("name");
        return said(answer.action().name().toLowerCase() + ":" + name);
    }

    private static CallToolResult sample(McpSyncServerExchange exchange) {
        var message = new SamplingMessage(Role.USER, new TextContent("Say hi"));
        var answer = exchange.createMessage(CreateMessageRequest.builder().messages(List.of(message)).maxTokens(10).build());
        return said("sampled: " + ((TextContent) answer.content()).text());
    }
}
