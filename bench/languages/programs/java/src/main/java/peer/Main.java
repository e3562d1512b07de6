package peer;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import java.util.Arrays;
import java.util.List;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.AbstractProtocol;
import org.apache.coyote.http11.AbstractHttp11Protocol;

/**
 * A server and a client of the official Java SDK: the peer of the benchmark and of the lab's interoperability run. The SDK has no 2026-07-28.
 *
 * <pre>
 * java peer.Main server bench|interop stdio
 * java peer.Main server bench|interop http PORT
 * java peer.Main client 2025 stdio COMMAND ARGUMENTS
 * java peer.Main client 2025 http URL
 * </pre>
 */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        List<String> words = Arrays.asList(args);
        if (words.get(0).equals("client")) {
            Client.run(words.get(2), words.subList(3, words.size()));
            System.exit(0); // threads of the SDK go on
        }
        boolean interop = words.get(1).equals("interop");
        if (words.get(2).equals("stdio")) {
            // Handlers that run at once on several threads lose results here: they run on the reading thread, except those that ask the client.
            var transport = new StdioServerTransportProvider(McpJsonDefaults.getMapper());
            Server.offer(McpServer.sync(transport).immediateExecution(!interop), interop);
            Thread.currentThread().join();
        }
        serveHttp(Integer.parseInt(words.get(3)), interop);
    }

    /** The SDK's servlet in Tomcat, the container of its documentation. */
    private static void serveHttp(int port, boolean interop) throws Exception {
        var transport = HttpServletStreamableServerTransportProvider.builder().mcpEndpoint("/mcp").build();
        // A handler runs on the thread of the container: there is no hop between threads in a call.
        Server.offer(McpServer.sync(transport).immediateExecution(true), interop);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(System.getProperty("java.io.tmpdir"));
        tomcat.setPort(port);
        var connector = tomcat.getConnector();
        connector.setProperty("address", "127.0.0.1");
        // Tomcat ends a connection after 100 requests by default.
        ((AbstractHttp11Protocol<?>) connector.getProtocolHandler()).setMaxKeepAliveRequests(-1);
        ((AbstractProtocol<?>) connector.getProtocolHandler()).setMaxConnections(20_000);
        var context = tomcat.addContext("", null);
        var servlet = Tomcat.addServlet(context, "mcp", transport);
        servlet.setAsyncSupported(true);
        servlet.setLoadOnStartup(1);
        context.addServletMappingDecoded("/*", "mcp");
        tomcat.start();
        tomcat.getServer().await();
    }
}
