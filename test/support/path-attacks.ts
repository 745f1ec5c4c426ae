/**
 * Texts that a model, or somebody who speaks through it, may write as a path to
 * get where it should not.
 */
export interface AttackedPlace {
  /** Holds the workspace `root`, a twin of it `root-evil`, and `outside`. */
  readonly base: string;
  readonly root: string;
  readonly outside: string;
}

/** They lead out. */
export const outsideTexts = (p: AttackedPlace): readonly string[] => [
  ...[
    "..",
    "../x",
    "../",
    "./..",
    "./../x",
    "../../etc/passwd",
    "a/../../x",
    "a/b/../../../x",
    "a/./../../x",
  ],
  ...["f.txt/../../x", "a//../..//x", "../root-evil/f.txt", "../outside/f.txt", "../root/../outside/f.txt"],
  ...[`../${"../".repeat(40)}etc/passwd`, "nothing/../../f.txt", "%2e/../../x"],
  ...[
    "/",
    "//",
    "/etc/passwd",
    "//etc/passwd",
    "/./etc/passwd",
    "/../etc/passwd",
    "/etc/../etc/shadow",
    "/root",
  ],
  ...[`${p.root}-evil/f.txt`, `${p.root}x`, `${p.root}/../x`, `${p.root}/..`, `${p.root}/a/../../x`, p.base],
  ...[p.outside, `${p.outside}/f.txt`, `/${p.outside}/f.txt`, `${p.base}/./root/../outside/f.txt`],
  ...["/proc/self/root/etc/passwd", "/proc/self/environ", "/proc/self/cwd/f.txt", "/proc/self/fd/0"],
  ...["/proc/1/root", `/proc/self/root${p.outside}/f.txt`, "/proc/self/mem"],
  ...[
    "/dev/stdin",
    "/dev/null",
    "/dev/zero",
    "/dev/fd/0",
    "/dev/shm/x",
    "/sys/kernel",
    "/tmp/x",
    "/var/tmp/x",
  ],
  ...[
    "~",
    "~/.ssh/id_rsa",
    "C:/Windows/x",
    "c:/",
    "file:///etc/passwd",
    "http://example.org/x",
    "FILE://x/y",
  ],
];

/** They cannot be a path, or could be misread. */
export const invalidTexts: readonly string[] = [
  ...[
    "",
    "a\0b",
    "f.txt\0",
    "\0",
    "f.txt\0.png",
    "a\nb",
    "f.txt\n",
    "\n",
    "a\rb",
    "a\tb",
    "a\u001bb",
    "a\u007f",
  ],
  ...["a\u0085b", "a\u2028b", "a\u2029b"],
  ...["..\\x", "a\\b", "\\\\server\\share", "C:\\x", "\\", "a/..\\..\\x", "f.txt\\"],
  ...[
    "f.txt ",
    " ",
    "a /f",
    "f.txt.",
    "a./f",
    "...",
    "a/.../f",
    ".. /x",
    "a/../a./f",
    "..\u00a0/x",
    "f\u2003",
  ],
  ...[
    "f\u200b.txt",
    "..\u200b/x",
    "\u200d",
    "f\u2060",
    "\ufefff.txt",
    "f\u200c",
    "f\u00ad",
    "f\u180e",
    "f\u3164",
  ],
  ...[
    "f\u202etxt.exe",
    "f\u200f",
    "f\u2066",
    "f\u061c",
    "\u202a..\u202c/x",
    "f\u{e0041}",
    "f\ufe0f",
    "f\u034f",
  ],
  ...["f\ud800", "\udc00f", "n".repeat(256), `a/${"é".repeat(128)}`, "n/".repeat(2049), "é".repeat(3000)],
];

/** Not written by tools; read unless they are secret. */
export const protectedPaths = [
  ...[
    ".git",
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    ".Git/hooks/x",
    "sub/.git",
    "sub/.git/config",
  ],
  ...[
    "a/../.git/config",
    "./.git//config",
    "git~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".ｇｉｔ/config",
  ],
  ...[
    ".premath/log.jsonl",
    ".PREMATH/x",
    ".bridle/x",
    "sub/.bridle/x",
    ".agent_rule_stats.json",
    ".agent_x/y",
  ],
  ...[".Agent_X", ".bridle-draft-1", ".ssh/authorized_keys.pub", ".ssh/config"],
];
/** Neither read nor written. */
export const secretPaths = [
  ...[".git-credentials", ".GIT-CREDENTIALS", ".netrc", "_netrc", "sub/.netrc", ".pgpass", ".pypirc"],
  ...[
    ".ssh/id_rsa",
    "id_ed25519",
    ".aws/credentials",
    ".gnupg/x",
    ".bridle/credentials.json",
    ".bridle/x/tokens",
  ],
  ...[".git/credentials", ".premath/secret"],
];
