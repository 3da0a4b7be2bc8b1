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

/** A dataset that Jena logs to files: FileLog LOG POLICY. The dataset goes to standard output. */
public class FileLog {
    public static void main(String[] args) {
        JenaSystem.init();
        DatasetGraph data = DatasetGraphFactory.createTxnMem();
        int number = 0;
        // a chain of ids begins anew with each start of a server
        for (int start = 0; start < 3; start++) {
            var output = OutputMgr.create(args[0], FilePolicy.valueOf(args[1]));
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
        RDFDataMgr.write(System.out, data, Lang.NQUADS);
    }

    static Quad quad(String text) {
        var node = NodeFactory.createURI("http://example.org/it");
        return Quad.create(node, node, node, NodeFactory.createLiteralString(text));
    }
}
