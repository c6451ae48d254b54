//! The service managers of systems: what their files say, and how they are told.
#![expect(clippy::disallowed_methods, reason = "writes the service's file and tells the service manager")]

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};
use clap::ValueEnum;

use crate::cli::files::{is_there, make_folder, remove, replace};
use crate::cli::live::working_folder::WorkingFolder;

/// Name of the unit, and of the agent.
const UNIT: &str = "verger.service";
const AGENT: &str = "io.verger.watch";

/// A service manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Manager {
    /// Linux: a user unit
    Systemd,
    /// macOS: an agent
    Launchd,
}

/// A service's file.
#[derive(Debug)]
pub(super) struct ServiceFile {
    /// Where it lies.
    pub(super) path: PathBuf,
    /// What it says.
    pub(super) text: String,
}

/// What the service is started with: whole paths.
#[derive(Debug)]
pub(super) struct Start {
    /// The program.
    pub(super) program: PathBuf,
    /// Folder of rules.
    pub(super) rules: PathBuf,
    /// File of sources.
    pub(super) connectors: PathBuf,
    /// Folder of the journal.
    pub(super) data: PathBuf,
}

impl Manager {
    /// That of this machine.
    pub(super) fn here() -> anyhow::Result<Self> {
        match std::env::consts::OS {
            "linux" => Ok(Self::Systemd),
            "macos" => Ok(Self::Launchd),
            other => bail!("there is no service for `{other}`: start `verger watch` from what you use there"),
        }
    }

    fn path(self) -> anyhow::Result<PathBuf> {
        let home = std::env::home_dir().context("the home folder is not known")?;
        Ok(match self {
            Self::Systemd => {
                let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
                let config = config.filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(".config"));
                config.join("systemd/user").join(UNIT)
            }
            Self::Launchd => home.join("Library/LaunchAgents").join(format!("{AGENT}.plist")),
        })
    }

    /// The file for a working folder.
    pub(super) fn file(self, folder: &WorkingFolder) -> anyhow::Result<ServiceFile> {
        let whole = |path: &Path| std::path::absolute(path).context("the current folder is gone");
        let start = Start {
            program: std::env::current_exe().context("this program's own path is not known")?,
            rules: whole(&folder.rules)?,
            connectors: whole(&folder.connectors)?,
            data: whole(folder.data.path())?,
        };
        let text = match self {
            Self::Systemd => unit(&start),
            Self::Launchd => agent(&start),
        };
        Ok(ServiceFile { path: self.path()?, text })
    }

    /// Writes the file and starts the service.
    pub(super) fn install(self, file: &ServiceFile) -> anyhow::Result<()> {
        make_folder(file.path.parent().unwrap_or(Path::new(".")))?;
        replace(&file.path, file.text.as_bytes())?;
        let path = file.path.display().to_string();
        match self {
            Self::Systemd => {
                tell(&["systemctl", "--user", "daemon-reload"])?;
                tell(&["systemctl", "--user", "enable", "--now", UNIT])
            }
            Self::Launchd => tell(&["launchctl", "load", "-w", &path]),
        }
    }

    /// Stops the service and removes its file.
    pub(super) fn uninstall(self) -> anyhow::Result<PathBuf> {
        let path = self.path()?;
        if !is_there(&path) {
            bail!("there is no service `{}`", path.display());
        }
        let shown = path.display().to_string();
        // One that does not run any more has still to be removed.
        let _ = match self {
            Self::Systemd => tell(&["systemctl", "--user", "disable", "--now", UNIT]),
            Self::Launchd => tell(&["launchctl", "unload", "-w", &shown]),
        };
        remove(&path)?;
        if self == Self::Systemd {
            let _ = tell(&["systemctl", "--user", "daemon-reload"]);
        }
        Ok(path)
    }

    /// Whether it runs, and what the system says.
    pub(super) fn status(self) -> anyhow::Result<(bool, String)> {
        let path = self.path()?;
        if !is_there(&path) {
            return Ok((false, "not installed".to_owned()));
        }
        let words: &[&str] = match self {
            Self::Systemd => &["systemctl", "--user", "is-active", UNIT],
            Self::Launchd => &["launchctl", "list", AGENT],
        };
        let (program, arguments) = words.split_first().context("no program")?;
        let out = Command::new(program).args(arguments).output().with_context(|| format!("`{program}`"))?;
        let said = String::from_utf8_lossy(&out.stdout);
        let first = said.lines().next().unwrap_or_default();
        let word = if self == Self::Systemd && !first.is_empty() {
            first
        } else if out.status.success() {
            "active"
        } else {
            "inactive"
        };
        Ok((out.status.success(), format!("{word} ({})", path.display())))
    }
}

fn tell(words: &[&str]) -> anyhow::Result<()> {
    let (program, arguments) = words.split_first().context("no program")?;
    let out = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("`{program}` cannot be started"))?;
    if out.status.success() {
        return Ok(());
    }
    bail!("`{}` says: {}", words.join(" "), String::from_utf8_lossy(&out.stderr).trim())
}

/// A user unit. What a sandbox without root can hold is held: nothing is written but the journal.
pub(super) fn unit(start: &Start) -> String {
    let Start { program, rules, connectors, data } = start;
    let [program, rules, connectors, data] = [program, rules, connectors, data].map(|path| unit_word(path));
    format!(
        "[Unit]\n\
         Description=Verger: interrupts you only when a rule of yours says so\n\
         Documentation=man:verger-watch(1)\n\
         \n\
         [Service]\n\
         Type=notify\n\
         NotifyAccess=main\n\
         ExecStart={program} watch --rules {rules} --connectors {connectors} --data {data}\n\
         ExecReload=/bin/kill -HUP $MAINPID\n\
         Restart=on-failure\n\
         RestartSec=10\n\
         # The watch gives a sign of life once a minute.\n\
         WatchdogSec=180\n\
         UMask=0077\n\
         NoNewPrivileges=yes\n\
         PrivateTmp=yes\n\
         ProtectSystem=strict\n\
         ProtectHome=read-only\n\
         ReadWritePaths={data}\n\
         ProtectKernelTunables=yes\n\
         ProtectControlGroups=yes\n\
         RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK\n\
         RestrictRealtime=yes\n\
         RestrictSUIDSGID=yes\n\
         LockPersonality=yes\n\
         MemoryDenyWriteExecute=yes\n\
         SystemCallArchitectures=native\n\
         \n\
         [Install]\n\
         WantedBy=default.target\n"
    )
}

/// A path in a unit: in quotes, `%` and `$` doubled, so that neither is replaced.
fn unit_word(path: &Path) -> String {
    let text = path.display().to_string();
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{text}\"")
}

/// A launchd agent.
pub(super) fn agent(start: &Start) -> String {
    let xml = |path: &Path| {
        let text = path.display().to_string();
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    };
    let Start { program, rules, connectors, data } = start;
    let words = [
        xml(program),
        "watch".to_owned(),
        "--rules".to_owned(),
        xml(rules),
        "--connectors".to_owned(),
        xml(connectors),
        "--data".to_owned(),
        xml(data),
    ];
    let words: String = words.iter().map(|word| format!("    <string>{word}</string>\n")).collect();
    let log = xml(&data.join("watch.log"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n\
         \x20 <key>Label</key>\n  <string>{AGENT}</string>\n\
         \x20 <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n\
         \x20 <key>RunAtLoad</key>\n  <true/>\n\
         \x20 <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n\
         \x20 <key>ThrottleInterval</key>\n  <integer>10</integer>\n\
         \x20 <key>ProcessType</key>\n  <string>Background</string>\n\
         \x20 <key>Umask</key>\n  <integer>63</integer>\n\
         \x20 <key>StandardOutPath</key>\n  <string>{log}</string>\n\
         \x20 <key>StandardErrorPath</key>\n  <string>{log}</string>\n\
         </dict>\n</plist>\n"
    )
}
