//! A whole conversion: what is read, what becomes of its blank nodes, and what is written.

use crate::convert::{Adds, PatchTarget, RdfTarget, Skolem, Skolemized, Tally, convert};
use crate::create::{Encode, WriteOptions, Writer};
use crate::error::{Error, ErrorKind, Result};
use crate::format::{AnyFormat, RdfFormat};
use crate::io::{Output, Source, Target};
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
    /// Whether labels of blank nodes depend on the graph alone.
    content_labels: bool,
}

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
            content_labels: read.choice("blank_nodes", [false, true]),
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
        let Conversion { mut open, write, skolemize, content_labels } = self;
        let (mut source, mut labels) = (source, None);
        let wanted = match (content_labels, &skolemize) {
            (true, _) => BaseLabels::Content,
            (false, Some(_)) => BaseLabels::Lasting,
            (false, None) => BaseLabels::Keep,
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
        if is_patch && (skolemize.is_some() || content_labels) {
            let what = if skolemize.is_some() { "skolemize is" } else { "blank_nodes=\"content\" is" };
            let message = format!("{what} for statements: patches tell blank nodes by their labels");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let skolem = match labels {
            Some(labels) => Some(Skolem::with_labels(labels, skolemize)?),
            None => skolemize.map(Skolem::new).transpose()?,
        };
        let (mut write, to_patch) = WriteOptions::of_conversion(is_patch, &write, target.name().as_deref())?;
        let writer = Writer::new(Output::create(target, &write.output())?);
        let patches =
            |write: WriteOptions| PatchTarget::new(Box::new(move |source| write.patch_encoder(source)));
        match format {
            AnyFormat::Patch(format) => all(input.patches(format)?.into_rows(), patches(write), writer, poll),
            AnyFormat::Rdf(format) if to_patch => {
                let target = Skolemized::new(Adds::new(patches(write)), skolem);
                all(input.statements(format)?.into_rows(), target, writer, poll)
            }
            AnyFormat::Rdf(format) => {
                let has_graphs = format != RdfFormat::NTriples && format != RdfFormat::Turtle;
                write.keep_prefixes_of(format);
                let target = RdfTarget::new(Box::new(move |source| write.rdf_encoder(source, has_graphs)));
                let target = Skolemized::new(target, skolem);
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
