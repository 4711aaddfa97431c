//! stdin and stdout as the protocol's pipes. Once taken, nothing else can write into them: on unix fd 1 leads to stderr.
//! On Linux the pipe of the replies is made larger, so that it holds a whole one.

use std::io::{self, Read, Write};

use super::pump::Output;

/// The two ends of the protocol.
#[derive(Debug)]
pub struct ProtocolPipes {
    pub input: Input,
    pub output: Replies,
}

#[cfg(unix)]
pub use unix::{Input, Replies, take_stdio};

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::fstat;
    use rustix::io::fcntl_dupfd_cloexec;
    #[cfg(target_os = "linux")]
    use rustix::pipe::{fcntl_getpipe_size, fcntl_setpipe_size};
    use rustix::stdio::{dup2_stderr, dup2_stdout};

    use super::*;

    #[derive(Debug)]
    pub struct Input(File);

    #[derive(Debug)]
    pub struct Replies(File);

    /// The first descriptor that is not one of the standard three.
    const FIRST_FREE: i32 = 3;

    /// The most that anybody may ask for. A pipe holds 64 KiB by itself, and two sensors' images are 100 KB and more.
    #[cfg(target_os = "linux")]
    const PIPE_BYTES: usize = 1 << 20;

    /// Moves the protocol away from fd 1, which then leads to where stderr goes; if that is the same pipe, both lead
    /// nowhere, since a stray line among the frames would stall a BEAM for ever.
    pub fn take_stdio() -> io::Result<ProtocolPipes> {
        let input = fcntl_dupfd_cloexec(io::stdin(), FIRST_FREE)?;
        let output = fcntl_dupfd_cloexec(io::stdout(), FIRST_FREE)?;
        if is_same_file(io::stdout(), io::stderr())? {
            dup2_stderr(File::options().write(true).open("/dev/null")?)?;
        }
        dup2_stdout(io::stderr())?;
        enlarge(&output);
        Ok(ProtocolPipes { input: Input(File::from(input)), output: Replies(File::from(output)) })
    }

    /// Lets a reply stand in the pipe as a whole: else its reader and its writer wait for each other several times. It is
    /// no error where this cannot be had: a file or a socket is no pipe, and the kernel limits what a user's pipes hold.
    #[cfg(target_os = "linux")]
    fn enlarge(output: impl AsFd) {
        if fcntl_getpipe_size(&output).is_ok_and(|bytes| bytes < PIPE_BYTES) {
            let _as_before = fcntl_setpipe_size(&output, PIPE_BYTES);
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn enlarge(_output: impl AsFd) {}

    fn is_same_file(a: impl AsFd, b: impl AsFd) -> io::Result<bool> {
        let (a, b) = (fstat(a)?, fstat(b)?);
        Ok(a.st_dev == b.st_dev && a.st_ino == b.st_ino)
    }

    /// Does it again once the descriptor is ready, where the other side left it non-blocking.
    fn when_ready<T>(
        file: &mut File,
        flags: PollFlags,
        mut act: impl FnMut(&mut File) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            match act(file) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(file, flags)], None)?;
                }
                done => return done,
            }
        }
    }

    impl Read for Input {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            when_ready(&mut self.0, PollFlags::IN, |file| file.read(buffer))
        }
    }

    impl Write for Replies {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            when_ready(&mut self.0, PollFlags::OUT, |file| file.write(bytes))
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl Output for Replies {
        /// A pipe whose reader is gone shows an error, a socket a hang-up. (A hang-up of stdin would say nothing: requests
        /// may still stand in that pipe.)
        fn reader_is_there(&self) -> bool {
            let gone = PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL;
            let mut output = [PollFd::new(&self.0, PollFlags::empty())];
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            match poll(&mut output, Some(&at_once)) {
                Ok(_) => !output[0].revents().intersects(gone),
                Err(_) => true,
            }
        }
    }
}

#[cfg(not(unix))]
pub use elsewhere::{Input, Replies, take_stdio};

#[cfg(not(unix))]
mod elsewhere {
    use super::*;

    #[derive(Debug)]
    pub struct Input(io::Stdin);

    #[derive(Debug)]
    pub struct Replies(io::Stdout);

    pub fn take_stdio() -> io::Result<ProtocolPipes> {
        Ok(ProtocolPipes { input: Input(io::stdin()), output: Replies(io::stdout()) })
    }

    impl Read for Input {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl Write for Replies {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl Output for Replies {}
}
