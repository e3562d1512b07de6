package peer;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** A server of the MCP extension of Quarkus: {@code server bench http <port>}. */
@QuarkusMain
public class Main {
    public static void main(String... args) {
        System.setProperty("quarkus.http.port", args[3]);
        Quarkus.run(args);
    }
}
