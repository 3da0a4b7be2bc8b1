//! A whole conversion: its source, the labels of its blank nodes, and its output.

use crate::convert::{
    Adds, Deskolem, NodeNames, PatchTarget, RdfTarget, Scoped, Skolem, Skolemized, Tally, convert,
};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{AnyFormat, RdfFormat};
use crate::io::{self, Output, Target};
use crate::open::{Identity, Input, OpenOptions};
use crate::options::values::Values;
use crate::patch::{Again, BaseLabels, Work};
use crate::reader::RowSource;
use crate::sink::{PatchSink, RdfSink};

/// A source of rows for a conversion, for any sink.
pub trait Source: Sized {
    /// Reads statements; `keeps_frames` keeps the statements of different frames apart.
    fn statements<S: RdfSink>(self, keeps_frames: bool) -> Result<Box<dyn RowSource<S>>>;

    /// Reads patches.
    fn patches<S: PatchSink>(self) -> Result<Box<dyn RowSource<S>>>;
}

/// The options of a conversion. Formats that no option sets are detected from names and content.
pub struct Conversion {
    open: OpenOptions,
    /// The options of the writer.
    write: Values,
    /// The start of the IRIs that replace blank nodes.
    skolemize: Option<String>,
    /// The start of the IRIs that become blank nodes.
    deskolemize: Option<String>,
    /// `None`: blank nodes get the scope of the source.
    labels: Option<BaseLabels>,
}

/// The values of `blank_nodes`, in the order of their names.
const LABELS: [Option<BaseLabels>; 4] =
    [Some(BaseLabels::Keep), Some(BaseLabels::Content), Some(BaseLabels::Rdfc10), None];

impl Conversion {
    /// Creates a conversion from the options of the source, its name if it has one, and the options of the
    /// output.
    ///
    /// # Errors
    /// `argument`: an option has a wrong value.
    pub fn of(read: &Values, write: Values, name: Option<String>) -> Result<Self> {
        Ok(Conversion {
            open: OpenOptions::of(read, "format", name)?,
            write,
            skolemize: read.text("skolemize").map(str::to_owned),
            deskolemize: read.text("deskolemize").map(str::to_owned),
            labels: read.choice("blank_nodes", LABELS),
        })
    }

    /// Reads all of `source` and writes it to `target`; `poll` gets the progress and can stop the conversion.
    ///
    /// # Errors
    /// `argument`: the formats do not fit each other, or an option does not work with them. Otherwise the
    /// error of the source or the output. After an error no file is written.
    pub fn run(
        self,
        source: io::Source,
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
            let message = "blank_nodes=\"scoped\" gives labels that are valid only for this source, so they \
                           cannot become IRIs; skolemize alone makes IRIs from stable labels or content labels";
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let mut given = given.into_iter().filter_map(|(is_given, name)| is_given.then_some(name));
        let what = given.next();
        if let (true, Some(other)) = (deskolemize.is_some(), given.next()) {
            let message =
                format!("{other} not possible with deskolemize: convert the result in a second step");
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
            // the whole source is read before the first label is known
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
            let message = format!("{what} for statements only: patches identify blank nodes by their labels");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let names = match (labels, skolemize, deskolemize) {
            (Some(labels), start, _) => Some(NodeNames::Named(Skolem::with_labels(labels, start)?)),
            (None, Some(start), _) => Some(NodeNames::Named(Skolem::new(start)?)),
            (None, None, Some(start)) => Some(NodeNames::Back(Deskolem::new(start, &open.decode.limits)?)),
            (None, None, None) => scoped.map(NodeNames::Scoped),
        };
        let rows = Detected { input, format };
        let format = if let AnyFormat::Rdf(format) = format { Some(format) } else { None };
        write_rows(rows, is_patch, format, names, &write, target, poll)
    }
}

/// A source whose format is known.
struct Detected<'o> {
    input: Input<'o>,
    format: AnyFormat,
}

impl Source for Detected<'_> {
    fn statements<S: RdfSink>(self, _: bool) -> Result<Box<dyn RowSource<S>>> {
        let AnyFormat::Rdf(format) = self.format else { return Err(other_rows()) };
        Ok(self.input.statements(format)?.into_rows())
    }

    fn patches<S: PatchSink>(self) -> Result<Box<dyn RowSource<S>>> {
        let AnyFormat::Patch(format) = self.format else { return Err(other_rows()) };
        Ok(self.input.patches(format)?.into_rows())
    }
}

#[cold]
fn other_rows() -> Error {
    Error::new(ErrorKind::Internal, "a conversion asked for rows that its source does not have")
}

/// Writes all rows of a source of statements or patches to `target`, with the options of `convert` for the
/// output. `format` is the format of the statements, if they come from a file.
///
/// # Errors
/// The errors of [`Conversion::run`].
pub fn write_rows<R: Source>(
    rows: R,
    is_patch: bool,
    format: Option<RdfFormat>,
    names: Option<NodeNames>,
    write: &Values,
    target: Target,
    poll: &mut dyn FnMut(Tally) -> Result<()>,
) -> Result<Tally> {
    let (mut write, to_patch) = WriteOptions::of_conversion(is_patch, write, target.name().as_deref())?;
    let writer = Writer::new(Output::create(target, &write.output())?);
    let patches = |write: WriteOptions| PatchTarget::new(Box::new(move |source| write.patch_encoder(source)));
    if is_patch {
        return all(rows.patches()?, patches(write), writer, poll);
    }
    if to_patch {
        let target = Skolemized::new(Adds::new(patches(write)), names);
        return all(rows.statements(false)?, target, writer, poll);
    }
    // rows that come later may have graphs
    let has_graphs = !matches!(format, Some(RdfFormat::NTriples | RdfFormat::Turtle));
    if let Some(format) = format {
        write.keep_prefixes_of(format);
    }
    let keeps_frames = write.keeps_frames();
    let target = RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
    all(rows.statements(keeps_frames)?, Skolemized::new(target, names), writer, poll)
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
