import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.eclipse.rdf4j.query.resultio.sparqljson.SPARQLResultsJSONWriter;
import org.eclipse.rdf4j.repository.sail.SailRepository;
import org.eclipse.rdf4j.rio.nquads.NQuadsWriter;
import org.eclipse.rdf4j.sail.memory.MemoryStore;

/** A store of RDF4J over HTTP, in memory: POST /update, POST /query, and GET / for all quads. Prints its port. */
public class RdfStore {
    public static void main(String[] args) throws IOException {
        var store = new SailRepository(new MemoryStore());
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(store, exchange));
        server.start();
        System.out.println(server.getAddress().getPort());
    }

    private static void answer(SailRepository store, HttpExchange exchange) throws IOException {
        var out = new ByteArrayOutputStream();
        int status = 200;
        try (exchange; var connection = store.getConnection()) {
            var text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            try {
                switch (exchange.getRequestURI().getPath()) {
                    case "/update" -> connection.prepareUpdate(text).execute();
                    case "/query" -> connection.prepareTupleQuery(text).evaluate(new SPARQLResultsJSONWriter(out));
                    default -> connection.export(new NQuadsWriter(out));
                }
            } catch (RuntimeException error) {
                status = 400;
                out.writeBytes(error.toString().getBytes(StandardCharsets.UTF_8));
            }
            exchange.getResponseHeaders().set("Content-Type", status == 400 ? "text/plain" : "application/octet-stream");
            exchange.sendResponseHeaders(status, out.size() == 0 ? -1 : out.size());
            if (out.size() > 0) exchange.getResponseBody().write(out.toByteArray());
        }
    }
}
