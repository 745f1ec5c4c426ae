/**
 * The wall as arguments of bubblewrap: from a description to two lists of words.
 *
 * What a newcomer gets wrong: the order is the meaning. A later mount lies over an
 * earlier one, so the home is emptied before the workspace in it appears, and what
 * is covered comes last. And a file that is read-only is no use when the folder
 * that it is in can be renamed: every folder above a protected path becomes a mount
 * of its own, which nobody can move.
 */
import { commandLimits } from "../limits.js";
import { foldersBetween, isWithin } from "../paths.js";
import type { SystemFolders } from "./system.js";

export interface Ground {
  readonly path: string;
  readonly as: "read" | "write";
}

export interface WallDescription {
  readonly uid: number;
  readonly gid: number;
  readonly network: boolean;
  readonly system: SystemFolders;
  readonly home: string | undefined;
  /** Read-only, wherever they are: toolchains, certificates, the resolver's file. */
  readonly readable: readonly string[];
  /** Workspace, and what of its repository lies elsewhere. */
  readonly grounds: readonly Ground[];
  /** Absolute paths within the grounds, all of them there, that nobody may change. */
  readonly protects: readonly string[];
  /** Within what is protected, what may be changed after all. */
  readonly opens: readonly string[];
  /** What nobody may read. */
  readonly covers: readonly { readonly path: string; readonly folder: boolean }[];
  readonly cwd: string;
}

/** File descriptors that a wall is handed. */
export const statusFd = 3;
export const seccompFd = 4;

export function wallArguments(wall: WallDescription): string[] {
  const { system, home } = wall;
  return [
    ...["--unshare-all", "--unshare-user", "--disable-userns", ...(wall.network ? ["--share-net"] : [])],
    ...["--uid", String(wall.uid), "--gid", String(wall.gid), "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session", "--seccomp", String(seccompFd)],
    ...system.folders.flatMap((path) => ["--ro-bind", path, path]),
    ...system.links.flatMap(({ path, to }) => ["--symlink", to, path]),
    ...["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"],
    ...tmpfs("/dev/shm", commandLimits.shmBytes),
    ...tmpfs("/tmp", commandLimits.tmpBytes),
    ...["--dir", "/run", "--symlink", "../tmp", "/var/tmp"],
    ...(home === undefined ? [] : tmpfs(home, commandLimits.homeBytes)),
    ...wall.readable.flatMap((path) => ["--ro-bind", path, path]),
    ...wall.grounds.flatMap(({ path, as }) => [as === "write" ? "--bind" : "--ro-bind", path, path]),
    ...protecting(wall),
    ...wall.covers.flatMap(({ path, folder }) =>
      folder
        ? ["--perms", "0555", ...tmpfs(path, 4_096), "--remount-ro", path]
        : ["--ro-bind", "/dev/null", path],
    ),
    // What bubblewrap made of its own has no size, so nobody may write there.
    ...["--remount-ro", "/dev", "--remount-ro", "/"],
    ...["--chdir", wall.cwd],
  ];
}

function tmpfs(path: string, bytes: number): string[] {
  return ["--size", String(bytes), "--tmpfs", path];
}

/** Folders before what is in them. What stands above a protected path is held, unless it is itself protected. */
function protecting({ grounds, protects, opens }: WallDescription): string[] {
  const flags = new Map(opens.map((path) => [path, "--bind"]));
  for (const path of protects) {
    const ground = grounds.find((each) => isWithin(path, each.path));
    for (const folder of ground === undefined ? [] : foldersBetween(ground.path, path)) {
      const cover = [...protects, ...opens]
        .filter((each) => isWithin(folder, each))
        .toSorted(byLength)
        .at(-1);
      if (cover === undefined || opens.includes(cover)) flags.set(folder, "--bind");
    }
    flags.set(path, "--ro-bind");
  }
  return [...flags.keys()].toSorted(byLength).flatMap((path) => [flags.get(path) ?? "", path, path]);
}

function byLength(one: string, other: string): number {
  return one.length - other.length;
}

// --- The layer that vanishes -----------------------------------------------------------------------

export interface LayerDescription {
  /** Whether this program is root; then it needs no user namespace to mount. */
  readonly root: boolean;
  /** A folder of the system that nobody needs behind the wall; what is written is kept there, in memory. */
  readonly place: string;
  /** Folders that get a layer. */
  readonly folders: readonly string[];
  /** Run before the command: its limits. */
  readonly limiting: string;
}

/** Whether these paths can be told to `mount`, whose options are separated by signs. */
export function canLayer(folders: readonly string[]): boolean {
  return folders.every((folder) => !/[,:\\"\n]/.test(folder));
}

/**
 * The outer bubblewrap: it mounts the layers and then runs the command that
 * follows, which is the inner one. Afterwards it tells what is in the layers.
 */
export function layerArguments({ root, place, folders, limiting }: LayerDescription): string[] {
  const parts = folders.map((_, i) => `${place}/${i}`);
  return [
    ...(root ? [] : ["--unshare-user", "--uid", "0", "--gid", "0"]),
    ...["--unshare-pid", "--as-pid-1", "--die-with-parent", "--cap-add", "ALL", "--dev-bind", "/", "/"],
    ...tmpfs(place, commandLimits.tmpBytes),
    ...parts.flatMap((part) => ["--dir", part, "--dir", `${part}/upper`, "--dir", `${part}/work`]),
    ...["--", "/bin/sh", "-c", layerScript(place, limiting), "bridle-layer"],
    ...[root ? "" : "userxattr,", String(folders.length), ...folders],
  ];
}

/**
 * For `sh`: `$1` options, `$2` how many folders follow, then the command. What was
 * written goes to the status as type and name, each ended by NUL.
 */
function layerScript(place: string, limiting: string): string {
  return `
options=$1 count=$2 i=0
shift 2
while [ $i -lt $count ]; do
  part=${place}/$i
  mount -i -t overlay overlay -o "\${options}lowerdir=$1,upperdir=$part/upper,workdir=$part/work" "$1" || exit 125
  i=$((i + 1))
  shift
done
${limiting}
"$@" 2>&1 ${statusFd}>&-
code=$?
while [ $i -gt 0 ]; do
  i=$((i - 1))
  cd ${place}/$i/upper
  for any in * .[!.]* ..?*; do
    if [ -e "$any" ] || [ -L "$any" ]; then
      find . -mindepth 1 ! -type d -printf '%y%P\\0' -o -mindepth 1 -type d -empty -printf '%y%P\\0' |
        head -c ${commandLimits.vanishedBytesMax} >&${statusFd}
      break
    fi
  done
done
exit $code
`;
}
