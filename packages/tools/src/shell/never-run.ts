/**
 * Commands that are never run without a wall, whoever says yes.
 *
 * A courtesy, not a defence: it stops a slip of the finger, and nothing that was
 * written to get past it. Behind the wall these commands harm nobody, and there
 * they run.
 */
import type { Intent } from "@bridle/agent";

type Never = NonNullable<Intent["forbidden"]>;

const list: readonly (readonly [pattern: RegExp, never: Never])[] = [
  [
    /\brm\s+(?:-\S+\s+)*["']?(?:\/|~|\$\{?HOME\}?)["']?\/?\*?(?=\s|$|[;&|)])/,
    {
      code: "shell_removes_everything",
      because: "it would remove a whole machine or home",
      remedy: "Name the files and folders within the workspace that are meant.",
    },
  ],
  [
    /\bmkfs(?:\.\w+)?\s|\bof=\/dev\/(?:sd|nvme|vd|xvd|mmcblk|disk|mem)|>\s*\/dev\/(?:sd|nvme|vd|xvd|mmcblk|disk|mem)/,
    {
      code: "shell_writes_device",
      because: "it would write to a disk or to memory as a device, or make a file system",
      remedy: "Write to a file of the workspace.",
    },
  ],
  [
    /(\S+)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&/,
    {
      code: "shell_fork_bomb",
      because: "it would start copies of itself without end",
      remedy: "Start a bounded number of processes.",
    },
  ],
  [
    /\b(?:curl|wget)\b[^\n;|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b/,
    {
      code: "shell_runs_download",
      because: "it would run what it fetches, unseen",
      remedy: "Fetch it into a file of the workspace, read it, and then run it.",
    },
  ],
  [
    /^\s*(?:sudo\s+)?(?:shutdown|reboot|poweroff|halt)\b/,
    {
      code: "shell_stops_machine",
      because: "it would stop or restart the machine",
      remedy: "Leave the machine to its user.",
    },
  ],
];

/** Longer ones are nobody's slip. */
const charsMax = 4_096;

export function neverRun(command: string): Never | undefined {
  const text = command.slice(0, charsMax);
  return list.find(([pattern]) => pattern.test(text))?.[1];
}
