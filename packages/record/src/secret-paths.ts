/**
 * Which files hold keys and passwords, by their paths alone; for whoever reads files
 * for a model, and for the wall that commands run behind.
 *
 * Two answers, because names are not equally sure. A credential is nothing that a
 * project works on, so no reader shows it. Of a file that may hold one, such as
 * `.env` or `.npmrc`, many projects keep one without any: a person is asked, and a
 * wall shows it only where git tracks it. Spellings that some disk takes for the
 * same name count as that name.
 */

const names =
  /^(?:[._]netrc|\.git-credentials|\.pypirc|\.pgpass|\.my\.cnf|\.vault-token|\.dockercfg|id_(?:rsa|dsa|ecdsa|ed25519))$/;
const words = /credential|secret|token|^auth\.json$/;
/** By the name of a folder, what at any depth below it is one. */
const below = new Map([
  [".ssh", /^(?!.*\.pub$|known_hosts|config$)/],
  [".gnupg", /^/],
  [".password-store", /^/],
  [".aws", /^credentials/],
  [".git", words],
  [".bridle", words],
  [".premath", words],
]);
const ends =
  /(?:^|\/)(?:\.docker\/config\.json|\.kube\/config|\.config\/(?:gh|gcloud|op|hub|bridle)(?:\/.*)?)$/;

const environment = /^\.env(?:\..*)?$/;
const examples = /\.(?:example|sample|template|dist|defaults?)$/;
const settings = /^(?:\.npmrc|\.yarnrc\.yml|credentials(?:\.(?:toml|json|db))?)$/;

/** `path` has parts between slashes; absolute or not makes no difference. */
export function isCredential(path: string): boolean {
  const parts = folded(path).split("/");
  return (
    ends.test(parts.join("/")) ||
    parts.some(
      (name, i) =>
        names.test(name) || parts.slice(0, i).some((folder) => below.get(folder)?.test(name) === true),
    )
  );
}

/** `.env` and its kind, and settings of programs that log in somewhere. */
export function mayHoldCredential(path: string): boolean {
  return isEnvironmentFile(path) || settings.test(nameOf(path));
}

/** Examples of it are none. */
export function isEnvironmentFile(path: string): boolean {
  const name = nameOf(path);
  return environment.test(name) && !examples.test(name);
}

function nameOf(path: string): string {
  return folded(path).split("/").at(-1) ?? "";
}

/** Disks that ignore case or compatibility take these for the same name. */
function folded(path: string): string {
  return path.normalize("NFKC").toLowerCase();
}
