/**
 * Where the paths of a command lead, by their text alone.
 *
 * What a newcomer gets wrong: nothing here looks at the disk. A link within the
 * workspace that leads out of it is not seen here, but by `outside/ways-out.ts`
 * before a command is run that nobody was asked about; a path that steps into a folder
 * and back out (`a/../b`) counts as outside, because `a` may be such a link.
 */
import { posix } from "node:path";

export interface Place {
  /** Absolute. */
  readonly root: string;
  /** Absolute, where it is known. */
  readonly home?: string;
}

/** Relative to the workspace, `""` for its root; undefined when it is outside. */
export function within(place: Place, text: string, from: string): string | undefined {
  if (/(?:^|\/)(?!\.\.?\/)[^/]+\/+(?:\.\/+)*\.\.(?:\/|$)/.test(text)) return undefined;
  const relative = posix.relative(place.root, absolute(text, from));
  return relative === ".." || relative.startsWith("../") ? undefined : relative;
}

export function absolute(text: string, from: string): string {
  return posix.resolve(from, text);
}

/** Devices that hold nothing: reading and writing them changes nothing. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|fd\/\d+)$/.test(path);
}

/** Disks and memory as devices. */
export function isRawDevice(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper|dm-|md|loop|mem|kmem|port)/i.test(path);
}

export function isSocket(path: string): boolean {
  return /^\/dev\/(?:tcp|udp)\//.test(path);
}

const homes = String.raw`(?:/root|/home/[^/]+|/users/[^/]+|~[^/]*)`;
const secretPlaces = [
  /^\/etc\/(?:g?shadow-?|sudoers(?:\.d)?|ssh\/ssh_host_.*|krb5\.keytab)(?:\/|$)/,
  /^\/proc\/(?:[^/]+\/)*(?:environ|mem|maps|fd|root|cwd)(?:\/|$)/,
  /^(?:\/var)?\/run\/secrets(?:\/|$)/,
  new RegExp(
    `^${homes}/\\.(?:ssh|aws|gnupg|azure|kube|netrc|npmrc|pypirc|git-credentials|pgpass|my\\.cnf|docker|codex|claude` +
      "|bash_history|zsh_history|config/(?:bridle|gh|gcloud|op|hub)|local/share/keyrings|password-store|vault-token)(?:/|$)",
  ),
  /(?:^|\/)(?:id_rsa|id_dsa|id_ecdsa|id_ed25519)$/,
];

/** Well-known places of keys and passwords, whoever's they are. */
export function isSecret(place: Place, path: string): boolean {
  const plain = path.toLowerCase();
  const home = place.home?.toLowerCase();
  const fromHome =
    home !== undefined && (plain === home || plain.startsWith(`${home}/`))
      ? `~${plain.slice(home.length)}`
      : plain;
  return secretPlaces.some((secret) => secret.test(plain) || secret.test(fromHome));
}

/** `.env` and its kind; examples of it are none. */
export function isEnvironmentFile(path: string): boolean {
  return (
    /(?:^|\/)\.env(?:\.[^/]*)?$/i.test(path) && !/\.(?:example|sample|template|dist|defaults?)$/i.test(path)
  );
}

/** What the harness itself keeps in the workspace. */
export function isHarnessState(relative: string): boolean {
  return /^(?:\.premath|\.bridle|\.agent_[^/]*)(?:\/|$)/i.test(relative);
}

export function isGitData(relative: string): boolean {
  return /(?:^|\/)\.git(?:\/|$)/i.test(relative);
}

/** The machine, somebody's home, the workspace as a whole, or something that holds one of them. */
export function isEverything(place: Place, path: string): boolean {
  const holds = (inner: string) => inner === path || inner.startsWith(path === "/" ? "/" : `${path}/`);
  if (holds(place.root) || (place.home !== undefined && holds(place.home))) return true;
  // Below /dev/shm stand files like any other, and workspaces among them.
  if (/^\/dev\/shm\/./.test(path)) return false;
  return /^\/(?:[^/]+|(?:home|Users|usr|var)\/[^/]+|(?:dev|proc|sys)\/.*)?$/.test(path);
}
