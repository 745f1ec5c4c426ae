/** Model servers that run on this machine, found by asking the ports that they have by custom. */

export interface LocalServer {
  /** As its models are named, `ollama/…`. */
  readonly name: string;
  /** Speaks as OpenAI does. */
  readonly baseUrl: string;
  readonly models: readonly string[];
}

export interface LocalPlace {
  readonly name: string;
  readonly baseUrl: string;
}

export const localPlaces: readonly LocalPlace[] = [
  { name: "ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  { name: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1" },
  { name: "llamacpp", baseUrl: "http://127.0.0.1:8080/v1" },
  { name: "vllm", baseUrl: "http://127.0.0.1:8000/v1" },
];

const waitMsMax = 400;
const answerBytesMax = 1024 * 1024;
const modelsMax = 50;

/** Those that answer with a list of models; whatever else listens there is none. */
export async function findServers(places: readonly LocalPlace[]): Promise<LocalServer[]> {
  const asked = await Promise.all(places.map(ask));
  return asked.filter((server) => server !== undefined);
}

async function ask({ name, baseUrl }: LocalPlace): Promise<LocalServer | undefined> {
  try {
    const answer = await fetch(`${baseUrl}/models`, {
      signal: AbortSignal.timeout(waitMsMax),
      redirect: "error",
    });
    if (!answer.ok || Number(answer.headers.get("content-length") ?? 0) > answerBytesMax) return undefined;
    const { data } = (await answer.json()) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    const ids = data.map((each) => (each as { id?: unknown } | null)?.id);
    const models = ids.filter(
      (id): id is string => typeof id === "string" && /^[\x21-\x7e]{1,200}$/.test(id),
    );
    return { name, baseUrl, models: models.slice(0, modelsMax) };
  } catch {
    return undefined;
  }
}
