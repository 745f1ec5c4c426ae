/** What is used of the official client, and no more of it is loaded or packed. Whoever connects loads this file then. */
export { Client, deserializeMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
