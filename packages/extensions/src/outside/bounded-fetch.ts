/** Requests to a server by HTTP: no redirects, for what is sent may hold a key, and no more of an answer than is allowed. */
import type { FetchLike } from "@modelcontextprotocol/client";

export interface BoundedFetch {
  /** So many more bytes came; why that is too much, where it is. */
  heard(bytes: number): Error | undefined;
}

export function boundedFetch({ heard }: BoundedFetch): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, { ...init, redirect: "error" });
    if (response.body === null) return response;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const tooMuch = heard(chunk.byteLength);
        if (tooMuch === undefined) controller.enqueue(chunk);
        else controller.error(tooMuch);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
  };
}
