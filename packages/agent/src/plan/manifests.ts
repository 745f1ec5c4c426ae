/**
 * Whether a write adds a dependency to the file that lists them.
 *
 * What a newcomer gets wrong: another version of what is there already is no new
 * dependency.
 */
import { isJsonObject, type JsonObject } from "@bridle/record";

const lists: readonly (readonly [file: RegExp, entry: RegExp])[] = [
  [
    /(?:^|\/)(?:package|composer)\.json$/,
    /"(@?[\w.-]+(?:\/[\w.-]+)?)"\s*:\s*"(?:[\^~]|[<>]=?|\d+\.|latest|\*|npm:|workspace:|git)/g,
  ],
  [/(?:^|\/)requirements[\w.-]*\.txt$/, /^\s*([\w.-]+)(?:\[[\w,]+\])?\s*(?:[=<>~!]=|$)/gm],
  [/(?:^|\/)Cargo\.toml$/, /^\s*([\w-]+)\s*=\s*(?:"[\^~=]?\d|\{\s*(?:version|git|path)\b)/gm],
  [/(?:^|\/)go\.mod$/, /^\s*(?:require\s+)?([\w.-]+\/[\w./-]+)\s+v\d/gm],
  [/(?:^|\/)Gemfile$/, /^\s*gem\s+["']([\w-]+)["']/gm],
  [/(?:^|\/)pyproject\.toml$/, /^\s*"?([\w.-]+)(?:\[[\w,]+\])?"?\s*(?:=\s*"[\^~>=]*\d|[<>~=]=\s*\d)/gm],
  [/(?:^|\/)pom\.xml$/, /<dependency>[\s\S]{0,300}?<artifactId>([\w.-]+)<\/artifactId>/g],
  [
    /\.gradle(?:\.kts)?$/,
    /^\s*(?:\w*[iI]mplementation|api|compileOnly|runtimeOnly|kapt)[\s(]+["']([\w.:-]+?)(?::[\w.-]+)?["']/gm,
  ],
  [/\.(?:cs|fs|vb)proj$/, /<PackageReference\s+Include="([\w.-]+)"/g],
  [/(?:^|\/)pubspec\.yaml$/, /^\s{2}([\w-]+):\s*\^?\d/gm],
  [/(?:^|\/)mix\.exs$/, /\{:(\w+),\s*"/g],
];
const noDependency = /^(?:version|node|npm|yarn|pnpm|python|php|edition|rust-version)$/;

export function addsDependency({ path, replacements }: JsonObject): boolean {
  const entry = typeof path === "string" ? lists.find(([file]) => file.test(path))?.[1] : undefined;
  if (entry === undefined || !Array.isArray(replacements)) return false;
  return replacements.some((one) => {
    if (!isJsonObject(one)) return false;
    const before = new Set(namesIn(String(one["search"] ?? ""), entry));
    return namesIn(String(one["replace"] ?? ""), entry).some(
      (name) => !before.has(name) && !noDependency.test(name),
    );
  });
}

function namesIn(text: string, entry: RegExp): readonly string[] {
  return [...text.slice(0, 20_000).matchAll(entry)].map(([, name = ""]) => name);
}
