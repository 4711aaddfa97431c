//! What the user typed: the command line's words, apart from what they mean.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use saccade::protocol::{Encoding, Extra, Extras, Modalities, limits, listed, suggestion};

/// A deterministic simulator for Monty: the same world, seed and requests give the same bytes, every time.
///
/// Without a command it is a peer on stdin and stdout, as `saccade port` is.
#[derive(Debug, Parser)]
#[command(name = "saccade", version)]
#[command(after_help = "Example: saccade demo")]
pub struct CommandLine {
    /// Says more on stderr: unknown keys of requests, for instance.
    #[arg(short, long, global = true)]
    pub verbose: bool,

    #[command(flatten)]
    pub port: PortArgs,

    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Reads the command line, or ends the program with what is wrong with it.
pub fn parse() -> CommandLine {
    let mut command = CommandLine::command();
    let matches = command.get_matches_mut();
    if let (Some(id), Some(name)) = (misplaced(&matches), matches.subcommand_name()) {
        let option = id.replace('_', "-");
        let message = format!("--{option} stands before the command {name}, which would not hear of it; put it behind");
        command.error(ErrorKind::ArgumentConflict, message).exit();
    }
    CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// An option of `port` that was typed before another command, which would not hear of it.
fn misplaced(matches: &ArgMatches) -> Option<&'static str> {
    const OF_PORT: [&str; 7] = ["world", "seed", "modalities", "encoding", "extras", "max_frame", "record"];
    OF_PORT.into_iter().find(|id| matches.value_source(id) == Some(ValueSource::CommandLine))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answers requests on stdin: 4-byte big-endian length, then JSON; replies go to stdout the same way.
    #[command(after_help = "Example: saccade port --world default --modalities percept --record /tmp/run")]
    Port(PortArgs),
    /// Feeds a recorded request stream and writes the replies, or compares them with recorded ones.
    #[command(after_help = "Example: saccade replay run.req.bin --expect run.rep.bin")]
    Replay(ReplayArgs),
    /// Plays two recorded episodes on the default world, one line a step.
    #[command(after_help = "Example: saccade demo")]
    Demo,
    /// Writes pictures of what the sensors see: each sensor's rgba, depth (near is bright, a miss dark blue) and semantic
    /// (a colour for each id, black for none), and a sheet of them all.
    #[command(after_help = "Example: saccade render two_objects --steps actions.jsonl --strip 5 --out /tmp/pictures")]
    Render(RenderArgs),
    /// Tells how fast a world is on this machine: steps a second by what the reply holds, bytes to bytes, and where the time
    /// goes.
    #[command(after_help = "Example: saccade bench two_objects --encoding base64")]
    Bench(BenchArgs),
    /// Checks world files: every problem with its file, line and key.
    #[command(after_help = "Example: saccade check my_world.toml")]
    Check {
        /// World files, or names of shipped worlds.
        #[arg(required = true)]
        files: Vec<String>,

        /// A folder of objects, in place of the variable SACCADE_DATA.
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,
    },
    /// Lists the shipped worlds, or prints one as a start for your own.
    #[command(after_help = "Example: saccade worlds default > my_world.toml")]
    Worlds {
        /// The world to print.
        name: Option<String>,
    },
    /// Prints what a world offers as JSON: agents, actions, sensors, objects, limits, codes.
    #[command(after_help = "Example: saccade describe --world default")]
    Describe(DescribeArgs),
    /// Prints a completion script for a shell.
    #[command(after_help = "Example: saccade completions bash > ~/.local/share/bash-completion/completions/saccade")]
    Completions { shell: Shell },
}

/// What a world is opened with beside its file.
#[derive(Clone, Debug, Default, Args)]
pub struct Opening {
    /// A folder of objects, in place of the variable SACCADE_DATA.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// The seed of every chance, in place of the world file's.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(..=limits::MAX_SEED))]
    pub seed: Option<u64>,
}

/// Which world, and what is told of it.
#[derive(Clone, Debug, Args)]
pub struct WorldArgs {
    /// A shipped world's name, or the path of a world file.
    #[arg(long, value_name = "NAME|PATH", default_value = "default")]
    pub world: String,

    #[command(flatten)]
    pub opening: Opening,

    /// What sensors answer: percept, or single modalities, with commas between.
    #[arg(long, value_name = "A,B", value_parser = parse_modalities)]
    pub modalities: Option<Modalities>,

    /// How arrays are written: nested, base64 or binary.
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
    pub encoding: Option<Encoding>,

    /// What a step's answer holds beside its two parts: tick, contacts, with a comma between.
    #[arg(long, value_name = "A,B", value_parser = parse_extras)]
    pub extras: Option<Extras>,
}

#[derive(Clone, Debug, Args)]
pub struct PortArgs {
    #[command(flatten)]
    pub world: WorldArgs,

    /// The longest request that is taken, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = limits::MAX_FRAME_BYTES)]
    pub max_frame: u32,

    /// Writes STEM.req.bin (the bytes of stdin) and STEM.rep.bin (those of stdout).
    #[arg(long, value_name = "STEM")]
    pub record: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// A recorded request stream, as `port --record` writes.
    pub capture: PathBuf,

    /// A recorded reply stream to compare with, in place of writing the replies; exit 1 at the first difference.
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,

    #[command(flatten)]
    pub world: WorldArgs,

    /// The longest request that is taken, in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = limits::MAX_FRAME_BYTES)]
    pub max_frame: u32,
}

#[derive(Clone, Debug, Args)]
pub struct RenderArgs {
    /// A shipped world's name, or the path of a world file.
    #[arg(value_name = "WORLD", default_value = "default")]
    pub world: String,

    /// What is done before the pictures are taken: JSON, on each line an action or a list of actions for one step; or a
    /// recorded request stream, as `port --record` writes. Without it the view after the reset.
    #[arg(long, value_name = "FILE")]
    pub steps: Option<PathBuf>,

    /// The folder of the pictures, made if it is missing.
    #[arg(long, value_name = "DIR", default_value = "saccade-pictures")]
    pub out: PathBuf,

    /// Adds strip.png: the reset and every N-th step side by side.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub strip: Option<u64>,

    /// Adds SENSOR_points.ply: the points that each sensor sensed on the object, in metres of the world, with normals,
    /// colours and labels.
    #[arg(long)]
    pub points: bool,

    #[command(flatten)]
    pub opening: Opening,

    /// The episode of the first reset, from 0.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(..=limits::MAX_SEED))]
    pub episode: Option<u64>,
}

#[derive(Clone, Debug, Args)]
pub struct BenchArgs {
    /// A shipped world's name, or the path of a world file.
    #[arg(value_name = "WORLD", default_value = "default")]
    pub world: String,

    #[command(flatten)]
    pub opening: Opening,

    /// The episode that is played, from 0.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(..=limits::MAX_SEED))]
    pub episode: Option<u64>,

    /// What sensors answer, in place of the usual choices side by side: percept, or single modalities, with commas between.
    #[arg(long, value_name = "A,B", value_parser = parse_modalities)]
    pub modalities: Option<Modalities>,

    /// How arrays are written, in place of the usual choices side by side: nested, base64 or binary.
    #[arg(long, value_name = "E", value_parser = parse_encoding)]
    pub encoding: Option<Encoding>,

    /// About how long to measure, in seconds.
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 3.0, value_parser = parse_seconds)]
    pub seconds: f64,
}

#[derive(Clone, Debug, Args)]
pub struct DescribeArgs {
    #[command(flatten)]
    pub world: WorldArgs,

    /// Adds the canonical world file, as the key `file` of `world`.
    #[arg(long)]
    pub with_file: bool,
}

fn parse_modalities(text: &str) -> Result<Modalities, String> {
    let chosen = parse_list(text, Modalities::from_word, Modalities::words())?;
    Ok(chosen.into_iter().fold(Modalities::NONE, Modalities::with))
}

fn parse_encoding(text: &str) -> Result<Encoding, String> {
    parse_word(text, Encoding::from_word, Encoding::ALL.iter().map(|e| e.word()))
}

fn parse_extras(text: &str) -> Result<Extras, String> {
    let chosen = parse_list(text, Extra::from_word, Extra::ALL.iter().map(|e| e.word()))?;
    Ok(chosen.into_iter().fold(Extras::default(), Extras::with))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds));
    seconds.ok_or_else(|| format!("{text} is no number of seconds from 0 to {MOST_SECONDS}"))
}

/// An hour: what is not known by then never will be.
const MOST_SECONDS: f64 = 3600.0;

fn parse_list<T>(
    text: &str,
    from_word: fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<Vec<T>, String> {
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| parse_word(word, from_word, known.clone())).collect()
}

fn parse_word<T>(
    word: &str,
    from_word: fn(&str) -> Option<T>,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Result<T, String> {
    from_word(word).ok_or_else(|| {
        let hint = suggestion(word, known.clone());
        format!("{word} is not known; the words are {}{hint}", listed(known))
    })
}
