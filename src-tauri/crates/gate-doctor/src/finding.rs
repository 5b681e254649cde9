//! The checks by name, and how each says what it found.

use gate_api::{Finding, Level, Words};

/// A check's name and title.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Check {
    pub(crate) id: &'static str,
    en: &'static str,
    zh: &'static str,
}

const fn check(id: &'static str, en: &'static str, zh: &'static str) -> Check {
    Check { id, en, zh }
}

pub(crate) const PROGRAM: Check = check("program", "Program on PATH", "PATH 上的程序");
pub(crate) const DESKTOP: Check = check("desktop", "Desktop app", "桌面应用");
pub(crate) const WEBKIT: Check = check("webkit", "Libraries of the desktop app", "桌面应用所需的库");
pub(crate) const HOME: Check = check("home", "Home folder", "数据目录");
pub(crate) const DISK: Check = check("disk", "Disk space", "磁盘空间");
pub(crate) const FILE_SYSTEM: Check = check("file_system", "File system", "文件系统");
pub(crate) const SETTINGS: Check = check("settings", "Settings file", "设置文件");
pub(crate) const GATE: Check = check("gate", "Running gate", "正在运行的网关");
pub(crate) const LOCK: Check = check("lock", "Lock", "锁文件");
pub(crate) const SOCKET: Check = check("socket", "Local socket", "本地套接字");
pub(crate) const TOKEN: Check = check("token", "Token", "令牌");
pub(crate) const HTTP: Check = check("http", "HTTP port", "HTTP 端口");
pub(crate) const DATABASE: Check = check("database", "Database", "数据库");
pub(crate) const BACKUPS: Check = check("backups", "Backups", "备份");
pub(crate) const SEARCH: Check = check("search", "Search index", "搜索索引");
pub(crate) const DISPLAY: Check = check("display", "Display", "图形显示");
pub(crate) const WINDOW: Check = check("window", "Window", "窗口");
pub(crate) const PERSON: Check = check("person", "You", "你的状态");
pub(crate) const NOTIFICATIONS: Check = check("notifications", "Notification service", "通知服务");
pub(crate) const TRAY: Check = check("tray", "System tray", "系统托盘");
pub(crate) const VOICE: Check = check("voice", "Voice", "语音");
pub(crate) const MICROPHONE: Check = check("microphone", "Microphone", "麦克风");
pub(crate) const MODEL: Check = check("model", "Speech model", "语音模型");
pub(crate) const CLIENTS: Check = check("clients", "Clients", "智能体的客户端");
pub(crate) const POPUP: Check = check("popup", "Test request", "测试请求");
pub(crate) const HEARD: Check = check("heard", "Agents that have asked", "提过问题的智能体");

impl Check {
    /// All is well.
    pub(crate) fn good(self, cause: impl Into<String>) -> Finding {
        self.found(Level::Good, cause)
    }

    /// Good to know.
    pub(crate) fn note(self, cause: impl Into<String>) -> Finding {
        self.found(Level::Note, cause)
    }

    /// It was not looked at.
    pub(crate) fn skipped(self, cause: impl Into<String>) -> Finding {
        self.found(Level::Skipped, cause)
    }

    /// It works less well than it could.
    pub(crate) fn warning(self, cause: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { mend: Some(mend.into()), ..self.found(Level::Warning, cause) }
    }

    /// It doesn't work.
    pub(crate) fn fault(self, cause: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { mend: Some(mend.into()), ..self.found(Level::Fault, cause) }
    }

    fn found(self, level: Level, cause: impl Into<String>) -> Finding {
        named(self.id.to_owned(), Words::new(self.en, self.zh), level, cause)
    }
}

/// A finding of a check that is made up as it goes: one for each client.
pub(crate) fn named(check: String, title: Words, level: Level, cause: impl Into<String>) -> Finding {
    Finding { check, title, level, cause: cause.into(), mend: None, command: None }
}

/// What a finding says besides its cause.
pub(crate) trait Mending {
    /// With what to do about it.
    fn mend(self, mend: impl Into<String>) -> Self;
    /// With the one command that does it.
    fn command(self, command: impl Into<String>) -> Self;
}

impl Mending for Finding {
    fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into());
        self
    }

    fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }
}
