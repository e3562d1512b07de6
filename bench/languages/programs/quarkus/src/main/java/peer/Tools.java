package peer;

import io.quarkiverse.mcp.server.TextContent;
import io.quarkiverse.mcp.server.Tool;
import io.quarkiverse.mcp.server.Tool.OutputSchema;
import io.quarkiverse.mcp.server.ToolResponse;
import io.smallrye.common.annotation.NonBlocking;
import java.util.List;

/** The tools of the benchmark, on the threads that read. */
public class Tools {
    public record Sum(double sum) {}

    @NonBlocking
    @Tool(description = "Add two numbers", outputSchema = @OutputSchema(from = Sum.class))
    ToolResponse add(double a, double b) {
        double sum = a + b;
        return new ToolResponse(false, List.of(new TextContent(String.format("%.0f", sum))), new Sum(sum), null);
    }

    @NonBlocking
    @Tool(description = "Return the text that was sent")
    String echo(String text) {
        return text;
    }
}
