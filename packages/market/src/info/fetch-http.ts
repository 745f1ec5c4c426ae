/** HTTP as Node has it: the only file of this room that reaches the network, and only when somebody asks. */
import type { Http } from "./http.js";

export const fetchHttp: Http = {
  async post({ url, body, signal, bytesMax }) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body,
      signal,
      redirect: "error",
    });
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body ?? []) {
      length += (part as Uint8Array).length;
      if (length > bytesMax) throw new Error(`the answer is longer than ${bytesMax} bytes`);
      parts.push(part as Uint8Array);
    }
    const retryAfter = response.headers.get("retry-after");
    return {
      status: response.status,
      body: Buffer.concat(parts),
      ...(retryAfter === null ? {} : { retryAfter }),
    };
  },
};
