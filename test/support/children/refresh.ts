/** Asks for an access token when it is told to, as one of several processes that share a file of credentials. */
import { codexEndpoints, Credentials, Secrets } from "@bridle/model";
import { Failure, nodePorts } from "@bridle/record";
import { args, done, say, told } from "../child-kit.js";

const { path, tokenUrl } = args<{ path: string; tokenUrl: string }>();
const credentials = new Credentials({
  path,
  ports: nodePorts(),
  secrets: new Secrets(),
  endpoints: { ...codexEndpoints, tokenUrl },
});
say("ready");
await told().next();
try {
  say(`token ${await credentials.accessToken()}`);
} catch (error) {
  say(`failed ${error instanceof Failure ? error.failureClass : String(error)}`);
}
done();
