import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.query.ReadWrite;
import org.apache.jena.rdfpatch.filelog.FilePolicy;
import org.apache.jena.rdfpatch.filelog.OutputMgr;
import org.apache.jena.rdfpatch.filelog.RDFChangesManagedOutput;
import org.apache.jena.rdfpatch.system.DatasetGraphChanges;
import org.apache.jena.riot.Lang;
import org.apache.jena.riot.RDFDataMgr;
import org.apache.jena.sparql.core.DatasetGraph;
import org.apache.jena.sparql.core.DatasetGraphFactory;
import org.apache.jena.sparql.core.Quad;
import org.apache.jena.sys.JenaSystem;

/** Datasets that Jena logs to files: FileLog FOLDER POLICY...; a folder for each, and the dataset, which is the same for all, to standard output. */
public class FileLog {
    public static void main(String[] args) throws Exception {
        JenaSystem.init();
        DatasetGraph data = null;
        for (int policy = 1; policy < args.length; policy++) {
            Path folder = Files.createDirectory(Path.of(args[0], args[policy]));
            data = logged(folder.resolve("log.rdfp").toString(), FilePolicy.valueOf(args[policy]));
        }
        RDFDataMgr.write(System.out, data, Lang.NQUADS);
    }

    static DatasetGraph logged(String path, FilePolicy policy) {
        DatasetGraph data = DatasetGraphFactory.createTxnMem();
        int number = 0;
        // a chain of ids begins anew with each start of a server
        for (int start = 0; start < 3; start++) {
            var output = OutputMgr.create(path, policy);
            DatasetGraph logged = new DatasetGraphChanges(data, new RDFChangesManagedOutput(output));
            for (String end : new String[] {"commit", "abort", "commit"}) {
                number++;
                logged.begin(ReadWrite.WRITE);
                logged.add(quad("it is " + number));
                logged.delete(quad("it is " + (number - 1)));
                logged.delete(quad("it is " + (number - 2)));
                logged.add(quad("it was " + number));
                if (end.equals("commit")) {
                    logged.commit();
                } else {
                    logged.abort();
                }
                logged.end();
            }
        }
        return data;
    }

    static Quad quad(String text) {
        var node = NodeFactory.createURI("http://example.org/it");
        return Quad.create(node, node, node, NodeFactory.createLiteralString(text));
    }
}
