//! A whole conversion: what is read, what becomes of its blank nodes, and what is written.

use crate::convert::{
    Adds, Deskolem, NodeNames, PatchTarget, RdfTarget, Scoped, Skolem, Skolemized, Tally, convert,
};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{AnyFormat, RdfFormat};
use crate::io::{Output, Source, Target};
use crate::open::Identity;
use crate::open::{Input, OpenOptions};
use crate::options::values::Values;
use crate::patch::{Again, BaseLabels, Work};
use crate::reader::RowSource;

/// What is asked of a conversion; the formats are those of the names and of the content, where no option says them.
pub struct Conversion {
    open: OpenOptions,
    /// What is asked of the writer.
    write: Values,
    /// What IRIs of blank nodes begin with.
    skolemize: Option<String>,
    /// What IRIs begin with that become blank nodes.
    deskolemize: Option<String>,
    /// `None`: they get the scope of the source.
    labels: Option<BaseLabels>,
}

/// What `blank_nodes` says, in the order of its words.
const LABELS: [Option<BaseLabels>; 4] =
    [Some(BaseLabels::Keep), Some(BaseLabels::Content), Some(BaseLabels::Rdfc10), None];

impl Conversion {
    /// By options of the source, which may have a name, and of the output.
    ///
    /// # Errors
    /// `argument`: an option cannot be what it is.
    pub fn of(read: &Values, write: Values, name: Option<String>) -> Result<Self> {
        Ok(Conversion {
            open: OpenOptions::of(read, "format", name)?,
            write,
            skolemize: read.text("skolemize").map(str::to_owned),
            deskolemize: read.text("deskolemize").map(str::to_owned),
            labels: read.choice("blank_nodes", LABELS),
        })
    }

    /// Reads all of `source` and writes it to `target`; `poll` gets how far it came, and may stop it.
    ///
    /// # Errors
    /// `argument`: the formats do not go together, or an option is not for these formats; otherwise what is wrong with
    /// the source or the output. A file that is written is not made then.
    pub fn run(
        self,
        source: Source,
        target: Target,
        poll: &mut dyn FnMut(Tally) -> Result<()>,
    ) -> Result<Tally> {
        let Conversion { mut open, write, skolemize, deskolemize, labels: asked } = self;
        let given = [
            (deskolemize.is_some(), "deskolemize is"),
            (skolemize.is_some(), "skolemize is"),
            (asked == Some(BaseLabels::Content), "blank_nodes=\"content\" is"),
            (asked == Some(BaseLabels::Rdfc10), "blank_nodes=\"rdfc10\" is"),
            (asked.is_none(), "blank_nodes=\"scoped\" is"),
        ];
        if skolemize.is_some() && asked.is_none() {
            let message = "blank_nodes=\"scoped\" gives labels that only this source has, so they make no IRIs; \
                           skolemize alone makes IRIs of labels that last, or of the content";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let mut given = given.into_iter().filter_map(|(is_given, name)| is_given.then_some(name));
        let what = given.next();
        if let (true, Some(other)) = (deskolemize.is_some(), given.next()) {
            let message =
                format!("{other} not for a conversion with deskolemize: it is another one, of its result");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let (mut source, mut labels) = (source, None);
        let wanted = match (asked, &skolemize) {
            (Some(BaseLabels::Keep), Some(_)) => BaseLabels::Lasting,
            (asked, _) => asked.unwrap_or_default(),
        };
        let scoped = match asked {
            Some(_) => None,
            None => Some(Scoped::new(Identity::of(&source, &open).number(open.decode.source.as_deref())?)),
        };
        if wanted.reads_first() {
            // all of it is read before the first label is known
            let again = Again::new(source, open)?;
            if let AnyFormat::Rdf(_) = Input::open(again.source(), &again.options)?.format()? {
                labels = wanted.names(&again, &mut Work::new(&mut |_| poll(Tally::default())))?;
            }
            source = again.source();
            open = again.options;
        }
        let input = Input::open(source, &open)?;
        let format = input.format()?;
        let is_patch = matches!(format, AnyFormat::Patch(_));
        if let (true, Some(what)) = (is_patch, what) {
            let message = format!("{what} for statements: patches tell blank nodes by their labels");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let names = match (labels, skolemize, deskolemize) {
            (Some(labels), start, _) => Some(NodeNames::Named(Skolem::with_labels(labels, start)?)),
            (None, Some(start), _) => Some(NodeNames::Named(Skolem::new(start)?)),
            (None, None, Some(start)) => Some(NodeNames::Back(Deskolem::new(start, &open.decode.limits)?)),
            (None, None, None) => scoped.map(NodeNames::Scoped),
        };
        let (mut write, to_patch) = WriteOptions::of_conversion(is_patch, &write, target.name().as_deref())?;
        let writer = Writer::new(Output::create(target, &write.output())?);
        let patches =
            |write: WriteOptions| PatchTarget::new(Box::new(move |source| write.patch_encoder(source)));
        match format {
            AnyFormat::Patch(format) => all(input.patches(format)?.into_rows(), patches(write), writer, poll),
            AnyFormat::Rdf(format) if to_patch => {
                let target = Skolemized::new(Adds::new(patches(write)), names);
                all(input.statements(format)?.into_rows(), target, writer, poll)
            }
            AnyFormat::Rdf(format) => {
                let has_graphs = format != RdfFormat::NTriples && format != RdfFormat::Turtle;
                write.keep_prefixes_of(format);
                let target = RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
                let target = Skolemized::new(target, names);
                all(input.statements(format)?.into_rows(), target, writer, poll)
            }
        }
    }
}

fn all<T: Encode>(
    mut rows: Box<dyn RowSource<T>>,
    mut target: T,
    mut writer: Writer,
    poll: &mut dyn FnMut(Tally) -> Result<()>,
) -> Result<Tally> {
    let tally = convert(&mut *rows, &mut target, &mut writer, poll)?;
    writer.finish()?;
    Ok(tally)
}
