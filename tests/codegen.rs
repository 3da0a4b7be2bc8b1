//! The checked-in message types are those of `proto/`. `UPDATE=1` writes them anew.

use std::path::Path;

use prost::Message;

const GENERATED: [(&str, &str); 2] = [
    ("eu.ostrzyciel.jelly.core.proto.v1", "rdf.rs"),
    ("eu.ostrzyciel.jelly.core.proto.v1.patch", "patch.rs"),
];

#[test]
fn generated_types_are_not_stale() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = protox::compile(["rdf.proto", "patch.proto", "grpc.proto"], [root.join("proto")])
        .expect("the protos compile");
    assert_eq!(files.file.len(), 3);
    let requests = files
        .file
        .into_iter()
        .map(|file| (prost_build::Module::from_protobuf_package_name(file.package()), file))
        .collect();
    // Ordered maps, so that two runs print the same.
    let modules =
        prost_build::Config::new().btree_map(["."]).generate(requests).expect("types are generated");
    assert_eq!(modules.len(), GENERATED.len());
    for (package, name) in GENERATED {
        let code = &modules[&prost_build::Module::from_protobuf_package_name(package)];
        let path = root.join("tests/oracle/proto").join(name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, code).expect("the file can be written");
        }
        let checked_in = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(*code == checked_in, "{name} is stale: UPDATE=1 cargo test --test rust codegen");
    }
}

#[test]
fn the_descriptors_of_the_server_are_not_stale() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = ["grpc.proto", "patch_log.proto", "health.proto"];
    let mut files = protox::compile(names, [root.join("proto")]).expect("the protos compile");
    for file in &mut files.file {
        file.source_code_info = None;
    }
    let found = files.encode_to_vec();
    let path = root.join("python/jelly/service/grpc/descriptors.binpb");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).expect("the file can be written");
    }
    assert!(std::fs::read(&path).is_ok_and(|data| data == found), "{} is stale", path.display());
}
