/**
 * Why there is no wall here, in words for a person, and what to do about it.
 */
import { textOf } from "../disk.js";
import { isWithin } from "../paths.js";
import type { WallState } from "../types.js";

type NoWall = Extract<WallState, { stands: false }>;

function because(reason: string, remedy: string): NoWall {
  return { stands: false, because: reason, remedy };
}

export const noWall = {
  system: because(
    "commands are held back with bubblewrap, which is for Linux",
    "Run it on Linux, or look at each command before you say yes.",
  ),
  missing: because(
    "bubblewrap (bwrap) is not installed",
    "Install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap.",
  ),
  machine: because(
    "the system calls of this kind of processor are not known here",
    "Run it on x86-64 or arm64, or look at each command before you say yes.",
  ),
  workspace: because(
    "the workspace is a home folder, the folder of a system or one above them, and a wall around it would hold nothing back",
    "Work in the folder of a project.",
  ),
} as const;

export function workspaceTooWide(workspace: string, home: string | undefined): boolean {
  return (
    (home !== undefined && isWithin(home, workspace)) ||
    ["/", "/usr", "/etc", "/opt", "/var", "/home", "/tmp", "/dev/shm", "/proc", "/sys"].includes(workspace)
  );
}

/** What bubblewrap complained about, and who most likely refused it. */
export function refusalOf(complaint: string, setting = kernelSetting): NoWall {
  const said = complaint.split("\n")[0] ?? "";
  if (/^[1-9]/.test(setting("kernel/apparmor_restrict_unprivileged_userns"))) {
    return because(
      `AppArmor refuses user namespaces to programs without a profile (${said})`,
      "Give bubblewrap a profile (on Ubuntu 24.04: apt-get install apparmor-profiles, then aa-enforce the profile bwrap-userns-restrict), or set kernel.apparmor_restrict_unprivileged_userns=0.",
    );
  }
  if (setting("kernel/unprivileged_userns_clone") === "0" || setting("user/max_user_namespaces") === "0") {
    return because(
      `the system refuses user namespaces (${said})`,
      "Set kernel.unprivileged_userns_clone=1 and user.max_user_namespaces above 0.",
    );
  }
  return because(
    `namespaces are refused, as containers do (${said})`,
    "Start the container with rights to make namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined), or run it outside.",
  );
}

function kernelSetting(name: string): string {
  return textOf(`/proc/sys/${name}`).trim();
}
