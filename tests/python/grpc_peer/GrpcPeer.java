package peer;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import eu.neverblink.jelly.convert.jena.JenaConverterFactory;
import eu.neverblink.jelly.convert.jena.riot.JellyFormatVariant;
import eu.neverblink.jelly.core.JellyOptions;
import eu.neverblink.jelly.core.RdfHandler;
import eu.neverblink.jelly.core.proto.v1.PhysicalStreamType;
import eu.neverblink.jelly.core.proto.v1.RdfStreamFrame;
import eu.neverblink.jelly.core.proto.v1.RdfStreamOptions;
import eu.neverblink.jelly.core.proto.v1.RdfStreamRow;
import io.grpc.CallOptions;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.jena.graph.Node;

/**
 * RdfStreamService with Jelly-JVM's codec and grpc-java. Serves the text files of a folder by name, as Jelly-JVM's own example does, and keeps
 * what is published as received-TOPIC.nq. Commands come line by line: subscribe TARGET TOPIC OUT [options | --any], publish TARGET FILE [options],
 * count TARGET TOPIC.
 */
public final class GrpcPeer {
    private static final String SERVICE = "eu.ostrzyciel.jelly.core.proto.v1.RdfStreamService";
    private static final MethodDescriptor<byte[], byte[]> SUBSCRIBE =
        method("SubscribeRdf", MethodDescriptor.MethodType.SERVER_STREAMING);
    private static final MethodDescriptor<byte[], byte[]> PUBLISH =
        method("PublishRdf", MethodDescriptor.MethodType.CLIENT_STREAMING);

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException error) {
                throw Status.INTERNAL.withCause(error).asRuntimeException();
            }
        }
    }

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.newBuilder(new Bytes(), new Bytes())
            .setType(type).setFullMethodName(SERVICE + "/" + name).build();
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Server server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
            .addService(ServerServiceDefinition.builder(SERVICE)
                .addMethod(SUBSCRIBE, ServerCalls.asyncServerStreamingCall((request, out) -> serve(folder, request, out)))
                .addMethod(PUBLISH, ServerCalls.asyncClientStreamingCall(out -> receive(folder, out)))
                .build())
            .build().start();
        System.out.println("port " + server.getPort());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = lines.readLine()) != null; ) {
            System.out.println(answer(line.split(" ")));
        }
        server.shutdownNow();
    }

    private static String answer(String[] words) {
        try {
            String[] rest = Arrays.copyOfRange(words, Math.min(3, words.length), words.length);
            ManagedChannel channel = Grpc.newChannelBuilder(words[1], InsecureChannelCredentials.create()).build();
            try {
                return switch (words[0]) {
                    case "subscribe" -> subscribe(channel, words[2], rest);
                    case "count" -> count(channel, words[2]);
                    default -> publish(channel, words[2], rest);
                };
            } finally {
                channel.shutdownNow();
            }
        } catch (StatusRuntimeException error) {
            return "status " + error.getStatus().getCode() + " " + error.getStatus().getDescription();
        } catch (Exception error) {
            return "failed " + error;
        }
    }

    private static String subscribe(ManagedChannel channel, String topic, String[] rest) throws Exception {
        RdfStreamOptions options = rest[1].equals("--any")
            ? null
            : variant(Arrays.copyOfRange(rest, 1, rest.length), PhysicalStreamType.TRIPLES).getOptions();
        Iterator<byte[]> found = subscription(channel, topic, options);
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        int frames = 0;
        while (found.hasNext()) {
            RdfStreamFrame.parseFrom(found.next()).writeDelimitedTo(stream);
            frames++;
        }
        write(stream.toByteArray(), Path.of(rest[0]));
        return "ok " + frames;
    }

    private static Iterator<byte[]> subscription(ManagedChannel channel, String topic, RdfStreamOptions options)
        throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        CodedOutputStream coded = CodedOutputStream.newInstance(request);
        coded.writeString(1, topic);
        if (options != null) {
            coded.writeByteArray(2, options.toByteArray());
        }
        coded.flush();
        CallOptions gzip = CallOptions.DEFAULT;
        return ClientCalls.blockingServerStreamingCall(
            io.grpc.ClientInterceptors.intercept(channel, io.grpc.stub.MetadataUtils.newAttachHeadersInterceptor(toEnd())),
            SUBSCRIBE, gzip, request.toByteArray());
    }

    /** Statements as Jena's nodes, of which nothing is kept. */
    private static String count(ManagedChannel channel, String topic) throws Exception {
        long[] count = new long[1];
        var handler = new RdfHandler.AnyStatementHandler<Node>() {
            @Override
            public void handleTriple(Node s, Node p, Node o) {
                count[0]++;
            }

            @Override
            public void handleQuad(Node s, Node p, Node o, Node g) {
                count[0]++;
            }
        };
        var decoder = JenaConverterFactory.getInstance()
            .anyStatementDecoder(handler, JellyOptions.DEFAULT_SUPPORTED_OPTIONS);
        for (Iterator<byte[]> found = subscription(channel, topic, null); found.hasNext(); ) {
            for (RdfStreamRow row : RdfStreamFrame.parseFrom(found.next()).getRows()) {
                decoder.ingestRow(row);
            }
        }
        return "ok " + count[0];
    }

    private static io.grpc.Metadata toEnd() {
        io.grpc.Metadata metadata = new io.grpc.Metadata();
        metadata.put(io.grpc.Metadata.Key.of("jelly-follow", io.grpc.Metadata.ASCII_STRING_MARSHALLER), "false");
        return metadata;
    }

    private static String publish(ManagedChannel channel, String file, String[] rest) throws Exception {
        List<RdfStreamFrame> frames = frames(Path.of(file), variant(rest, PhysicalStreamType.TRIPLES));
        CompletableFuture<String> done = new CompletableFuture<>();
        CallOptions gzip = CallOptions.DEFAULT.withCompression("gzip");
        StreamObserver<byte[]> out = ClientCalls.asyncClientStreamingCall(channel.newCall(PUBLISH, gzip), new StreamObserver<>() {
            private int answers = 0;

            @Override
            public void onNext(byte[] answer) {
                answers += answer.length == 0 ? 1 : 100;
            }

            @Override
            public void onError(Throwable error) {
                done.completeExceptionally(error);
            }

            @Override
            public void onCompleted() {
                done.complete("ok " + answers);
            }
        });
        for (RdfStreamFrame frame : frames) {
            out.onNext(frame.toByteArray());
        }
        out.onCompleted();
        try {
            return done.get();
        } catch (ExecutionException error) {
            throw (Exception) error.getCause();
        }
    }

    private static void serve(Path folder, byte[] request, StreamObserver<byte[]> out) {
        try {
            String topic = "";
            RdfStreamOptions asked = null;
            CodedInputStream coded = CodedInputStream.newInstance(request);
            for (int tag; (tag = coded.readTag()) != 0; ) {
                switch (WireFormat.getTagFieldNumber(tag)) {
                    case 1 -> topic = coded.readString();
                    case 2 -> asked = RdfStreamOptions.parseFrom(coded.readByteArray());
                    default -> coded.skipField(tag);
                }
            }
            Path file = folder.resolve(topic);
            if (!Files.exists(file)) {
                throw Status.NOT_FOUND.withDescription("no topic " + topic).asRuntimeException();
            }
            JellyFormatVariant variant = variant(
                new String[0], topic.endsWith(".nq") ? PhysicalStreamType.QUADS : PhysicalStreamType.TRIPLES);
            if (asked != null) {
                try {
                    JellyOptions.checkCompatibility(asked, JellyOptions.DEFAULT_SUPPORTED_OPTIONS);
                } catch (RuntimeException error) {
                    throw Status.INVALID_ARGUMENT.withDescription(error.getMessage()).asRuntimeException();
                }
                variant = JellyFormatVariant.builder().options(asked).frameSize(16).isDelimited(true).build();
            }
            for (RdfStreamFrame frame : frames(file, variant)) {
                out.onNext(frame.toByteArray());
            }
            out.onCompleted();
        } catch (Exception error) {
            out.onError(error instanceof StatusRuntimeException ? error : Status.INTERNAL.withCause(error).asRuntimeException());
        }
    }

    private static StreamObserver<byte[]> receive(Path folder, StreamObserver<byte[]> out) {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        return new StreamObserver<>() {
            private String topic = "";

            @Override
            public void onNext(byte[] message) {
                try {
                    RdfStreamFrame frame = RdfStreamFrame.parseFrom(message);
                    for (RdfStreamRow row : frame.getRows()) {
                        topic = row.hasOptions() ? row.getOptions().getStreamName() : topic;
                    }
                    frame.writeDelimitedTo(stream);
                } catch (IOException error) {
                    out.onError(Status.INVALID_ARGUMENT.withCause(error).asRuntimeException());
                }
            }

            @Override
            public void onError(Throwable error) {
            }

            @Override
            public void onCompleted() {
                try {
                    write(stream.toByteArray(), folder.resolve("received-" + topic + ".nq"));
                    out.onNext(new byte[0]);
                    out.onCompleted();
                } catch (Exception error) {
                    out.onError(Status.INVALID_ARGUMENT.withDescription(error.getMessage()).asRuntimeException());
                }
            }
        };
    }

    private static JellyFormatVariant variant(String[] options, PhysicalStreamType fallback) {
        return RdfOptions.of(new Args(options, RdfOptions.NAMES), fallback);
    }

    private static List<RdfStreamFrame> frames(Path file, JellyFormatVariant variant) throws Exception {
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        try (InputStream in = Files.newInputStream(file)) {
            RdfInput.parse(in, RdfInput.lang(file.toString()), RdfCommands.writer(variant, stream));
        }
        return RdfDump.frames(new ByteArrayInputStream(stream.toByteArray()));
    }

    private static void write(byte[] stream, Path file) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        new RdfDump(new PrintStream(text, false, StandardCharsets.UTF_8), false, false).run(new ByteArrayInputStream(stream));
        Files.write(file, text.toByteArray());
    }
}
